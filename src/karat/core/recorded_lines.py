"""The answers of a run as JSON lines that ``karat score --predictions`` reads back.

A line has the case, turn and repeat, what the call took, and the response. A suite that reads another form writes it
itself (``Suite.export_predictions``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core.json_types import Json, JsonObject
from karat.core.records import Prediction, attempts

ABOUT = frozenset(("id", "turn", "repeat", "latency", "tokens", "cost", "error"))


class Recorded(msgspec.Struct, frozen=True):
    """Answers as files: the lines, the files that belong beside them, and what the form cannot say."""

    lines: bytes
    files: dict[Path, bytes] = {}
    """Where each file belongs beside the lines → what it holds."""
    notes: tuple[str, ...] = ()


def recorded_lines(predictions: Sequence[Prediction], spread: str = "") -> Recorded:
    """``spread``: a key that marks a response whose keys are in the line itself, beside what the line says about
    it."""
    return Recorded(b"".join(msgspec.json.encode(_line(one, spread)) + b"\n" for one in predictions))


def _line(prediction: Prediction, spread: str) -> JsonObject:
    line: JsonObject = {"id": prediction.case_id}
    if prediction.turn is not None:
        line["turn"] = prediction.turn
    if prediction.repeat:
        line["repeat"] = prediction.repeat
    for name in ("latency", "tokens", "cost"):
        if (value := getattr(prediction, name)) is not None:
            line[name] = value
    if prediction.error is not None:
        error = prediction.error
        return line | {"error": {"kind": error.kind, "message": error.message}}
    tries = attempts(prediction.response)
    if len(tries) > 1:
        return line | {"attempts": [_text(response) for response in tries]}
    body = _unwrapped(prediction.response, spread)
    if not isinstance(body, Mapping):
        return line | {"response": _text(prediction.response)}
    return line | dict(body) if spread and spread in body and not ABOUT & set(body) else line | {"response": body}


def _unwrapped(response: bytes, spread: str) -> Json:
    """The response itself. One that was scored from a recording is the whole recorded line: what the line says about it
    is left off."""
    try:
        body = msgspec.json.decode(response)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    while isinstance(body, Mapping) and isinstance(body.get("response"), Mapping) and set(body) <= ABOUT | {"response"}:
        body = body["response"]
    if isinstance(body, Mapping) and spread and spread in body:
        return {key: value for key, value in body.items() if key not in ABOUT}
    return body


def _text(response: bytes) -> str:
    return response.decode("utf-8", "replace")
