"""What is known of a case as soon as it is scored, while its run goes on: enough for figures, failure groups and a list
of the newest wrong answers, and small."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.explanation import Outcome
from karat.core.files.json import without_surrogates
from karat.core.presentation.case_explanation import explanation_of
from karat.core.results.failures.failures import case_failures
from karat.core.results.result import CaseResult

LONGEST = 300
"""Characters of a question or a reason that are kept."""


class LiveCase(msgspec.Struct, frozen=True, array_like=True):
    """A case that was scored."""

    place: int
    """Its place among the cases of the run."""
    case_id: str
    question: str
    outcome: Outcome
    headline: str
    """What is wrong with the answer."""
    values: tuple[float | None, ...]
    """Its figures, in the order of the batch's metrics."""
    failures: tuple[tuple[str, str, str], ...]
    """(outcome, label, family) of what is wrong, see ``core.results.failures.failures``."""
    cost: float | None
    tokens: float | None
    cluster: str
    at: float
    """When it was scored, in seconds since 1970."""


class LiveBatch(msgspec.Struct, frozen=True):
    """Cases that were scored at about the same time."""

    metrics: tuple[str, ...]
    cases: tuple[LiveCase, ...]
    at_random: bool
    """Whether the cases come in random order, so that figures over them are fair estimates."""


def live_case(suite: str, place: int, result: CaseResult, metrics: Sequence[str], at: float) -> LiveCase:
    """The case as it is shown while its run goes on."""
    explained = explanation_of(suite, result)
    failures = case_failures(suite, result, None if result.repeats else explained)
    return LiveCase(
        place,
        without_surrogates(result.id),
        _short(result.question),
        explained.outcome,
        _short(result.error or explained.headline or explained.reason),
        tuple(_value(result, name) for name in metrics),
        tuple((outcome, failure.label, failure.family) for outcome, failure in failures),
        _value(result, "cost"),
        _value(result, "tokens"),
        without_surrogates(result.cluster),
        at,
    )


def _short(text: str) -> str:
    line = " ".join(without_surrogates(text[: 4 * LONGEST]).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _value(result: CaseResult, metric: str) -> float | None:
    score = result.scores.get(metric)
    return None if score is None else score.value
