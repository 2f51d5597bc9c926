"""The right result as a task file gives it: a bare value or table, or a mapping that names what it is.

``NAMES`` holds every name with its reader. A mapping with one of these names may hold only these names; a mapping
without any of them is a value (``{North: 19, South: 5}``) or a table. One whose only name is a slip of them
(``{vaue: 3}``) is a mistake: as a value, no answer would ever be right.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from yaml.nodes import Node

from karat.core.json_types import JsonObject
from karat.core.problems import slip_of
from karat.core.yaml.structs import Findings
from karat.suites.codegen.plots.expectation.expected import read_plot
from karat.suites.codegen.records import Expected
from karat.suites.codegen.tasks.expected_files import read_files
from karat.suites.codegen.tasks.expected_names import (
    Reader,
    one_form,
    parts_of,
    read_file,
    read_named,
    read_names,
    read_table,
    read_unit,
    read_value,
)
from karat.suites.codegen.tasks.literal_values import columns_of, is_columns, is_rows, value_of


def _plot(node: Node, folder: Path, findings: Findings) -> JsonObject | None:
    plot = read_plot(node, folder, findings)
    return None if plot is None else {"plot": plot}


NAMES: Mapping[str, Reader] = {
    "value": read_value,
    "unit": read_unit,
    "table": read_table,
    "file": read_file,
    "named": read_named,
    "files": read_files,
    "plot": _plot,
}
RESULTS = ("value", "table", "file", "named", "plot")
"""What the result itself is: one of these at most."""
MISTAKEN = ("value", "table", "file", "files", "plot")
"""Names that a lone one like them is taken for; ``{name: Anna}`` is a value."""


def read_expected(node: Node, folder: Path, findings: Findings) -> Expected | None:
    """A value, a list of them or a mapping of plain values; a table as rows or columns; or one that names what it
    is."""
    parts = parts_of(node)
    if not parts.keys() & NAMES.keys():
        if is_rows(node) or is_columns(node):
            columns = columns_of(node, findings)
            return None if columns is None else Expected(table=columns)
        if len(parts) == 1 and (meant := slip_of(name := next(iter(parts)), MISTAKEN)):
            hint = f'Did you mean "{meant}"? If this mapping is itself the right result, write {{value: {{…}}}}.'
            findings.add(parts[name][0], f'unknown name "{name}" for what is expected', hint)
            return None
        return Expected(value=value_of(node))
    fields = read_names(parts, NAMES, folder, findings)
    if fields is None or not one_form(node, [name for name in RESULTS if name in parts], findings):
        return None
    if "unit" in parts and "value" not in parts:
        findings.add(parts["unit"][0], "a unit belongs to a value", "Such as {value: 2.5, unit: kg}.")
        return None
    return msgspec.convert(fields, Expected)
