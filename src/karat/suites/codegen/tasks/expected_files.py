"""``expected: {files: {out.csv: …}}``: the files that code must write, each with what must be in it.

``FILE_NAMES`` holds every name of an entry with its reader. An entry without any of them is the content itself: a table
or a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode

from karat.core.json_types import JsonObject
from karat.core.yaml.structs import Findings
from karat.suites.codegen.plots.expectation.expected import read_plot
from karat.suites.codegen.records import ExpectedFile, ImageSize
from karat.suites.codegen.tasks.expected_names import (
    Reader,
    one_form,
    parts_of,
    read_file,
    read_names,
    read_table,
    read_unit,
    read_value,
)
from karat.suites.codegen.tasks.literal_values import columns_of, is_columns, is_rows, value_of

MOST_FILES = 20
LONGEST_NAME = 200
IMAGE_FORMATS = ("png", "jpeg", "gif", "bmp", "svg")
CONTENTS = ("value", "table", "file", "columns", "rows", "image", "plot")
"""What is in a file: one of these at most."""


def read_files(node: Node, folder: Path, findings: Findings) -> JsonObject | None:
    """The entries by the names of their files."""
    if not isinstance(node, MappingNode) or not node.value:
        findings.add(
            node, "expected names of files with their contents here", "Such as {out.csv: {table: {n: [1, 2]}}}."
        )
        return None
    if len(node.value) > MOST_FILES:
        findings.add(node, f"{len(node.value)} files are expected; at most {MOST_FILES} are read")
        return None
    found: dict[str, ExpectedFile] = {}
    for key, value in node.value:
        name = str(key.value)
        if not name.strip() or "/" in name or name in (".", "..") or not name.isprintable() or len(name) > LONGEST_NAME:
            findings.add(key, f"{name[:80]!r} cannot be the name of a written file", "Give a name without folders.")
            continue
        entry = _entry(value, folder, findings)
        if entry is not None:
            found[name] = entry
    return {"files": found} if len(found) == len(node.value) else None


def _entry(node: Node, folder: Path, findings: Findings) -> ExpectedFile | None:
    parts = parts_of(node)
    if not parts.keys() & FILE_NAMES.keys() or is_columns(node):
        if is_rows(node) or is_columns(node):
            columns = columns_of(node, findings)
            return None if columns is None else ExpectedFile(table=columns)
        return ExpectedFile(value=value_of(node))
    fields = read_names(parts, FILE_NAMES, folder, findings)
    given = [name for name in CONTENTS if name in parts and not (name == "table" and "from_table" in (fields or {}))]
    if fields is None or not one_form(node, given, findings):
        return None
    if not given:
        findings.add(node, "nothing says what must be in this file", "Give value, table, file, image or plot.")
        return None
    return msgspec.convert(fields, ExpectedFile)


def _table(node: Node, folder: Path, findings: Findings) -> JsonObject | None:
    """The table itself; or, as a text, which table of a SQLite file it is."""
    if isinstance(node, ScalarNode):
        return {"from_table": str(node.value)}
    return read_table(node, folder, findings)


def _sheet(node: Node, _folder: Path, findings: Findings) -> JsonObject | None:
    if not isinstance(node, ScalarNode):
        findings.add(node, "expected the name of a sheet here")
        return None
    return {"sheet": str(node.value)}


def _image(node: Node, _folder: Path, findings: Findings) -> JsonObject | None:
    size = value_of(node)
    try:
        found = msgspec.convert(size, ImageSize)
    except msgspec.ValidationError as error:
        findings.add(
            node, f"not the size of an image: {error}", "Such as {image: {width: 640, height: 480, format: png}}."
        )
        return None
    name = found.format.lower().replace("jpg", "jpeg")
    if name and name not in IMAGE_FORMATS:
        findings.add(node, f'unknown image format "{found.format}"', f"Available: {', '.join(IMAGE_FORMATS)}.")
        return None
    return {"image": ImageSize(found.width, found.height, name)}


def _plot(node: Node, folder: Path, findings: Findings) -> JsonObject | None:
    plot = read_plot(node, folder, findings)
    if plot is not None and any(panel.reference for panel in plot.panels):
        findings.add(node, "the plot of a file must be stated; the reference cannot say it")
        return None
    return None if plot is None else {"plot": plot}


FILE_NAMES: Mapping[str, Reader] = {
    "value": read_value,
    "unit": read_unit,
    "table": _table,
    "columns": read_table,
    "rows": read_table,
    "file": read_file,
    "sheet": _sheet,
    "image": _image,
    "plot": _plot,
}
