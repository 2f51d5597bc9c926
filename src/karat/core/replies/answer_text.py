"""What a system answered, as a person reads it: the text of a chat response, else the response as it came."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from karat.core.json_types import JsonMapping
from karat.core.records import Prediction, attempts, is_wrapped


def answers_of(predictions: Iterable[Prediction], wanted: Collection[str]) -> dict[str, str]:
    """The answer to each of the wanted cases; the answers to several turns and repeats one below the other, each with
    its number."""
    found: dict[str, list[Prediction]] = {}
    for prediction in predictions:
        if prediction.case_id in wanted:
            found.setdefault(prediction.case_id, []).append(prediction)
    return {case: _joined(items) for case, items in found.items()}


def _joined(items: list[Prediction]) -> str:
    if len(items) == 1:
        return answer_text(items[0])
    items.sort(key=lambda item: (item.repeat, item.turn or 0))
    repeated, turns = any(item.repeat for item in items), len({item.turn for item in items}) > 1
    lines = []
    for item in items:
        label = [f"try {item.repeat + 1}"] if repeated else []
        label += [f"turn {(item.turn or 0) + 1}"] if turns else []
        lines.append(f"{', '.join(label)}: {answer_text(item)}")
    return "\n".join(lines)


def answer_text(prediction: Prediction) -> str:
    """One answer; of a system that was asked to repair its answer, the last one."""
    if prediction.error is not None:
        return f"failed: {prediction.error.message}"
    response = attempts(prediction.response)[-1]
    text = response.decode("utf-8", "replace")
    if not is_wrapped(response):
        return text
    try:
        content = _content(msgspec.json.decode(response))
    except (msgspec.DecodeError, RecursionError):
        return text
    return content or text


def _content(response: JsonMapping) -> str:
    """``choices[0].message.content`` of a chat completion; empty for anything else."""
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else ""
