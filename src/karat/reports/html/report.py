"""The report of a run as one HTML file that can be mailed: styles, scripts and figures inside, no request to anywhere.

Whatever the data says, it is text. The template escapes it, the script writes it as text content, the embedded JSON
cannot end its element, and a Content-Security-Policy runs only the scripts whose hashes it names, with ``eval`` off.
The size is bounded by bytes: see the limits in ``cases`` and ``page``; what was left out is said where it would be.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from karat.core.files.atomic import write_bytes
from karat.core.json_types import JsonObject
from karat.core.metric import Metric
from karat.core.problems import count_of
from karat.core.report import Report
from karat.core.results.columns.columns import cases_at
from karat.core.results.result import Estimator, RunResult
from karat.core.results.usage import USAGE
from karat.reports.html.case_forms import rendered_forms
from karat.reports.html.cases import MOST_CASES, case_records, overview_table
from karat.reports.html.gallery import gallery_of
from karat.reports.html.order import worst_first
from karat.reports.html.page import MOST_FIGURES, Section, sections, shown_metrics, summary_rows, tables_by_case
from karat.reports.html.text import FILTERS, cut, embedded_json, readable
from karat.reports.html.where_it_fails import answer_sentence, where_it_fails
from karat.reports.look.palette import chosen_by_reader
from karat.reports.plots.figures import plot_config, run_plots
from karat.reports.sections.outcomes_by_tag import main_metric
from karat.reports.sections.reuse import reuse_words
from karat.reports.sections.reviews import MEANING, reviewed_words, when
from karat.stats.reviewed import reviewed_rates

CASE_TABLES_ROOM = 200_000
SCRIPTS = ("vega/vega.min.js", "vega-lite/vega-lite.min.js", "vega-interpreter/vega-interpreter.js", "report.js")
LICENCES = ("vega/LICENSE", "vega/LICENSE-bundled", "vega-lite/LICENSE", "vega-interpreter/LICENSE")


def write_html(result: RunResult, report: Report, metrics: Sequence[Metric], estimate: Estimator, path: Path) -> None:
    """Write the page; what stood at the path before is replaced in one step, or kept when this fails."""
    write_bytes(path, html_report(result, report, metrics, estimate).encode())


def html_report(
    result: RunResult,
    report: Report,
    metrics: Sequence[Metric],
    estimate: Estimator,
    back: str = "",
    menu: Collection[str] = (),
    *,
    every: RunResult | None = None,
    left_out: str = "",
) -> str:
    """The whole page. ``report`` is what the suite made of the result, ``metrics`` are the suite's. In the viewer it
    has the viewer's head with the pages of ``menu``, and ``back`` is the page that it was opened from. ``every``: all
    cases, where the result has only those that are listed; ``left_out`` says what the page does not have."""
    whole = result if every is None else every
    shown = shown_metrics(whole, (*metrics, *USAGE))
    found = overview_table(report, result.cases)
    overview_sheet, overview = found if found else (None, None)
    parts, charts = sections(report, overview_sheet)
    parts += [Section("More tables", (), note=left_out)] if left_out else []
    general = run_plots(whole, shown, estimate)
    order = worst_first(result, shown, MOST_CASES)
    cases = cases_at(result.cases, order)
    own = None if overview is None else msgspec.structs.replace(overview, rows=tuple(overview.rows[n] for n in order))
    records = case_records(cases, shown, own, result.reviews, result.run.suite)
    main = main_metric(whole, shown)
    data = {
        "metrics": [_metric(metric) for metric in shown],
        "verdict": -1 if main is None or main.kind != "rate" or not main.higher_is_better else shown.index(main),
        **records,
        "tables": tables_by_case(report, overview_sheet, result.cases, CASE_TABLES_ROOM),
        "plots": [plot.spec for plot in (*general, *charts)],
        "config": plot_config(),
    }
    rows = summary_rows(whole, shown, {rate.metric: rate.reviewed for rate in reviewed_rates(whole, metrics)})
    forms = rendered_forms(result.run.suite, cases[: len(records["cases"])])
    figures = [row for row in rows if row.headline][:MOST_FIGURES]
    if main is not None and main.held_out_by not in {metric.name for metric in shown}:
        figures.sort(key=lambda row: row.title != readable(main.title))  # what the title says comes first
    return _page(
        back=back,
        menu=menu,
        title=cut(report.title, 200),
        answer=answer_sentence(whole, shown),
        fails=where_it_fails(whole, shown),
        facts=_facts(whole),
        figures=figures,
        rows=[row for row in rows if row not in figures],
        reviewed=f"{reviewed_words(whole)}. {MEANING}" if any(row.reviewed for row in rows) else "",
        with_errors=any(row.with_errors for row in rows),
        statuses=[(status.replace("_", " "), f"{count:,}") for status, count in whole.status_counts().items()],
        plots=list(enumerate(general)),
        sections=[(part, [(len(general) + number, charts[number]) for number in part.plots]) for part in parts],
        total=len(whole.cases),
        kept=len(records["cases"]),
        forms=[(form.place, form.text) for form in forms],
        gallery=gallery_of([form.shot for form in forms if form.shot is not None]),
        data=embedded_json(data),
    )


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
        f"reused: {told}" if (told := reuse_words(result)) else "",
        when(run.started),
        ", ".join(run.tags),
        f"karat {run.karat}" if run.karat else "",
    )
    return [cut(text, 160) for text in said if text]


# -- putting it together ----------------------------------------------------------------------------------------------


def _page(**values: object) -> str:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    scripts = [asset(name) for name in SCRIPTS]
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("karat.reports", "templates"), PackageLoader("karat.reports", "look")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    template = environment.get_template("report.html.j2")
    return template.render(
        values,
        policy=content_policy(),
        data=Markup(values["data"]),  # noqa: S704 (embedded_json leaves no "<" in it)
        style=Markup(page_style()),  # noqa: S704 (files of this package)
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
            f"style-src '{digest(page_style())}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


@cache
def page_style() -> str:
    """Tokens and components, which the viewer has too, and what only this page needs."""
    components = files("karat.reports").joinpath("look", "components.css").read_text("utf-8")
    return "\n".join((chosen_by_reader(), components, asset("report.css")))


@cache
def asset(name: str) -> str:
    """A file that the page carries."""
    return files("karat.reports").joinpath("assets", *name.split("/")).read_text("utf-8")


def digest(text: str) -> str:
    """The hash of an inline script or style, as a Content-Security-Policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
