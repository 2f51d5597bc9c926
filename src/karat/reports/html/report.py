"""The report of a run as one HTML file that can be mailed: styles, scripts and figures inside, no request to anywhere.

Whatever the data says, it is text. The template escapes it, the script writes it as text content, the embedded JSON
cannot end its element, and a Content-Security-Policy runs only the scripts whose hashes it names, with ``eval`` off.
The size is bounded by bytes: see the limits in ``cases`` and ``page``; what was left out is said where it would be.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from karat.core.files.atomic import write_bytes
from karat.core.json_types import JsonObject
from karat.core.problems import count_of
from karat.core.report import Report
from karat.core.results.result import Estimator, RunResult
from karat.core.results.usage import USAGE
from karat.core.suite import Metric
from karat.reports.html.case_forms import rendered_forms
from karat.reports.html.cases import case_records, overview_table
from karat.reports.html.page import MOST_FIGURES, SummaryRow, sections, shown_metrics, summary_rows, tables_by_case
from karat.reports.html.text import cut, embedded_json, readable
from karat.reports.plots.figures import plot_config, run_plots
from karat.reports.reviews import MEANING, reviewed_words
from karat.stats.reviewed import reviewed_rates

CASE_TABLES_ROOM = 200_000
MOST_ROWS = 12
"""More metrics than this, and those that are no headline are folded away."""
SCRIPTS = ("vega/vega.min.js", "vega-lite/vega-lite.min.js", "vega-interpreter/vega-interpreter.js", "report.js")
LICENCES = ("vega/LICENSE", "vega/LICENSE-bundled", "vega-lite/LICENSE", "vega-interpreter/LICENSE")


def write_html(result: RunResult, report: Report, metrics: Sequence[Metric], estimate: Estimator, path: Path) -> None:
    """Write the page; what stood at the path before is replaced in one step, or kept when this fails."""
    write_bytes(path, html_report(result, report, metrics, estimate).encode())


def html_report(result: RunResult, report: Report, metrics: Sequence[Metric], estimate: Estimator) -> str:
    """The whole page. ``report`` is what the suite made of the result, ``metrics`` are the suite's."""
    shown = shown_metrics(result, (*metrics, *USAGE))
    found = overview_table(report, result.cases)
    overview_sheet, overview = found if found else (None, None)
    parts, charts = sections(report, overview_sheet)
    general = run_plots(result, shown, estimate)
    records = case_records(result.cases, shown, overview, result.reviews)
    data = {
        "metrics": [_metric(metric) for metric in shown],
        **records,
        "tables": tables_by_case(report, overview_sheet, result.cases, CASE_TABLES_ROOM),
        "plots": [plot.spec for plot in (*general, *charts)],
        "config": plot_config(),
    }
    rows = summary_rows(result, shown, {rate.metric: rate.reviewed for rate in reviewed_rates(result, metrics)})
    return _page(
        title=cut(report.title, 200),
        facts=_facts(result),
        figures=[row for row in rows if row.headline][:MOST_FIGURES],
        rows=rows,
        reviewed=f"{reviewed_words(result)}. {MEANING}" if any(row.reviewed for row in rows) else "",
        summary_rows=_rows_at_once(rows),
        with_errors=any(row.with_errors for row in rows),
        statuses=[(status.replace("_", " "), f"{count:,}") for status, count in result.status_counts().items()],
        plots=list(enumerate(general)),
        sections=[(part, [(len(general) + number, charts[number]) for number in part.plots]) for part in parts],
        total=len(result.cases),
        kept=len(records["cases"]),
        forms=rendered_forms(result.run.suite, result.cases[: len(records["cases"])]),
        data=embedded_json(data),
    )


def _rows_at_once(rows: Sequence[SummaryRow]) -> int:
    """All of a few metrics stand open; of many only the headlines, which come first."""
    return len(rows) if len(rows) <= MOST_ROWS else sum(row.headline for row in rows) or MOST_ROWS


def _metric(metric: Metric) -> JsonObject:
    return {
        "name": readable(metric.name),
        "title": readable(metric.title),
        "formula": readable(metric.formula),
        "kind": metric.kind,
        "headline": metric.headline,
        "higher": metric.higher_is_better,
    }


def _facts(result: RunResult) -> list[str]:
    """What run this is, in a line."""
    run = result.run
    said = (
        run.id,
        run.suite,
        f"system {run.system}" if run.system else "",
        count_of(len(result.cases), "case"),
        f"{run.repeats} repeats" if run.repeats > 1 else "",
        f"truth set {run.truth_set}" if run.truth_set else "",
        f"prompt {run.prompt}" if run.prompt else "",
        run.started,
        ", ".join(run.tags),
        f"karat {run.karat}" if run.karat else "",
    )
    return [cut(text, 120) for text in said if text]


# -- putting it together ----------------------------------------------------------------------------------------------


def _page(**values: object) -> str:
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    style, scripts = asset("report.css"), [asset(name) for name in SCRIPTS]
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("karat.reports").joinpath("templates/report.html.j2").read_text("utf-8"))
    return template.render(
        values,
        policy=content_policy(),
        data=Markup(values["data"]),  # noqa: S704 (embedded_json leaves no "<" in it)
        style=Markup(style),  # noqa: S704 (a file of this package)
        scripts=[Markup(script) for script in scripts],  # noqa: S704 (files of this package)
        licences=[(name.partition("/")[0], asset(name)) for name in LICENCES],
    )


@cache
def content_policy() -> str:
    """What the page may do, as it says itself: run its own scripts, and load nothing."""
    hashes = " ".join(f"'{digest(asset(name))}'" for name in SCRIPTS)
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {hashes}",
            f"style-src '{digest(asset('report.css'))}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


@cache
def asset(name: str) -> str:
    """A file that the page carries."""
    return files("karat.reports").joinpath("assets", *name.split("/")).read_text("utf-8")


def digest(text: str) -> str:
    """The hash of an inline script or style, as a Content-Security-Policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
