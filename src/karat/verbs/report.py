"""``karat report``: a result as Excel, HTML and JSON files."""

from __future__ import annotations

from pathlib import Path

from karat.core import plugins
from karat.core.results.result import RunResult


def write_reports(
    result: RunResult, *, json: str | Path | None = None, xlsx: Path | None = None, html: Path | None = None
) -> list[str]:
    """Write what is asked for; returns the names of the files."""
    written: list[str] = []
    if xlsx is not None or html is not None:
        from karat.reports.full_report import whole_report

        suite = plugins.load_suite(result.run.suite)
        report = whole_report(result, suite)
        if xlsx is not None:
            from karat.reports.excel.workbook import write_xlsx

            write_xlsx(report, xlsx)
            written.append(str(xlsx))
        if html is not None:
            from karat.reports.html.report import write_html
            from karat.stats.intervals.estimates import estimate

            write_html(result, report, suite.metrics_for(result.run.headline), estimate, html)
            written.append(str(html))
    if json is not None:
        from karat.reports.json import write_json

        write_json(result, Path(json))
        written.append(str(json))
    return written
