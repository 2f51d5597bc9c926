"""Recorded code: a JSONL file, a notebook, or a folder with a file ``<id>.py``, ``.sql`` or ``.ipynb`` for each task.

A line has ``id`` and one of ``code``, ``response`` (text with a fenced block, or a chat completion), ``attempts`` (the
first try and its repairs, in their order), ``steps`` (the code for each step of a session); and, where known,
``branches`` (for each repair strategy its ``name`` and ``responses``, with ``latency``, ``tokens`` and ``cost``),
``repeat``, ``latency``, ``tokens``, ``cost``, ``error``.
In file names ``/`` of an id is written ``__``.

Files in HumanEval's form have ``task_id`` and ``completion`` (EvalPlus: ``solution``), one line for each sample:
several samples of a task are its repeats, in their order. Ids may be numbers, as in DS-1000's answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import msgspec

from karat.core.case_files.line_keys import misspelt_key
from karat.core.case_files.loaded import LoadedPredictions, Said, all_predictions
from karat.core.files import json
from karat.core.files.lines import each_line
from karat.core.files.near_paths import near_path
from karat.core.files.reading import FileRefused, read_bytes
from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import Json
from karat.core.problems import Problem, UserError, did_you_mean
from karat.core.records import (
    Branch,
    Prediction,
    join_attempts,
    misplaced,
    recorded_error,
    recorded_tokens,
    recorded_trace,
)
from karat.suites.codegen.notebooks.cells import SUFFIX as NOTEBOOK
from karat.suites.codegen.notebooks.predictions import notebook_prediction
from karat.suites.codegen.options import Strategy

ANSWERS = ("code", "response", "attempts", "steps", "completion", "solution")
STRATEGIES = get_args(Strategy)
SAMPLES = ("completion", "solution")
"""A second line for the same task is another sample."""
ABOUT = ("id", "task_id", "turn", "repeat", "latency", "tokens", "cost", "error", "branches")
EXAMPLE = 'A line is a JSON object such as {"id": "task id", "code": "result = df.price.sum()"}.'
SLASH = "__"
ENDINGS = (".py", ".sql")


class RecordedLine(msgspec.Struct, frozen=True):
    """A line of recorded code, in any of its forms."""

    id: str | int | None = None
    """The task's id."""
    task_id: str | int | None = None
    """The same, under another common name."""
    code: str | None = None
    """The code."""
    response: Json = None
    """The model's whole reply; the code is taken from it."""
    attempts: tuple[Json, ...] | None = None
    """The first code and its repairs, in order."""
    steps: tuple[Json, ...] | None = None
    """The answers to the steps of a session, in order; null for one that was not answered."""
    branches: tuple[Branch, ...] = ()
    """What each repair strategy led to."""
    completion: str | None = None
    """The model's reply, as HumanEval names it."""
    solution: str | None = None
    """The code, as EvalPlus names it."""
    turn: int | None = None
    """The user turn, from 0; by default the only scored one, else 0."""
    repeat: int | None = None
    """The number of the try, from 0."""
    latency: float | None = None
    """Seconds that the answer took."""
    tokens: Json = None
    """Tokens that the answer used: a number, or an object with ``total_tokens``."""
    cost: float | None = None
    """What the answer cost."""
    error: Json = None
    """Why there is no answer."""
    trace: Json = None
    """The way to the answer: the tools that were called."""


def read_predictions(path: Path) -> LoadedPredictions:
    """Every recorded answer under a path; a line that cannot be read is a problem and costs nothing else."""
    return all_predictions(stream_predictions(path))


def stream_predictions(path: Path) -> Iterator[Said]:
    """The same, one after the other; a JSONL file is read line by line."""
    try:
        if path.name.endswith(NOTEBOOK) and not path.is_dir():
            yield notebook_prediction(path, path.stem)
        else:
            yield from _read_folder(path) if path.is_dir() else _read_lines(path)
    except FileNotFoundError:
        hint = "Give a JSONL file, or a folder of <task id>.py files."
        missing = f"there are no predictions at {path}: no such file or folder"
        raise UserError(missing, hint=near_path(path, hint)) from None
    except FileRefused:
        raise
    except OSError as error:
        raise UserError(f"cannot read the predictions at {path}: {error.strerror}") from error


def _read_folder(folder: Path) -> Iterator[Prediction | Problem]:
    found = (file for end in (*ENDINGS, NOTEBOOK) for file in folder.rglob(f"*{end}") if not file.is_dir())
    files = sorted(file for file in found if ".ipynb_checkpoints" not in file.parts)
    if not files:
        hint = "Put <task id>.py or <task id>.ipynb files there, or give a JSONL file."
        raise UserError(f"there is no code in {folder}", hint=hint)
    for file in files:
        name = file.relative_to(folder).with_suffix("").as_posix()
        if file.suffix == NOTEBOOK:
            yield notebook_prediction(file, name.replace(SLASH, "/"))
            continue
        try:
            code = read_bytes(file)
        except OSError as error:
            yield Problem(f"cannot be read: {error.strerror or error}", file=str(file))
            continue
        response = code.decode(errors="replace").encode()
        yield Prediction(name.replace(SLASH, "/"), None, response=response)


def _read_lines(file: Path) -> Iterator[Prediction | Problem]:
    first: dict[tuple[str, int | None, int], int] = {}
    samples: Counter[str] = Counter()
    warned: set[str] = set()
    for number, line in each_line(file):
        if slip := misspelt_key(line, RecordedLine.__struct_fields__, str(file), number, warned):
            yield slip
            if slip.severity == "error":
                continue
        found = _prediction(line, str(file), number, samples)
        if isinstance(found, Prediction):
            key = (found.case_id, found.turn, found.repeat)
            if key in first:
                message = f'a second answer to "{found.case_id}": the first, in line {first[key]}, is used'
                hint = 'Put repairs in one line, under "attempts"; give each independent try a "repeat" number.'
                found = Problem(message, file=str(file), line=number, hint=hint)
            else:
                first[key] = number
        yield found


def _prediction(line: bytes, file: str, number: int, samples: Counter[str]) -> Prediction | Problem:
    try:
        told = msgspec.convert(json.decode(line), RecordedLine)
    except json.BadJson as bad:
        return bad.problem(file, number, what="not an answer", hint=EXAMPLE)
    except msgspec.ValidationError as bad:
        return Problem(f"not an answer: {shape_in_words(bad, '')}", file=file, line=number, hint=EXAMPLE)
    task = told.id if told.id is not None else told.task_id
    if task is None:
        keys = list(json.decode(line))
        return Problem('an answer without "id"', file=file, line=number, hint=_nearest(keys, ("id", "task_id")))
    if fault := misplaced(told.turn, told.repeat or 0):
        return Problem(fault, file=file, line=number, hint="The answer is skipped.")
    error = recorded_error(told.error)
    given = [name for name in ANSWERS if getattr(told, name) is not None]
    if len(given) > 1:
        message = f"an answer with {' and '.join(given)}: give only one of them"
        return Problem(message, file=file, line=number, hint=EXAMPLE)
    if not given and error is None:
        hint = _nearest(list(msgspec.json.decode(line)), ANSWERS)
        return Problem('an answer without "code", "response" or "attempts"', file=file, line=number, hint=hint)
    if unknown := [one.name for one in told.branches if one.name not in STRATEGIES]:
        hint = did_you_mean(unknown[0], STRATEGIES) or f"There are {', '.join(STRATEGIES)}."
        return Problem(f'there is no repair strategy "{unknown[0]}"', file=file, line=number, hint=hint)
    several = told.attempts if told.attempts is not None else told.steps
    if several is not None and not several:
        return Problem(f'"{given[0]}" is an empty list', file=file, line=number, hint=EXAMPLE)
    if several is not None:
        response = join_attempts([b"" if answer is None else _bytes(answer) for answer in several], told.branches)
    else:
        response = join_attempts([_bytes(getattr(told, given[0]))], told.branches) if given else b""
    return Prediction(
        str(task),
        told.turn,
        _repeat(told, str(task), given, samples),
        response,
        error,
        told.latency,
        recorded_tokens(told.tokens),
        told.cost,
        recorded_trace(told.trace),
    )


def _repeat(line: RecordedLine, task: str, given: Sequence[str], samples: Counter[str]) -> int:
    """The number that a line says; for samples, which say none, the next one."""
    if line.repeat is not None:
        return line.repeat
    if not set(given) & set(SAMPLES):
        return 0
    samples[task] += 1
    return samples[task] - 1


def _nearest(keys: Sequence[str], known: Sequence[str]) -> str:
    unknown = [key for key in keys if key not in (*ANSWERS, *ABOUT)]
    return did_you_mean(unknown[0], known) if unknown else EXAMPLE


def _bytes(answer: object) -> bytes:
    return answer.encode(errors="surrogatepass") if isinstance(answer, str) else msgspec.json.encode(answer)
