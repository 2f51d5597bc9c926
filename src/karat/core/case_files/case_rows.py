"""Case files for a suite whose cases are one question with one target each: YAML and JSONL, read into a struct of the
suite.

::

    class Row(CaseRow, frozen=True, kw_only=True):
        answer: Literal["yes", "no"]

    files = CaseFiles(Row, target=lambda row: Answer(row.answer))
    suite = Suite(…, load_cases=files.load, stream_cases=files.stream, cases_from=files.given, …)

A YAML file holds one case, a list of them, or several documents; a JSONL file one case per line; a folder any number of
such files. Unknown keys, missing keys and values that do not fit are reported with their line and column, and cost only
their own case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from yaml.nodes import Node, SequenceNode

from karat.core.case_files.file_schemas import FileForm
from karat.core.case_files.loaded import GIVEN, LoadedCases, all_cases
from karat.core.files import json
from karat.core.files.lines import each_line
from karat.core.files.reading import FileRefused, read_unpacked, why_not_there
from karat.core.json_types import JsonMapping
from karat.core.problems import Problem, UserError
from karat.core.records import Case, Status, Turn, Where
from karat.core.yaml.plain_values import node_of
from karat.core.yaml.structs import Findings, documents, read

SUFFIXES = (".yaml", ".yml", ".jsonl")
PROJECT = "karat.yaml"


class CaseRow(msgspec.Struct, frozen=True, kw_only=True):
    """What every case has in a file. A suite's own row extends this struct.

    >>> import karat
    >>> class Row(karat.CaseRow, frozen=True, kw_only=True):
    ...     answer: str
    >>> Row(id="ships", question="How many ships?", answer="37").answer
    '37'
    """

    id: str
    """The case's id."""
    question: str
    """The question."""
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


Row = TypeVar("Row", bound=CaseRow)
Target = TypeVar("Target")
Found = Iterator[tuple[Node, Where]]
Places = dict[str, tuple[str, int]]
"""The id of each case → the file and line it is in."""


class CaseFiles(Generic[Row, Target]):
    """Reads cases: ``row`` is what is in a file, ``target`` makes what a right answer must hold. It may raise
    ValueError.

    >>> import karat
    >>> class Row(karat.CaseRow, frozen=True, kw_only=True):
    ...     answer: str
    >>> files = karat.CaseFiles(Row, target=lambda row: row.answer)
    >>> loaded = files.given([{"id": "ships", "question": "How many?", "answer": "37"}, {"id": "seats"}], None)
    >>> [case.id for case in loaded.cases], len(loaded.problems) > 0
    (['ships'], True)
    """

    def __init__(self, row: type[Row], target: Callable[[Row], Target]) -> None:
        self._row, self._target = row, target

    @property
    def forms(self) -> tuple[FileForm, ...]:
        """For ``Suite.case_forms``."""
        return (FileForm(self._row),)

    def load(self, path: Path) -> LoadedCases:
        """Every case under a path, and every problem."""
        return all_cases(self.stream(path), len(_files(path)))

    def stream(self, path: Path) -> Iterator[Case[Target] | Problem]:
        """The same, one after the other: the lines of a JSONL file are read as they are asked for."""
        first: Places = {}
        for file in _files(path):
            findings = Findings(str(file))
            try:
                yield from self._cases(case_nodes(file, findings), first, findings)
            except FileRefused as error:
                yield error.problem
            except OSError as error:
                yield Problem(f"cannot be read: {error.strerror or error}", file=str(file))
            yield from findings.problems

    def given(self, rows: Sequence[JsonMapping], _: Path) -> LoadedCases:
        """Cases that are given as Python values."""
        findings = Findings(GIVEN)
        nodes = ((node_of(row, GIVEN, at), Where(GIVEN, 0, at - 1, at)) for at, row in enumerate(rows, start=1))
        return all_cases((*self._cases(nodes, {}, findings), *findings.problems))

    def recognises(self, path: Path) -> bool:
        """Whether the first case under a path can be read without a mistake."""
        try:
            for file in _files(path):
                findings = Findings(str(file))
                first = next(case_nodes(file, findings), None)
                return first is not None and read(self._row, first[0], findings) is not None and not findings.problems
        except (UserError, OSError):
            pass
        return False

    def _cases(
        self, nodes: Iterable[tuple[Node, Where]], first: Places, findings: Findings
    ) -> Iterator[Case[Target] | Problem]:
        """The cases; and what was found before each of them, so that the findings of a large file do not pile up."""
        for node, where in nodes:
            case = self._case(node, where, first, findings)
            if findings.problems:
                yield from findings.problems
                findings.problems.clear()
            if case is not None:
                yield case

    def _case(self, node: Node, where: Where, first: Places, findings: Findings) -> Case[Target] | None:
        row = read(self._row, node, findings)
        if row is None:
            return None
        if not row.id.strip():
            findings.add(node, "the case has an empty id", "Give each case an id that stays the same.")
            return None
        if row.id in first:
            file, line = first[row.id]
            place = f"{Path(file).name}, line {line}"
            findings.add(node, f'the case "{row.id}" appears twice: also in {place}', "Only the first is used.")
            return None
        try:
            turn = Turn("user", row.question, self._target(row))
        except ValueError as error:
            findings.add(node, f'case "{row.id}": {error}')
            return None
        first[row.id] = (where.file, where.line)
        return Case(row.id, (turn,), row.name, row.tags, row.comments, {}, where, row.status, row.cluster)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        hint = "Give a YAML or JSONL file, or a folder of them."
        raise UserError(f"there are no cases at {path}: {why_not_there(path)}", hint=hint)
    found = sorted(file for file in path.rglob("*") if file.name.endswith(SUFFIXES) and file.name != PROJECT)
    files = [file for file in found if not any(part.startswith(".") for part in file.relative_to(path).parts)]
    if not files:
        raise UserError(f"there are no case files in {path}", hint=f"A case file ends in {', '.join(SUFFIXES)}.")
    return files


def case_nodes(file: Path, findings: Findings) -> Found:
    """What is in a YAML or JSONL file, case by case, with its place. What is no JSON or YAML is a finding."""
    if file.name.endswith((".jsonl", ".jsonl.gz")):
        yield from _lines(file, findings)
        return
    for document, root in enumerate(documents(read_unpacked(file), findings)):
        items = enumerate(root.value) if isinstance(root, SequenceNode) else ((None, root),)
        for item, node in items:
            yield node, Where(findings.file, document, item, node.start_mark.line + 1)


def _lines(file: Path, findings: Findings) -> Found:
    for number, line in each_line(file):
        try:
            yield node_of(json.decode(line), findings.file, number), Where(findings.file, 0, number - 1, number)
        except json.BadJson as error:
            findings.problems.append(error.problem(findings.file, number))
