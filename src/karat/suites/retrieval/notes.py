"""The notes of a run: how n and model were chosen for each field, where the questions of a sheet were answered by its
own search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from karat.core.explanation import read_details
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.notes import note_of
from karat.core.results.result import RunResult

if TYPE_CHECKING:
    from karat.search.choose.result import Tuning

TUNING = "tuning"


def notes() -> dict[str, type[msgspec.Struct]]:
    """Name → struct."""
    from karat.search.choose.result import Tuning

    return {TUNING: Tuning}


def tuning_of(result: RunResult) -> Tuning | None:
    """How n and model were chosen for this run; None when they were not chosen here."""
    if TUNING not in result.notes:
        return None
    from karat.search.choose.result import Tuning

    return note_of(result, TUNING, Tuning)


def earlier_notes(answer: JsonMapping) -> JsonObject:
    """The notes in an answer that an earlier karat exported: the first one held the tuning of the whole run."""
    found = answer.get(TUNING)
    if not isinstance(found, dict) or read_details(notes()[TUNING], found) is None:
        return {}
    return {TUNING: found}
