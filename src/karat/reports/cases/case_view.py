"""One case of one run: what was asked, expected and given, how they differ, and what the metrics say."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.explanation import Cells, Line, Part
from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.metric import Kind, Metric
from karat.core.presentation.case_explanation import explanation_of, target_of, why_not_right
from karat.core.records import Prediction
from karat.core.replies.answer_text import answer_text
from karat.core.results.failures.failure_groups import FailureGroup
from karat.core.results.result import CaseResult, RunInfo
from karat.core.results.usage import USAGE
from karat.core.scores import State
from karat.reports.cases.difference import json_or_none
from karat.reports.console.overview import is_right
from karat.reports.console.page import plain


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
    """One answer, beside what was expected of it. ``label`` tells turns and tries apart; empty where there is one
    answer."""

    label: str
    expected: Json
    given: str
    lines: tuple[Line, ...] = ()


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
    parts: tuple[Part, ...] = ()
    cells: Cells | None = None
    reason: str = ""
    note: str = ""
    """What was allowed so that the answer is right."""
    error: str = ""
    figures: tuple[Figure, ...] = ()
    details: JsonObject = {}
    failure_group: FailureGroup | None = None
    """The cases of the run with the same fault; None where the case is right, or no other has it."""


def case_view(
    run: RunInfo,
    case: CaseResult,
    stored: JsonMapping,
    predictions: Sequence[Prediction],
    metrics: Sequence[Metric],
    group: FailureGroup | None = None,
) -> CaseView:
    """Put together from what the store has. ``stored`` is the case as JSON values; empty when the run kept none."""
    conversation = [(str(turn["role"]), str(turn.get("content", ""))) for turn in stored.get("conversation", ())]
    explanation = explanation_of(run.suite, case)
    return CaseView(
        run,
        case.id,
        case.status,
        case.name,
        case.tags,
        tuple(conversation) or (("user", case.question),),
        tuple(_answers(run, case, stored, predictions)),
        explanation.parts,
        explanation.cells,
        "" if is_right(case, metrics) else plain(why_not_right(run.suite, case).headline),
        plain(explanation.note),
        case.error,
        tuple(_figures(case, metrics)),
        case.details,
        group,
    )


def _answers(run: RunInfo, case: CaseResult, stored: JsonMapping, found: Sequence[Prediction]) -> list[Answer]:
    users = [turn for turn in stored.get("conversation", ()) if turn.get("role") == "user"]
    scored = [index for index, turn in enumerate(users) if turn.get("target") is not None]
    answers = []
    for prediction in sorted(found, key=lambda one: (one.repeat, one.turn or 0)):
        turn = prediction.turn if prediction.turn is not None else (scored[0] if len(scored) == 1 else 0)
        target = users[turn].get("target") if 0 <= turn < len(users) else None
        parts = [f"turn {turn + 1}"] if len(users) > 1 else []
        parts += [f"try {prediction.repeat + 1}"] if run.repeats > 1 else []
        given = answer_text(prediction)
        lines = (
            ()
            if prediction.error is not None or json_or_none(given)
            else text_lines(run.suite, case, prediction, stored)
        )
        answers.append(Answer(", ".join(parts), target, given, lines))
    if not answers:
        answers = [Answer("", users[turn]["target"], "") for turn in scored]
    return answers


def text_lines(suite: str, case: CaseResult, prediction: Prediction, stored: JsonMapping) -> tuple[Line, ...]:
    """How the text of one answer differs from the expected one, where the suite compares texts."""
    own = case.repeats[prediction.repeat] if prediction.repeat < len(case.repeats) else None
    judged = own if own is not None and own.details else case
    return explanation_of(suite, judged, target_of(suite, stored)).lines


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
