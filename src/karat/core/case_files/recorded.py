"""Recorded answers as JSON lines, one answer per line: how they are read for a suite without a form of its own, and how
the answers of a run are written, so that ``karat score --predictions`` reads them back.

``{"id": "q1", "response": "yes"}``, and where known ``turn``, ``repeat``, ``latency``, ``tokens``, ``cost``, ``error``.
The response is a text or any JSON; without ``response``, what is left of the line is the answer. A suite that reads
another form writes it itself (``Suite.export_predictions``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core.case_files.line_keys import misspelt_key
from karat.core.case_files.loaded import LoadedPredictions, Said, all_predictions
from karat.core.files import json
from karat.core.files.lines import each_line
from karat.core.files.near_paths import near_path
from karat.core.files.reading import FileRefused
from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import Json, JsonObject
from karat.core.problems import Problem, UserError
from karat.core.records import (
    Prediction,
    attempts,
    branches_of,
    misplaced,
    recorded_error,
    recorded_tokens,
    recorded_trace,
)

EXAMPLE = 'A line is a JSON object such as {"id": "case id", "response": "the answer"}.'


class RecordedLine(msgspec.Struct, frozen=True):
    """What a line says beside the answer."""

    id: str
    turn: int | None = None
    repeat: int = 0
    latency: float | None = None
    tokens: Json = None
    cost: float | None = None
    error: Json = None
    trace: Json = None


ABOUT = frozenset(RecordedLine.__struct_fields__) - {"trace"}


def read_recorded(path: Path) -> LoadedPredictions:
    """Every recorded answer of a file; a line that cannot be read is a problem and costs nothing else.

    >>> import karat
    >>> from pathlib import Path
    >>> _ = Path("answers.jsonl").write_text('{"id": "ships", "response": "37"}\\n')
    >>> karat.read_recorded(Path("answers.jsonl")).predictions[0].response
    b'37'
    """
    return all_predictions(stream_recorded(path))


def stream_recorded(path: Path) -> Iterator[Said]:
    """The same, one line after the other, for ``Suite.stream_predictions``.

    >>> import karat
    >>> from pathlib import Path
    >>> _ = Path("stream.jsonl").write_text('{"id": "ships", "response": "37"}\\n')
    >>> [one.case_id for one in karat.stream_recorded(Path("stream.jsonl"))]
    ['ships']
    """
    seen: dict[tuple[str, int | None, int], int] = {}
    warned: set[str] = set()
    try:
        for number, line in each_line(path):
            if slip := misspelt_key(line, RecordedLine.__struct_fields__, str(path), number, warned):
                yield slip
                if slip.severity == "error":
                    continue
            item = _prediction(line, str(path), number)
            if isinstance(item, Prediction):
                key = (item.case_id, item.turn, item.repeat)
                if key in seen:
                    message = f'a second answer to "{item.case_id}": the first, in line {seen[key]}, is used'
                    item = Problem(message, file=str(path), line=number, hint='Give repeats a "repeat" number.')
                else:
                    seen[key] = number
            yield item
    except FileNotFoundError:
        hint = near_path(path, "Give a JSONL file.")
        raise UserError(f"there are no predictions at {path}: no such file", hint=hint) from None
    except FileRefused:
        raise
    except OSError as error:
        raise UserError(f"cannot read the predictions at {path}: {error.strerror}", hint="Give a JSONL file.") from None


def _prediction(line: bytes, file: str, number: int) -> Prediction | Problem:
    try:
        value = json.decode(line)
        about = msgspec.convert(value, RecordedLine)
    except json.BadJson as error:
        return error.problem(file, number, what="not a prediction", hint=EXAMPLE)
    except msgspec.ValidationError as error:
        return Problem(f"not a prediction: {shape_in_words(error, '')}", file=file, line=number, hint=EXAMPLE)
    if fault := misplaced(about.turn, about.repeat):
        return Problem(fault, file=file, line=number, hint="The prediction is skipped.")
    rest = {key: part for key, part in value.items() if key not in ABOUT}
    failed = recorded_error(about.error)
    if not rest and failed is None:
        return Problem(f'there is no answer to "{about.id}" in the line', file=file, line=number, hint=EXAMPLE)
    answer = rest.get("response", rest)
    body = answer.encode() if isinstance(answer, str) else msgspec.json.encode(answer)
    tokens = recorded_tokens(about.tokens)
    trace = recorded_trace(about.trace) if "response" in rest else b""
    return Prediction(
        about.id, about.turn, about.repeat, body if rest else b"", failed, about.latency, tokens, about.cost, trace
    )


# -- writing ----------------------------------------------------------------------------------------------------------


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
    if prediction.trace:
        line["trace"] = _trace(prediction.trace)
    tries, branches = attempts(prediction.response), branches_of(prediction.response)
    if branches:
        line["branches"] = msgspec.to_builtins(branches)
    if len(tries) > 1 or branches:
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


def _trace(trace: bytes) -> Json:
    """A trace as it goes into a line: the value that it is, or its text."""
    try:
        value = json.decode(trace)
    except json.BadJson:
        return _text(trace)
    return value["trace"] if isinstance(value, Mapping) and set(value) == {"trace"} else value


def _text(response: bytes) -> str:
    return response.decode("utf-8", "replace")
