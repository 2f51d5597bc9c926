"""``karat cases list`` and ``find``: the cases of a project or of a path, with the place of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from karat.core.case_files.drafts import is_draft
from karat.core.case_files.loaded import LoadedCases
from karat.core.problems import UserError, count_of, did_you_mean
from karat.core.records import AnyCase
from karat.verbs.check import suite_of
from karat.verbs.inputs.loading import load_cases
from karat.verbs.inputs.work import Work, work_to_do


class ListedCase(msgspec.Struct, frozen=True):
    """One case: what is asked, and where it is."""

    suite: str
    id: str
    question: str
    file: str
    line: int
    name: str = ""
    tags: tuple[str, ...] = ()
    status: str = "accepted"
    cluster: str = ""


class FoundCase(msgspec.Struct, frozen=True):
    """A case together with the suite, the options and the path that it was read with."""

    work: Work
    case: AnyCase


def works(
    config: Path | None = None,
    suite: str | None = None,
    cases: Path | None = None,
    settings: Sequence[str] = (),
    system: str | None = None,
) -> list[Work]:
    """The suites to look at: those of the project, or the one whose cases are at ``cases``."""
    if cases is not None and suite is None:
        suite = suite_of(cases)
    return work_to_do("cases", config=config, suite=suite, cases=cases, settings=settings, system=system)


def loaded(work: Work) -> LoadedCases:
    """The cases of one suite, drafts included."""
    return load_cases(work.suite, work.cases, drafts=True)


def list_cases(
    todo: Sequence[Work], *, text: str = "", tags: Sequence[str] = (), drafts: bool | None = None
) -> list[ListedCase]:
    """The cases that fit: with this text in id, name, question, comments or target; with one of these tags; only drafts
    or only accepted cases where that is said."""
    found = [
        _listed(work, case)
        for work in todo
        for case in loaded(work).cases
        if _fits(case, text) and (not tags or not set(tags).isdisjoint(case.tags))
        if drafts is None or is_draft(case) == drafts
    ]
    if tags and not found and not text:
        known = {tag for work in todo for case in loaded(work).cases for tag in case.tags}
        for tag in tags:
            if tag not in known:
                raise UserError(f'no case has the tag "{tag}"', hint=did_you_mean(tag, known))
    return found


def _fits(case: AnyCase, text: str) -> bool:
    if not text:
        return True
    said = [case.id, case.name, case.comments, *case.tags, *(turn.content for turn in case.conversation)]
    wanted = text.casefold()
    if any(wanted in one.casefold() for one in said):
        return True
    targets = [turn.target for turn in case.conversation if turn.target is not None]
    return wanted in msgspec.json.encode(targets).decode().casefold()


def _listed(work: Work, case: AnyCase) -> ListedCase:
    where = case.source
    cluster = work.suite.cluster(case)
    about = (case.name, case.tags, case.status, cluster)
    return ListedCase(work.suite.name, case.id, case.question, where.file, where.line, *about)


def find_case(todo: Sequence[Work], wanted: str) -> FoundCase:
    """The case with this id or name. UserError with the nearest id where there is none, or more than one."""
    every = [FoundCase(work, case) for work in todo for case in loaded(work).cases]
    for fits in (_has_id, _has_name):
        found = [one for one in every if fits(one.case, wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            places = ", ".join(f"{one.work.suite.name} {one.case.source.file}:{one.case.source.line}" for one in found)
            raise UserError(f'{count_of(len(found), "case")} are called "{wanted}": {places}', hint="Add --suite.")
    raise UserError(f'there is no case "{wanted}"', hint=did_you_mean(wanted, _names(every)))


def _has_id(case: AnyCase, wanted: str) -> bool:
    return case.id == wanted


def _has_name(case: AnyCase, wanted: str) -> bool:
    return bool(case.name) and case.name == wanted


def _names(found: Iterable[FoundCase]) -> list[str]:
    return [name for one in found for name in (one.case.id, one.case.name) if name]
