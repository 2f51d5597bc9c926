"""Recorded answers for a suite without a form of its own: JSONL, one answer per line.

``{"id": "q1", "response": "yes"}``, and where known ``turn``, ``repeat``, ``latency``, ``tokens``, ``cost``, ``error``.
The response is a text or any JSON; without ``response``, what is left of the line is the answer.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from karat.core.files import json
from karat.core.files.reading import FileRefused, read_unpacked
from karat.core.files.shapes import shape_in_words
from karat.core.json_types import Json
from karat.core.problems import Problem, UserError
from karat.core.records import Prediction, misplaced, recorded_error, recorded_tokens
from karat.core.suite import LoadedPredictions

EXAMPLE = 'A line is a JSON object such as {"id": "case id", "response": "the answer"}.'


class _About(msgspec.Struct, frozen=True):
    """What a line says beside the answer."""

    id: str
    turn: int | None = None
    repeat: int = 0
    latency: float | None = None
    tokens: Json = None
    cost: float | None = None
    error: Json = None


def read_recorded(path: Path) -> LoadedPredictions:
    """Every recorded answer of a file; a line that cannot be read is a problem and costs nothing else."""
    try:
        data = read_unpacked(path)
    except FileNotFoundError:
        raise UserError(f"there are no predictions at {path}: no such file", hint="Give a JSONL file.") from None
    except FileRefused:
        raise
    except OSError as error:
        raise UserError(f"cannot read the predictions at {path}: {error.strerror}", hint="Give a JSONL file.") from None
    found: dict[tuple[str, int | None, int], Prediction] = {}
    lines: dict[tuple[str, int | None, int], int] = {}
    problems: list[Problem] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        item = _prediction(line, str(path), number)
        if isinstance(item, Problem):
            problems.append(item)
            continue
        key = (item.case_id, item.turn, item.repeat)
        if key in found:
            message = f'a second answer to "{item.case_id}": the first, in line {lines[key]}, is used'
            problems.append(Problem(message, file=str(path), line=number, hint='Give repeats a "repeat" number.'))
            continue
        found[key], lines[key] = item, number
    return LoadedPredictions(tuple(found.values()), tuple(problems))


def _prediction(line: bytes, file: str, number: int) -> Prediction | Problem:
    try:
        value = json.decode(line)
        about = msgspec.convert(value, _About)
    except json.BadJson as error:
        return error.problem(file, number, what="not a prediction", hint=EXAMPLE)
    except msgspec.ValidationError as error:
        return Problem(f"not a prediction: {shape_in_words(error, '')}", file=file, line=number, hint=EXAMPLE)
    if fault := misplaced(about.turn, about.repeat):
        return Problem(fault, file=file, line=number, hint="The prediction is skipped.")
    rest = {key: part for key, part in value.items() if key not in _About.__struct_fields__}
    failed = recorded_error(about.error)
    if not rest and failed is None:
        return Problem(f'there is no answer to "{about.id}" in the line', file=file, line=number, hint=EXAMPLE)
    answer = rest.get("response", rest)
    body = answer.encode() if isinstance(answer, str) else msgspec.json.encode(answer)
    tokens = recorded_tokens(about.tokens)
    return Prediction(
        about.id, about.turn, about.repeat, body if rest else b"", failed, about.latency, tokens, about.cost
    )
