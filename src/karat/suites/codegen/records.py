"""The types of this suite: a task, and what its code did when it ran. What code says is in ``analysis.records``, what a
question asks for in ``question.records``.

The question is the case's user turn; the rest of the task is its target. A prediction's response is code, bare or in a
fenced block; several attempts (first try, then repairs) are one prediction, see ``core.records.attempts``.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from karat.core.json_types import Json
from karat.suites.codegen.plots.records import PlotGold

ErrorClass = Literal[
    "column_error", "syntax_error", "type_error", "index_error", "attribute_error", "value_error", "other_error"
]
"""The contract's classes of errors."""


Language = Literal["python", "sql"]
Cell: TypeAlias = Any
"""A cell of a table of a task: None, a truth value, a number, a text, a date or a time."""
Columns: TypeAlias = dict[str, list[Cell]]
"""A table, column by column."""


class TableSource(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table of a task: a CSV or Parquet file, or its columns written out."""

    path: str = ""
    columns: Columns | None = None


class ImageSize(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the header of an image must say."""

    width: int | None = None
    height: int | None = None
    format: str = ""


class ExpectedFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """What must be in a file that the code writes."""

    value: Json = None
    unit: str = ""
    table: Columns | None = None
    file: str = ""
    """A CSV or Parquet file with the right table."""
    image: ImageSize | None = None
    plot: PlotGold | None = None
    """What the figure that was saved in it must show."""
    sheet: str = ""
    """The sheet of an Excel file; the first without this."""
    from_table: str = ""
    """The table of a SQLite file; the only one without this."""


class FileReport(msgspec.Struct, frozen=True):
    """A file that the code wrote, or should have written."""

    name: str
    """The file's name."""
    byte_count: int
    """Its size in bytes."""
    right: bool | None = None
    """Whether it equals the expected file; None if no such file is expected."""
    note: str = ""
    """How it was read, or why it was not."""


class Expected(msgspec.Struct, frozen=True, omit_defaults=True):
    """The right result: one of the first four, and files that must be written."""

    value: Json = None
    """A number, text, list or mapping."""
    unit: str = ""
    """The unit that the numbers of ``value`` are in."""
    table: Columns | None = None
    """Columns of a table."""
    file: str = ""
    """A CSV or Parquet file."""
    named: dict[str, str] | None = None
    """Named figures, as in DABench: each must be among the result's."""
    files: dict[str, ExpectedFile] | None = None
    """Files that the code must write, beside a result or alone."""
    published: Published | None = None
    """An answer that a published set judges by a rule of its own."""
    plot: PlotGold | None = None
    """What the plot that the code draws must show."""

    @property
    def only_files(self) -> bool:
        """Whether nothing is expected of the result itself."""
        bare = self.value is None and self.table is None and not self.file and not self.named
        return bare and self.plot is None and self.published is None and self.files is not None


Scorer = Literal[
    "dabstep",
    "kramabench",
    "dsbench",
    "dsbench_model",
    "dacode_csv",
    "dacode_text",
    "dacode_sqlite",
    "dacode_model",
]


class Published(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer of a published set, in its own form, and the rule of that set."""

    scorer: Scorer
    answer: Json = None
    kind: str = ""
    """KramaBench's ``answer_type``."""
    files: tuple[str, ...] = ()
    """Gold files: any of them is right."""
    options: dict[str, Json] = {}
    """How DA-Code compares."""


class UnitTests(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tests that share a process with the answer, which is a function (BigCodeBench)."""

    code: str
    count: int
    """How many tests there are, by the syntax tree."""


class Harness(msgspec.Struct, frozen=True):
    """The tests that a problem brings along (DS-1000): they judge in place of a comparison."""

    inputs: str
    """Code whose ``generate_test_case(number)`` makes an input, without what makes or checks the right result."""
    program: str
    """What runs on each input: code with one ``[insert]``."""
    context: str
    """The problem's code as published. It never enters the process that runs an answer."""
    count: int = 1
    """How many inputs there are."""


class Unfinished(msgspec.Struct, frozen=True):
    """A program that breaks off, which an answer may continue."""

    before: str
    """The finished part."""
    rest: str
    """The unfinished statement, or the head of the function; empty when the program ends between statements."""
    function: str = ""
    """The function that is to be finished; empty for a script."""


class Answers(msgspec.Struct, frozen=True):
    """What an answer gave on every input of a harness: the first as it shows itself, all of them as exact text."""

    shown: Json
    exact: tuple[str, ...]


Property = Literal["sorted", "unique", "rows", "columns", "no_nulls", "range", "sums_to", "subset_of"]
Relation = Literal["row_order", "columns", "irrelevant_rows", "duplicated", "scaled", "nulls"]


class HiddenTest(msgspec.Struct, frozen=True, omit_defaults=True, rename={"assertion": "assert"}):
    """One entry of a task's ``tests``: an assert, a property, a relation, or what is right on other tables. The other
    fields are what the entry says about it."""

    assertion: str = ""
    """Python over ``result`` and the tables: an expression that must be true, or statements with ``assert``."""
    property: Property | None = None
    relation: Relation | None = None
    tables: dict[str, TableSource] = {}
    """Tables that take the place of the task's own for this entry."""
    expected: Expected | None = None
    reference: bool = False
    """What the task's reference gives on these tables is right there."""
    column: tuple[str, ...] = ()
    """Columns of the result; of a relation: the column of the tables that is changed."""
    ascending: bool = True
    names: tuple[str, ...] = ()
    value: Json = None
    values: tuple[Cell, ...] = ()
    of: str = ""
    """A column of a table: ``sales.qty``."""
    min: Json = None
    max: Json = None
    factor: float = 2.0
    result: Json = "same"
    """What a relation does to the result: ``same``, ``times``, or one of the two for each column."""
    where: str = ""
    """The filter that added rows miss."""
    public: bool = False
    """Whether the strategy ``repair_tests`` may show it to the system."""
    line: int = 0
    """Where the entry is in its file."""


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step of a session: what is asked, and what is right, as in a task."""

    question: str
    expected: Expected | None = None
    reference: str = ""
    tests: tuple[HiddenTest, ...] = ()
    timeout: float | None = None
    """Seconds; None: those of the task."""


class Task(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the code works on and what it should come to. Paths are as the loader resolved them."""

    tables: dict[str, TableSource] = {}
    expected: Expected | None = None
    reference: str = ""
    """Code that makes the right result; run in the sandbox, apart from the code that is judged."""
    language: Language = "python"
    """What answers are written in."""
    reference_language: Language | None = None
    """What the reference is written in, where it is not the language of answers."""
    setup: str = ""
    """Code that is before any answer and makes its inputs."""
    template: str = ""
    """Where an answer is put: code with one line ``[insert]``."""
    answer: str = "result"
    """The name that the answer is left in."""
    cluster: str = ""
    """Tasks of one cluster are variants of each other, and count as one when intervals are made."""
    timeout: float = 10.0
    memory_mb: int = 1024
    unfinished: Unfinished | None = None
    """What an answer may continue in place of writing it out."""
    harness: Harness | None = None
    """Where there is one, ``setup`` and ``template`` are only read, to see what the code does; this is what runs."""
    tests: tuple[HiddenTest, ...] = ()
    """What else must hold of a right answer. Never shown to a system."""
    steps: tuple[Step, ...] = ()
    """The steps of a session. Each says what is right after it; the task itself does not then."""
    final: tuple[int, ...] = ()
    """The numbers of the steps that decide, from 1; none: the last one."""
    environment: str = ""
    """The environment of the project that its code runs in; empty: that of the options."""
    files: tuple[str, ...] = ()
    """Files beside the tables, in the working folder under their own names."""
    unit_tests: UnitTests | None = None
    libs: tuple[str, ...] = ()
    """Modules that a published task says it needs."""
    made_for: str = ""
    """The version that a published set was written for, ``pandas==1.5``: an environment that has it is taken."""


class Schema(msgspec.Struct, frozen=True):
    """The columns of each table of a task, by the table's name."""

    tables: dict[str, tuple[str, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        """All column names, each once, in order."""
        return tuple(dict.fromkeys(name for names in self.tables.values() for name in names))


class Attempt(msgspec.Struct, frozen=True):
    """One piece of code and what it did."""

    code: str
    """The code."""
    ran: bool
    """Whether it ran to its end."""
    error_class: ErrorClass | None = None
    """The kind of error; None if it ran."""
    error: str = ""
    """``KeyError: 'age'``, or why there is no result: a time limit, a memory limit."""
    line: int = 0
    """The line that failed; 0 if none did."""
    outcome: str = "ok"
    """How it ended, in the sandbox's terms."""
    seconds: float = 0.0
    """How long it ran."""
    peak_memory: int = 0
    """The most memory it used, in bytes."""
    printed: bool = False
    """Whether it printed something and left no result."""
