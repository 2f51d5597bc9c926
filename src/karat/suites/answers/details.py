"""What is kept of an instance: the reason that tells most with its evidence, and both verdicts. ``details`` in the
store and in ``--json``."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.explanation import read_details
from karat.core.json_types import JsonObject
from karat.core.results.result import CaseResult, RepeatResult, RunResult
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.records import State, Verdict
from karat.suites.answers.text_to_sql.compare import QueryComparison
from karat.suites.answers.text_to_sql.components.difference import Component
from karat.suites.answers.text_to_sql.fillings.search import Counterexample
from karat.suites.answers.text_to_sql.running.cost import Cost
from karat.tables.explain.sample import TablePair, TableSample


class VerdictDetails(msgspec.Struct, frozen=True):
    """The verdict of one profile."""

    state: State
    """The verdict."""
    reason: str
    """Why the answer is not right; empty if it is."""
    normalised: tuple[str, ...]
    """The differences in notation that were forgiven."""


class AsOf(msgspec.Struct, frozen=True):
    """What gold and the data say they are true for."""

    gold: str
    """The date or snapshot that the gold answer is true for."""
    data: str
    """The date or snapshot of the data behind the answer."""


class SqlDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the executions of gold SQL and of the answer showed."""

    db: str
    """The database that the question is about."""
    dialect: str
    """The SQL dialect of that database."""
    gold_sql: str
    """The gold query."""
    sql: str
    """The predicted query."""
    figures: dict[str, float | None]
    """What the public evaluators say: metric → value."""
    difficulty: str = ""
    """The question's difficulty, from the file or computed as the benchmark does."""
    components: tuple[Component, ...] = ()
    """The clauses in which the two queries differ."""
    sentence: str = ""
    """The same in words."""
    gold_status: str = "good"
    """Whether the gold query can be trusted: ``good``, ``suspect``, ``wrong`` or ``unreadable``."""
    gold_note: str = ""
    """What is doubtful about the gold query."""
    rows: dict[str, list[int] | None] = {}
    """Rows and columns of each result."""
    timing: dict[str, float | None] = {}
    """Seconds that each query took."""
    cost: Cost = Cost()
    """What both queries cost."""

    counterexample: Counterexample | None = None
    """Generated rows on which a passing answer and gold give different results."""
    first_rows: dict[str, TableSample] = {}
    """The first rows of both results."""

    def against(self, right: bool) -> tuple[str, ...]:
        """The public figures that say otherwise than strict."""
        other = 0.0 if right else 1.0
        return tuple(name for name, value in self.figures.items() if value == other and name != "bird_f1")


class Details(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that was found about an instance."""

    reason: str
    """The most telling reason why the answer is not right; empty if it is."""
    evidence: JsonObject
    """What the reason rests on: the differing values, rows or columns."""
    flips: bool
    """Whether the verdicts disagree on right and wrong."""
    functions: tuple[str, ...]
    """The comparison functions that gold names."""
    spider2: VerdictDetails
    """The verdict of the public Spider2 evaluator."""
    strict: VerdictDetails
    """Karat's own, stricter verdict."""
    as_of: AsOf | None = None
    """The dates of gold and data. Only if they differ."""
    gold_status: str | msgspec.UnsetType = msgspec.UNSET
    """What is wrong with gold. Only if it is not good."""
    gold_problem: str | msgspec.UnsetType = msgspec.UNSET
    """The same in words."""
    sql: SqlDetails | None = None
    """What running both queries showed. Only if gold is SQL."""
    tables: tuple[TablePair, ...] = ()
    """The first rows of the tables that were compared, right or wrong."""

    def state(self, profile: str) -> State:
        """What a profile says, by its name."""
        return (self.spider2 if profile == "spider2" else self.strict).state


def details(turns: Sequence[tuple[int, Comparison]]) -> Details:
    """What is kept of the last comparison of an instance."""
    _, comparison = turns[-1]
    telling = comparison.telling
    doubtful = comparison.gold.status != "good"
    return Details(
        telling.reason,
        telling.evidence,
        comparison.flips or _disagreeing(comparison),
        tuple(sorted({entry.func for entry in comparison.gold.entries})),
        _verdict(comparison.spider2),
        _verdict(comparison.strict),
        AsOf(*comparison.as_of) if comparison.as_of else None,
        comparison.gold.status if doubtful else msgspec.UNSET,
        comparison.gold.problem if doubtful else msgspec.UNSET,
        _sql(comparison.queries) if comparison.queries is not None else None,
        comparison.strict.tables,
    )


def details_of(case: CaseResult) -> Details | None:
    """The details of a case; None when it has no answer that was judged."""
    return read_details(Details, case.details)


def reasons_of(case: CaseResult | RepeatResult) -> tuple[str, ...]:
    """The reason why a case is not right; none where it is."""
    found = read_details(Details, case.details)
    return (found.reason,) if found is not None and found.reason else ()


def judged(result: RunResult) -> list[tuple[CaseResult, Details]]:
    """The cases with an answer that was judged, and their details."""
    return [(case, details) for case in result.cases if (details := details_of(case)) is not None]


def _verdict(verdict: Verdict) -> VerdictDetails:
    return VerdictDetails(verdict.state, verdict.reason, verdict.normalised)


def _disagreeing(comparison: Comparison) -> bool:
    """Whether a public evaluator says otherwise than strict, where gold is SQL."""
    if comparison.queries is None or comparison.strict.score is None:
        return False
    return bool(_sql(comparison.queries).against(comparison.strict.state == "right"))


def _sql(found: QueryComparison) -> SqlDetails:
    return SqlDetails(
        found.database,
        found.dialect,
        found.gold_sql,
        found.sql,
        msgspec.structs.asdict(found.figures),
        found.difficulty,
        found.difference.components,
        found.difference.sentence,
        found.gold_status,
        found.gold_note,
        {"gold": list(found.gold_size), "answer": list(found.size) if found.size else None},
        {"gold": found.cost.gold_seconds, "answer": found.cost.seconds},
        found.cost,
        found.counterexample,
        found.first_rows,
    )
