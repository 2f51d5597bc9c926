"""The answers of a run as JSON lines that ``karat score --predictions`` reads back.

A line has the case, turn and repeat, what the call took, and the response. The answers suite reads a submission instead: a line there names
its text, or a file in the folder of its instance beside the lines, so those files come along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from karat.core.problems import UserError
from karat.core.records import Prediction, attempts

ABOUT = frozenset(("id", "turn", "repeat", "latency", "tokens", "cost", "error"))
SUBMISSIONS = "answers"
"""The suite that reads submissions."""

Files = dict[Path, bytes]
"""Where each file belongs beside the lines → what it holds."""


def exported(suite: str, predictions: Sequence[Prediction], *, mode: str = "results") -> tuple[bytes, Files, list[str]]:
    """(the lines, the files that belong beside them, what the form cannot say)."""
    if suite == SUBMISSIONS:
        return _submission(predictions, mode)
    return b"".join(msgspec.json.encode(_line(one)) + b"\n" for one in predictions), {}, []


def _line(prediction: Prediction) -> dict[str, Any]:
    line: dict[str, Any] = {"id": prediction.case_id}
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
    body = _unwrapped(prediction.response)
    if not isinstance(body, Mapping):
        return line | {"response": _text(prediction.response)}
    return line | dict(body) if "fields" in body and not ABOUT & set(body) else line | {"response": body}


def _unwrapped(response: bytes) -> Any:
    """The response itself. One that was scored from a recording is the whole recorded line: what the line says about it is left off."""
    try:
        body = msgspec.json.decode(response)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    while isinstance(body, Mapping) and isinstance(body.get("response"), Mapping) and set(body) <= ABOUT | {"response"}:
        body = body["response"]
    if isinstance(body, Mapping) and "fields" in body:
        return {key: value for key, value in body.items() if key not in ABOUT}
    return body


def _text(response: bytes) -> str:
    return response.decode("utf-8", "replace")


# -- a submission -----------------------------------------------------------------------------------------------------


def _submission(predictions: Sequence[Prediction], mode: str) -> tuple[bytes, Files, list[str]]:
    files: Files = {}
    notes: list[str] = []
    failed = [one for one in predictions if one.error is not None]
    repeated = [one for one in predictions if one.repeat]
    if failed:
        notes.append(f"{len(failed)} failed calls are left out: a submission cannot record a failed call")
    if repeated:
        notes.append("only the first try at each case is exported: a submission has one answer per case")
    told = [one for one in predictions if one.error is None and not one.repeat]
    lines = [_submitted(one, files, mode) for one in told]
    return b"".join(line + b"\n" for line in lines), files, notes


def _submitted(prediction: Prediction, files: Files, mode: str) -> bytes:
    from karat.core.suite import Unreadable
    from karat.suites.answers.records import Answer
    from karat.suites.answers.responses import read_answer

    name = prediction.case_id
    try:
        answer = read_answer(prediction.response, live=prediction.latency is not None)
    except Unreadable as error:
        answer = Answer(name, "answer", problem=str(error))
    kind, given = answer.kind, msgspec.Raw(msgspec.json.encode(answer.text))
    if answer.kind in ("file", "files") and answer.text and mode == "sql":
        kind = "sql"
    elif answer.problem:
        given = msgspec.Raw(b'""')  # reads back as an answer that cannot be used, which it is
    elif answer.kind in ("file", "files"):
        given = msgspec.Raw(msgspec.json.encode(_kept(name, answer.paths, files)))
    elif answer.raw:
        given = msgspec.Raw(answer.raw.encode())  # a bare number as it was written
    return msgspec.json.encode({"instance_id": name, "answer_type": kind, "answer_or_path": given})


def _kept(name: str, paths: Sequence[str], files: Files) -> list[str]:
    """The names of an answer's files in its own folder, and what they hold."""
    names = []
    for path in map(Path, paths):
        place = Path(name) / path.name
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise UserError(f'"{name}" is not a valid folder name, so its answer cannot be exported')
        try:
            files[place] = path.read_bytes()
        except OSError as error:
            raise UserError(f'the file {path.name} of the answer to "{name}" no longer exists') from error
        names.append(path.name)
    return names
