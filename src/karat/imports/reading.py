"""Which reader a file is for, by what it holds and not by its name."""

from __future__ import annotations

from pathlib import Path

import yaml

from karat.core.files import json
from karat.core.files.near_paths import near_path
from karat.core.files.reading import BOM, open_bytes, read_bytes, refuse_foreign
from karat.core.json_types import Json
from karat.core.problems import UserError
from karat.core.trace.spans.reading import has_spans
from karat.core.yaml.structs import Findings, documents
from karat.imports import inspect_logs, json_rows, promptfoo, tables, traces
from karat.imports.source import Source

FORMATS = (
    "CSV, Excel (.xlsx), JSON lines, a JSON list, promptfoo, inspect_ai, LangSmith, Langfuse, OpenTelemetry (OTLP JSON)"
)


def read_source(path: Path, sheet: str = "") -> Source:
    """The rows of a file."""
    if path.is_dir():
        raise UserError(f"{path} is a folder", hint=f"Give one of its files. Supported: {FORMATS}.")
    if not path.is_file():
        raise UserError(f"there is no file {path}", hint=near_path(path, f"Supported: {FORMATS}."))
    with open_bytes(path) as file:
        start = file.read(4)
    if start == b"PK\x03\x04":
        return inspect_logs.read_archive(path) if inspect_logs.is_archive(path) else _workbook(path, sheet)
    if sheet:
        raise UserError(f"--sheet is only for Excel files, and {path} is not one")
    data = read_bytes(path, utf_16=True)
    text = data.removeprefix(BOM).lstrip()
    if not text:
        raise UserError(f"{path} is empty", hint=f"Supported: {FORMATS}.")
    if text[:1] in (b"{", b"["):
        spans = traces.documents_in(text) if b"resourceSpans" in text[:4096] or b"trace_id" in text[:4096] else None
        if spans and all(has_spans(one) for one in spans):
            return traces.read_traces(path, spans)
        found = _json(path, text)
        if found is not None:
            return found
    if path.suffix.lower() in (".yaml", ".yml"):
        return _yaml(path, data)
    return json_rows.named(_with_rows(path, tables.read_csv(path)))


def _with_rows(path: Path, found: Source) -> Source:
    if not found.rows:
        raise UserError(f"{path} has a heading, but no rows", hint="Put one case in each row below the heading.")
    return found


def _workbook(path: Path, sheet: str) -> Source:
    with open_bytes(path) as file:
        start = file.read(4096)
    if b"xl/" not in start and b"[Content_Types].xml" not in start:
        refuse_foreign(path, start)
    return json_rows.named(_with_rows(path, tables.read_xlsx(path, sheet)))


def _json(path: Path, text: bytes) -> Source | None:
    if text[:1] == b"{" and b"\n" in text.strip() and _is_whole(text.split(b"\n", 1)[0]):
        return json_rows.read_json_lines(path, text)
    try:
        value: Json = json.decode(text)
    except json.BadJson as error:
        if text[:1] == b"[" and path.suffix.lower() == ".csv":
            return None
        raise UserError(f"{path} cannot be read as JSON", problems=[error.problem(str(path))]) from None
    if promptfoo.is_results(value):
        return promptfoo.read_results(path, value)
    if promptfoo.is_config(value):
        return promptfoo.read_config(path, value)
    if inspect_logs.is_log(value):
        return inspect_logs.read_log(path, value)
    if isinstance(value, dict) and not any(isinstance(value.get(key), list) for key in json_rows.LISTS):
        return json_rows.read_json_lines(path, text.replace(b"\n", b" "))  # one row
    return json_rows.rows_of(path, value)


def _is_whole(line: bytes) -> bool:
    try:
        json.decode(line)
    except json.BadJson:
        return False
    return True


def _yaml(path: Path, data: bytes) -> Source:
    findings = Findings(str(path))
    for _ in documents(data, findings):  # with the limits that hold for every YAML file
        pass
    if findings.problems:
        raise UserError(f"{path} cannot be read as YAML", problems=findings.problems)
    value = yaml.load(data, Loader=yaml.CBaseLoader)  # noqa: S506 (every scalar stays the text in the file: NO, 001)
    if promptfoo.is_config(value):
        return promptfoo.read_config(path, value)
    if isinstance(value, list):
        if value and all(isinstance(item, dict) and set(item) & {"vars", "assert"} for item in value):
            return promptfoo.read_config(path, {"tests": value})
        return json_rows.rows_of(path, value)
    raise UserError(
        f"{path} is YAML, but not a promptfoo configuration with tests and prompts", hint=f"Supported: {FORMATS}."
    )
