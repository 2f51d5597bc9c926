"""What the notes of a run say about its cases: scores that no answer alone can give, such as how a case fares with
settings that were chosen without it.

A suite reads them from its notes (``Suite.noted``). They take the place of the scores that the suite's metrics gave
these cases, and their intervals that of the usual ones where the figure is over the same cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from karat.core.results.result import CaseResult, MetricSummary
from karat.core.scores import Score


@dataclass(frozen=True)
class Noted:
    """Scores by case, and what comes first where they are known."""

    headline: tuple[str, ...]
    """The metrics that come first in every summary of the run."""
    scores: Mapping[str, Mapping[str, Score]]
    """The id of a case → metric → score."""
    intervals: Mapping[str, tuple[int, float, float]]
    """Metric → (over how many cases, low, high)."""


def with_noted_scores(cases: Iterable[CaseResult], noted: Noted | None) -> list[CaseResult]:
    """The cases with what is noted of them; one that was not scored stays as it is."""
    return [case if noted is None or case.status != "scored" else _with_scores(case, noted) for case in cases]


def _with_scores(case: CaseResult, noted: Noted) -> CaseResult:
    own = noted.scores.get(case.id)
    if own is None:
        return case
    repeats = tuple(
        msgspec.structs.replace(one, scores={**one.scores, **own}) if one.status == "scored" else one
        for one in case.repeats
    )
    return msgspec.structs.replace(case, scores={**case.scores, **own}, repeats=repeats)


def with_noted_intervals(summary: Sequence[MetricSummary], noted: Noted | None) -> tuple[MetricSummary, ...]:
    """The figures with the intervals that the notes have for them, where they are over as many cases."""
    known = {} if noted is None else noted.intervals
    found = []
    for item in summary:
        cases, low, high = known.get(item.metric, (None, None, None))
        found.append(item if cases != item.n else msgspec.structs.replace(item, low=low, high=high))
    return tuple(found)
