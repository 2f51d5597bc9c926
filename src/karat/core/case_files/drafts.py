"""Drafts: cases that a program proposed. Nothing scores, counts or exports them before a person has accepted them.

A case file marks one with ``status: draft``; ``karat cases accept ID`` makes that ``status: accepted``.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from karat.core.case_files.loaded import LoadedCases
from karat.core.problems import Problem, count_of
from karat.core.records import AnyCase, Status

DRAFT: Status = "draft"
ACCEPTED: Status = "accepted"


def is_draft(case: AnyCase) -> bool:
    """Whether nobody has accepted the case yet."""
    return case.status == DRAFT


def status_in(row: Mapping[str, object]) -> Status:
    """The status that a row of a file gives its case. Words of a suite's own mean nothing here."""
    return DRAFT if row.get("status") == DRAFT else ACCEPTED


def without_drafts(loaded: LoadedCases) -> LoadedCases:
    """The cases that count, and a word on those that do not."""
    drafts = [case for case in loaded.cases if is_draft(case)]
    if not drafts:
        return loaded
    kept = tuple(case for case in loaded.cases if not is_draft(case))
    return msgspec.structs.replace(
        loaded, cases=kept, problems=(*loaded.problems, drafts_left_out(drafts[0], len(drafts)))
    )


def drafts_left_out(first: AnyCase, count: int) -> Problem:
    """The warning about drafts that are passed over."""
    message = f'{count_of(count, "draft")} not scored (the first: "{first.id}")'
    hint = "karat cases list --drafts shows them; karat cases accept ID turns a draft into a case."
    place = first.source
    return Problem(message, file=place.file, line=place.line, hint=hint, severity="warning")
