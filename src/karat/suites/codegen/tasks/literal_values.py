"""Values that are written out in a task file: cells, lists, tables.

In YAML a plain ``3``, ``2.5``, ``true`` or ``null`` is a number, a boolean or nothing, by JSON's rules; everything else
is text, so that ``NO`` and ``001`` stay what they are, and so does whatever is in quotes. Lines of JSONL become the
same nodes, so that both forms are read, and complained about, by one reader.
"""

from __future__ import annotations

import math
import re

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.json_types import Json
from karat.core.problems import count_of
from karat.core.yaml.structs import Findings, is_empty
from karat.suites.codegen.records import Columns

_INTEGER = re.compile(r"-?(?:0|[1-9]\d*)")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORDS = {"true": True, "false": False}


def value_of(node: Node) -> Json:
    """A node as a plain value."""
    if isinstance(node, SequenceNode):
        return [value_of(item) for item in node.value]
    if isinstance(node, MappingNode):
        return {str(key.value): value_of(item) for key, item in node.value}
    return _scalar(node) if isinstance(node, ScalarNode) and not is_empty(node) else None


def _scalar(node: ScalarNode) -> object:
    text = str(node.value)
    if node.style:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= 400 else text
    return float(text) if _NUMBER.fullmatch(text) and math.isfinite(float(text)) else text


# -- tables -----------------------------------------------------------------------------------------------------------


def is_rows(node: Node) -> bool:
    """Whether it is a list of objects: the rows of a table."""
    return isinstance(node, SequenceNode) and bool(node.value) and all(isinstance(n, MappingNode) for n in node.value)


def is_columns(node: Node) -> bool:
    """Whether it is an object of lists of plain values: the columns of a table."""
    return (
        isinstance(node, MappingNode)
        and bool(node.value)
        and all(isinstance(item, SequenceNode) and not is_rows(item) for _, item in node.value)
    )


def columns_of(node: Node, findings: Findings) -> Columns | None:
    """The columns of a table written as rows or as columns; None, with a finding, when it is neither."""
    parts = {str(key.value): item for key, item in node.value} if isinstance(node, MappingNode) else {}
    if set(parts) == {"rows", "columns"}:
        return _headed(parts["columns"], parts["rows"], findings)
    if set(parts) == {"rows"} and is_rows(parts["rows"]):
        node = parts["rows"]
    elif set(parts) == {"columns"} and is_columns(parts["columns"]):
        node = parts["columns"]
    if is_rows(node):
        rows = value_of(node)
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {name: [row.get(name) for row in rows] for name in names}
    if not is_columns(node):
        findings.add(node, "expected a table here", "Columns {name: [values]}, or a list of rows {name: value}.")
        return None
    columns: Columns = value_of(node)
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} {length}" for name, length in lengths.items())
        findings.add(node, f"the columns of the table are of different lengths: {told}")
        return None
    return columns


def _headed(names: Node, rows: Node, findings: Findings) -> Columns | None:
    """``columns: [a, b]`` and ``rows: [[1, 2], [3, 4]]``."""
    head, body = value_of(names), value_of(rows)
    if not isinstance(head, list) or not isinstance(body, list):
        findings.add(rows, "expected a list of names under columns, and a list of lists under rows")
        return None
    for row, node in zip(body, rows.value, strict=True):
        if not isinstance(row, list) or len(row) != len(head):
            findings.add(node, f"expected a row of {count_of(len(head), 'value')} here: {', '.join(map(str, head))}")
            return None
    return {str(name): [row[place] for row in body] for place, name in enumerate(head)}
