"""The whole report of a run: what its suite says of it, and what every report contains.

Told alike: metrics of plug-ins, several tries at a case, failure groups, and what people say of the cases. Nothing is
added to a run that has none of these.
"""

from __future__ import annotations

import msgspec

from karat.core.report import Report, Sheet, Table
from karat.core.results.result import RunResult
from karat.core.suite import Suite
from karat.reports.sections.added_metrics import added, added_sheet, added_table
from karat.reports.sections.attempts import tries_tables
from karat.reports.sections.expectations import expectations_sheet, expectations_table, expected_metrics
from karat.reports.sections.failure_groups import groups_sheet
from karat.reports.sections.judged import judge_sheet
from karat.reports.sections.reviews import reviewed_table, reviews_sheet
from karat.stats.intervals.estimates import estimate
from karat.stats.repeats import tries_of

STATISTICS, ABOUT = "Statistics", "About"


def whole_report(result: RunResult, suite: Suite) -> Report:
    """For any writer of reports (Excel, HTML)."""
    report = suite.report(result, estimate)
    metrics = suite.metrics_for(result.run.headline)
    tries = tries_of(result, metrics)
    reviewed = reviewed_table(result, metrics)
    more = added(metrics, result)
    expected = expected_metrics(metrics, result)
    tables = (
        *((expectations_table(result, expected),) if expected else ()),
        *((added_table(result, more),) if more else ()),
        *(tries_tables(tries) if tries else ()),
        *((reviewed,) if reviewed else ()),
    )
    sheets = _with_tables(report.sheets, tables) if tables else report.sheets
    sheets = _before_about(sheets, added_sheet(result, more)) if more else sheets
    sheets = _before_about(sheets, expectations_sheet(result, expected)) if expected else sheets
    groups = groups_sheet(result, metrics)
    sheets = _before_about(sheets, groups) if groups else sheets
    for more_sheet in (reviews_sheet(result, metrics), judge_sheet(result)):
        sheets = _before_about(sheets, more_sheet) if more_sheet else sheets
    return Report(report.title, sheets)


def _with_tables(sheets: tuple[Sheet, ...], tables: tuple[Table, ...]) -> tuple[Sheet, ...]:
    """The tables follow those of the sheet of statistics; where a suite has none, they make one."""
    if all(sheet.title != STATISTICS for sheet in sheets):
        return _before_about(sheets, Sheet(STATISTICS, tables))
    return tuple(
        msgspec.structs.replace(sheet, tables=(*sheet.tables, *tables)) if sheet.title == STATISTICS else sheet
        for sheet in sheets
    )


def _before_about(sheets: tuple[Sheet, ...], added: Sheet) -> tuple[Sheet, ...]:
    last = next((place for place, sheet in enumerate(sheets) if sheet.title == ABOUT), len(sheets))
    return (*sheets[:last], added, *sheets[last:])
