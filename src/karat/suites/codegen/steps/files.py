"""The steps of a session as a task file gives them, and what the system sees of them.

steps:
  - {question: Drop rows without a price., reference: "clean = sales.dropna(subset=['price']); result = clean"}
  - {question: What is the total price?, expected: 120.5, timeout: 5}
final: [2]
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode

from karat.core.yaml.structs import Findings, Raw, reader_for
from karat.suites.codegen.question.default_prompt import instructions
from karat.suites.codegen.records import Expected, Step, TableSource, Task
from karat.suites.codegen.tasks.expected import read_expected
from karat.suites.codegen.tasks.hidden_tests import Context, read_test

PLOT = "plot"
CONTINUES = (
    "The work is done in several steps, one question after the other. Variables, imports and files of the earlier "
    "steps are still there: answer each step with its own code only."
)


class StepEntry(msgspec.Struct, frozen=True):
    """A step as it is in a file."""

    question: str
    """The question of this step."""
    expected: Raw | None = None
    """The right result."""
    reference: str = ""
    """Code that computes the right result."""
    plot: Raw | None = None
    """The expected plot; short for ``expected: {plot: …}``."""
    tests: tuple[Raw, ...] = ()
    """Tests that the result must pass."""
    timeout: float | None = None
    """Seconds that the code of this step may take; by default those of the task."""

    def __post_init__(self) -> None:
        if not self.question.strip():
            raise ValueError("a step needs a question that is not empty")
        if self.expected is None and not self.reference.strip() and self.plot is None and not self.tests:
            raise ValueError(
                "a step needs expected, reference, plot or tests: else nothing says what is right after it"
            )
        if self.expected is not None and self.plot is not None:
            raise ValueError("a step has expected or plot, not both; a plot can also be named under expected")
        if self.timeout is not None and self.timeout <= 0:
            raise ValueError("timeout (seconds) must be above 0")


_read_entry = reader_for(StepEntry)


def read_step(node: Node, folder: Path, tables: Mapping[str, TableSource], findings: Findings) -> Step | None:
    """One step; None when there was a mistake, which is in the findings then."""
    entry = _read_entry(node, findings)
    if not isinstance(entry, StepEntry):
        return None
    expected = _expected(entry, folder, findings)
    about = Context(folder, dict(tables), expected, bool(entry.reference.strip()))
    tests = [read_test(raw.node, about, findings) for raw in entry.tests]
    return Step(
        entry.question, expected, entry.reference, tuple(test for test in tests if test is not None), entry.timeout
    )


def _expected(entry: StepEntry, folder: Path, findings: Findings) -> Expected | None:
    if entry.expected is not None:
        return read_expected(entry.expected.node, folder, findings)
    if entry.plot is None:
        return None
    node = entry.plot.node
    key = ScalarNode("tag:yaml.org,2002:str", PLOT, node.start_mark, node.end_mark)
    named = MappingNode("tag:yaml.org,2002:map", [(key, node)], node.start_mark, node.end_mark)
    return read_expected(named, folder, findings)


def first_question(introduction: str, task: Task) -> str:
    """What a system is asked first."""
    return "\n\n".join(text for text in (introduction.strip(), task.steps[0].question.strip()) if text)


def session_instructions(task: Task) -> str:
    """The system message of a session."""
    return instructions(task, more=(CONTINUES,))
