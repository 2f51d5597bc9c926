"""Trying a change to case files before it is written: what the suite would read, and what would be newly wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core.case_files.loaded import LoadedCases
from karat.core.files.atomic import write_bytes
from karat.core.files.reading import pretending
from karat.core.problems import Problem, UserError
from karat.verbs.inputs.work import Work


class Tried(msgspec.Struct, frozen=True):
    """The cases as they would be, and the mistakes that the change would bring."""

    loaded: LoadedCases
    problems: tuple[Problem, ...]

    @property
    def is_good(self) -> bool:
        """Whether nothing is newly wrong; warnings do not count."""
        return not any(problem.severity == "error" for problem in self.problems)


def try_files(work: Work, contents: Mapping[Path, bytes]) -> Tried:
    """What reading and checking the cases gives when these files have these contents. Nothing is written."""
    before = _problems(work, _read(work))
    with pretending(contents):
        after = _read(work)
        found = _problems(work, after)
    known = Counter(problem.message for problem in before)
    fresh: list[Problem] = []
    for problem in found:
        if known[problem.message]:
            known[problem.message] -= 1
        else:
            fresh.append(problem)
    return Tried(after, tuple(fresh))


def write_tried(work: Work, contents: Mapping[Path, bytes], what: str) -> Tried:
    """Try a change, and write it where it is good. UserError with the mistakes where it is not; nothing is written
    then."""
    tried = try_files(work, contents)
    if not tried.is_good:
        raise UserError(f"{what} would make the case files wrong, so nothing was written", problems=tried.problems)
    for path, content in contents.items():
        write_bytes(path.resolve() if path.is_symlink() else path, content)
    return tried


def _read(work: Work) -> LoadedCases:
    try:
        return work.suite.load_cases(work.cases)
    except UserError as error:
        return LoadedCases((), error.problems or (Problem(error.message, hint=error.hint),))


def _problems(work: Work, loaded: LoadedCases) -> Sequence[Problem]:
    try:
        return (*loaded.problems, *work.suite.check_cases(loaded.cases, (), work.options).problems)
    except UserError as error:
        return (*loaded.problems, *(error.problems or (Problem(error.message, hint=error.hint),)))
