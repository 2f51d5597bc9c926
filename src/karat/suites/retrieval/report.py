"""The report of a run: one row per question with its figures and what was not found, the averages, the worst
questions."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.report import (
    Cell,
    Chart,
    Column,
    Report,
    Series,
    Sheet,
    Table,
    about_sheet,
    errors_sheet,
    estimate_cells,
    estimate_columns,
    states_table,
    summary_table,
    tags_table,
)
from karat.core.results.result import CaseResult, Estimator, RunResult
from karat.core.results.usage import USAGE
from karat.suites.retrieval.details import FieldDetails, details_of
from karat.suites.retrieval.metrics import AT_CUTOFFS, METRICS, OF_ALL, WHOLE
from karat.suites.retrieval.metrics.fields import CUTOFFS
from karat.suites.retrieval.notes import tuning_of

UNSHADED = ("precision_at_10",)
"""Of ten keys most are not needed where few are: a right answer is far from 1."""
SHOWN = ("recall", "recall_at_10", "recall_at_100", "precision_at_10", "rr", "map", "ndcg", "ndcg_at_10", "r_precision")
BY_TAG = ("passed", "recall", "ndcg_at_10")
DRAWN = (1, 2, 3)
"""Of the columns of the table of cutoffs: recall, precision, nDCG."""
FARTHEST = 100
"""Where the curves end at the latest; the table goes on."""
WORST = 100
LISTED = 20
"""This many missing keys are listed in a cell."""


def report(result: RunResult, estimate: Estimator) -> Report:
    """Overview, Statistics, Worst questions, errors, About."""
    sheets = (
        _overview(result),
        _statistics(result, estimate),
        _worst(result),
        *_tuned(result),
        errors_sheet(result),
        about_sheet(result, (*METRICS, *USAGE)),
    )
    return Report(f"retrieval {result.run.id}".strip(), tuple(sheet for sheet in sheets if sheet is not None))


def _tuned(result: RunResult) -> tuple[Sheet, ...]:
    """The sheets of ``karat tune``, when the questions were answered by a sheet's own search."""
    from karat.search.choose.reporting.report import report_of

    tuning = tuning_of(result)
    return (
        tuple(sheet for sheet in report_of(tuning, result.run.name).sheets if sheet.title != "About") if tuning else ()
    )


def _fields(case: CaseResult) -> tuple[FieldDetails, ...]:
    details = details_of(case)
    return details.fields if details is not None else ()


def _total(case: CaseResult, name: str) -> int | None:
    fields = _fields(case)
    return sum(getattr(field, name) for field in fields) if fields else None


def _missing(case: CaseResult) -> str:
    """The keys that were not found; with the field's name before them where there are several fields."""
    fields = [field for field in _fields(case) if field.missing_count]
    named = len(_fields(case)) > 1
    lines = []
    for field in fields:
        keys = field.missing[:LISTED]
        rest = field.missing_count - len(keys)
        text = ", ".join(keys) + (f" and {rest:,} more" if rest else "")
        lines.append(f"{field.field}: {text}" if named else text)
    return "\n".join(lines)


def _id_width(result: RunResult) -> int:
    """Ids are short in a collection, and made from the question in a sheet."""
    return max(12, min(32, max((len(case.id) for case in result.cases), default=0) + 2))


def _titles() -> dict[str, Metric]:
    return {metric.name: metric for metric in METRICS}


def _overview(result: RunResult) -> Sheet:
    metrics = _titles()
    columns = [
        Column("question id", "wrapped", _id_width(result)),
        Column("question", "wrapped", 44),
        Column("status", "status", 12),
        Column("passed", "score", 9, decimals=0),
        Column("relevant", "count", 9),
        Column("found", "count", 9),
        Column("retrieved", "count", 10),
        *(Column(metrics[name].title, "score", 10, decimals=3, shaded=name not in UNSHADED) for name in SHOWN),
        Column(metrics["mrr_sum"].title, "number", 10, decimals=3),
        Column("not found", "wrapped", 60),
        Column("error", "wrapped", 30),
    ]
    rows: list[tuple[Cell, ...]] = [
        (
            case.id,
            case.question,
            case.status,
            case.scores["passed"].value,
            *(_total(case, name) for name in ("relevant", "found", "retrieved")),
            *(case.scores[name].value for name in (*SHOWN, "mrr_sum")),
            _missing(case),
            case.error,
        )
        for case in result.cases
    ]
    return Sheet("Overview", (Table(tuple(columns), tuple(rows)),), freeze_columns=1, print_columns=11)


def _statistics(result: RunResult, estimate: Estimator) -> Sheet:
    cutoffs = _cutoffs(result)
    found = (
        summary_table(result, "Questions with results", WHOLE, decimals=4),
        cutoffs,
        summary_table(result, "All questions: 0 for one without results", OF_ALL, decimals=4),
        _by_field(result, estimate),
        tags_table(result.cases, [metric for metric in METRICS if metric.name in BY_TAG], estimate),
        summary_table(result, "Time and cost of a question", USAGE),
        states_table(result),
    )
    tables = tuple(table for table in found if table is not None and table.rows)
    return Sheet("Statistics", tables, charts=_curves(tables.index(cutoffs), cutoffs))


def _cutoffs(result: RunResult) -> Table:
    """One row per cutoff, one column per metric; the intervals are in the JSON output."""
    means = {item.metric: item.mean for item in result.summary}
    columns = [Column("k", "count", 36)]
    columns += [Column(row[0].title.partition("@")[0] + "@k", "number", 11, decimals=4) for row in AT_CUTOFFS]
    rows = [(k, *(means.get(row[place].name) for row in AT_CUTOFFS)) for place, k in enumerate(CUTOFFS)]
    return Table(tuple(columns), tuple(rows), "At each cutoff", "Means over the questions with results.")


def _curves(place: int, table: Table) -> tuple[Chart, ...]:
    """Recall, precision and nDCG against k, up to where nothing more is found; none where no question has results."""
    recalls = [row[1] for k, row in zip(CUTOFFS, table.rows, strict=True) if k <= FARTHEST]
    if recalls[0] is None:
        return ()
    last = max(1, recalls.index(recalls[-1]))
    lines = tuple(Series(table.columns[column].title, 0, column, 0, last) for column in DRAWN)
    return (Chart("What the first k results contain", "k", "mean over questions", lines, table=place, y_most=1.0),)


def _by_field(result: RunResult, estimate: Estimator) -> Table | None:
    """Recall by field, where a question has several."""
    found: dict[str, list[float]] = {}
    for case in result.cases:
        for field in _fields(case):
            if field.relevant:
                found.setdefault(field.field, []).append(field.found / field.relevant)
    if len(found) < 2:
        return None
    columns = (Column("field", "text", 36), *estimate_columns("recall"))
    rows = tuple((name, *estimate_cells([estimate(values, "share")])) for name, values in found.items())
    return Table(columns, rows, "By field")


def _worst(result: RunResult) -> Sheet | None:
    """The questions that found least, with what they did not find; those that passed are not among them."""
    failed = [case for case in result.cases if case.status == "scored" and case.scores["passed"].value == 0]
    failed.sort(key=lambda case: [case.scores[name].value or 0.0 for name in ("recall", "ndcg", "rr")])
    if not failed:
        return None
    columns = (
        Column("question id", "wrapped", _id_width(result)),
        Column("question", "wrapped", 50),
        Column("recall", "score", 10, decimals=3),
        Column("nDCG", "score", 10, decimals=3),
        Column("first rank", "count", 10),
        Column("relevant", "count", 9),
        Column("not found", "count", 9),
        Column("keys not found", "wrapped", 90),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            case.id,
            case.question,
            case.scores["recall"].value,
            case.scores["ndcg"].value,
            min((rank for field in _fields(case) for rank in field.ranks[:1]), default=None),
            _total(case, "relevant"),
            _total(case, "missing_count"),
            _missing(case),
        )
        for case in failed[:WORST]
    ]
    return Sheet("Worst questions", (Table(columns, tuple(rows)),), freeze_columns=1)
