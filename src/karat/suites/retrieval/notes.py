"""The notes of a run: how n and model were chosen for each field, where the questions of a sheet were answered by its
own search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from karat.core.explanation import read_details
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.results.result import RunResult
from karat.core.run_notes.notes import note_of
from karat.core.scores import Score

if TYPE_CHECKING:
    from karat.core.run_notes.scores_from_notes import Noted
    from karat.search.choose.reporting.result import Tuning

TUNING = "tuning"


def notes() -> dict[str, type[msgspec.Struct]]:
    """Name → struct."""
    from karat.search.choose.reporting.result import Tuning

    return {TUNING: Tuning}


def tuning_of(result: RunResult) -> Tuning | None:
    """How n and model were chosen for this run; None when they were not chosen here."""
    if TUNING not in result.notes:
        return None
    from karat.search.choose.reporting.result import Tuning

    return note_of(result, TUNING, Tuning)


def noted(notes: JsonMapping) -> Noted | None:
    """The held-out figures of the tuning, by case; None where nothing was chosen, or an earlier version did."""
    if TUNING not in notes:
        return None
    from karat.core.run_notes.scores_from_notes import Noted
    from karat.search.choose.reporting.result import Tuning
    from karat.suites.retrieval.metrics import HELD_OUT, METRICS
    from karat.suites.retrieval.sheets.cases import ids_of

    tuning = read_details(Tuning, notes[TUNING])
    if tuning is None or (out := tuning.held_out) is None or not out.each:
        return None
    passed, recall = (metric.name for metric in HELD_OUT)
    scores = {}
    names = ids_of([detail.question for detail in tuning.questions_detail])
    for name, one in zip(names, out.each, strict=True):
        if one.passed is not None:
            over = "over the budget without this question" if one.over_budget else ""
            scores[name] = {passed: Score(one.passed, reason=over), recall: Score(one.recall)}
    intervals = {
        passed: (out.questions, out.passed_low / out.questions, out.passed_high / out.questions),
        recall: (out.questions, out.recall_low, out.recall_high),
    }
    usual = (metric.name for metric in METRICS if metric.headline)
    return Noted((passed, recall, *usual), scores, intervals)


def earlier_notes(answer: JsonMapping) -> JsonObject:
    """The notes in an answer that an earlier karat exported: the first one held the tuning of the whole run."""
    found = answer.get(TUNING)
    if not isinstance(found, dict) or read_details(notes()[TUNING], found) is None:
        return {}
    return {TUNING: found}
