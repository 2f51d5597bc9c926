"""The rows of a file that people keep questions or predictions in: JSON, JSON lines, CSV or YAML, with their lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple  # Any: JSON, YAML or CSV values before they are checked

from yaml.nodes import MappingNode, SequenceNode

from karat.core.files import json
from karat.core.files.reading import FileRefused, as_text, open_unpacked, read_unpacked, why_not_there
from karat.core.json_types import JsonMapping
from karat.core.problems import Problem, UserError, count_of
from karat.core.yaml.nodes import Findings, documents
from karat.core.yaml.structs import read

FIRST_LINE = 1024 * 1024
"""Bytes in which the first line of a file is looked for."""
BOM = b"\xef\xbb\xbf"


class Unread:
    """What is in the place of a row that cannot be read. Its problem is reported, and the rows after it keep their
    numbers."""


class FileRow(NamedTuple):
    """One row: its line, and what is in it."""

    line: int
    value: Any


class FileRows(NamedTuple):
    """The rows of a file; ``keyed`` where it is one JSON object, whose members are the rows: (key, value)."""

    rows: list[FileRow]
    problems: list[Problem]
    keyed: bool = False

    @property
    def readable(self) -> list[FileRow]:
        """Those that could be read."""
        return [row for row in self.rows if not isinstance(row.value, Unread)]


def read_rows(path: Path) -> FileRows:
    """The rows of a file, by its ending. A row that cannot be read is a problem and costs nothing else."""
    data = read_file(path)
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".jsonl", ".ndjson")):
        return _lines(data, str(path))
    if name.endswith((".csv", ".tsv")):
        text = as_text(data, path)
        return _csv(text, str(path), "\t" if name.endswith(".tsv") else _separator(text))
    if name.endswith((".yaml", ".yml")):
        return _yaml(data, str(path))
    return _json(data, str(path))


def first_line(path: Path) -> Any:
    """The value of the first line of JSON lines; None where it is not JSON. The rest is not read."""
    try:
        with open_unpacked(path) as file:
            start = file.read(FIRST_LINE).removeprefix(BOM).lstrip()
        return json.decode(start.partition(b"\n")[0])
    except (OSError, json.BadJson):
        return None


def read_file(path: Path) -> bytes:
    """The bytes of a file, unpacked. UserError when it cannot be read."""
    try:
        return read_unpacked(path).removeprefix(BOM)
    except FileRefused:
        raise
    except OSError as error:
        raise UserError(f"cannot read {path}: {why_not_there(path)}") from error


def _json(data: bytes, file: str) -> FileRows:
    bare = data.lstrip()
    try:
        if bare.startswith(b"["):
            found = [(line, json.decode(item)) for line, item in json.items(data)]
            return FileRows([FileRow(line, value) for line, value in found], [])
        value = json.decode(data)
    except json.BadJson as error:
        if bare.startswith(b"{") and b"\n{" in bare:  # one object in each line, whatever the file is called
            return _lines(data, file)
        return FileRows([], [error.problem(file)])
    if not isinstance(value, Mapping):
        return FileRows([], [Problem("a JSON list of objects, or one object, was expected", file=file, line=1)])
    inside = next((value[key] for key in ("data", "questions", "cases") if isinstance(value.get(key), list)), None)
    if inside is not None:
        return FileRows([FileRow(1, row) for row in inside], [])
    return FileRows([FileRow(1, member) for member in value.items()], [], keyed=True)


def _lines(data: bytes, file: str) -> FileRows:
    rows, problems = [], []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            try:
                rows.append(FileRow(number, json.decode(line)))
            except json.BadJson as error:
                problems.append(error.problem(file, number))
                rows.append(FileRow(number, Unread()))
    return FileRows(rows, problems)


_CALLED = {",": "a comma", ";": "a semicolon", "\t": "a tab"}


def _separator(text: str) -> str:
    """A comma, or what the column names are separated by where they have none."""
    heading = text.partition("\n")[0]
    return next((sign for sign in (",", ";", "\t") if sign in heading), ",")


def _csv(text: str, file: str, separator: str) -> FileRows:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    rows: list[FileRow] = []
    problems: list[Problem] = []
    names: list[str] = []
    for line, cells in _numbered(reader):
        if not names:
            names = [cell.strip() for cell in cells]
        elif len(cells) > len(names):
            message = f"{count_of(len(cells), 'field')} in a file with {count_of(len(names), 'column')}"
            problems.append(
                Problem(message, file=file, line=line, hint=f"Quote fields that contain {_CALLED[separator]}.")
            )
            rows.append(FileRow(line, Unread()))
        elif any(cells):
            rows.append(FileRow(line, dict(zip(names, cells, strict=False))))
    return FileRows(rows, problems)


def _numbered(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it begins in."""
    before = 0
    for cells in reader:
        yield before + 1, cells
        before = reader.line_num


def _yaml(data: bytes, file: str) -> FileRows:
    findings = Findings(file)
    rows: list[FileRow] = []
    for root in documents(data, findings):
        for node in root.value if isinstance(root, SequenceNode) else (root,):
            value: Any = read(dict[str, Any], node, findings) if isinstance(node, MappingNode) else None
            line = node.start_mark.line + 1
            if isinstance(value, dict):
                inside = next((value[key] for key in ("questions", "cases") if isinstance(value.get(key), list)), None)
                rows += [FileRow(line, one) for one in inside] if inside is not None else [FileRow(line, value)]
                continue
            rows.append(FileRow(line, Unread()))
            if not isinstance(node, MappingNode):
                findings.add(node, "a question is a mapping with question, sql and db")
    return FileRows(rows, findings.problems)


def fields_of(row: JsonMapping) -> str:
    """The fields of a row, for an error about those it lacks."""
    return ", ".join(list(map(str, row))[:12]) or "none"
