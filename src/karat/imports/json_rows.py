"""JSON lines and JSON lists, one object per row: Hugging Face datasets, exports of LangSmith and Langfuse.

An object inside a row gives a column for each of its keys, ``inputs.question``. A cell of CSV that holds such an object
is opened too.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from karat.core.files import json
from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.problems import Problem, UserError
from karat.imports.source import Source, SourceRow

HOLDERS = (
    "inputs",
    "input",
    "outputs",
    "output",
    "reference_outputs",
    "referenceOutputs",
    "expectedOutput",
    "expected_output",
    "vars",
    "example",
)
"""Columns whose object is opened into columns."""
LISTS = ("data", "rows", "examples", "items", "datasetItems", "dataset_items", "runs", "traces", "samples", "records")
RUN_SIGNS = ("reference_outputs", "referenceOutputs", "run_type", "trace_id", "start_time", "latency", "session_id")


def read_json_lines(path: Path, data: bytes) -> Source:
    """An object a line."""
    rows: list[SourceRow] = []
    problems: list[Problem] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.decode(line)
        except json.BadJson as error:
            problems.append(error.problem(str(path), number, what="skipped: not valid JSON"))
            continue
        if isinstance(value, Mapping):
            rows.append(SourceRow(number, dict(value)))
        else:
            problems.append(Problem("skipped: not a JSON object", file=str(path), line=number))
    return named(Source("JSON lines", rows, problems=problems))


def rows_of(path: Path, value: Json) -> Source:
    """The objects of a list, or of the list in an object."""
    if isinstance(value, Mapping):
        held = [key for key in LISTS if isinstance(value.get(key), list)]
        if len(held) != 1:
            keys = ", ".join(list(map(str, value))[:8])
            raise UserError(
                f"{path} is one JSON object without a list of rows: its keys are {keys}",
                hint=f"Rows are expected under {', '.join(LISTS)}; or give JSON lines.",
            )
        value = value[held[0]]
    rows, problems = [], []
    for number, item in enumerate(value, start=1):
        if isinstance(item, Mapping):
            inner = item.get("row")  # the rows of Hugging Face's server: {"row_idx": 0, "row": {…}}
            rows.append(SourceRow(number, dict(inner if isinstance(inner, Mapping) and "row_idx" in item else item)))
        else:
            problems.append(Problem(f"item {number} is skipped: not an object", file=str(path)))
    return named(Source("JSON list", rows, problems=problems))


def named(source: Source) -> Source:
    """The source with its objects opened into columns, and with the fields that the exports of LangSmith and Langfuse
    name themselves."""
    keys = set(source.columns)
    if "expectedOutput" in keys and "input" in keys:
        source.format = f"Langfuse dataset items ({source.format})"
        source.known = {"question": "input", "expected": "expectedOutput", "id": "id"}
    elif {"input", "output"} <= keys and keys & {"sessionId", "htmlPath", "observations", "projectId", "userId"}:
        source.format = f"Langfuse traces ({source.format})"
        source.known = {"question": "input", "answer": "output", "id": "id"}
    elif "inputs" in keys and keys & {"outputs", "reference_outputs", "referenceOutputs"}:
        source.format = f"LangSmith export ({source.format})"
        source.known = {"question": "inputs"}
        reference = next((key for key in ("reference_outputs", "referenceOutputs") if key in keys), "")
        if reference:
            source.known |= {"expected": reference, "answer": "outputs"}
        elif not keys & set(RUN_SIGNS):
            source.known["expected"] = "outputs"
            source.notes.append("outputs of a LangSmith dataset are used as expected values")
        else:
            source.known["answer"] = "outputs"
        source.known["id"] = next((key for key in ("id", "example_id", "reference_example_id") if key in keys), "id")
    source.known = {field: column for field, column in source.known.items() if column in keys}
    for row in source.rows:
        row.cells = _opened(row.cells)
    columns = set(source.columns)
    source.known = {
        field: column for field, column in source.known.items() if column in columns or _under(column, columns)
    }
    return source


def _under(column: str, columns: set[str]) -> bool:
    return any(name.startswith(f"{column}.") for name in columns)


def _opened(cells: JsonMapping) -> JsonObject:
    found: JsonObject = {}
    for name, cell in cells.items():
        value = _object_in(cell) if name in HOLDERS else cell
        if name in HOLDERS and isinstance(value, Mapping) and not _is_message(value) and value:
            found |= {f"{name}.{key}": item for key, item in value.items()}
        else:
            found[name] = value
    return found


def _object_in(cell: object) -> Json:
    if isinstance(cell, str) and cell.lstrip()[:1] in ("{", "["):
        try:
            return json.decode(cell.encode("utf-8", "surrogatepass"))
        except json.BadJson:
            return cell
    return cell


def _is_message(value: JsonMapping) -> bool:
    """What is one thing and not several columns: a message, a selection, an evaluation."""
    return "role" in value or "func" in value or "indicator_selection" in value or "choices" in value
