"""The explanation of a case of a run, from the suite that scored it."""

from __future__ import annotations

from functools import cache

import msgspec

from karat.core.expect.outcome import DETAILS, own_details, with_expectations
from karat.core.explanation import Explain, Explanation, unexplained
from karat.core.json_types import JsonMapping
from karat.core.metric import pass_metric
from karat.core.plugins import load_suite
from karat.core.problems import UnknownName
from karat.core.records import Case
from karat.core.results.result import CaseResult, RepeatResult
from karat.core.results.usage import USAGE
from karat.core.scores import Score

_USAGE = frozenset(metric.name for metric in USAGE)
_ROUNDING = 1e-9
"""What a mean over turns may lack of 1."""


def explanation_of(suite: str, case: CaseResult | RepeatResult, target: object = None) -> Explanation:
    """Why the case, or one try at it, came out as it did. ``target`` as its suite reads it; with it, texts are compared
    line by line.

    A case without an answer is explained by its error; one whose suite says nothing is right or wrong by the metric
    that says so, and explained by the first one that gives a reason. A metric without a value says why it does not
    judge, which is no reason where another one does.
    """
    found = _explained(suite, case, target)
    if case.status != "scored":
        return msgspec.structs.replace(found, outcome=case.status, reason=case.error, headline=case.error)
    scores = [score for name, score in case.scores.items() if name not in _USAGE]
    judging = [score for score in scores if score.value is not None] or scores
    headline = found.headline or next((score.reason for score in judging if score.reason), "")
    return msgspec.structs.replace(found, reason=case.error or found.reason, headline=headline)


def why_not_right(suite: str, case: CaseResult) -> Explanation:
    """Why the case is not right. Of several tries the first that is not right says so, with its number: what the first
    try says may not be what is wrong."""
    for number, one in enumerate(case.repeats, 1):
        found = explanation_of(suite, one)
        if found.outcome not in ("right", "not_applicable") and (found.headline or found.reason):
            if number == 1:
                return found
            said = f"try {number} of {len(case.repeats)}: {found.headline or found.reason}"
            return msgspec.structs.replace(found, headline=said)
    return explanation_of(suite, case)


def _explained(suite: str, case: CaseResult | RepeatResult, target: object) -> Explanation:
    details = case.details
    explain = _explain(suite)
    found = explain(details, target) if own_details(details) else Explanation(outcome="right")
    if found.outcome == "right" and (explain is unexplained or not own_details(details)):
        found = _by_scores(suite, case, found)
    return with_expectations(found, details) if DETAILS in details else found


def _by_scores(suite: str, case: CaseResult | RepeatResult, found: Explanation) -> Explanation:
    """What the figures say of a case that its suite says nothing of."""
    if case.status != "scored" or not case.scores:
        return found
    try:
        metric = pass_metric(load_suite(suite).metrics)
    except UnknownName:
        return _of_absent_suite(suite, case, found)
    score = case.scores.get(metric.name) if metric is not None else None
    if score is None or score.value is None or score.value >= 1 - _ROUNDING:
        return found
    return msgspec.structs.replace(found, outcome="wrong", reason=score.reason)


def _of_absent_suite(suite: str, case: CaseResult | RepeatResult, found: Explanation) -> Explanation:
    """By the first figure, as nobody knows here what each one means: one that is no share says neither right nor
    wrong."""
    first = next((score for name, score in case.scores.items() if name not in _USAGE), Score(None))
    if first.value is not None and 1 - _ROUNDING <= first.value <= 1:
        return found
    if first.value is not None and 0 <= first.value < 1:
        return msgspec.structs.replace(found, outcome="wrong", reason=first.reason)
    said = f"the suite {suite} is not installed here, which would say whether this is right"
    return msgspec.structs.replace(found, outcome="needs_review", reason=said, headline=said)


def target_of(suite: str, stored: JsonMapping) -> object:
    """What was expected in the last scored turn of a stored case, as the suite's own struct; None where that cannot be
    said here."""
    try:
        case = msgspec.convert(stored, Case[load_suite(suite).target])  # type: ignore[misc]  # a run-time type
    except (UnknownName, msgspec.ValidationError):
        return None
    return next((turn.target for turn in reversed(case.conversation) if turn.target is not None), None)


@cache
def _explain(suite: str) -> Explain:
    """A run of a suite that is not installed here can still be looked at."""
    try:
        return load_suite(suite).explain
    except UnknownName:
        return unexplained
