"""Files of predicted SQL, and which question each prediction answers.

- Spider's text: one query per line, in the order of the questions; what follows a tab is the database.
- BIRD's JSON: row of the question file → ``SQL<TAB>----- bird -----<TAB>database``.
- A JSON object of ids: id → SQL, or → an object with the SQL.
- JSON lines, a JSON list or CSV: ``id``, ``question_id``, ``instance_id`` or ``row``, and the SQL.

A prediction that says only its row is read as one for ``row N``; :func:`paired` puts the question's id there, once the
questions are known. Nothing shifts: where the rows cannot be told apart, none of them is judged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any  # Any: a value of a prediction file, of any shape

import msgspec

from karat.core.case_files.loaded import LoadedPredictions
from karat.core.files.reading import as_text
from karat.core.json_types import JsonMapping
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import AnyCase, CallError, Prediction
from karat.core.suite import Unreadable
from karat.suites.answers.records import Answer
from karat.suites.answers.responses import stored_answer
from karat.suites.answers.sql.texts import first_sql_in, sql_in
from karat.suites.answers.text_to_sql.files.rows import FileRow, FileRows, fields_of, first_line, read_file, read_rows

ID_KEYS = ("id", "question_id", "instance_id")
SQL_KEYS = ("sql", "query", "predicted_sql", "generated_query", "prediction", "generated_sql", "predicted_query")
OTHER_SQL_KEYS = (
    "answer",
    "response",
    "output",
    "completion",
    "predicted",
    "pred",
    "generated",
    "model_output",
)
"""Where the SQL is looked for in a row that has none of the keys above; it must be in one of these only."""
ANSWER_KEYS = ("answer_type", "answer_or_path", "response", "answer", "kind")
"""Keys of a row of a submission."""
BIRD_MARK = "\t----- bird -----\t"
_ROW = re.compile(r"row (\d+)")
_QUERY = re.compile(r"\s*(?:```|(?:select|with)\b)", re.IGNORECASE)
_LINE = re.compile(r"line \d+")
"""How a prediction is named that has no key at all, only its place in the file."""


def read_text_lines(path: Path) -> LoadedPredictions:
    """Spider's text. Blank lines between dialogues are no predictions."""
    lines = [line.rstrip("\r") for line in as_text(read_file(path), path).split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    return LoadedPredictions(tuple(_made(f"line {n}", *_parted(line, "\t")) for n, line in enumerate(lines, start=1)))


def read_keyed(path: Path) -> LoadedPredictions:
    """BIRD's JSON, a JSON object of ids, JSON lines, a JSON list or CSV. UserError when no row has a place for SQL."""
    read = _one_row(read_rows(path))
    problems = list(read.problems)
    found: dict[str, Prediction] = {}
    lines: dict[str, int] = {}
    placed = False
    for row in read.rows:
        database = ""
        if read.keyed:
            key, value = row.value
            name, why = f"row {key}" if key.isdecimal() else key, ""
            text, placed = (
                (_sql(value), placed or bool(_sql_keys(value))) if isinstance(value, Mapping) else (value, True)
            )
            text, database = _parted(text if isinstance(text, str) else "", BIRD_MARK)
        else:
            name, text, why = _row(row.value)
            placed = placed or bool(why or _sql_keys(row.value))
        if why:
            problems.append(Problem(why, file=str(path), line=row.line, hint=f"Expected {', '.join(ID_KEYS)} or row"))
            continue
        if name in found:
            message = f'a second prediction for "{name}": it is used in place of the one in line {lines[name]}'
            problems.append(Problem(message, file=str(path), line=row.line, severity="warning"))
        found[name], lines[name] = _made(name, text, database), row.line
    if found and not placed:
        raise _no_sql(path, read)
    return LoadedPredictions(tuple(found.values()), tuple(problems))


def _one_row(read: FileRows) -> FileRows:
    """A JSON object that is itself one prediction, as the row that it is."""
    whole = dict(row.value for row in read.rows) if read.keyed else {}
    if any(key in whole for key in ID_KEYS) and _sql_keys(whole):
        return FileRows([FileRow(read.rows[0].line, whole)], read.problems)
    return read


def _no_sql(path: Path, read: FileRows) -> UserError:
    first = read.rows[0].value[1] if read.keyed else read.rows[0].value
    several = _named(first, OTHER_SQL_KEYS)
    expected = f"The SQL is expected in one of {', '.join(SQL_KEYS)}, answer, response or output"
    if len(several) > 1:
        hint = f"{expected}; {' and '.join(several)} could both be it. Name the column with the SQL sql."
    else:
        hint = f"{expected}; the question in one of {', '.join(ID_KEYS)} or row."
    return UserError(f"there is no SQL in {path}: it has the fields {fields_of(first)}", hint=hint)


def _named(value: JsonMapping, names: Sequence[str]) -> list[str]:
    """The keys of a row that are one of these names, in whatever case, in the order of the names."""
    by_name = {str(key).strip().casefold(): key for key in reversed(list(value))}
    return [by_name[name] for name in names if name in by_name]


def _sql_keys(value: JsonMapping) -> list[str]:
    """The keys of a row under which its SQL may be."""
    others = _named(value, OTHER_SQL_KEYS)
    return _named(value, SQL_KEYS) or (others if len(others) == 1 else [])


def _sql(value: JsonMapping) -> str:
    return next((value[key] for key in _sql_keys(value) if isinstance(value[key], str)), "")


def holds_sql(path: Path) -> bool:
    """Whether a file has predictions of this kind, and not the rows of a submission."""
    row = first_line(path)
    if isinstance(row, Mapping) and any(key in row for key in ANSWER_KEYS):
        bare = "instance_id" not in row and not any(key in row for key in ("answer_type", "answer_or_path", "kind"))
        return bare and bool(_QUERY.match(_sql(row)))
    if not path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        return True
    return isinstance(row, Mapping) and any(
        isinstance(row.get(key), str) or (key in row and row[key] is None) for key in SQL_KEYS
    )


def _parted(text: str, mark: str) -> tuple[str, str]:
    sql, _, database = text.partition(mark)
    return sql, database.strip()


def _row(value: Any) -> tuple[str, str, str]:
    """Name, SQL, and why the row is no prediction."""
    if not isinstance(value, Mapping):
        return "", "", f"a prediction is an object, not {value!r:.60}"
    name = next((str(value[key]) for key in _named(value, ID_KEYS) if value[key] not in (None, "")), "")
    if not name and value.get("row") not in (None, ""):
        name = f"row {value['row']}"
    if not name:
        return "", "", f"a prediction that does not say which question it answers; it has the fields {fields_of(value)}"
    return name, _sql(value), ""


def _made(name: str, text: str, database: str = "") -> Prediction:
    """The stored answer: ``text`` is the SQL that strict judges, ``raw`` the text as the public code runs it."""
    sql = sql_in(text)
    problem = "" if text.strip() else "no prediction"
    raw = text if text.strip() != sql else ""
    answer = Answer(name, "sql", sql, (), problem, raw, first_sql=first_sql_in(text), database=database)
    return Prediction(name, None, response=msgspec.json.encode(answer))


# -- pairing ----------------------------------------------------------------------------------------------------------


def paired(cases: Sequence[AnyCase], loaded: LoadedPredictions) -> LoadedPredictions:
    """The predictions with the ids of their questions; a question without a prediction gets one that says so."""
    if not cases or not any(turn.target is not None and turn.target.queries for turn in cases[0].conversation):
        return loaded
    by_row = {case.source.item: case.id for case in cases}
    ids = set(by_row.values())
    problems = list(loaded.problems)
    predictions = list(loaded.predictions)
    if predictions and all(_LINE.fullmatch(one.case_id) for one in predictions):
        predictions, more = _by_position(cases, predictions)
        problems += more
    rows = [int(row[1]) for one in predictions if (row := _ROW.fullmatch(one.case_id)) and one.case_id not in ids]
    keyed_by_id = any(number not in by_row for number in rows) and all(str(number) in ids for number in rows)
    found: dict[str, Prediction] = {}
    for one in predictions:
        match = _ROW.fullmatch(one.case_id) if one.case_id not in ids else None
        name = one.case_id if match is None else match[1] if keyed_by_id else by_row.get(int(match[1]), one.case_id)
        found[name] = msgspec.structs.replace(one, case_id=name)
    if found and ids.isdisjoint(found):
        raise _none_matches(list(found), list(by_row.values()))
    problems += _other_databases(cases, found)
    unknown = [name for name in found if name not in ids]
    if unknown:
        problems.append(_listed(f"{count_of(len(unknown), 'prediction')} for unknown questions", unknown))
    without = [name for name in by_row.values() if name not in found]
    if without:
        problems.append(_listed(f"{count_of(len(without), 'question')} without a prediction", without))
    for name in without:
        found[name] = _made(name, "")
    kept = tuple(one for name, one in found.items() if name in ids)
    return LoadedPredictions(kept, tuple(problems), loaded.notes)


def _none_matches(found: Sequence[str], ids: Sequence[str]) -> UserError:
    """Nothing was answered that was asked: that is no score of 0, the files do not belong together."""
    given, asked = (f"{', '.join(names[:5])}{', …' if len(names) > 5 else ''}" for names in (found, ids))
    hint = f"The questions are {asked}. A prediction names its question in {', '.join(ID_KEYS)} or row (from 0)."
    return UserError(
        f"none of the {count_of(len(found), 'prediction')} is for one of the questions: {given}", hint=hint
    )


def _by_position(cases: Sequence[AnyCase], predictions: Sequence[Prediction]) -> tuple[list[Prediction], list[Problem]]:
    """Lines against questions. As many lines as questions: one each. As many lines with a query: blank lines part
    dialogues. As many lines as rows, of which some are no questions: each has the line of its row. Else nobody knows
    which line is missing, and no line is judged."""
    written = [one for one in predictions if not _answer(one).problem]
    for lines in (predictions, written):
        if len(lines) == len(cases):
            together = zip(cases, lines, strict=True)
            return [msgspec.structs.replace(one, case_id=case.id) for case, one in together], []
    rows = [case.source.item or 0 for case in cases]
    for lines in (predictions, written):
        if len(lines) == rows[-1] + 1 and rows == sorted(set(rows)):
            by_row = [(case, lines[row]) for case, row in zip(cases, rows, strict=True)]
            return [msgspec.structs.replace(one, case_id=case.id) for case, one in by_row], []
    why = f"{count_of(len(written), 'prediction')} for {count_of(len(cases), 'question')}"
    place = next((row for row, (case, one) in enumerate(zip(cases, written, strict=False)) if _misfit(case, one)), None)
    hint = "The file has one prediction per line and no ids, so it is not known which question each line answers."
    if place is not None:
        named = _answer(written[place]).database
        hint += f' The first line that does not fit is line {place + 1}: it names the database "{named}".'
    hint += " Write one line per question, or give JSON lines with an id."
    error = CallError("unpaired", f"{why}, and no ids: the lines cannot be paired with the questions")
    failed = [Prediction(case.id, None, error=error) for case in cases]
    return failed, [Problem(why, hint=hint)]


def _answer(prediction: Prediction) -> Answer:
    """A line of a file."""
    return msgspec.json.decode(prediction.response, type=Answer)


def _misfit(case: AnyCase, prediction: Prediction) -> bool:
    """Whether it names another database than the question; only a line of a file names one."""
    try:
        answer = stored_answer(prediction.response)
    except Unreadable:  # said when it is compared
        return False
    return answer is not None and bool(answer.database) and answer.database != _database(case)


def _database(case: AnyCase) -> str:
    return next((turn.target.queries.database for turn in case.conversation if turn.target is not None), "")


def _other_databases(cases: Sequence[AnyCase], found: Mapping[str, Prediction]) -> list[Problem]:
    """Predictions that name another database than their question: the question's is used."""
    other = [
        case.id for case in cases if case.id in found and found[case.id].response and _misfit(case, found[case.id])
    ]
    if not other:
        return []
    said = f"{count_of(len(other), 'prediction')} that name another database than the question"
    return [_listed(said, other, "The database of the question is used. Check that the files belong together.")]


def _listed(said: str, names: Sequence[str], hint: str = "") -> Problem:
    rest = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return Problem(f"{said}: {', '.join(names[:5])}{rest}", hint=hint, severity="warning")


def prediction_field(cases: Sequence[AnyCase]) -> LoadedPredictions:
    """The predictions in the question file itself (``prediction``), where there are any."""
    found = []
    for case in cases:
        text = case.metadata.get("prediction")
        if "prediction" in case.metadata:
            found.append(_made(case.id, text if isinstance(text, str) else ""))
    return LoadedPredictions(tuple(found))
