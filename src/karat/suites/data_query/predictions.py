"""Predictions in recorded files: JSONL, one object per scored turn with ``id`` and ``turn``; also one JSON list; or a
folder with a response body in ``<case id>.json`` (``<case id>.<turn>.json`` for a later turn).

What a response may look like, in such a file or from a live system, is read in
:mod:`karat.suites.data_query.responses`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from karat.core.case_files.line_keys import misspelt_key
from karat.core.case_files.loaded import LoadedPredictions, Said, all_predictions
from karat.core.files import json
from karat.core.files.limits import MIB
from karat.core.files.lines import plain_lines
from karat.core.files.near_paths import near_path
from karat.core.files.reading import FileRefused, open_bytes, read_bytes
from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import Json
from karat.core.problems import Problem, UserError
from karat.core.records import Prediction, misplaced, recorded_error, recorded_tokens

Seen = dict[tuple[str, int, int], int]
"""Case, turn and repeat → the line that they were first in."""


class RecordedLine(msgspec.Struct, frozen=True):
    """What a recorded line says beside the selection itself."""

    id: str
    """The case's id."""
    turn: int | None = None
    """The user turn, from 0; by default the only scored one, else 0."""
    repeat: int = 0
    """The number of the try, from 0."""
    error: Json = None
    """Why there is no answer."""
    latency: float | None = None
    """Seconds that the answer took."""
    tokens: Json = None
    """Tokens that the answer used: a number, or an object with ``total_tokens``."""
    cost: float | None = None
    """What the answer cost."""


EXAMPLE = 'Each line is a JSON object such as {"id": "case id", "indicator_selection": […]}.'


def read_predictions(path: Path) -> LoadedPredictions:
    """Every recorded prediction under a path; a line that cannot be read is a problem and costs nothing else."""
    return all_predictions(stream_predictions(path))


def stream_predictions(path: Path) -> Iterator[Said]:
    """The same, one after the other; a JSONL file is read line by line."""
    try:
        if path.is_dir():
            yield from _read_folder(path)
        elif _is_list(path):
            yield from _read_list(path, read_bytes(path))
        else:
            yield from _read_lines(path)
    except FileNotFoundError:
        raise UserError(
            f"there are no predictions at {path}: no such file or folder", hint=near_path(path, "Give a JSONL file.")
        ) from None
    except FileRefused:
        raise
    except OSError as error:
        raise UserError(f"cannot read the predictions at {path}: {error.strerror}") from error


def _is_list(path: Path) -> bool:
    """Whether the file is one JSON list, by the first of its characters."""
    with open_bytes(path) as file:
        while block := file.read(MIB):
            if block.strip():
                return block.lstrip()[:1] == b"["
    return False


def _read_lines(path: Path) -> Iterator[Prediction | Problem]:
    seen: Seen = {}
    warned: set[str] = set()
    for number, line in plain_lines(path):
        if slip := misspelt_key(line, RecordedLine.__struct_fields__, str(path), number, warned):
            yield slip
            if slip.severity == "error":
                continue
        yield _taken(line.strip(), str(path), number, seen)


def _read_list(path: Path, data: bytes) -> Iterator[Prediction | Problem]:
    seen: Seen = {}
    try:
        items = json.items(data.removeprefix(b"\xef\xbb\xbf"))
    except json.BadJson as error:
        yield error.problem(str(path))
        return
    for number, (line, item) in enumerate(items, start=1):
        yield _taken(item, str(path), number, seen, noun="item", line_of_item=line)


def _taken(
    line: bytes, file: str, number: int, seen: Seen, noun: str = "line", line_of_item: int = 0
) -> Prediction | Problem:
    place = line_of_item or number
    where = "" if noun == "line" else f"{noun} {number}: "
    try:
        head = msgspec.convert(json.decode(line), RecordedLine)
    except json.BadJson as error:
        return error.problem(file, place, what=f"{where}not a prediction", hint=EXAMPLE)
    except msgspec.ValidationError as error:
        said = shape_in_words(error, "")
        return Problem(f"{where}not a prediction: {said}", file=file, line=place, hint=EXAMPLE)
    if fault := misplaced(head.turn, head.repeat):
        return Problem(f"{where}{fault}", file=file, line=place, hint="The prediction is skipped.")
    key = (head.id, head.turn or 0, head.repeat)
    if key in seen:
        message = (
            f'{where}a second prediction for case "{key[0]}", "turn": {key[1]}, "repeat": {key[2]}: '
            f"the first, in {noun} {seen[key]}, is used"
        )
        return Problem(message, file=file, line=place, hint='Give repeats a "repeat" number.')
    seen[key] = number
    tokens = recorded_tokens(head.tokens)
    return Prediction(
        head.id, head.turn, head.repeat, line, recorded_error(head.error), head.latency, tokens, head.cost
    )


def _read_folder(path: Path) -> Iterator[Prediction | Problem]:
    files = sorted(file for file in path.rglob("*.json*") if not file.is_dir())
    if not files:
        raise UserError(
            f"there are no predictions in {path}", hint="Put <case id>.json files there, or give a JSONL file."
        )
    for file in files:
        try:
            if file.suffix == ".jsonl":
                yield from _read_lines(file)
            elif file.suffix == ".json":
                yield _whole_file(file)
        except FileRefused as error:
            yield error.problem
        except OSError as error:
            yield Problem(f"cannot be read: {error.strerror}", file=str(file))


def _whole_file(file: Path) -> Prediction:
    data = read_bytes(file)
    case_id, _, turn = file.stem.rpartition(".")
    whole = not (case_id and turn.isdecimal() and turn.isascii() and len(turn) < 5)
    return Prediction(file.stem if whole else case_id, None if whole else int(turn), response=data)
