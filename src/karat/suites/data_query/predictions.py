"""Predictions in recorded files: JSONL, one object per scored turn with ``id`` and ``turn``; also one JSON list; or a
folder with a response body in ``<case id>.json`` (``<case id>.<turn>.json`` for a later turn).

What a response may look like, in such a file or from a live system, is read in
:mod:`karat.suites.data_query.responses`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from karat.core.files import json
from karat.core.files.reading import FileRefused, read_bytes
from karat.core.files.shapes import shape_in_words
from karat.core.json_types import Json
from karat.core.problems import Problem, UserError
from karat.core.records import Prediction, misplaced, recorded_error, recorded_tokens
from karat.core.suite import LoadedPredictions


class _Line(msgspec.Struct, frozen=True):
    """What a recorded line says beside the selection itself."""

    id: str
    turn: int | None = None
    repeat: int = 0
    error: Json = None
    latency: float | None = None
    tokens: Json = None
    cost: float | None = None


EXAMPLE = 'Each line is a JSON object such as {"id": "case id", "indicator_selection": […]}.'


def read_predictions(path: Path) -> LoadedPredictions:
    """Every recorded prediction under a path; a line that cannot be read is a problem and costs nothing else."""
    try:
        if path.is_dir():
            return _read_folder(path)
        data = read_bytes(path)
    except FileNotFoundError:
        raise UserError(
            f"there are no predictions at {path}: no such file or folder", hint="Give a JSONL file."
        ) from None
    except FileRefused:
        raise
    except OSError as error:
        raise UserError(f"cannot read the predictions at {path}: {error.strerror}") from error
    if data.lstrip()[:1] == b"[":
        return _read_list(path, data)
    return _read_lines(path, data)


def _read_lines(path: Path, data: bytes) -> LoadedPredictions:
    predictions: list[Prediction] = []
    problems: list[Problem] = []
    seen: dict[tuple[str, int | None, int], int] = {}
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    for number, line in enumerate(data.split(b"\n"), start=1):
        line = line.strip()
        if not line:
            continue
        _take(line, str(path), number, predictions, problems, seen)
    return LoadedPredictions(tuple(predictions), tuple(problems))


def _read_list(path: Path, data: bytes) -> LoadedPredictions:
    predictions: list[Prediction] = []
    problems: list[Problem] = []
    seen: dict[tuple[str, int | None, int], int] = {}
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        items = json.items(data)
    except json.BadJson as error:
        return LoadedPredictions((), (error.problem(str(path)),))
    for number, (line, item) in enumerate(items, start=1):
        _take(item, str(path), number, predictions, problems, seen, noun="item", line_of_item=line)
    return LoadedPredictions(tuple(predictions), tuple(problems))


def _take(
    line: bytes,
    file: str,
    number: int,
    predictions: list[Prediction],
    problems: list[Problem],
    seen: dict[tuple[str, int | None, int], int],
    noun: str = "line",
    line_of_item: int = 0,
) -> None:
    place = line_of_item or number
    where = "" if noun == "line" else f"{noun} {number}: "
    try:
        head = msgspec.convert(json.decode(line), _Line)
        if fault := misplaced(head.turn, head.repeat):
            problems.append(Problem(f"{where}{fault}", file=file, line=place, hint="The prediction is skipped."))
            return
        prediction = Prediction(
            head.id,
            head.turn,
            head.repeat,
            line,
            recorded_error(head.error),
            head.latency,
            recorded_tokens(head.tokens),
            head.cost,
        )
    except json.BadJson as error:
        problems.append(error.problem(file, place, what=f"{where}not a prediction", hint=EXAMPLE))
        return
    except msgspec.ValidationError as error:
        said = shape_in_words(error, "")
        problems.append(Problem(f"{where}not a prediction: {said}", file=file, line=place, hint=EXAMPLE))
        return
    key = (prediction.case_id, prediction.turn or 0, prediction.repeat)
    if key in seen:
        message = (
            f'{where}a second prediction for case "{key[0]}", "turn": {key[1]}, "repeat": {key[2]}: '
            f"the first, in {noun} {seen[key]}, is used"
        )
        problems.append(Problem(message, file=file, line=place, hint='Give repeats a "repeat" number.'))
        return
    seen[key] = number
    predictions.append(prediction)


def _read_folder(path: Path) -> LoadedPredictions:
    files = sorted(file for file in path.rglob("*.json*") if not file.is_dir())
    if not files:
        raise UserError(
            f"there are no predictions in {path}", hint="Put <case id>.json files there, or give a JSONL file."
        )
    predictions: list[Prediction] = []
    problems: list[Problem] = []
    for file in files:
        try:
            data = read_bytes(file)
        except FileRefused as error:
            problems.append(error.problem)
            continue
        except OSError as error:
            problems.append(Problem(f"cannot be read: {error.strerror}", file=str(file)))
            continue
        if file.suffix == ".jsonl":
            loaded = _read_lines(file, data)
            predictions.extend(loaded.predictions)
            problems.extend(loaded.problems)
        elif file.suffix == ".json":
            case_id, _, turn = file.stem.rpartition(".")
            whole = not (case_id and turn.isdecimal() and turn.isascii() and len(turn) < 5)
            predictions.append(Prediction(file.stem if whole else case_id, None if whole else int(turn), response=data))
    return LoadedPredictions(tuple(predictions), tuple(problems))
