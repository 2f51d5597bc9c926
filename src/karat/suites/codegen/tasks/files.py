"""Tasks in the project's own form: YAML or JSONL.

    tables: {sales: sales.csv}            # for every task of the file that names none
    tasks:
      - id: total
        question: What is the total price?
        reference: result = sales.price.sum()
        expected: 120.5                   # a value, a table, or {file: right.csv}; or leave it to the reference

A file may also be just the list of tasks. Paths are relative to the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.expect.records import Expect
from karat.core.problems import did_you_mean
from karat.core.records import Case, Turn, Where
from karat.core.remote.address import INSIDE, url_inside
from karat.core.yaml.structs import Findings, Raw, reader_for
from karat.suites.codegen.default_prompt import instructions
from karat.suites.codegen.records import Expected, TableSource, Task
from karat.suites.codegen.tasks.literal_values import columns_of, is_columns, is_rows, value_of

TABLE_SUFFIXES = (".csv", ".parquet", ".pq")
FORMS = frozenset({"value", "table", "file", "named"})


class TaskEntry(msgspec.Struct, frozen=True):
    """A task as it is in a file."""

    id: str
    question: str
    name: str = ""
    tables: dict[str, Raw] = {}
    expected: Raw | None = None
    reference: str = ""
    setup: str = ""
    tags: tuple[str, ...] = ()
    comments: str = ""
    cluster: str = ""
    expect: Expect | None = None
    """What is asserted of the way to the answer."""
    timeout: float = 10.0
    memory: int = 1024
    """Megabytes."""

    def __post_init__(self) -> None:
        if not self.id.strip() or not self.question.strip():
            raise ValueError("a task needs an id and a question that are not empty")
        if self.timeout <= 0 or self.memory <= 0:
            raise ValueError("timeout (seconds) and memory (MB) must be above 0")


class TaskFile(msgspec.Struct, frozen=True):
    """A file that gives the same tables to all its tasks."""

    tasks: tuple[Raw, ...]
    tables: dict[str, Raw] = {}


_read_entry = reader_for(TaskEntry)
_read_file = reader_for(TaskFile)


def tasks_in(root: Node, findings: Findings) -> Iterator[tuple[Node, dict[str, Raw], int | None]]:
    """The tasks of a document: the node of each, the tables that stand for all, and its number in the list."""
    if isinstance(root, SequenceNode):
        yield from ((node, {}, item) for item, node in enumerate(root.value))
    elif isinstance(root, MappingNode) and any(str(key.value) == "tasks" for key, _ in root.value):
        file = _read_file(root, findings)
        if isinstance(file, TaskFile):
            yield from ((raw.node, file.tables, item) for item, raw in enumerate(file.tasks))
    else:
        yield root, {}, None


def read_task(node: Node, tables: dict[str, Raw], folder: Path, findings: Findings, source: Where) -> Case[Task] | None:
    """The case of one task; None when there was a mistake, which is in the findings then."""
    before = len(findings.problems)
    entry = _read_entry(node, findings)
    if not isinstance(entry, TaskEntry):
        return None
    given = {name: _table(raw.node, folder, findings) for name, raw in (entry.tables or tables).items()}
    expected = None if entry.expected is None else _expected(entry.expected.node, folder, findings)
    if len(findings.problems) > before:
        return None
    task = Task(
        tables={name: table for name, table in given.items() if table is not None},
        expected=expected,
        reference=entry.reference,
        setup=entry.setup,
        cluster=entry.cluster,
        timeout=entry.timeout,
        memory_mb=entry.memory,
    )
    only_expects = entry.expect is not None and expected is None and not entry.reference
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=instructions(task)),
        Turn(role="user", content=entry.question, target=None if only_expects else task, expect=entry.expect),
    )
    return Case(entry.id, conversation, entry.name, entry.tags, entry.comments, source=source)


def _table(node: Node, folder: Path, findings: Findings) -> TableSource | None:
    if isinstance(node, MappingNode) and [str(key.value) for key, _ in node.value] == ["path"]:
        node = node.value[0][1]
    if isinstance(node, ScalarNode):
        path = _file(node, folder, findings)
        return None if path is None else TableSource(path=path)
    columns = columns_of(node, findings)
    return None if columns is None else TableSource(columns=columns)


def _file(node: Node, folder: Path, findings: Findings) -> str | None:
    """The path of a table's file, resolved; a finding when there is none or it is no table."""
    text = str(node.value)
    if url := url_inside(text):
        findings.add(node, f'"{url}" is a URL; a task cannot name a file by a URL', INSIDE)
        return None
    path = (folder / text).resolve()
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


def _expected(node: Node, folder: Path, findings: Findings) -> Expected | None:
    """A value, a list of them or a mapping of plain values; a table as rows or columns; or one that names its form."""
    if isinstance(node, MappingNode) and len(node.value) == 1 and str(node.value[0][0].value) in FORMS:
        return _in_form(str(node.value[0][0].value), node.value[0][1], folder, findings)
    if is_rows(node) or is_columns(node):
        columns = columns_of(node, findings)
        return None if columns is None else Expected(table=columns)
    return Expected(value=value_of(node))


def _in_form(form: str, node: Node, folder: Path, findings: Findings) -> Expected | None:
    if form == "value":
        return Expected(value=value_of(node))
    if form == "file":
        path = _file(node, folder, findings) if isinstance(node, ScalarNode) else None
        if path is None and not isinstance(node, ScalarNode):
            findings.add(node, "expected the path of a CSV or Parquet file here")
        return None if path is None else Expected(file=path)
    if form == "table":
        columns = columns_of(node, findings)
        return None if columns is None else Expected(table=columns)
    named = value_of(node)
    if not isinstance(named, dict) or not named:
        findings.add(node, "expected names with a figure each here")
        return None
    return Expected(named={name: str(figure) for name, figure in named.items()})
