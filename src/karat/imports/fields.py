"""Which column is which field: what the person says, what the format says, else the usual names. What is not clear is
never guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from karat.core.case_files.import_rows import ImportColumns
from karat.core.json_types import Json, JsonMapping
from karat.core.problems import UserError, did_you_mean
from karat.core.suite import Suite
from karat.imports.ambiguity import Unclear
from karat.imports.source import Source

IGNORED = "ignore"
DIMENSION = "dimension"
ALL = ("question", "expected", "id", "answer", "tags")
COMMON = (*ALL, "error", "repeat", IGNORED, DIMENSION)
"""What a suite does not have to ask for."""
EVERYWHERE = ImportColumns()

_NAMES: dict[str, str] = {
    "question": "question questions query userquery userquestion instruction instructions input inputs prompt "
    "utterance problem",
    "expected": "expected expectedanswer expectedoutput expectedoutputs expectedresult expectedvalue gold goldanswer "
    "golden goldenanswer "
    "groundtruth groundtruths referenceanswer referenceoutput referenceoutputs reference target targets ideal correct "
    "correctanswer",
    "id": "id caseid instanceid questionid queryid qid taskid exampleid uuid testid sampleid",
    "answer": "answer answers response output outputs prediction predicted predictedanswer modeloutput modelanswer "
    "modelresponse "
    "completion generated actual actualoutput actualanswer llmoutput systemanswer",
    "tags": "tags tag category topic",
    "error": "error",
    "repeat": "epoch repeat trial",
}
_UPPER = re.compile(r"[A-Z][A-Z0-9_]*")
_CODED = re.compile(r"\s*[^\s:;,]+\s*:\s+\S")


def fields_of(source: Source, suite: Suite, given: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Field → columns. Raises :class:`Unclear` where several columns may be meant, or none."""
    columns, looked_for = source.columns, suite.import_columns
    _check(given, columns, suite)
    taken = {column for names in given.values() for column in names}
    found: dict[str, list[str]] = {field: list(names) for field, names in given.items()}
    wanted = [*ALL, *looked_for.own, *(field for field in source.known if field not in ALL)]
    if looked_for.gold:
        wanted.insert(0, looked_for.gold)
    for field in dict.fromkeys(wanted):
        if field in found or field == DIMENSION:
            continue
        candidates = [column for column in _by_format(field, source) if column not in taken]
        if not candidates:
            candidates = [column for column in columns if column not in taken and _fits(column, field, looked_for)]
        exact = [column for column in candidates if _plain(column) == _plain(field)]
        if len(candidates) > 1 and len(exact) != 1:
            raise Unclear(field, f"several columns could be the {field}", candidates)
        if candidates:
            found[field] = exact or candidates
            taken |= set(found[field])
    if "question" not in found:
        rest = [column for column in columns if column not in taken]
        raise Unclear("question", "it is unclear which column is the question", rest)
    if looked_for.dimensions and "expected" not in found:
        found |= _dimensions(source, found, taken)
    if not set(found) & {"expected", DIMENSION, looked_for.gold, *looked_for.enough}:
        candidates = [*found.get("answer", ()), *(column for column in columns if column not in taken)]
        raise Unclear("expected", "it is unclear which column is the expected value", candidates)
    return found


def _check(given: Mapping[str, Sequence[str]], columns: Sequence[str], suite: Suite) -> None:
    looked_for = suite.import_columns
    known = [*ALL, "error", "repeat", IGNORED, *looked_for.own, *([DIMENSION] if looked_for.dimensions else ())]
    for field, names in given.items():
        if field not in known:
            raise UserError(f'there is no field "{field}" for {suite.name}', hint=did_you_mean(field, known))
        if len(names) > 1 and field not in (DIMENSION, IGNORED):
            raise UserError(f"--map {field} is given twice: {', '.join(names)}")
        for name in names:
            if name not in columns:
                raise UserError(f'the file has no column "{name}"', hint=did_you_mean(name, columns))


def _by_format(field: str, source: Source) -> list[str]:
    """The column that the format says; the parts of it where it was opened."""
    column = source.known.get(field)
    if column is None:
        return []
    columns = source.columns
    parts = [name for name in columns if name.startswith(f"{column}.")]
    if column in columns and not parts:
        return [column]
    named = [
        name for name in parts if _fits(name.rpartition(".")[2], field) or _fits(name.rpartition(".")[2], "answer")
    ]
    return ([column] if column in columns else []) + (named if len(parts) > 1 and len(named) == 1 else parts)


def _fits(column: str, field: str, looked_for: ImportColumns = EVERYWHERE) -> bool:
    """Whether a column has one of the usual names of a field, also as the last part of ``vars.question``."""
    if field == "expected" and looked_for.gold and _plain(column) in looked_for.own[looked_for.gold].split():
        return False
    told = (_NAMES.get(field), looked_for.own.get(field), looked_for.also.get(field))
    names = [name for one in told if one for name in one.split()]
    head, _, last = column.rpartition(".")
    return _plain(column) in names or (
        field in ("question", "tables") and head in ("vars", "inputs", "input") and _plain(last) in names
    )


def _plain(name: str) -> str:
    return re.sub(r"[^0-9a-z]", "", name.lower())


def _dimensions(source: Source, found: Mapping[str, Sequence[str]], taken: set[str]) -> dict[str, list[str]]:
    """The columns of a spreadsheet that hold dimensions: named as in SDMX, or with cells of the form ``id: name``."""
    given = list(found.get(DIMENSION, ()))
    rest = [column for column in source.columns if column not in taken]
    sure = [column for column in rest if _UPPER.fullmatch(column) or _has_terms(source, column)]
    unsure = [column for column in rest if column not in sure]
    if not given and not sure:
        return {}
    if unsure and not given:
        message = f"it is unclear whether these columns are dimensions: {', '.join(unsure)}"
        raise Unclear(DIMENSION, message, unsure, optional=True)
    return {DIMENSION: [*given, *sure]}


def _has_terms(source: Source, column: str) -> bool:
    cells = [str(cell) for row in source.rows if (cell := row.cells.get(column)) not in (None, "")]
    return bool(cells) and all(_CODED.match(cell) for cell in cells)


def value_of(cells: JsonMapping, columns: Sequence[str]) -> Json:
    """The cell of a field."""
    return next((cells[column] for column in columns if cells.get(column) is not None), None)
