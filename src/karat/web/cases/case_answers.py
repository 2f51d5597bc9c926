"""The answers to a case, each with its raw text, what it cost and the tools that were called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from karat.core.case_form import CaseForm
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.presentation.case_explanation import target_of
from karat.core.presentation.case_forms import form_of
from karat.core.records import Prediction
from karat.core.replies.answer_text import answer_text
from karat.core.results.result import CaseResult
from karat.core.trace.reading import read_trace
from karat.reports.cases.difference import as_text, json_or_none
from karat.store import RunRow
from karat.web.page import Viewer
from karat.web.run_page.figures import Figure

SHOWN = 100_000
"""Characters of a text on the page; what is longer has a link to all of it."""
MOST_CALLS = 50
MOST_TOLD = 300
"""Characters of the arguments of a tool call."""


class Answer(msgspec.Struct, frozen=True):
    """One answer."""

    label: str
    given: str
    raw: str
    own_record: bool
    """The response is a record that Karat wrote, and is shown in words."""
    prediction: Prediction
    form: CaseForm
    right: str
    """``right``, ``wrong`` or ``failed`` where this is one of several tries."""
    cut: bool
    is_json: bool = False
    """What was given is JSON, shown indented."""
    calls: tuple[tuple[str, str], ...] = ()
    """(name, arguments) of the tools that the response says were called."""


def answers_of(viewer: Viewer, row: RunRow, case: CaseResult, asked: JsonObject, main: Figure | None) -> list[Answer]:
    """All answers to the case, by try and turn."""
    users = [turn for turn in asked.get("conversation", ()) if turn.get("role") == "user"]
    target = target_of(row.suite, asked) if asked else None
    scored = [index for index, turn in enumerate(users) if turn.get("target") is not None]
    answers = []
    for prediction in viewer.store.case_predictions(row.id, [case.id]):
        one = case.repeats[prediction.repeat] if prediction.repeat < len(case.repeats) else None
        score = one.scores.get(main.name) if one is not None and main is not None and main.kind == "rate" else None
        right = "failed" if one is not None and one.status == "error" else ""
        if score is not None and score.value in (0, 1):
            right = "right" if score.value else "wrong"
        judged = one if one is not None and one.details else case
        told = len(users) < 2 or _tells_of(judged.details, prediction.turn or 0, scored)
        form = form_of(row.suite, judged, target, prediction) if told or judged.status != "scored" else CaseForm()
        answers.append(_answer(prediction, form, _label(prediction, len(users), row.repeats), right))
    return answers


def _tells_of(details: JsonMapping, turn: int, scored: Sequence[int]) -> bool:
    """Whether the details say something of this turn: they tell the turns apart, or hold the last one alone."""
    lists = [value for value in details.values() if isinstance(value, list | tuple)]
    apart = any("turn" in one for value in lists for one in value if isinstance(one, Mapping))
    return turn in scored and (apart or turn == scored[-1])


def _label(prediction: Prediction, turns: int, repeats: int) -> str:
    parts = [f"turn {(prediction.turn or 0) + 1}"] if turns > 1 else []
    parts += [f"try {prediction.repeat + 1}"] if repeats > 1 else []
    return ", ".join(parts)


def _answer(prediction: Prediction, form: CaseForm, label: str, right: str) -> Answer:
    raw = prediction.response.decode("utf-8", "replace")
    given = answer_text(prediction)
    own = form.answer is not None
    if form.answer is not None:
        raw = given = form.answer
    parsed = json_or_none(given)
    shown = as_text(parsed) if parsed is not None else given
    cut = max(len(raw), len(shown)) > SHOWN
    return Answer(
        label, shown[:SHOWN], raw[:SHOWN], own, prediction, form, right, cut, parsed is not None, _calls(prediction)
    )


def _calls(prediction: Prediction) -> tuple[tuple[str, str], ...]:
    """In every form of a trace that is read, in the answer or beside it."""
    if prediction.error is not None:
        return ()
    calls = read_trace(prediction.response, prediction.trace).calls or ()
    return tuple((call.tool, _arguments_text(call.arguments)) for call in calls[:MOST_CALLS])


def _arguments_text(arguments: object) -> str:
    text = (
        arguments
        if isinstance(arguments, str)
        else ""
        if arguments is None
        else msgspec.json.encode(arguments).decode()
    )
    return text if len(text) <= MOST_TOLD else f"{text[:MOST_TOLD]}…"
