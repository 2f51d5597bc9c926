"""Cases: sheets, TREC qrels, BEIR folders, and JSONL or YAML with the keys that Python values have. A question with its
judgements is one case, whose only user turn carries the :class:`Truths`.

The id of a case is the question's id, its text comes from ``queries.jsonl``; where there is none, recorded results are
scored, and a live system is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from yaml.nodes import MappingNode, Node

from karat.core.case_files.case_rows import case_nodes
from karat.core.case_files.drafts import status_in
from karat.core.case_files.file_schemas import Holds
from karat.core.case_files.loaded import GIVEN, LoadedCases
from karat.core.expect.reading import read_expect
from karat.core.expect.records import Expect
from karat.core.files.reading import why_not_there
from karat.core.json_types import JsonMapping
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import Case, Status, Turn, Where
from karat.core.yaml.plain_values import node_of
from karat.core.yaml.structs import Findings, Raw, reader_for
from karat.suites.retrieval.formats import beir
from karat.suites.retrieval.formats.lines import shown_name
from karat.suites.retrieval.formats.qrels import Question, looks_like_qrels, read_qrels
from karat.suites.retrieval.records import DOCUMENTS, Truths

SHEET = ".sheet"
WRITTEN = (".jsonl", ".jsonl.gz", ".yaml", ".yml")
"""Files of questions with the keys of a :class:`GivenCase`."""


def load_cases(path: Path) -> LoadedCases:
    """Every question under a path, by what the path is."""
    if path.is_dir():
        return _judged(beir.qrels_of(path))
    if path.is_file():
        if path.suffix == SHEET:
            from karat.suites.retrieval.sheets.cases import load_sheet

            return load_sheet(path)
        if path.name.endswith(WRITTEN) and not looks_like_qrels(path):
            findings = Findings(shown_name(path))
            return _given(case_nodes(path, findings), findings, 1)
        return _judged(path)
    hint = "Give a sheet, a TREC qrels file, a BEIR folder, or JSONL with id, question and relevant."
    raise UserError(f"there are no cases at {path}: {why_not_there(path)}", hint=hint)


Judged = dict[str, int] | tuple[str, ...]
"""Keys with their relevance, or keys alone."""


class GivenCase(msgspec.Struct, frozen=True):
    """A question that is given as Python values. ``relevant``: its documents; ``fields``: the keys of each field; with
    their relevance, or 1."""

    id: str
    """The question's id."""
    question: str = ""
    """The question."""
    relevant: Annotated[Raw | None, Holds(Judged)] = None
    """The keys that must be found: a list, or key → relevance."""
    fields: Annotated[dict[str, Raw], Holds(Judged)] = {}
    """The same for each field."""
    expect: Expect | None = None
    """What is asserted about the way to the answer."""
    name: str = ""
    """A readable name."""
    tags: tuple[str, ...] = ()
    """Words to group figures by."""
    comments: str = ""
    """Notes for people; not used."""
    status: Status = "accepted"
    """``draft``: proposed by a program and not scored until a person accepts it."""
    cluster: str = ""
    """The same for all rephrasings of one question; they count as one case in intervals."""


_read_given = reader_for(GivenCase)
_read_judged = reader_for(dict[str, int])
_read_keys = reader_for(tuple[str, ...])


def cases_from(rows: Sequence[JsonMapping], _: Path) -> LoadedCases:
    """Questions that are given as Python values: ``{"id": "q1", "question": …, "relevant": {"d7": 1}}``."""
    found = ((node_of(row, GIVEN, at), Where(GIVEN, 0, at - 1, at)) for at, row in enumerate(rows, start=1))
    return _given(found, Findings(GIVEN))


def _given(found: Iterable[tuple[Node, Where]], findings: Findings, files: int = 0) -> LoadedCases:
    """Questions with these keys, wherever they are written."""
    cases: dict[str, Case[Truths]] = {}
    for node, where in found:
        before = len(findings.problems)
        given = _read_given(node, findings)
        if not isinstance(given, GivenCase):
            continue
        raw = ({DOCUMENTS: given.relevant} if given.relevant is not None else {}) | given.fields
        fields = {name: _judged_keys(value.node, findings) for name, value in raw.items()}
        if len(findings.problems) > before:
            continue
        if not given.id.strip():
            findings.add(node, "the case has an empty id", "Give it an id that stays the same.")
        elif not fields and given.expect is None:
            findings.add(node, f'case "{given.id}" does not say what is relevant', "Give it relevant: or fields:.")
        elif given.id in cases:
            first = cases[given.id].source
            hint = "Each case needs its own id; only the first of the two is used."
            findings.add(node, f'the case id "{given.id}" appears twice: also in {first.file}:{first.line}', hint)
        else:
            target = Truths(fields) if fields else None
            turn = Turn(role="user", content=given.question, target=target, expect=given.expect)
            cases[given.id] = Case(
                given.id,
                (turn,),
                given.name,
                given.tags,
                given.comments,
                source=where,
                status=given.status,
                cluster=given.cluster,
            )
    return LoadedCases(tuple(cases.values()), tuple(findings.problems), files)


def _judged_keys(node: Node, findings: Findings) -> dict[str, int]:
    if isinstance(node, MappingNode):
        judged = _read_judged(node, findings)
        return judged if isinstance(judged, dict) else {}
    keys = _read_keys(node, findings)
    return dict.fromkeys(keys, 1) if isinstance(keys, tuple) else {}


def recognises(path: Path) -> bool:
    """A sheet, a qrels file, a BEIR folder, or questions with what is relevant in JSONL or YAML."""
    if path.is_dir():
        return beir.is_beir(path)
    return path.suffix == SHEET or looks_like_qrels(path) or _says_what_is_relevant(path)


def _says_what_is_relevant(path: Path) -> bool:
    if not path.name.endswith(WRITTEN):
        return False
    findings = Findings(str(path))
    try:
        first = next(iter(case_nodes(path, findings)), None)
    except (UserError, OSError):
        return False
    given = _read_given(first[0], findings) if first is not None else None
    return isinstance(given, GivenCase) and not findings.problems and (given.relevant is not None or bool(given.fields))


def status_file(case: Case[Truths]) -> tuple[Path, int]:
    """A BEIR folder says in ``queries.jsonl`` that a question is a draft."""
    folder = beir.folder_of(Path(case.source.file))
    path = beir.packed_or_not(folder / beir.QUERIES) if folder else None
    if path is None:
        raise UserError(f'"{case.id}" is not in a BEIR folder, so it has no status')
    return path, beir.line_of(path, case.id)


def _judged(qrels: Path) -> LoadedCases:
    problems: list[Problem] = []
    questions = read_qrels(qrels, problems)
    folder = beir.folder_of(qrels)
    asked = beir.queries_of(folder, questions.keys(), problems) if folder else {}
    file = shown_name(qrels)
    if folder is not None:
        problems += _without_text([name for name in questions if name not in asked], file)
    unasked = beir.Query("")
    cases = tuple(
        _case(name, question, asked.get(name, unasked), file, problems) for name, question in questions.items()
    )
    return LoadedCases(cases, tuple(problems), 1 if folder is None else 2)


def _case(name: str, question: Question, asked: beir.Query, file: str, problems: list[Problem]) -> Case[Truths]:
    expect, wrong = read_expect(asked.expect, file, question.line)
    problems += wrong
    turn = Turn(role="user", content=asked.text, target=Truths({DOCUMENTS: question.judged}), expect=expect)
    where = Where(file, line=question.line)
    return Case(name, (turn,), source=where, status=status_in({"status": asked.status}), cluster=asked.cluster)


def _without_text(names: list[str], file: str) -> list[Problem]:
    if not names:
        return []
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    message = f"{count_of(len(names), 'question')} without a text in {beir.QUERIES}: {shown}"
    return [
        Problem(
            message,
            file=file,
            severity="warning",
            hint="Recorded results need none; a live system cannot be asked without it.",
        )
    ]
