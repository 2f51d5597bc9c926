"""What a case is as a test: passed, failed, or without a verdict.

- A case whose call failed, or that has no answer, fails. So does one that failed in one of several tries.
- A case passes when it is right in the suite's own terms, by the metric that gates count new failures by, in every try.
- A case that no rule could settle (``needs_review``) has no verdict, unless people have reviewed it; nor has one whose
  truth cannot be used (``not_applicable``). Both are reported as skipped, with the reason.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from karat.core import plugins
from karat.core.explanation import Explanation
from karat.core.metric import pass_metric
from karat.core.presentation.case_explanation import explanation_of, why_not_right
from karat.core.results.result import CaseResult, CaseReview, RunResult, has_errors
from karat.core.results.verdicts import settled, side_of
from karat.core.scores import Score

State = Literal["passed", "failed", "no_verdict"]
ROUNDING = 1e-9


class CaseVerdict(msgspec.Struct, frozen=True):
    """The state of a case as a test, and why in one line."""

    state: State
    reason: str = ""


def verdict_on(result: RunResult, case: CaseResult) -> CaseVerdict:
    """The verdict on one case of a run."""
    explained = explanation_of(result.run.suite, case)
    if case.status == "missing":
        return CaseVerdict("failed", f"missing: {case.error or 'there is no answer to this case'}")
    if case.status == "error" or has_errors(case):
        first = case.error or next((one.error for one in case.repeats if one.error), "the call failed")
        return CaseVerdict("failed", f"error: {first}")
    if case.status == "not_applicable":
        return CaseVerdict("no_verdict", f"cannot be judged: {case.error or explained.reason or 'no reason was given'}")
    review = settled(result.reviews).get(case.id)
    tries = [explanation_of(result.run.suite, one) for one in case.repeats] or [explained]
    if any(one.outcome == "needs_review" for one in tries):
        return _reviewed(review, next(one for one in tries if one.outcome == "needs_review"))
    metric = pass_metric(plugins.load_suite(result.run.suite).metrics_for(result.run.headline))
    score = case.scores.get(metric.name) if metric is not None else None
    if metric is not None and (score is None or score.value is None):
        why = score.reason if score is not None and score.reason else explained.headline
        return CaseVerdict("no_verdict", f"no verdict: {metric.title} is undefined{f' ({why})' if why else ''}")
    right = score.value is not None and score.value >= 1 - ROUNDING if score is not None else True
    if right and (score is not None or all(one.outcome == "right" for one in tries)):
        return CaseVerdict("passed")
    why_not = why_not_right(result.run.suite, case)
    return CaseVerdict("failed", why_not.headline or why_not.reason or _low(metric.title if metric else "", score))


def _low(title: str, score: Score | None) -> str:
    value = score.value if score is not None else None
    return f"{title} is {value:g}" if title and value is not None else "the answer is wrong"


def _reviewed(review: CaseReview | None, explained: Explanation) -> CaseVerdict:
    side = side_of(review.verdict) if review is not None else ""
    if review is not None and side == "right":
        return CaseVerdict("passed")
    if review is not None and side == "wrong":
        who = review.reviewer or "a person"
        return CaseVerdict("failed", f"{who} says it is wrong{f': {review.comment}' if review.comment else ''}")
    if review is not None:
        return CaseVerdict("no_verdict", "cannot be judged: a review says that the expected answer is wrong")
    return CaseVerdict("no_verdict", f"needs review: {explained.headline or explained.reason or 'no rule settles it'}")
