"""Submissions as predictions, and raw responses as answers.

A submission is a folder with ``results_metadata.jsonl`` and a folder for each instance, or a flat folder of files named
for their instance: ``<id>.csv``, ``<id>.sql``, ``<id>.duckdb``, ``<id>.db``. A file by itself may also have recorded
lines as in every suite: ``{"id": …, "response": …}``. Every file is confined to the submission's folder. An instance
whose file may not be read, or is not there, keeps its prediction, with the reason in ``Answer.problem``.

The response of a prediction is an :class:`Answer` as JSON. Where a number was submitted bare, ``text`` is Python's
``str`` of it, as the public tool sees it ("17.5" for ``17.50``), and ``raw`` beside it is how it was written.

What a live system may answer is read in :mod:`karat.suites.answers.responses`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import msgspec

from karat.core.case_files.loaded import GIVEN, LoadedPredictions
from karat.core.case_files.recorded import ABOUT, RecordedLine, read_recorded
from karat.core.files.reading import FileRefused, read_text, why_not_there
from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import JsonMapping
from karat.core.problems import Problem, UserError, count_of, did_you_mean
from karat.core.records import Prediction, misplaced, recorded_error, recorded_tokens
from karat.suites.answers.gold.loose_json import ReadObject, member_text, read_file
from karat.suites.answers.records import Answer, AnswerKind
from karat.suites.answers.responses import read_answer
from karat.suites.answers.sql.texts import first_sql_in, sql_in
from karat.suites.answers.submission.safe_paths import OutsideFolder, inside
from karat.suites.answers.text_to_sql.files.predictions import holds_sql, read_keyed, read_text_lines
from karat.suites.answers.text_to_sql.files.rows import first_line

METADATA = "results_metadata.jsonl"
SUBMISSION_KEYS = ("instance_id", "answer_type", "answer_or_path")
SKIPPED = "The answer is skipped."
TYPES = ("answer", "file", "files", "sql")
FLAT_SUFFIXES = (".csv", ".duckdb", ".db", ".sql")
OTHER_SUFFIXES = (".parquet", ".xlsx", ".xls", ".ods", ".tsv", ".json", ".feather", ".arrow")
"""Tables in forms that are not read. Such a file was submitted all the same: its instance is not missing."""
"""In the order in which they count when an instance has several."""
MAX_SQL_BYTES = 4 * 1024 * 1024


def read_predictions(path: Path) -> LoadedPredictions:
    """Every answer of a submission; a row that cannot be read is a problem and costs nothing else."""
    if path.is_file():
        if path.name.lower().endswith((".txt", ".sql")):
            return read_text_lines(path)
        if path.name.lower().endswith((".json", ".csv", ".tsv")) or holds_sql(path):
            return read_keyed(path)
        if _is_recorded(path):
            return read_recorded(path)
        return _read_metadata(path)
    if not path.is_dir():
        hint = f"Give the submission folder: it contains {METADATA}, or one file for each instance."
        raise UserError(f"there is no submission at {path}: {why_not_there(path)}", hint=hint)
    metadata = path / METADATA
    # Also what is no plain file, so that it is named and refused.
    return _read_metadata(metadata) if metadata.exists() or metadata.is_symlink() else _read_flat(path)


def _is_recorded(path: Path) -> bool:
    """Whether a file has lines with an ``id`` and the response to it, and not the rows of a submission."""
    row = first_line(path)
    return isinstance(row, Mapping) and "id" in row and not any(key in row for key in SUBMISSION_KEYS)


# -- results_metadata.jsonl -------------------------------------------------------------------------------------------


def _read_metadata(file: Path) -> LoadedPredictions:
    try:
        rows, problems = read_file(file)
    except FileRefused:
        raise
    except OSError as error:
        raise UserError(f"cannot read the submission at {file}: {error.strerror}") from error
    return _from_rows(rows, problems, file)


def predictions_from(rows: Sequence[JsonMapping], folder: Path) -> LoadedPredictions:
    """Answers that are given as Python values: rows as in ``results_metadata.jsonl``, or ``id`` with ``answer``,
    ``sql`` or a response."""
    numbered = enumerate(rows, start=1)
    read = [ReadObject(dict(row), number, msgspec.json.encode(row).decode()) for number, row in numbered]
    return _from_rows(read, [], folder / GIVEN, responses=True)


def _answered(row: ReadObject, about: RecordedLine) -> Prediction:
    tokens = recorded_tokens(about.tokens)
    body, error = msgspec.json.encode(row.value), recorded_error(about.error)
    return Prediction(about.id, about.turn, about.repeat, body, error, about.latency, tokens, about.cost)


def _about(row: ReadObject, file: Path, *, response: bool) -> RecordedLine | Problem:
    """What a row says beside its answer. Of a submitted row only the turn and the repeat are looked at."""
    value = row.value
    name = value.get("id", value.get("instance_id")) if response else value.get("instance_id")
    if not isinstance(name, str) or not name.strip():
        hint = "It must be a string." if "instance_id" in value or response else did_you_mean("instance_id", value)
        return Problem('a row without "instance_id"', file=str(file), line=row.line, hint=hint)
    keys = ABOUT if response else ("turn", "repeat")
    said = {key: value[key] for key in keys if value.get(key) is not None} | {"id": name}
    try:
        about = msgspec.convert(said, RecordedLine)
    except msgspec.ValidationError as error:
        return Problem(f"not an answer: {shape_in_words(error, '')}", file=str(file), line=row.line, hint=SKIPPED)
    if fault := misplaced(about.turn, about.repeat):
        return Problem(fault, file=str(file), line=row.line, hint=SKIPPED)
    return about


def _from_rows(
    rows: Sequence[ReadObject], problems: list[Problem], file: Path, *, responses: bool = False
) -> LoadedPredictions:
    """``responses``: a row may also be an ``id`` with a response, which a submission does not have."""
    predictions: list[Prediction] = []
    first: dict[tuple[str, int | None, int], int] = {}
    for row in rows:
        response = responses and not _is_submitted(row.value)
        about = _about(row, file, response=response)
        if isinstance(about, Problem):
            problems.append(about)
            continue
        place = (about.id, about.turn, about.repeat)
        if place in first:
            message = f'a second answer to "{about.id}": the first, in line {first[place]}, is used'
            problems.append(Problem(message, file=str(file), line=row.line, hint="Keep one of the two."))
            continue
        first[place] = row.line
        if response:
            predictions.append(_answered(row, about))
            continue
        found = _prediction(_submitted(file.parent, about.id, row.value), _written(row))
        predictions.append(msgspec.structs.replace(found, turn=about.turn, repeat=about.repeat))
    return LoadedPredictions(tuple(predictions), tuple(problems))


def _is_submitted(row: JsonMapping) -> bool:
    """Whether a row is one of a submission, and not an ``id`` with a response."""
    return "answer_type" in row or "answer_or_path" in row or not ("id" in row or "instance_id" in row)


def _written(row: ReadObject) -> str:
    """How a bare number was written, where its value does not say so."""
    value = row.value.get("answer_or_path")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    text = member_text(row.raw, "answer_or_path")
    return text if text != str(value) else ""


def _submitted(root: Path, name: str, row: JsonMapping) -> Answer:
    kind, given = row.get("answer_type"), row.get("answer_or_path")
    if isinstance(kind, list) and len(kind) == 1:
        kind = kind[0]
    if not isinstance(kind, str) or kind not in TYPES:
        hint = did_you_mean(kind, TYPES) if isinstance(kind, str) else f"It is one of {', '.join(TYPES)}."
        return Answer(name, "answer", problem=f'"answer_type" is {kind!r:.60}. {hint}'.strip())
    if given is None or given == [] or (isinstance(given, str) and not given.strip()):
        return Answer(name, cast("AnswerKind", kind), problem='"answer_or_path" is empty')
    values = given if isinstance(given, list) else [given]
    if kind == "answer":
        return Answer(name, "answer", str(values[0] if len(values) == 1 else given))
    if kind == "sql" and not (len(values) == 1 and _is_sql_name(str(values[0]))):
        text = "\n".join(str(value) for value in values)
        return Answer(name, "sql", sql_in(text), first_sql=first_sql_in(text))
    return _with_files(root, name, [str(value) for value in values], several=kind == "files" or len(values) > 1)


def _with_files(root: Path, name: str, files: list[str], *, several: bool) -> Answer:
    kind: AnswerKind = "files" if several else "file"
    try:
        paths = [inside(root, file, under=name) for file in files]
    except OutsideFolder as error:
        return Answer(name, kind, problem=f"the file {error}")
    missing = [file for file, path in zip(files, paths, strict=True) if not path.is_file()]
    if missing:
        return Answer(name, kind, problem=f"there is no file {', '.join(f'{name}/{file}' for file in missing)}")
    if not several and _is_sql_name(files[0]):
        return _sql_file(name, paths[0])
    return Answer(name, kind, paths=tuple(str(path) for path in paths))


# -- a flat folder ----------------------------------------------------------------------------------------------------


def _read_flat(folder: Path) -> LoadedPredictions:
    """Files named for their instance. With a result and SQL for one instance, the SQL is kept in the answer's
    ``text``."""
    found: dict[str, dict[str, str]] = {}
    others: list[str] = []
    unread: dict[str, str] = {}
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        suffix = entry.suffix.lower()
        if suffix in FLAT_SUFFIXES and entry.name.isprintable():
            found.setdefault(entry.name[: -len(suffix)], {})[suffix] = entry.name
            continue
        others.append(entry.name.encode(errors="replace").decode())
        if suffix in OTHER_SUFFIXES and entry.name.isprintable():
            unread.setdefault(entry.name[: -len(suffix)], entry.name)
    if not found:
        hint = f"It contains {METADATA} and a folder for each instance, or files such as <instance_id>.csv."
        raise UserError(f"there is no answer in the submission folder {folder}", hint=hint)
    problems = []
    if others:
        shown = ", ".join(others[:3]) + (", …" if len(others) > 3 else "")
        message = f"{count_of(len(others), 'entry', 'entries')} of the submission folder not read: {shown}"
        hint = f"An answer is a file that ends in {', '.join(FLAT_SUFFIXES)}."
        problems.append(Problem(message, file=str(folder), hint=hint, severity="warning"))
    answers = [_flat_answer(folder, name, files) for name, files in found.items()]
    answers += [_unread(folder, name, file) for name, file in unread.items() if name not in found]
    return LoadedPredictions(tuple(map(_prediction, answers)), tuple(problems))


def _unread(folder: Path, name: str, file: str) -> Answer:
    problem = f"{file} is not read: an answer is a file that ends in {', '.join(FLAT_SUFFIXES)}"
    try:
        return Answer(name, "file", problem=problem, paths=(str(inside(folder, file)),))
    except OutsideFolder as error:
        return Answer(name, "file", problem=f"the file {error}")


def _flat_answer(folder: Path, name: str, files: Mapping[str, str]) -> Answer:
    paths: dict[str, Path] = {}
    for suffix, file in files.items():
        try:
            paths[suffix] = inside(folder, file)
        except OutsideFolder as error:
            return Answer(name, "sql" if suffix == ".sql" else "file", problem=f"the file {error}")
    sql = _sql_file(name, paths[".sql"]) if ".sql" in paths else None
    result = next((paths[suffix] for suffix in FLAT_SUFFIXES[:-1] if suffix in paths), None)
    if result is None and sql is not None:
        return sql
    return Answer(name, "file", sql.text if sql else "", (str(result),))


# -- SQL files --------------------------------------------------------------------------------------------------------


def _sql_file(name: str, path: Path) -> Answer:
    try:
        size = path.stat().st_size
        if size > MAX_SQL_BYTES:
            return Answer(name, "sql", problem=f"the SQL has {size:,} bytes; at most {MAX_SQL_BYTES:,} are read")
        whole = read_text(path)
    except FileRefused as error:
        where = f", line {error.problem.line}" if error.problem.line else ""
        return Answer(name, "sql", problem=f"the SQL cannot be read: {error.problem.message}{where}")
    except OSError as error:
        return Answer(name, "sql", problem=f"the SQL cannot be read: {error.strerror}")
    text = sql_in(whole)
    problem = "" if text else "the SQL file is empty"
    raw = whole if whole.strip() != text else ""
    return Answer(name, "sql", text, (str(path),), problem, raw, first_sql=first_sql_in(whole))


def _is_sql_name(text: str) -> bool:
    return text.strip().lower().endswith(".sql") and len(text.split()) == 1


# -- an answer to and from a response ---------------------------------------------------------------------------------


def _prediction(answer: Answer, raw: str = "") -> Prediction:
    body = msgspec.json.encode({**msgspec.to_builtins(answer), "raw": raw} if raw else answer)
    return Prediction(answer.instance_id, response=body)


def read_submission(path: Path) -> dict[str, Answer]:
    """The answers of a submission folder by instance; what cannot be read is left out."""
    return {item.case_id: read_answer(item.response) for item in read_predictions(path).predictions}
