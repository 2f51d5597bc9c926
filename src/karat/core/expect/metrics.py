"""The metrics of expectations, the same in every suite. Only cases that have an ``expect`` have them.

- ``expectations``: 1 when every part of the turn's ``expect`` holds, 0 when one is broken. Where none is broken and one
  cannot be checked, such as calls of an answer without a trace, it is not applicable: never a pass.
- ``tools_right``: called, order and only hold. ``tools_forbidden``: a call under never was made; lower is better.
- ``tables_right``, ``sources_right``, ``within_limits``, ``answer_kind``: the part of that name holds. A turn without
  the part is not applicable.
- ``tool_calls``: how many tools were called.
"""

from __future__ import annotations

from collections.abc import Callable

from karat.core.expect.findings import Checked, PartResult
from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.core.suite import EXPECTATIONS

_NOT_ASKED = not_applicable("the case does not expect anything here")


def _part(name: str, right: float = 1.0) -> Callable[[Checked], Score]:
    def score(checked: Checked) -> Score:
        part = checked.parts.get(name)
        return _NOT_ASKED if part is None else _score(part, right)

    return score


def _score(part: PartResult, right: float) -> Score:
    if part.state == "held":
        return Score(right)
    if part.state == "broken":
        return Score(1.0 - right, "scored", "; ".join(one.text for one in part.findings))
    return Score(None, "error", part.why) if part.state == "error" else not_applicable(part.why)


def _all(checked: Checked) -> Score:
    if findings := checked.findings:
        return Score(0.0, "scored", "; ".join(one.text for one in findings))
    if why := checked.first("error"):
        return Score(None, "error", why)
    if why := checked.first("review", "unknown"):
        return not_applicable(why)
    return Score(1.0)


def _calls(checked: Checked) -> Score:
    return not_applicable("the answer has no trace") if checked.calls is None else Score(float(checked.calls))


METRICS: tuple[Metric, ...] = (
    Metric(
        EXPECTATIONS, "expectations", "1 when all that the case expects of the way to the answer holds, else 0", _all,
        kind="rate", headline=True,
    ),
    Metric(
        "tools_right", "tools right", "1 when the tools under called, order and only are as expected, else 0",
        _part("tools"), kind="rate",
    ),
    Metric(
        "tools_forbidden", "tools forbidden", "1 when a call was made that the case lists under never, else 0",
        _part("forbidden", 0.0), kind="rate", higher_is_better=False, zero_on_error=False,
    ),
    Metric(
        "tables_right", "tables right", "1 when the tables, datasets and metrics used are as expected, else 0",
        _part("tables"), kind="rate",
    ),
    Metric(
        "sources_right", "sources right", "1 when the expected sources are cited, else 0", _part("sources"), kind="rate"
    ),
    Metric(
        "within_limits", "within limits", "1 when seconds, tokens, cost and calls are within the limits, else 0",
        _part("limits"), kind="rate",
    ),
    Metric(
        "answer_kind", "answer kind", "1 when the answer is data, a refusal or a clarification as expected, else 0",
        _part("answer"), kind="rate",
    ),
    Metric(
        "tool_calls", "tool calls", "how many tools were called", _calls,
        kind="quantity", higher_is_better=False, zero_on_error=False,
    ),
)  # fmt: skip
