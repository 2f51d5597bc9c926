"""The types of this suite: a task, what its code did when it ran, and the facts that code and question are compared
by.

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
    byte_count: int
    right: bool | None = None
    """None: it is not one of the expected files."""
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


Scorer = Literal["dabstep", "kramabench", "dsbench", "dacode_csv", "dacode_text", "dacode_sqlite"]


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


# -- what code does ---------------------------------------------------------------------------------------------------


class Filter(msgspec.Struct, frozen=True):
    """One condition on rows: ``column operator value``, as far as the code says; the line it is on."""

    column: str
    operator: str
    """``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``contains``, ``isnull``, ``notnull``, ``other``."""
    value: str
    """The constant it is compared with, as text; empty when it is no constant."""
    line: int = 0


class Link(msgspec.Struct, frozen=True):
    """Two conditions and how they are joined."""

    word: Literal["and", "or"]
    first: Filter
    second: Filter


class Order(msgspec.Struct, frozen=True):
    """Rows put in order, or the first or last of them taken."""

    kind: Literal["sort", "largest", "smallest", "head", "tail"]
    columns: tuple[str, ...] = ()
    ascending: bool | None = None
    count: int | None = None
    """How many rows are taken."""
    line: int = 0


class Join(msgspec.Struct, frozen=True):
    """Tables put together: ``merge``, ``join``, ``concat``."""

    kind: Literal["merge", "join", "concat"]
    keys: tuple[str, ...] = ()
    line: int = 0


class Aggregation(msgspec.Struct, frozen=True):
    """``mean``, ``sum``, ``max``… of a column (empty: of whatever is at hand)."""

    function: str
    column: str = ""
    line: int = 0


class CodeFacts(msgspec.Struct, frozen=True):
    """What the code does on the way to its result. What does not reach the result is not here: comments, strings, dead
    code."""

    columns: tuple[str, ...] = ()
    """Columns of the schema that are used, in the schema's spelling."""
    operations: tuple[str, ...] = ()
    """Methods and functions that are called, by their last name: ``groupby``, ``merge``, ``mean``…"""
    filters: tuple[Filter, ...] = ()
    links: tuple[Link, ...] = ()
    """How filters are joined, as far as the code says: ``&`` and ``|``, a list of values, one filter after another."""
    group_keys: tuple[str, ...] = ()
    orders: tuple[Order, ...] = ()
    joins: tuple[Join, ...] = ()
    aggregations: tuple[Aggregation, ...] = ()
    dead_lines: tuple[int, ...] = ()
    """Lines of statements that do not reach the result."""
    unused_names: tuple[tuple[str, int], ...] = ()
    """Names that are set and never read on the way to the result, with their line."""
    syntax_error: str = ""
    """``line 3: invalid syntax``; everything else is empty then."""
    error_line: int = 0
    tables: tuple[str, ...] = ()
    """Given tables that reach the result. Code without any answers from nothing."""
    unread: bool = False
    """Whether something that cannot be read goes into the result: ``exec`` or ``getattr`` with a text that is not known
    before the code runs. What is not found is then not held against the code."""


# -- what a question asks ---------------------------------------------------------------------------------------------


class Asked(msgspec.Struct, frozen=True):
    """What a question asks for, item by item."""

    columns: tuple[str, ...] = ()
    """Columns of the schema that it mentions."""
    top: tuple[int | None, ...] = ()
    """``top 5``, ``largest 3``: how many, None when it does not say."""
    bottom: tuple[int | None, ...] = ()
    filtering: bool = False
    """Whether it asks for some of the rows only."""
    statistics: tuple[str, ...] = ()
    """``mean``, ``sum``, ``max``, ``min``, ``count``, ``median``, ``std``, ``var``, ``groupby``."""
    conditions: tuple[Filter, ...] = ()
    group_keys: tuple[str, ...] = ()
    grouping: bool = False
    """Whether it asks for groups, also where no column of the schema is named for them."""
    ordering: tuple[str, ...] = ()
    """The words that ask for an order, and ``ascending`` or ``descending`` where that is said."""
    reference_orders: bool = False
    """Whether answers are SQL and the reference is a query with ORDER BY: the order of its rows is then asked for."""
    keeps_order: bool = False
    """Whether rows are to stay in the order they are in."""
    joining: bool = False
    links: tuple[Link, ...] = ()
    """How conditions are joined: by ``and`` or by ``or``."""
    whole_table: bool = False
    """Whether it speaks of columns in general, so that one more column would make a difference."""
    precision: tuple[str, ...] = ()
    """The words that ask for a precision of numbers: ``rounded``, ``2 decimals``, ``to the nearest cent``."""
    distinct: bool = False
    """Whether it asks for different things: ``distinct``, ``different``, ``unique``."""
    open_limits: bool = False
    """Whether it names limits in words that do not say whether the limit itself is in: ``between``, ``since``,
    ``until``."""
    drawing: bool = False
    """Whether it asks for a picture."""
    by_position: bool = False
    """Whether the order of the given rows may matter: ``first``, ``previous``, ``running total``."""
    vocabulary: str = ""
    """The words that it was read by: ``en``, ``de``, ``fr``, ``es``, or a file."""

    @property
    def ordered(self) -> bool:
        """Whether the order of the result's rows counts."""
        return bool(self.ordering) or self.keeps_order or self.reference_orders


# -- what running it gave ---------------------------------------------------------------------------------------------


class Attempt(msgspec.Struct, frozen=True):
    """One piece of code and what it did."""

    code: str
    ran: bool
    error_class: ErrorClass | None = None
    error: str = ""
    """``KeyError: 'age'``, or why it gave no result: a time limit, a memory limit."""
    line: int = 0
    outcome: str = "ok"
    """The sandbox's word for how it ended."""
    seconds: float = 0.0
    peak_memory: int = 0
    printed: bool = False
    """Whether it printed something and left no answer."""
