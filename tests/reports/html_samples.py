"""Runs for the HTML report: as many cases as asked for, and one text in every place where a file or a model may put
one."""

from __future__ import annotations

from typing import Any

import msgspec

from karat.core.metric import Kind, Metric
from karat.core.report import Chart, Column, Report, Series, Sheet, Table, about_sheet
from karat.core.results.result import CaseResult, CaseReview, MetricSummary, RepeatResult, RunInfo, RunResult
from karat.core.scores import Score, State, not_applicable
from karat.reports.html.report import html_report
from karat.stats.intervals.estimates import estimate
from tests.reports.sample_results import METRICS, dimension

UNICODE = "שלום עולם · مرحبا · 👩‍👩‍👧‍👦 · e\u0301 · \u202egnp.exe · \x00\x1b[31m · \ud800 · \u2028\u2029 · 漢字"
PAYLOADS = (
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 1</script>",
    "<!--<script>window.hit = 1",
    "<img src=x onerror='window.hit = 1'>",
    '"><svg onload=window.hit=1>',
    "' onmouseover='window.hit=1' x='",
    "</title></style></textarea><iframe srcdoc='<script>parent.hit=1</script>'>",
    "{{ 7 * 7 }}{% for x in y %}${alert(1)}#{1}",
    '=HYPERLINK("http://example.org","x")',
    "javascript:window.hit=1",
    "datum['x'] || toString.constructor('window.hit=1')()",
    "__proto__",
    "&lt;script&gt;&#60;",
    "\u2028</script\u2029>",
)


def a_case(number: int, status: State = "scored") -> CaseResult:
    """A case like those of a real run: two dimensions, tags, a metric without a value now and then."""
    if status != "scored":
        scores = {metric.name: Score(None, status, "429 after 5 tries") for metric in METRICS}
        return CaseResult(
            f"case_{number}", status, scores, {}, "", ("weo",), f"Question {number}?", "429 after 5 tries"
        )
    recall, precision = (number % 5) / 4, (number % 3) / 2
    scores = {
        "macro_recall": Score(recall),
        "macro_precision": Score(precision) if number % 7 else not_applicable("nothing was selected"),
        "macro_f1": Score(0.5),
        "macro_recall_by_id": Score(recall),
        "fully_right": Score(float(recall == precision == 1.0)),
    }
    details = {
        "dimensions": [dimension("INDICATOR", 2, 1, number % 4), dimension("COUNTRY", 3, 0, 0)],
        "label_drift": [],
    }
    tags = (("weo", "bis", "trade")[number % 3], "all")
    return CaseResult(
        f"case_{number}", "scored", scores, details, f"Name {number}", tags, f"How did GDP move in {1900 + number}?"
    )


def summarised(
    cases: list[CaseResult], info: RunInfo | None = None, metrics: tuple[Metric, ...] = METRICS
) -> RunResult:
    """The cases with their averages."""
    rows = []
    for metric in metrics:
        scores = [case.scores[metric.name] for case in cases if metric.name in case.scores]
        found = estimate([score.value for score in scores if score.value is not None], metric.kind)
        undefined = sum(score.state == "not_applicable" for score in scores)
        rows.append(MetricSummary(metric.name, found.mean, found.n, found.low, found.high, undefined))
    return RunResult(info or RunInfo("data_query", "r-0001", "weo", "assistant", len(cases)), tuple(rows), tuple(cases))


def a_report(result: RunResult) -> Report:
    """A small report: a row a case, a table with a chart, About."""
    overview = Table(
        (Column("id"), Column("why", "wrapped")), tuple((case.id, f"because of {case.id}") for case in result.cases)
    )
    curve = Table((Column("n", "count"), Column("recall", "score")), tuple((n, n / 10) for n in range(1, 11)), "Curve")
    chart = Chart(
        "Recall against n", "n", "recall", (Series("bm25", 0, 1, 0, 9), Series("chosen", 0, 1, 4, 4, marked=True))
    )
    return Report(
        "weo: report",
        (Sheet("Overview", (overview,)), Sheet("Curves", (curve,), charts=(chart,)), about_sheet(result, METRICS)),
    )


def page_of(cases: list[CaseResult]) -> str:
    """The HTML report of these cases."""
    result = summarised(cases)
    return html_report(result, a_report(result), METRICS, estimate)


def page_of_text(text: str) -> str:
    """A report with one text wherever a text can stand: ids, tags, reasons, reviews, keys and values, titles, headings,
    cells."""
    kinds: dict[str, Kind] = {"recall": "share", "precision": "share", "passed": "rate"}
    metrics = tuple(
        Metric(f"{text} {name}", f"{text} {name}", text, METRICS[0].score, kind=kind, headline=True)
        for name, kind in kinds.items()
    )
    details: dict[str, Any] = {text: [text, {text: text}], "n": 1}
    scores = {metric.name: Score(value, reason=text) for metric, value in zip(metrics, (0.5, 1.0, 1.0), strict=True)}
    undefined = {metric.name: Score(None, "not_applicable", text) for metric in metrics}
    cases = [
        CaseResult(f"{text} a", "scored", scores, details, text, (text, f"{text} b"), text, ""),
        CaseResult(f"{text} b", "scored", undefined, {}, text, (text,), text, text),
        CaseResult(
            f"{text} c",
            "error",
            {},
            details,
            text,
            (),
            text,
            text,
            (RepeatResult("error", {}, {}, text), RepeatResult("scored", scores)),
        ),
    ]
    info = RunInfo(text, text, text, text, 3, 2, text, text, text, text, text, {text: text}, (text,))
    reviews = (CaseReview(f"{text} a", "accept", text, text, text), CaseReview(f"{text} b", text))
    result = msgspec.structs.replace(summarised(cases, info, metrics), reviews=reviews)
    overview = Table((Column("id"), Column(text, "wrapped")), tuple((case.id, text) for case in cases))
    columns = (Column(text), Column(f"{text} x", "number"), Column(f"{text} y", "score"), Column("code", "wrapped"))
    rows = tuple((case.id, float(place), 0.5, text) for place, case in enumerate(cases))
    chart = Chart(text, text, text, (Series(text, 1, 2, 0, 2), Series(text, 1, 2, 1, 1, marked=True)))
    report = Report(
        text,
        (
            Sheet("Overview", (Table(overview.columns, overview.rows),)),
            Sheet(text, (Table(columns, rows, text, text),), charts=(chart,)),
            about_sheet(result, metrics),
        ),
    )
    return html_report(result, report, metrics, estimate)
