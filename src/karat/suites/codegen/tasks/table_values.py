"""The tables that a task file names: files, or written out."""

from __future__ import annotations

from pathlib import Path

from yaml.nodes import MappingNode, Node, ScalarNode

from karat.core.files.named_files import file_named
from karat.core.problems import did_you_mean
from karat.core.remote.address import INSIDE, url_inside
from karat.core.yaml.structs import Findings
from karat.suites.codegen.records import TableSource
from karat.suites.codegen.tasks.literal_values import columns_of

TABLE_SUFFIXES = (".csv", ".parquet", ".pq")


def read_table(node: Node, folder: Path, findings: Findings) -> TableSource | None:
    """A table as a path or as columns; None, with a finding, when it is neither."""
    if isinstance(node, MappingNode) and [str(key.value) for key, _ in node.value] == ["path"]:
        node = node.value[0][1]
    if isinstance(node, ScalarNode):
        path = table_file(node, folder, findings)
        return None if path is None else TableSource(path=path)
    columns = columns_of(node, findings)
    return None if columns is None else TableSource(columns=columns)


def table_file(node: Node, folder: Path, findings: Findings) -> str | None:
    """The path of a table's file, resolved; a finding when there is none or it is no table."""
    text = str(node.value)
    if url := url_inside(text):
        findings.add(node, f'"{url}" is a URL; a task cannot name a file by a URL', INSIDE)
        return None
    path = file_named(folder, text)
    if path is None:
        findings.add(node, f"{text[:80]!r} cannot be the name of a file", "Give the path of a table file.")
        return None
    if path.suffix.lower() not in TABLE_SUFFIXES:
        findings.add(node, f'"{text}" is not a table file', f"A table file ends in {', '.join(TABLE_SUFFIXES)}.")
        return None
    if path.is_file():
        return str(path)
    beside = path.parent
    known = [file.name for file in beside.iterdir() if file.suffix in TABLE_SUFFIXES] if beside.is_dir() else []
    hint = did_you_mean(path.name, known) if known else f"There is no table file in {beside.name}/."
    findings.add(node, f'there is no file "{text}"', hint)
    return None
