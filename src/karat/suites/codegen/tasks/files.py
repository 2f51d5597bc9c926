"""Tasks in the project's own form: YAML or JSONL.

    tables: {sales: sales.csv}            # for every task of the file that names none
    tasks:
      - id: total
        question: What is the total price?
        reference: result = sales.price.sum()
        expected: 120.5                   # a value, a table, or {file: right.csv}; or leave it to the reference
        tests: [{assert: result > 0}]     # see ``hidden_tests``
      - id: two_steps                     # a session: each step builds on what the one before left
        steps:
          - {question: Keep the sales of 2024., reference: "kept = sales[sales.year == 2024]; result = kept"}
          - {question: What is their total?, expected: 17}

A file may also be just the list of tasks. Paths are relative to the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from yaml.nodes import MappingNode, Node, SequenceNode

from karat.core.case_files.file_schemas import Holds
from karat.core.expect.records import Expect
from karat.core.records import Case, Status, Turn, Where
from karat.core.yaml.structs import Findings, Raw, reader_for
from karat.suites.codegen.question.default_prompt import instructions
from karat.suites.codegen.records import Language, Task
from karat.suites.codegen.steps.files import StepEntry, first_question, read_step, session_instructions
from karat.suites.codegen.tasks.expected import read_expected
from karat.suites.codegen.tasks.hidden_tests import Context, read_test
from karat.suites.codegen.tasks.table_values import read_table


class TaskEntry(msgspec.Struct, frozen=True):
    """A task as it is in a file."""

    id: str
    """The task's id."""
    question: str = ""
    """The question. A session may leave it out: its steps have questions of their own."""
    name: str = ""
    """A readable name."""
    tables: dict[str, Raw] = {}
    """Name → a file, or the rows themselves."""
    expected: Raw | None = None
    """The right result."""
    reference: str = ""
    """Code that computes the right result."""
    language: Language = "python"
    """The language of answers: pandas code, or one SQL query (DuckDB) over the tables."""
    reference_language: Language | None = None
    """The language of the reference; by default that of answers."""
    setup: str = ""
    """Code that runs before the answer."""
    tests: tuple[Raw, ...] = ()
    """Tests that the result must pass."""
    steps: Annotated[tuple[Raw, ...], Holds(StepEntry)] = ()
    """The steps of a session."""
    final: tuple[int, ...] = ()
    """The steps that decide, by number from 1; by default the last one."""
    tags: tuple[str, ...] = ()
    """Words to group figures by."""
    comments: str = ""
    """Notes for people; not used."""
    cluster: str = ""
    """The same for all rephrasings of one question; they count as one case in intervals."""
    expect: Expect | None = None
    """What is asserted about the way to the answer."""
    timeout: float = 10.0
    """Seconds that the code may take."""
    memory: int = 1024
    """Megabytes that the code may use."""
    environment: str = ""
    """The environment of karat.yaml that the code runs in."""
    status: Status = "accepted"
    """``draft``: proposed by a program and not scored until a person accepts it."""

    def __post_init__(self) -> None:
        if not self.id.strip() or not (self.question.strip() or self.steps):
            raise ValueError("a task needs an id and a question that are not empty")
        if self.steps and (self.expected is not None or self.reference or self.tests):
            raise ValueError("a task with steps says what is right under each step: move expected, reference and tests")
        if self.steps and self.language != "python":
            raise ValueError("the steps of a session are Python; a step can run SQL through duckdb")
        if self.final and not all(1 <= number <= len(self.steps) for number in self.final):
            raise ValueError(f"final names steps by their numbers, 1 to {len(self.steps)}")
        if self.timeout <= 0 or self.memory <= 0:
            raise ValueError("timeout (seconds) and memory (MB) must be above 0")
        if self.language == "sql" and self.steps:
            raise ValueError("the steps of a session are Python; a task with language: sql has none")
        if self.language == "sql" and self.setup.strip():
            raise ValueError("a task with language: sql has no setup: its tables are all that a query can read")


class TaskFile(msgspec.Struct, frozen=True):
    """A file that gives the same tables to all its tasks."""

    tasks: Annotated[tuple[Raw, ...], Holds(TaskEntry)]
    """The tasks."""
    tables: dict[str, Raw] = {}
    """Tables of all tasks: name → a file, or the rows themselves."""


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
    given = {name: read_table(raw.node, folder, findings) for name, raw in (entry.tables or tables).items()}
    expected = None if entry.expected is None else read_expected(entry.expected.node, folder, findings)
    known = {name: table for name, table in given.items() if table is not None}
    about = Context(folder, known, expected, bool(entry.reference.strip()))
    tests = [read_test(raw.node, about, findings) for raw in entry.tests]
    steps = [read_step(raw.node, folder, known, findings) for raw in entry.steps]
    if len(findings.problems) > before:
        return None
    task = Task(
        tables=known,
        expected=expected,
        reference=entry.reference,
        language=entry.language,
        reference_language=entry.reference_language,
        setup=entry.setup,
        cluster=entry.cluster,
        timeout=entry.timeout,
        memory_mb=entry.memory,
        tests=tuple(test for test in tests if test is not None),
        environment=entry.environment,
        steps=tuple(step for step in steps if step is not None),
        final=tuple(sorted(set(entry.final))),
    )
    if task.steps:
        return session_case(entry, task, source)
    only_expects = entry.expect is not None and expected is None and not entry.reference
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=instructions(task)),
        Turn(role="user", content=entry.question, target=None if only_expects else task, expect=entry.expect),
    )
    return Case(entry.id, conversation, entry.name, entry.tags, entry.comments, source=source, status=entry.status)


def session_case(entry: TaskEntry, task: Task, source: Where) -> Case[Task]:
    """One turn, in which the system is asked step by step."""
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=session_instructions(task)),
        Turn(role="user", content=first_question(entry.question, task), target=task, expect=entry.expect),
    )
    return Case(entry.id, conversation, entry.name, entry.tags, entry.comments, source=source, status=entry.status)
