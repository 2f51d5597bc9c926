"""The right result as a task file gives it: a bare value or table, or a mapping that names what it is.

``NAMES`` holds every name with its reader. A mapping with one of these names may hold only these names; a mapping
without any of them is a value (``{North: 19, South: 5}``) or a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode

from karat.core.json_types import JsonObject
from karat.core.problems import did_you_mean
from karat.core.yaml.structs import Findings
from karat.suites.codegen.plots.expected import read_plot
from karat.suites.codegen.records import Expected
from karat.suites.codegen.tasks.literal_values import columns_of, is_columns, is_rows, value_of
from karat.suites.codegen.tasks.table_values import table_file

Reader = Callable[[Node, Path, Findings], JsonObject | None]
"""Reads what is written under a name: the fields of the struct that it sets; None, with a finding, when it is wrong."""


def _value(node: Node, _folder: Path, _findings: Findings) -> JsonObject | None:
    return {"value": value_of(node)}


def _table(node: Node, _folder: Path, findings: Findings) -> JsonObject | None:
    columns = columns_of(node, findings)
    return None if columns is None else {"table": columns}


def _file(node: Node, folder: Path, findings: Findings) -> JsonObject | None:
    if not isinstance(node, ScalarNode):
        findings.add(node, "expected the path of a CSV or Parquet file here")
        return None
    path = table_file(node, folder, findings)
    return None if path is None else {"file": path}


def _named(node: Node, _folder: Path, findings: Findings) -> JsonObject | None:
    named = value_of(node)
    if not isinstance(named, dict) or not named:
        findings.add(node, "expected names with a figure each here")
        return None
    return {"named": {name: str(figure) for name, figure in named.items()}}


def _plot(node: Node, folder: Path, findings: Findings) -> JsonObject | None:
    plot = read_plot(node, folder, findings)
    return None if plot is None else {"plot": plot}


NAMES: Mapping[str, Reader] = {
    "value": _value,
    "table": _table,
    "file": _file,
    "named": _named,
    "plot": _plot,
}
RESULTS = ("value", "table", "file", "named", "plot")
"""What the result itself is: one of these at most."""


def read_expected(node: Node, folder: Path, findings: Findings) -> Expected | None:
    """A value, a list of them or a mapping of plain values; a table as rows or columns; or one that names what it
    is."""
    parts = parts_of(node)
    if not parts.keys() & NAMES.keys():
        if is_rows(node) or is_columns(node):
            columns = columns_of(node, findings)
            return None if columns is None else Expected(table=columns)
        return Expected(value=value_of(node))
    fields = read_names(parts, NAMES, folder, findings)
    if fields is None or not _go_together(node, parts, findings):
        return None
    return msgspec.convert(fields, Expected)


def parts_of(node: Node) -> dict[str, tuple[Node, Node]]:
    """The keys of a mapping with their own nodes and those of their values."""
    return {str(key.value): (key, value) for key, value in node.value} if isinstance(node, MappingNode) else {}


def read_names(
    parts: Mapping[str, tuple[Node, Node]], names: Mapping[str, Reader], folder: Path, findings: Findings
) -> JsonObject | None:
    """What is under each name; None when one is not known or cannot be read."""
    fields: JsonObject = {}
    right = True
    for name, (key, value) in parts.items():
        reader = names.get(name)
        if reader is None:
            hint = f"{did_you_mean(name, names)} If this mapping is itself the right result, write {{value: {{…}}}}."
            findings.add(key, f'unknown name "{name}" beside {_known(parts, names)}', hint.strip())
            right = False
            continue
        found = reader(value, folder, findings)
        right = right and found is not None
        fields |= found or {}
    return fields if right else None


def _known(parts: Mapping[str, object], names: Mapping[str, object]) -> str:
    return ", ".join(f'"{name}"' for name in parts if name in names)


def _go_together(node: Node, parts: Mapping[str, object], findings: Findings) -> bool:
    given = [name for name in RESULTS if name in parts]
    if len(given) > 1:
        findings.add(node, f"a result has one form, and this one has {len(given)}: {', '.join(given)}")
    return len(given) <= 1
