"""What was found in a case, and the same as problems with file, line and column. Each file is parsed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from karat.core.case_files.case_checks import Fix
from karat.core.files.limits import YAML_MB
from karat.core.files.reading import read_bytes
from karat.core.problems import Problem, Severity
from karat.core.records import Case, Where
from karat.core.yaml.edit import find
from karat.core.yaml.structs import Findings, Path_, documents
from karat.suites.data_query.selection.selection import Target


class Found(msgspec.Struct, frozen=True):
    """A finding at one place of a case."""

    case: str
    source: Where
    path: Path_
    """Of the value it is about; where that is not there, what is nearest above it."""
    message: str
    hint: str = ""
    severity: Severity = "error"
    old: str = ""
    new: str | None = None
    """What ``--fix-names`` writes in place of ``old``; None: nothing."""


def found_in(case: Case[Target], path: Path_, message: str, hint: str = "", severity: Severity = "error") -> Found:
    """A finding that nothing can be written for."""
    return Found(case.id, case.source, path, message, hint, severity)


def placed(findings: Iterable[Found]) -> Iterator[tuple[Problem, Fix | None]]:
    """Each finding as a problem at its scalar, with the fix where there is one."""
    by_file: dict[str, list[Found]] = defaultdict(list)
    for one in findings:
        by_file[one.source.file].append(one)
    for file, held in by_file.items():
        notes = Findings(file)
        try:
            roots = list(documents(read_bytes(file, YAML_MB), notes)) if file else []
        except OSError:  # it was there when the cases were loaded; what was found is listed without a column
            roots = []
        for one in held:
            source = one.source
            root = roots[source.document] if source.document < len(roots) else None
            spot = find(root, one.path) if root is not None else None
            exact = spot is not None
            above = one.path[:-1]
            while spot is None and root is not None and above:
                spot, above = find(root, above), above[:-1]
            if spot is None:
                named = f'{one.message} (case "{one.case}")'
                yield Problem(named, file=file, line=source.line, hint=one.hint, severity=one.severity), None
                continue
            notes.add(spot.node, one.message, one.hint)
            problem = msgspec.structs.replace(notes.problems.pop(), severity=one.severity)
            fix = None
            if one.new is not None and (exact or not one.old):
                fix = Fix(file, source.document, one.path, one.old, one.new, insert=not exact)
            yield problem, fix
