"""The report of a run: one row per case with the contract's details cell, the averages, and what they hide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from karat.core.explanation import read_details
from karat.core.metric import Metric
from karat.core.report import (
    Cell,
    Column,
    Report,
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
from karat.core.results.result import CaseResult, Estimate, Estimator, RunResult
from karat.core.results.usage import USAGE
from karat.suites.data_query.details import Details, DimensionDetails
from karat.suites.data_query.metrics import METRICS
from karat.suites.data_query.selection.selection import dataset_keys
from karat.suites.data_query.summaries import confusions, outcomes, stages
from karat.suites.data_query.summaries.excel_details import details_cell
from karat.suites.data_query.summaries.figures import kept_details

FRONT = ("macro_recall", "macro_precision")
NOTHING = Details()
KNOWN: dict[str, Metric] = {metric.name: metric for metric in (*METRICS, *USAGE)}


def report(result: RunResult, estimate: Estimator) -> Report:
    """The whole report."""
    names = _metric_names(result)
    sheets = [_overview(result, names), _statistics(result, estimate)]
    sheets += run_sheets(result, estimate)
    sheets += [sheet for sheet in (_label_drift(result), errors_sheet(result)) if sheet is not None]
    sheets.append(about_sheet(result, [KNOWN[name] for name in names if name in KNOWN]))
    return Report(f"{result.run.name or result.run.suite}: data query report", tuple(sheets))


def run_sheets(result: RunResult, estimate: Estimator) -> list[Sheet]:
    """What is found over all cases: outcomes, stages, confusions; those that there is data for."""
    kept = kept_details(result)
    found = (
        outcomes.sheet(result, [details for _, details in kept], estimate),
        stages.sheet(kept, estimate),
        confusions.sheet(result, kept),
    )
    return [sheet for sheet in found if sheet is not None]


def _details(case: CaseResult) -> Details:
    return read_details(Details, case.details) or NOTHING


def _metric_names(result: RunResult) -> list[str]:
    """The suite's metrics, then whatever else the run has figures for (usage, where it is known)."""
    names = [metric.name for metric in METRICS]
    return names + [item.metric for item in result.summary if item.metric not in names]


# -- Overview ---------------------------------------------------------------------------------------------------------


def _overview(result: RunResult, names: Sequence[str]) -> Sheet:
    cases = result.cases
    rest = [name for name in names if name not in FRONT]
    columns = (
        Column("id", "wrapped", _width((c.id for c in cases), 8, 20)),
        Column("name", "wrapped", _width((c.name for c in cases), 8, 24)),
        Column("tags", "wrapped", _width((t for c in cases for t in c.tags), 7, 14)),
        Column("question", "wrapped", _width((c.question for c in cases), 20, 38)),
        *(_metric_column(name) for name in FRONT),
        Column("status", "status", 10),
        Column("error", "wrapped", 30 if any(c.error for c in cases) else 8),
        Column("indicator selection details", "wrapped", 62),
        *(_metric_column(name) for name in rest),
    )
    rows = tuple(
        (
            case.id,
            case.name,
            ", ".join(case.tags),
            case.question,
            *_values(case, FRONT),
            case.status,
            case.error,
            details_cell(_details(case)),
            *_values(case, rest),
        )
        for case in cases
    )
    return Sheet("Overview", (Table(columns, rows),), freeze_columns=2, print_columns=len(columns) - len(rest))


def _metric_column(name: str) -> Column:
    metric = KNOWN.get(name)
    if metric is None:
        return Column(name.replace("_", " "), "number", 11)
    if metric.kind == "quantity":
        return Column(metric.title, "number", 10, metric.higher_is_better)
    return Column(metric.title, "score", 11, metric.higher_is_better)


def _width(texts: Iterable[str], least: int, most: int) -> int:
    return max(least, min(most, max(map(len, texts), default=0) + 2))


def _values(case: CaseResult, names: Iterable[str]) -> list[float | None]:
    scores = case.scores
    return [score.value if (score := scores.get(name)) is not None else None for name in names]


def _value(case: CaseResult, name: str) -> float | None:
    score = case.scores.get(name)
    return None if score is None else score.value


# -- Statistics -------------------------------------------------------------------------------------------------------


def _statistics(result: RunResult, estimate: Estimator) -> Sheet:
    scored = [case for case in result.cases if case.status == "scored"]
    tables = (
        summary_table(result, "Data Query Metrics", METRICS, decimals=3),
        summary_table(result, "Time and cost of a case", USAGE),
        states_table(result),
        tags_table(result.cases, [KNOWN[name] for name in BROKEN_DOWN], estimate),
        _by_dimension(scored, estimate),
        _by_dataset(scored, estimate, strict=bool(result.run.options.get("strict_versions"))),
    )
    return Sheet("Statistics", tuple(table for table in tables if table is not None and table.rows))


BROKEN_DOWN = ("macro_recall", "macro_precision", "fully_right")


def _figures(cases: Sequence[CaseResult], estimate: Estimator) -> list[Estimate]:
    """The three figures of a group of cases."""
    return [
        estimate([value for case in cases if (value := _value(case, name)) is not None], KNOWN[name].kind)
        for name in BROKEN_DOWN
    ]


def _figure_columns() -> list[Column]:
    return [column for name in BROKEN_DOWN for column in estimate_columns(KNOWN[name].title)]


def _by_dimension(cases: Sequence[CaseResult], estimate: Estimator) -> Table | None:
    groups: dict[str, list[list[DimensionDetails]]] = {}
    for case in cases:
        here: dict[str, list[DimensionDetails]] = {}
        for dimension in _details(case).dimensions:
            here.setdefault(dimension.dimension, []).append(dimension)
        for name, parts in here.items():
            groups.setdefault(name, []).append(parts)
    if not groups:
        return None
    counts = [Column(title, "count", 9) for title in ("cases", "in target", "TP", "FP", "FN")]
    pooled = [Column("pooled recall", "score", 11, decimals=3), Column("pooled precision", "score", 11, decimals=3)]
    means = [*estimate_columns("mean recall"), *estimate_columns("mean precision")]
    rows = tuple(_dimension_row(name, found, estimate) for name, found in groups.items())
    note = (
        "Over scored cases. Pooled: from the counts of all cases together. Mean: over the n cases where it is defined."
    )
    return Table((Column("dimension"), *counts, *pooled, *means), rows, "By dimension", note)


def _dimension_row(name: str, found: Sequence[Sequence[DimensionDetails]], estimate: Estimator) -> tuple[Cell, ...]:
    """``found``: for each case with this dimension, its comparison in each turn."""
    parts = [part for case in found for part in case]
    tp = sum(len(part.true_positives) for part in parts)
    fp = sum(len(part.false_positives) for part in parts)
    fn = sum(len(part.false_negatives) for part in parts)
    in_target = sum(any(part.in_target for part in case) for case in found)
    recall = estimate(_means([[part.recall for part in case] for case in found]), "share")
    precision = estimate(_means([[part.precision for part in case] for case in found]), "share")
    pooled = (tp / (tp + fn) if tp + fn else None, tp / (tp + fp) if tp + fp else None)
    return (name, len(found), in_target, tp, fp, fn, *pooled, *estimate_cells((recall, precision)))


def _means(found: Iterable[Iterable[float | None]]) -> list[float]:
    """One value per case, the mean over its turns; cases without any are left out."""
    values = ([value for value in case if value is not None] for case in found)
    return [sum(numbers) / len(numbers) for numbers in values if numbers]


def _by_dataset(cases: Sequence[CaseResult], estimate: Estimator, *, strict: bool) -> Table | None:
    expecting: dict[str, list[CaseResult]] = {}
    hits: dict[str, int] = {}
    unexpected: dict[str, int] = {}
    for case in cases:
        wanted, given = set[str](), set[str]()
        for part in _details(case).datasets:
            left, right = dataset_keys(part.expected, part.found, strict_versions=strict)
            wanted.update(left.values())
            given.update(right.values())
        for dataset in sorted(wanted):
            expecting.setdefault(dataset, []).append(case)
            hits[dataset] = hits.get(dataset, 0) + (dataset in given)
        for dataset in sorted(given - wanted):
            unexpected[dataset] = unexpected.get(dataset, 0) + 1
    names = [*expecting, *(name for name in unexpected if name not in expecting)]
    if not names:
        return None
    counts = [
        Column(title, "count", 11)
        for title in ("cases that expect it", "used there", "not used there", "used unexpectedly")
    ]
    rows = []
    for name in names:
        group, hit = expecting.get(name, []), hits.get(name, 0)
        rows.append(
            (
                name,
                len(group),
                hit,
                len(group) - hit,
                unexpected.get(name, 0),
                *estimate_cells(_figures(group, estimate)),
            )
        )
    note = "Over scored cases. The figures on the right are those of the cases that expect the dataset."
    return Table((Column("dataset"), *counts, *_figure_columns()), tuple(rows), "By dataset", note)


# -- Label drift ------------------------------------------------------------------------------------------------------


def _label_drift(result: RunResult) -> Sheet | None:
    rows: list[tuple[Cell, ...]] = [
        (case.id, drift.dimension, drift.id, drift.expected, drift.found)
        for case in result.cases
        for drift in _details(case).label_drift
    ]
    if not rows:
        return None
    columns = (
        Column("case", "wrapped", 38),
        Column("dimension", "wrapped", 18),
        Column("id", "wrapped", 18),
        Column("expected name", "wrapped", 50),
        Column("found name", "wrapped", 50),
    )
    return Sheet("Label drift", (Table(columns, tuple(rows)),), freeze_columns=1)
