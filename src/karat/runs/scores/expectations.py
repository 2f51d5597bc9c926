"""The expectations of a case, scored beside its target: the same for every suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from karat.core.expect.check import check, parts_of
from karat.core.expect.facts import NOTHING
from karat.core.expect.findings import Checked
from karat.core.expect.metrics import METRICS
from karat.core.expect.outcome import DETAILS
from karat.core.expect.records import Expect
from karat.core.json_types import JsonObject
from karat.core.records import AnyCase, Prediction
from karat.core.scores import Score, mean_score, not_applicable
from karat.core.suite import Suite, SuiteOptions, Unreadable

PART_OF = {
    "tools_right": "tools",
    "tools_forbidden": "forbidden",
    "tables_right": "tables",
    "sources_right": "sources",
    "within_limits": "limits",
    "answer_kind": "answer",
}
"""Metric → the part of a check that it is about."""


def checked_turn(
    expect: Expect, suite: Suite, case: AnyCase, turn: int, prediction: Prediction, options: SuiteOptions
) -> Checked:
    """The expectations of one turn. An answer that the suite cannot read still has its calls and its cost."""
    try:
        facts = suite.answer_facts(case, turn, prediction, options)
    except Unreadable:
        facts = NOTHING
    return check(expect, prediction, facts, turn)


def expectation_scores(checked: Sequence[Checked]) -> dict[str, Score]:
    """Each metric over the turns that expect something."""
    return {metric.name: mean_score(metric.score(one) for one in checked) for metric in METRICS}


def expectation_details(checked: Sequence[Checked]) -> JsonObject:
    """What is kept of the checks, beside the suite's own details."""
    if not checked:
        return {}
    return {DETAILS: msgspec.to_builtins(list(checked))}


def failed_expectations(
    case: AnyCase, checked: Sequence[Checked], failed: Score, *, zeroed: bool
) -> Mapping[str, Score]:
    """The scores of a try that failed. Turns that were answered keep what was found, where all of them were; what the
    case does not expect stays not applicable."""
    wanted = [turn.expect for turn in case.conversation if turn.expect is not None]
    if len(checked) == len(wanted):
        return expectation_scores(checked)
    asked = {part for expect in wanted for part in parts_of(expect)}
    scores: dict[str, Score] = {}
    for metric in METRICS:
        part = PART_OF.get(metric.name)
        if part is not None and part not in asked:
            scores[metric.name] = not_applicable("the case does not expect anything here")
        elif zeroed and metric.zero_on_error:
            scores[metric.name] = Score(0.0, "scored", f"errors: zero ({failed.reason})")
        else:
            scores[metric.name] = failed
    return scores
