"""The types of this suite: gold and its entries, a submitted answer, a verdict with its reason."""

from __future__ import annotations

from typing import Any, Literal  # Any: evidence is named by each rule and holds values of JSON

import msgspec

from karat.core.json_types import JsonObject
from karat.tables.explain.sample import TablePair

Function = Literal["string_match", "number_match", "table_match", "tables_match", "duckdb_match"]
GoldStatus = Literal["good", "suspect", "wrong", "unreadable"]
AnswerKind = Literal["answer", "file", "files", "sql"]
State = Literal["right", "wrong", "needs_review", "gold_error", "not_judged"]

REASONS = (
    "missing_prediction",
    "unreadable_prediction",
    "row_count",
    "missing_column",
    "values_differ",
    "rows_scrambled",
    "order_differs",
    "scale_100",
    "rounding",
    "null_vs_zero",
    "case_or_space",
    "date_format",
    "duplicates",
    "shape_differs",
    "labels_swapped",
    "extra_match_excluded",
    "wrong_number",
    "wrong_text",
    "several_answers",
    "hedged",
    "negated",
    "two_readings",
    "no_value",
    "sql_error",
    "timeout",
    "gold_error",
    "gold_unstable",
    "empty_gold",
    "ties_all",
    "extra_columns",
    "lucky",
)
"""The closed list of reasons why an answer is not right, or why a person must look at it."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One way in which a gold row judges an answer: a function of the contract and its parameters as they are in the
    file.

    Paths in ``parameters`` stay as written; ``gold_files`` are the same files resolved inside the gold folder.
    """

    func: Function
    parameters: JsonObject = {}
    gold_files: tuple[str, ...] = ()


class Queries(msgspec.Struct, frozen=True, omit_defaults=True):
    """Gold that is SQL, and the database that it runs on."""

    sql: tuple[str, ...]
    """Any of them may pass."""
    database: str = ""
    form: str = "own"
    """Whose file it is from: ``bird``, ``spider``, ``defog``, ``ibm`` or ``own``. Their figures come first."""
    written: str = ""
    """The gold as it is in the file, where that stands for several queries."""
    order: bool | None = None
    """Whether the order of rows counts; None: as the question and the gold say."""
    difficulty: str = ""
    category: str = ""
    evidence: str = ""
    """What the question file tells the assistant beside the question."""
    kind: str = ""
    """The kind of database that the file names."""


class Gold(msgspec.Struct, frozen=True, omit_defaults=True):
    """The gold of one instance. ``family`` says by which rules lists of conditions are read (see the spider2
    profile)."""

    instance_id: str
    entries: tuple[Entry, ...]
    family: Literal["contract", "flat", "own"] = "contract"
    temporal: bool = False
    sql: str = ""
    """Path of the gold SQL, where there is one."""
    as_of: str = ""
    ties: JsonObject | None = None
    status: GoldStatus = "good"
    problem: str = ""
    """Why the gold is not ``good``."""
    queries: Queries | None = None
    """Gold SQL in place of entries."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was submitted for one instance. ``paths`` are absolute and known to lie inside the submission's own
    folder."""

    instance_id: str
    kind: AnswerKind
    text: str = ""
    paths: tuple[str, ...] = ()
    problem: str = ""
    """Why it cannot be used at all (a path outside the folder, a missing file); empty when it can."""
    raw: str = ""
    """A bare number as it was written (``17.50``), where ``text`` is what the public tool sees of it (``17.5``)."""
    rows: tuple[str, ...] | None = None
    """The different rows of a query's result, where gold asks for a text; empty where it is a file, None for what no
    query gave."""
    first_sql: str = ""
    """The first of several SQL blocks, which the spider2 profile judges; ``text`` is the last. Empty where there is
    only one."""
    database: str = ""
    """The database that a file of predictions names beside the SQL."""


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """The verdict of one profile on one answer. ``score`` is 1, 0, or None if no rule can settle the answer.

    >>> import karat
    >>> found = karat.answers.string_match("It is not Oslo.", ["Oslo"], profile="strict")
    >>> found.state, found.reason, found.score
    ('needs_review', 'negated', None)
    """

    state: State
    """``right``, ``wrong``, ``needs_review``, ``gold_error`` or ``not_judged``."""
    reason: str = ""
    """Why the answer is not right; empty if it is."""
    evidence: JsonObject = {}
    """What the reason rests on: the differing values, rows or columns."""
    normalised: tuple[str, ...] = ()
    """What was forgiven for a pass: a name of ``karat.tables.options.NORMALISATIONS``, tolerance, shape, ties,
    no_header."""
    cell_f1: float | None = None
    """The F1 of the cells of two tables; None for other answers."""
    row_share: float | None = None
    """The share of gold's rows that the answer has; None for other answers."""
    tables: tuple[TablePair, ...] = ()
    """The first rows of the tables that were compared, for a person to look at."""

    @property
    def score(self) -> int | None:
        """1 right, 0 wrong, None where no rule can settle it."""
        return {"right": 1, "wrong": 0}.get(self.state)

    def __bool__(self) -> bool:
        return self.state == "right"


def right(*, normalised: tuple[str, ...] = (), **evidence: Any) -> Verdict:
    return Verdict("right", "", evidence, normalised, 1.0, 1.0)


def wrong(reason: str, *, cell_f1: float | None = None, row_share: float | None = None, **evidence: Any) -> Verdict:
    return Verdict("wrong", reason, evidence, (), cell_f1, row_share)
