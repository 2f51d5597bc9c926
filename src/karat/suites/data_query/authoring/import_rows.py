"""Rows of a spreadsheet or another tool's file as cases.

What is expected is in columns, ``dataset`` and one for each dimension, whose cells list ``id`` or ``id: name`` with
``;`` or line breaks between them (``*``: every term); or as a selection in JSON in one cell. Rows with the same id and
question are entries of one selection.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import msgspec
import yaml

from karat.core.case_files.import_rows import ImportColumns, Imported, ImportRow
from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.problems import Problem, count_of
from karat.suites.data_query.periods.faults import period_faults, periods_in
from karat.suites.data_query.selection.selection import DatasetSelection, Selection, Target

CASES, PREDICTIONS = "cases.yaml", "predictions.jsonl"
COLUMNS = ImportColumns(
    own={
        "dataset": "dataset datasetid dataflow dataflowid",
        "start": "start startperiod periodstart from",
        "end": "end endperiod periodend to",
        "out_of_scope": "outofscope isoutofscope oos",
    },
    also={"expected": "indicatorselection selection expectedselection"},
    enough=("out_of_scope",),
    dimensions=True,
)
EVERYTHING = ("*", "all")
_ID = re.compile(r"[^\s:;,|+]+")
_YES = frozenset(("true", "yes", "1", "y", "x"))
_NO = frozenset(("false", "no", "0", "n", ""))


class _LeftOut(Exception):
    """Why a row cannot become a case."""


def import_rows(rows: Sequence[ImportRow], _folder: Path) -> Imported:
    """Cases in one YAML file, and a line of predictions for each answer."""
    made = Imported(CASES)
    targets: dict[str, JsonObject] = {}
    questions: dict[str, ImportRow] = {}
    lines: list[bytes] = []
    answered: set[tuple[str, int]] = set()
    nameless = 0
    for row in rows:
        try:
            target = _target(row)
            if row.id in targets and row.repeat == questions[row.id].repeat:
                if row.question != questions[row.id].question:
                    raise _LeftOut(f'the id "{row.id}" is also in row {questions[row.id].line}, with another question')
                _join(targets[row.id], target)
            elif row.id not in targets:
                targets[row.id], questions[row.id] = target, row
                made.count += 1
        except _LeftOut as why:
            made.left_out.append(Problem(str(why), line=row.line))
            continue
        nameless += _nameless(target)
        if (row.answer is not None or row.error) and (row.id, row.repeat) not in answered:
            answered.add((row.id, row.repeat))
            lines.append(_prediction(row))
    cases = [_case(questions[name], target) for name, target in targets.items()]
    made.files[CASES] = yaml.dump(
        cases, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=10_000
    ).encode()
    if lines:
        made.predictions, made.answers = PREDICTIONS, len(lines)
        made.files[PREDICTIONS] = b"".join(lines)
    if nameless:
        made.notes.append(
            f"{count_of(nameless, 'expected term')} without a name: a term counts by id and name, so look at the "
            "figures by id, "
            "or write id: name. karat check --structure FILE --fix-names fills in the official names."
        )
    return made


def _case(row: ImportRow, target: JsonObject) -> JsonObject:
    turns: list[JsonObject] = [
        {"role": role, "content": text} for role, text in row.before if role in ("user", "assistant", "system")
    ]
    case: JsonObject = {"id": row.id}
    if row.tags:
        case["tags"] = list(row.tags)
    return case | {"conversation": [*turns, {"role": "user", "content": row.question, "target": target}]}


def _join(target: JsonObject, more: JsonObject) -> None:
    """A further row of the same question: one more entry of its selection."""
    if set(target) != set(more) or target.get("period") != more.get("period"):
        raise _LeftOut("its period or scope differs from an earlier row with the same id")
    new = [part for part in more.get("indicator_selection", ()) if part not in target["indicator_selection"]]
    target.setdefault("indicator_selection", []).extend(new)


# -- what is expected -------------------------------------------------------------------------------------------------


def _target(row: ImportRow) -> JsonObject:
    if row.expected not in (None, ""):
        return _from_json(row.expected)
    found: JsonObject = {}
    scope = str(row.columns.get("out_of_scope") or "").strip().lower()
    if scope not in _YES | _NO:
        raise _LeftOut(f'"{scope}" is neither yes nor no for out of scope')
    dimensions = [_dimension(name, cell) for name, cell in row.terms.items() if cell not in (None, "")]
    if scope in _YES:
        if dimensions:
            raise _LeftOut("it is out of scope, but has expected terms")
        return {"indicator_selection": [], "is_out_of_scope": True}
    dataset = str(row.columns.get("dataset") or "").strip()
    if not dimensions:
        raise _LeftOut("nothing is expected: no dimension has a term")
    if not dataset:
        raise _LeftOut("the dataset is missing")
    found["indicator_selection"] = [{"dataset_id": dataset, "dimensions": dimensions}]
    period = {end: str(row.columns[end]).strip() for end in ("start", "end") if row.columns.get(end) not in (None, "")}
    return _with_good_periods(found | ({"period": period} if period else {}))


def _from_json(value: Json) -> JsonObject:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise _LeftOut(
                f"the expected selection is not JSON: {value[:60]!r}. Give an indicator_selection, or columns for "
                "dataset and dimensions"
            ) from None
    if isinstance(value, list):
        value = {"indicator_selection": value}
    if isinstance(value, Mapping) and isinstance(value.get("target"), Mapping):
        value = value["target"]
    if not isinstance(value, Mapping) or not set(value) & set(Target.__struct_fields__):
        raise _LeftOut('the expected selection has no "indicator_selection"')
    try:
        unknown = set(value) - set(Target.__struct_fields__)
        if unknown:
            raise _LeftOut(f'the expected selection has an unknown key "{sorted(unknown)[0]}"')
        target = msgspec.convert(value, Target)
    except msgspec.ValidationError as error:
        raise _LeftOut(f"the expected selection cannot be read: {shape_in_words(error, 'it')}") from None
    if not target.indicator_selection and target.is_out_of_scope is None and target.datasets_selection is None:
        raise _LeftOut("the expected selection is empty; write is_out_of_scope: true if that is intended")
    found = msgspec.to_builtins(target)
    return _with_good_periods({"indicator_selection": [], **found})


def _with_good_periods(target: JsonObject) -> JsonObject:
    """The target, if all its periods are periods."""
    for path, period in periods_in(msgspec.convert(target, Target)):
        for _, fault in period_faults(period, path, date.today(), dated=False):
            raise _LeftOut(fault)
    return target


def _dimension(name: str, cell: object) -> JsonObject:
    text = _text(cell)
    if text.strip().lower() in EVERYTHING:
        return {"dimension_name": name, "operator": "all"}
    return {"dimension_name": name, "values": [_term(name, part, text) for part in _parts(name, text)]}


def _text(cell: object) -> str:
    if isinstance(cell, list):
        return "\n".join(map(str, cell))
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _parts(name: str, text: str) -> list[str]:
    """The terms of a cell. Lines that all are ``id: name`` are taken whole, for a name may hold a semicolon."""
    lines = [line.strip().rstrip(";").strip() for line in text.splitlines() if line.strip(" ;\t")]
    if len(lines) > 1 and all(_has_name(line) for line in lines):
        return lines
    parts = [part.strip() for line in lines for part in line.split(";") if part.strip()]
    if len({_has_name(part) for part in parts}) > 1:
        raise _LeftOut(
            f"{name}: some terms of {text[:60]!r} have a name and some do not, so it is unclear where one ends; put "
            "each on its own line"
        )
    return parts


def _has_name(part: str) -> bool:
    code, colon, name = part.partition(":")
    return bool(colon and name.strip() and _ID.fullmatch(code.strip()))


def _term(name: str, part: str, text: str) -> dict[str, str]:
    code, colon, label = part.partition(":")
    if not _ID.fullmatch(code.strip()):
        raise _LeftOut(
            f"{name}: {part[:60]!r} in {text[:60]!r} is neither id nor id: name; put ; between several terms"
        )
    return {"id": code.strip(), "name": label.strip() if colon else ""}


def _nameless(target: JsonMapping) -> int:
    return sum(
        not term.get("name")
        for part in target.get("indicator_selection", ())
        for one in part.get("dimensions", ())
        for term in one.get("values", ())
    )


# -- what was answered ------------------------------------------------------------------------------------------------


def _prediction(row: ImportRow) -> bytes:
    line: JsonObject = {"id": row.id}
    if row.repeat:
        line["repeat"] = row.repeat
    if row.error:
        return json.dumps(line | {"error": row.error}, ensure_ascii=False).encode() + b"\n"
    answer = row.answer
    if isinstance(answer, str):
        try:
            answer = json.loads(answer)
        except ValueError:
            answer = row.answer
    if isinstance(answer, list) and _is_selection(answer):
        answer = {"indicator_selection": answer}
    return json.dumps(line | {"response": answer}, ensure_ascii=False).encode() + b"\n"


def _is_selection(value: list[Json]) -> bool:
    try:
        msgspec.convert({"indicator_selection": value}, Selection)
    except msgspec.ValidationError:
        return False
    return all(isinstance(part, Mapping) and set(part) <= set(DatasetSelection.__struct_fields__) for part in value)
