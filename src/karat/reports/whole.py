"""The whole report of a run: what its suite tells of it, and what is told of every run alike."""

from __future__ import annotations

from karat.core.report import Report
from karat.core.result import RunResult
from karat.core.suite import Suite
from karat.stats.intervals import estimate


def whole_report(result: RunResult, suite: Suite) -> Report:
    """For any writer of reports (Excel, HTML)."""
    return suite.report(result, estimate)
