"""What the template of the page is filled with: figures, summary rows, and the suite's sheets as sections of tables and
plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from math import isfinite

import msgspec

from karat.core.json_types import JsonObject
from karat.core.metric import Kind, Metric
from karat.core.problems import count_of
from karat.core.report import Cell, Column, Report, Sheet, Table
from karat.core.results.result import CaseResult, Estimate, MetricSummary, RunResult, interval_text, why_no_interval
from karat.core.scores import Score
from karat.reports.html.text import cell_words, cut, embedded_size, quantity_words, readable
from karat.reports.plots.figures import Plot, chart_plot

ROWS_SHOWN = 100
"""Rows of a table that is on the page."""
TABLES_ROOM = 300_000
"""Bytes of text in all tables of the page together."""
PLOTS_ROOM = 150_000
LONGEST_CELL = 600
MOST_FIGURES = 5
ELSEWHERE = "the Excel report has all of them"
SAID_ELSEWHERE = ("Errors", "Reviews")
"""Sheets whose rows are in the details of a case in other words."""


class Bar(msgspec.Struct, frozen=True):
    """A figure in 0…1 with its interval, in hundredths of the width of its track."""

    mean: float
    low: float
    width: float


class SummaryRow(msgspec.Struct, frozen=True):
    """One metric of the summary, in words."""

    title: str
    formula: str
    headline: bool
    mean: str
    interval: str
    bar: Bar | None
    n: str
    undefined: str
    with_errors: str
    reviewed: tuple[str, str] | None
    """The rate with people's verdicts, and its interval and number of cases; None where there are no verdicts."""


class ShownCell(msgspec.Struct, frozen=True):
    """A cell in words; ``share`` is how full its small bar is."""

    text: str
    kind: str
    share: float | None = None


class ShownTable(msgspec.Struct, frozen=True):
    """A table of the page; ``more`` says what is not on it."""

    title: str
    note: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[ShownCell, ...], ...]
    more: str = ""


class Section(msgspec.Struct, frozen=True):
    """A sheet of the report as a part of the page. ``plots`` are numbers in the list of all plots."""

    title: str
    tables: tuple[ShownTable, ...]
    plots: tuple[int, ...] = ()
    note: str = ""
    open: bool = True


# -- the summary ------------------------------------------------------------------------------------------------------


def shown_metrics(result: RunResult, metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics that the run has an entry for, headlines first; those the suite does not know under their own
    names."""
    known = {metric.name: metric for metric in metrics}
    found = [known.get(item.metric) or _unknown(item.metric) for item in result.summary]
    return sorted(found, key=lambda metric: not metric.headline)


def _unknown(name: str) -> Metric:
    def score(_: object) -> Score:
        raise NotImplementedError(
            "a metric of another version of the suite: its figures are stored, but its definition is not available"
        )

    return Metric(name, name.replace("_", " "), "", score, kind="quantity")


def summary_rows(
    result: RunResult, metrics: Sequence[Metric], reviewed: Mapping[str, Estimate] | None = None
) -> list[SummaryRow]:
    """The averages with their intervals, and what has none and why. ``reviewed``: metric → its rate with people's
    verdicts."""
    found = {item.metric: item for item in result.summary}
    shown = [metric for metric in metrics if metric.name in found]
    return [
        _summary_row(metric, found[metric.name], result.cases, (reviewed or {}).get(metric.name)) for metric in shown
    ]


def _summary_row(
    metric: Metric, item: MetricSummary, cases: Sequence[CaseResult], reviewed: Estimate | None
) -> SummaryRow:
    return SummaryRow(
        title=readable(metric.title),
        formula=readable(metric.formula + ("" if metric.higher_is_better else " (lower is better)")),
        headline=metric.headline,
        mean=_figure(item.mean, metric.kind),
        interval=_interval(item, metric.kind),
        bar=_bar(item, metric.kind),
        n=f"{item.n:,}",
        undefined=_undefined(metric, item, cases),
        with_errors="" if item.with_errors_as_zero is None else _figure(item.with_errors_as_zero, metric.kind),
        reviewed=None if reviewed is None else _reviewed(reviewed),
    )


def _interval(item: MetricSummary | Estimate, kind: Kind) -> str:
    if item.low is None or item.high is None:
        return why_no_interval(item.n)
    return interval_text(item.low, item.high, partial(_figure, kind=kind))


def _reviewed(found: Estimate) -> tuple[str, str]:
    return _figure(found.mean, "rate"), f"{_interval(found, 'rate') or 'no interval'} · {count_of(found.n, 'case')}"


def _figure(value: float | None, kind: Kind) -> str:
    if value is None or not isfinite(value):
        return "n/a"
    return quantity_words(value) if kind == "quantity" else f"{value:.3f}"


def _bar(item: MetricSummary, kind: Kind) -> Bar | None:
    if kind == "quantity" or item.mean is None or not 0 <= item.mean <= 1:
        return None
    low = item.mean if item.low is None else max(0.0, item.low)
    high = item.mean if item.high is None else min(1.0, item.high)
    return Bar(round(100 * item.mean, 2), round(100 * low, 2), round(100 * max(0.0, high - low), 2))


def _undefined(metric: Metric, item: MetricSummary, cases: Sequence[CaseResult]) -> str:
    if not item.undefined:
        return ""
    scores = (case.scores.get(metric.name) for case in cases)
    why = Counter(score.reason for score in scores if score and score.state == "not_applicable" and score.reason)
    said = "; ".join(cut(reason, 80) for reason, _ in why.most_common(2))
    return f"{item.undefined:,}{f': {said}' if said else ''}{'; …' if len(why) > 2 else ''}"


# -- the suite's sheets -----------------------------------------------------------------------------------------------


def sections(report: Report, left_out: Sheet | None) -> tuple[list[Section], list[Plot]]:
    """Every sheet but the one that the table of cases stands for, and the plots of their charts."""
    plots: list[Plot] = []
    sheets = [sheet for sheet in report.sheets if sheet is not left_out]
    tables = sum(len(sheet.tables) for sheet in sheets)
    room, plot_room = TABLES_ROOM, PLOTS_ROOM
    found: list[Section] = []
    for sheet in sheets:
        shown: list[ShownTable] = []
        for table in sheet.tables:
            if not _is_summary(table):
                part, size = _shown(table, room // max(tables, 1))
                shown.append(part)
                room -= size
            tables -= 1
        numbers: list[int] = []
        drawn = [plot for chart in sheet.charts if (plot := chart_plot(chart, sheet.tables)) is not None]
        for plot in drawn:
            plot_room -= (size := embedded_size(plot))
            if plot_room >= 0:
                numbers.append(len(plots))
                plots.append(plot)
            else:
                plot_room += size
        note = (
            f"{len(drawn) - len(numbers)} more charts are too large for this page; {ELSEWHERE}."
            if len(drawn) > len(numbers)
            else ""
        )
        if shown or numbers:
            folded = sheet.title == "About" or any(len(table.rows) > 25 for table in shown)
            found.append(
                Section(readable(sheet.title), tuple(shown), tuple(numbers), note, bool(numbers) or not folded)
            )
    return found, plots


def _is_summary(table: Table) -> bool:
    """The averages, which are at the top of the page already."""
    return [column.title for column in table.columns[:3]] == ["metric", "mean", "n"]


def _shown(table: Table, room: int) -> tuple[ShownTable, int]:
    """As many rows as fit, and the bytes they take."""
    rows: list[tuple[ShownCell, ...]] = []
    spent = 0
    for row in table.rows[:ROWS_SHOWN]:
        cells = tuple(_shown_cell(cell, column) for cell, column in zip(row, table.columns, strict=True))
        spent += sum(60 + 2 * len(cell.text.encode()) for cell in cells)
        if spent > room and rows:
            break
        rows.append(cells)
    more = "" if len(rows) == len(table.rows) else f"The first {len(rows):,} of {len(table.rows):,} rows; {ELSEWHERE}."
    heads = tuple((cut(column.title, 200), _look(column)) for column in table.columns)
    return ShownTable(cut(table.title, 200), cut(table.note, 1_000), heads, tuple(rows), more), spent


def _shown_cell(cell: Cell, column: Column) -> ShownCell:
    number = isinstance(cell, int | float) and isfinite(cell) and 0 <= cell <= 1
    share = round(100 * float(cell), 1) if column.kind == "score" and number and cell is not None else None
    return ShownCell(cell_words(cell, column, LONGEST_CELL), _look(column), share)


def _look(column: Column) -> str:
    """The classes of a cell: what it holds, and whether that is code."""
    return f"{column.kind} code" if column.title == "code" else column.kind


# -- the rows of a case in the suite's tables -------------------------------------------------------------------------


def tables_by_case(report: Report, left_out: Sheet | None, cases: Sequence[CaseResult], room: int) -> list[JsonObject]:
    """Tables with rows of single cases (code line by line, labels that drift), for the details of each; as far as they
    fit."""
    ids = {case.id for case in cases}
    found: list[JsonObject] = []
    for sheet in report.sheets:
        for table in sheet.tables if sheet is not left_out and sheet.title not in SAID_ELSEWHERE else ():
            if len(table.columns) < 2 or not table.rows or not all(row[0] in ids for row in table.rows):
                continue
            columns = [{"title": cut(column.title, 200), "kind": _look(column)} for column in table.columns[1:]]
            rows: dict[str, list[list[str]]] = {}
            for row in table.rows:
                words = [cell_words(cell, column) for cell, column in zip(row[1:], table.columns[1:], strict=True)]
                room -= embedded_size(words) + 2
                if room < 0:
                    break
                rows.setdefault(cut(str(row[0]), 1_000), []).append(words)
            if rows:
                title = readable(" · ".join(part for part in (sheet.title, table.title) if part))
                found.append({"title": title, "columns": columns, "rows": rows})
    return found
