"""``karat.report`` and ``karat report``: a result as Excel, HTML and JSON files."""

from __future__ import annotations

from pathlib import Path

from karat.core import plugins
from karat.core.files.destinations import refuse_unwritable
from karat.core.results.result import RunResult
from karat.verbs.inputs.projects import open_store_here
from karat.verbs.runs import stored_result


def report(
    run: RunResult | str = "latest",
    *,
    xlsx: str | Path | None = None,
    html: str | Path | None = None,
    json: str | Path | None = None,
    store: str | Path = "",
    config: str | Path | None = None,
) -> list[str]:
    """Write the report of a run to files, and return their names.

    ``run`` is a result, or a stored run: ``r-0012``, ``12``, ``latest``, its name or tag. Without ``xlsx``, ``html``
    and ``json``, the report is an Excel file in the current folder, named after the run.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["lemon"]}], [{"id": "q1", "results": ["lemon"]}]
    >>> result = karat.score(suite="retrieval", cases=cases, predictions=answers)
    >>> karat.report(result, html="report.html", json="report.json")
    ['report.html', 'report.json']
    """
    refuse_unwritable(xlsx, html, json)
    if not isinstance(run, RunResult):
        with open_store_here(store, config) as opened:
            run = stored_result(opened, run)
    if xlsx is None and html is None and json is None:
        xlsx = default_file(run)
    return write_reports(run, json=json, xlsx=_path(xlsx), html=_path(html))


def default_file(result: RunResult) -> Path:
    """Where a report goes if nothing else is said: an Excel file named after the run, or its suite if it has no id."""
    return Path(f"{result.run.id or result.run.suite}.xlsx")


def _path(file: str | Path | None) -> Path | None:
    return None if file is None else Path(file)


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
