"""The sample run again: with people's verdicts on three of its cases, and with three tries at each."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from karat.core import plugins
from karat.core.results.result import CaseResult, CaseReview, RepeatResult, RunResult
from karat.core.scores import Score
from tests.reports.html_samples import a_report
from tests.reports.sample_results import CASES, METRICS, RESULT, RUN

REVIEWS = (
    CaseReview("imports_vietnam", "accept", "Ada", "Both codes are in use.\nSee 2024.", "2026-11-15T09:50:33.123Z"),
    CaseReview("all_right", "gold_wrong", "Bo", "", "2026-11-15T09:51:00.000Z"),
    CaseReview("late", "fail", created="2026-11-15T10:00:00.000Z"),
)
REVIEWED = msgspec.structs.replace(RESULT, reviews=REVIEWS)
"""By rule 1 of 4 is fully right. all_right leaves, imports_vietnam becomes right, late joins as wrong: 1 of 4 again."""


def tried(case: CaseResult, *right: float | None) -> CaseResult:
    """The case with so many tries: fully right or not; None: the call failed. The recall of a try is half of it."""
    scores = [
        {name: Score(value, "scored" if value is not None else "error") for name, value in pair}
        for pair in ((("fully_right", one), ("macro_recall", None if one is None else one / 2)) for one in right)
    ]
    repeats = tuple(RepeatResult("scored" if own["fully_right"].value is not None else "error", own) for own in scores)
    return msgspec.structs.replace(case, repeats=repeats)


TRIED = RunResult(
    msgspec.structs.replace(RUN, repeats=3),
    RESULT.summary,
    (
        tried(CASES[0], 1.0, 1.0, 1.0),
        tried(CASES[1], 0.0, 0.0, 0.0),
        tried(CASES[2], 1.0, 0.0, 0.0),
        tried(CASES[3], 1.0, None, 1.0),
        tried(CASES[4], None, None, None),
        tried(CASES[5], None, None, None),
    ),
)
"""pass@3 over the first three: 1, 0, 1; pass^3: 1, 0, 0. The fourth has two tries that count, the last two none.

Squares within cases: 0, 0, 2/3, 0 over 2 + 2 + 2 + 1 degrees of freedom: spread √(2/21) = 0.309; of recall half of
that."""


SUITE = replace(plugins.load_suite("data_query"), metrics=METRICS, report=lambda result, _: a_report(result))
"""A suite whose report has no sheet of statistics."""
