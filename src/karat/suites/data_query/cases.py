"""Case files: YAML, one case per file, or a folder of them, several documents in a file, or a list in one file; or one
JSONL file with a case per line. In a folder, JSONL files are passed over: they may be answers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from yaml.nodes import Node, SequenceNode

from karat.core.case_files.loaded import GIVEN, LoadedCases, all_cases
from karat.core.files import json
from karat.core.files.limits import YAML_MB
from karat.core.files.lines import each_line
from karat.core.files.reading import FileRefused, is_empty, read_bytes, why_not_there
from karat.core.json_types import JsonMapping
from karat.core.problems import Problem, UserError
from karat.core.records import Case, Status, Turn, Where
from karat.core.yaml.edit import find
from karat.core.yaml.partial import readable_part
from karat.core.yaml.plain_values import node_of
from karat.core.yaml.structs import Findings, documents, reader_for
from karat.suites.data_query.checks.target_faults import target_faults
from karat.suites.data_query.selection.selection import Target

SUFFIXES = (".yaml", ".yml", ".json")
LINES = (".jsonl", ".jsonl.gz")


class CaseFile(msgspec.Struct, frozen=True):
    """A case as it is in a file."""

    id: str
    """The case's id."""
    conversation: tuple[Turn[Target], ...]
    """The messages; a user turn with a target is scored."""
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


_read_case = reader_for(CaseFile)


def load_cases(path: Path) -> LoadedCases:
    """Every case under a path. A file that cannot be read costs only its own cases; nothing is raised for it."""
    files: list[str] = []
    flawed: list[Case[Target]] = []
    loaded = all_cases(_stream(path, files, flawed))
    return msgspec.structs.replace(loaded, files=len(files), flawed=tuple(flawed))


def stream_cases(path: Path) -> Iterator[Case[Target] | Problem]:
    """The same, one after the other: a document of a file at a time."""
    return _stream(path, [], [])


def _stream(path: Path, files: list[str], flawed: list[Case[Target]]) -> Iterator[Case[Target] | Problem]:
    first: dict[str, Where] = {}
    for file in _files(path):
        files.append(file)
        findings = Findings(file)
        try:
            found = False
            for node, where in _lines(file, findings) if file.endswith(LINES) else _nodes(file, findings):
                case = _case(node, findings, where, flawed)
                found = True
                if case is not None and case.id in first:
                    _note_duplicate(case, first[case.id], node, findings)
                    flawed.append(case)
                elif case is not None:
                    first[case.id] = case.source
                    yield case
                yield from findings.problems
                findings.problems.clear()
            if not found and not findings.problems and not (path.is_file() and is_empty(file)):
                hint = "Write a case into it, with id and conversation, or delete the file."
                yield Problem("the file has no case", file=file, line=1, hint=hint)
        except FileRefused as error:
            yield error.problem
        except OSError as error:
            yield Problem(f"cannot be read: {error.strerror}", file=file)
        yield from findings.problems


def cases_from(rows: Sequence[JsonMapping], _: Path) -> LoadedCases:
    """Cases that are given as Python values, each in the shape of a case file."""
    cases: dict[str, Case[Target]] = {}
    findings = Findings(GIVEN)
    flawed: list[Case[Target]] = []
    for number, row in enumerate(rows, start=1):
        node = node_of(row, GIVEN, number)
        case = _case(node, findings, Where(GIVEN, 0, number - 1, number), flawed)
        if case is not None and case.id in cases:
            _note_duplicate(case, cases[case.id].source, node, findings)
            flawed.append(case)
        elif case is not None:
            cases[case.id] = case
    return LoadedCases(tuple(cases.values()), tuple(findings.problems), flawed=tuple(flawed))


def recognises(path: Path) -> bool:
    """A YAML file, or a folder that holds one at any depth."""
    if path.is_file():
        return path.suffix in (".yaml", ".yml")
    return any(name.endswith((".yaml", ".yml")) for _, _, names in os.walk(path) for name in names)


def _files(path: Path) -> Iterator[str]:
    if path.is_file():
        yield str(path)
        return
    if not path.is_dir():
        raise UserError(
            f"there are no cases at {path}: {why_not_there(path)}",
            hint="Give a YAML file, a folder of them, or a JSONL file.",
        )
    found = False
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(SUFFIXES) and not name.startswith(".") and name != "karat.yaml":
                found = True
                yield f"{folder}{os.sep}{name}"
    if not found:
        raise UserError(f"there are no case files in {path}", hint=f"A case file ends in {', '.join(SUFFIXES)}.")


def _nodes(file: str, findings: Findings) -> Iterator[tuple[Node, Where]]:
    """The cases of a YAML file, and where each begins."""
    for document, root in enumerate(documents(read_bytes(file, YAML_MB), findings)):
        items = enumerate(root.value) if isinstance(root, SequenceNode) else ((None, root),)
        for item, node in items:
            yield node, Where(file, document, item, node.start_mark.line + 1)


def _lines(file: str, findings: Findings) -> Iterator[tuple[Node, Where]]:
    """The same for a JSONL file, which may be larger than memory."""
    for number, line in each_line(file):
        try:
            yield node_of(json.decode(line), file, number), Where(file, 0, number - 1, number)
        except json.BadJson as error:
            findings.problems.append(error.problem(file, number))


def _case(node: Node, findings: Findings, source: Where, flawed: list[Case[Target]]) -> Case[Target] | None:
    """A case without mistakes. One with mistakes goes to ``flawed``, as far as it can be read, for further checks."""
    before = len(findings.problems)
    found = _read_case(node, findings)
    if isinstance(found, CaseFile):
        _note_case_faults(found, node, findings)
        _note_target_faults(found, node, findings, set())
        case = _as_case(found, source)
        if len(findings.problems) == before:
            return case
        flawed.append(case)
        return None
    _name_case(node, findings, before)
    part = readable_part(CaseFile, node)
    if part is not None:
        said = {(problem.line, problem.column) for problem in findings.problems[before:]}
        _note_target_faults(part, node, findings, said)
        turns = (msgspec.structs.replace(turn, target=_filled(turn.target)) for turn in part.conversation)
        flawed.append(_as_case(msgspec.structs.replace(part, conversation=tuple(turns)), source))
    return None


def _as_case(found: CaseFile, source: Where) -> Case[Target]:
    return Case(
        found.id,
        found.conversation,
        found.name,
        found.tags,
        found.comments,
        source=source,
        status=found.status,
        cluster=found.cluster,
    )


def _filled(target: Target | None) -> Target | None:
    """A target with entries; of one that could not be read nothing more is said."""
    return target if target is not None and target.indicator_selection else None


def _note_case_faults(found: CaseFile, node: Node, findings: Findings) -> None:
    if not found.id.strip():
        findings.add(node, "the case has an empty id", "Give it an id that stays the same, such as a UUID.")
    if not any(turn.role == "user" for turn in found.conversation):
        findings.add(node, f'case "{found.id}" has no user turn', "Its conversation needs a turn with role: user.")
    elif not any(turn.target is not None or turn.expect is not None for turn in found.conversation):
        findings.add(
            node,
            f'case "{found.id}" has no target, so nothing in it can be scored',
            "Give a user turn a target, or expect.",
        )
    if any(turn.expect is not None and turn.role != "user" for turn in found.conversation):
        findings.add(
            node, f'case "{found.id}" has expect on a turn that is not the user\'s', "Put it on the user turn before."
        )
    if any(turn.target is not None and turn.role != "user" for turn in found.conversation):
        findings.add(
            node, f'case "{found.id}" has a target on a turn that is not the user\'s', "Put it on the user turn before."
        )


def _note_target_faults(found: CaseFile, node: Node, findings: Findings, said: set[tuple[int, int]]) -> None:
    """The faults of all targets, but for those at a place where something is wrong already."""
    for place, turn in enumerate(found.conversation):
        for path, message, hint in target_faults(turn.target) if turn.target is not None else ():
            spot = find(node, ("conversation", place, "target", *path))
            if said and (spot is None or (spot.node.start_mark.line + 1, spot.node.start_mark.column + 1) in said):
                continue
            findings.add(spot.node if spot else node, f'case "{found.id}": {message}', hint)


def _name_case(node: Node, findings: Findings, before: int) -> None:
    """Say in each new problem which case it is in, where the case has an id that can be read."""
    pairs = node.value if isinstance(node.value, list) else []
    ids = [
        v.value for k, v in (p for p in pairs if isinstance(p, tuple)) if k.value == "id" and isinstance(v.value, str)
    ]
    if ids:
        for index in range(before, len(findings.problems)):
            problem = findings.problems[index]
            findings.problems[index] = msgspec.structs.replace(problem, message=f'{problem.message} (case "{ids[0]}")')


def _note_duplicate(case: Case[Target], first: Where, node: Node, findings: Findings) -> None:
    findings.add(
        node,
        f'the case id "{case.id}" appears twice: also in {first.file}:{first.line}',
        "Each case needs its own id; only the first of the two is used.",
    )
