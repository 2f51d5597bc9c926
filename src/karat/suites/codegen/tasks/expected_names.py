"""Readers of what is written under a name of ``expected``, for the result itself and for written files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from yaml.nodes import MappingNode, Node, ScalarNode

from karat.core.json_types import JsonObject
from karat.core.problems import did_you_mean
from karat.core.yaml.structs import Findings
from karat.suites.codegen.tasks.literal_values import columns_of, value_of
from karat.suites.codegen.tasks.table_values import table_file

Reader = Callable[[Node, Path, Findings], JsonObject | None]
"""Reads what is written under a name: the fields of the struct that it sets; None, with a finding, when it is wrong."""


def read_value(node: Node, _folder: Path, _findings: Findings) -> JsonObject | None:
    """A number, text, list or mapping."""
    return {"value": value_of(node)}


def read_table(node: Node, _folder: Path, findings: Findings) -> JsonObject | None:
    """Columns or rows."""
    columns = columns_of(node, findings)
    return None if columns is None else {"table": columns}


def read_file(node: Node, folder: Path, findings: Findings) -> JsonObject | None:
    """The path of a file that holds a table."""
    if not isinstance(node, ScalarNode):
        findings.add(node, "expected the path of a CSV or Parquet file here")
        return None
    path = table_file(node, folder, findings)
    return None if path is None else {"file": path}


def read_named(node: Node, _folder: Path, findings: Findings) -> JsonObject | None:
    """Figures by name."""
    named = value_of(node)
    if not isinstance(named, dict) or not named:
        findings.add(node, "expected names with a figure each here")
        return None
    return {"named": {name: str(figure) for name, figure in named.items()}}


def read_unit(node: Node, _folder: Path, findings: Findings) -> JsonObject | None:
    """The unit of a value."""
    text = str(node.value).strip() if isinstance(node, ScalarNode) else ""
    if not text:
        findings.add(node, "expected a unit here, such as kg, %, EUR or km/h")
        return None
    return {"unit": text}


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


def one_form(node: Node, given: Sequence[str], findings: Findings) -> bool:
    """Whether at most one of the names that exclude each other is given; a finding when there are more."""
    if len(given) > 1:
        findings.add(node, f"a result has one form, and this one has {len(given)}: {', '.join(given)}")
    return len(given) <= 1
