"""The answers of a run as a submission, the form that this suite reads: a line names its text, or a file in the folder
of its instance beside the lines, so those files come along."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from karat.core.case_files.recorded import Recorded
from karat.core.json_types import JsonMapping
from karat.core.problems import UserError, count_of
from karat.core.records import Prediction
from karat.core.suite import Unreadable
from karat.suites.answers.records import Answer
from karat.suites.answers.responses import read_answer

Files = dict[Path, bytes]


def export_predictions(predictions: Sequence[Prediction], options: JsonMapping) -> Recorded:
    """The answers of a run, with the options it was scored with."""
    mode = str(options.get("mode", "results"))
    files: Files = {}
    notes: list[str] = []
    failed = [one for one in predictions if one.error is not None]
    repeated = [one for one in predictions if one.repeat]
    if failed:
        notes.append(
            f"{count_of(len(failed), 'failed call is', 'failed calls are')} left out: "
            "a submission cannot record a failed call"
        )
    if repeated:
        notes.append("only the first try at each case is exported: a submission has one answer per case")
    told = [one for one in predictions if one.error is None and not one.repeat]
    lines = [_submitted(one, files, mode) for one in told]
    return Recorded(b"".join(line + b"\n" for line in lines), files, tuple(notes))


def _submitted(prediction: Prediction, files: Files, mode: str) -> bytes:
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
