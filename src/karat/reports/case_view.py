"""One case of one run: what was asked, expected and given, how they differ, and what the metrics say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from karat.core.records import Prediction
from karat.core.result import CaseResult, RunInfo
from karat.core.scores import State
from karat.core.suite import Kind, Metric
from karat.core.usage import USAGE
from karat.reports.answer_text import answer_text
from karat.reports.cells import Cells, cells_of
from karat.reports.console import is_right, reason_of
from karat.reports.difference import Marked, Terms, json_or_none, lines_of, terms_of


class Figure(msgspec.Struct, frozen=True):
    """What one metric says of the case."""

    metric: str
    title: str
    kind: Kind
    value: float | None
    state: State
    reason: str = ""
    headline: bool = False


class Answer(msgspec.Struct, frozen=True):
    """One answer, beside what was expected of it. ``label`` tells turns and tries apart; empty where there is one answer."""

    label: str
    expected: Any
    given: str
    lines: tuple[Marked, ...] = ()


class CaseView(msgspec.Struct, frozen=True):
    """All there is to see of a case."""

    run: RunInfo
    id: str
    status: State
    name: str = ""
    tags: tuple[str, ...] = ()
    conversation: tuple[tuple[str, str], ...] = ()
    """(role, text), up to the last user turn that is scored."""
    answers: tuple[Answer, ...] = ()
    terms: tuple[Terms, ...] = ()
    cells: Cells | None = None
    reason: str = ""
    error: str = ""
    figures: tuple[Figure, ...] = ()
    details: dict[str, Any] = {}


def case_view(
    run: RunInfo,
    case: CaseResult,
    stored: Mapping[str, Any],
    predictions: Sequence[Prediction],
    metrics: Sequence[Metric],
) -> CaseView:
    """Put together from what the store has. ``stored`` is the case as JSON values; empty when the run kept none."""
    conversation = [(str(turn["role"]), str(turn.get("content", ""))) for turn in stored.get("conversation", ())]
    return CaseView(
        run,
        case.id,
        case.status,
        case.name,
        case.tags,
        tuple(conversation) or (("user", case.question),),
        tuple(_answers(case, stored, predictions, run.repeats)),
        tuple(terms_of(case.details)),
        _cells(case.details),
        "" if is_right(case, metrics) else reason_of(case),
        case.error,
        tuple(_figures(case, metrics)),
        case.details,
    )


def _answers(case: CaseResult, stored: Mapping[str, Any], found: Sequence[Prediction], repeats: int) -> list[Answer]:
    users = [turn for turn in stored.get("conversation", ()) if turn.get("role") == "user"]
    scored = [index for index, turn in enumerate(users) if turn.get("target") is not None]
    answers = []
    for prediction in sorted(found, key=lambda one: (one.repeat, one.turn or 0)):
        turn = prediction.turn if prediction.turn is not None else (scored[0] if len(scored) == 1 else 0)
        target = users[turn].get("target") if 0 <= turn < len(users) else None
        one = case.repeats[prediction.repeat] if prediction.repeat < len(case.repeats) else None
        details = one.details if one is not None and one.details else case.details
        parts = [f"turn {turn + 1}"] if len(users) > 1 else []
        parts += [f"try {prediction.repeat + 1}"] if repeats > 1 else []
        given = answer_text(prediction)
        lines = () if prediction.error is not None or json_or_none(given) else tuple(lines_of(target, given, details))
        answers.append(Answer(", ".join(parts), target, given, lines))
    if not answers:
        answers = [Answer("", users[turn]["target"], "") for turn in scored]
    return answers


def _cells(details: Mapping[str, Any]) -> Cells | None:
    """The tables that differ, wherever the suite keeps them: in its details, or in a part of them."""
    parts = [details, *(part for part in details.values() if isinstance(part, Mapping))]
    return next((cells for part in parts if (cells := cells_of(part)) is not None), None)


def _figures(case: CaseResult, metrics: Sequence[Metric]) -> list[Figure]:
    found = []
    for metric in (*metrics, *USAGE):
        score = case.scores.get(metric.name)
        if score is not None:
            found.append(
                Figure(
                    metric.name,
                    metric.title,
                    metric.kind,
                    score.value,
                    score.state,
                    score.reason,
                    metric.headline,
                )
            )
    return found
