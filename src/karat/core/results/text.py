"""A result in a few lines, as ``repr`` and a notebook show it. Escaped, self-contained, no script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.problems import count_of
from karat.core.results.html import STYLE
from karat.core.results.html import one_line as _line
from karat.core.results.result import interval_text, why_no_interval

if TYPE_CHECKING:
    from karat.core.results.result import MetricSummary, RunResult

WIDTH, HEIGHT, LEFT = 300, 22, 8
"""Of the plot: its axis from 0 to 1, the height of a row, the space before the axis."""
TITLE = 40
"""Characters of a metric's title."""


def headline_metrics(result: RunResult) -> list[tuple[Metric, MetricSummary]]:
    """The metrics that the suite puts first, with their figures; of a suite that is not installed, the first three."""
    known = known_metrics(result)
    found = [(metric, item) for item in result.summary if (metric := known[item.metric]).headline]
    return found or [(known[item.metric], item) for item in result.summary[:3]]


def known_metrics(result: RunResult) -> dict[str, Metric]:
    """The suite's metrics by their names, and a stand-in for every one that it does not have."""
    from karat.core import plugins
    from karat.core.problems import UserError
    from karat.core.results.usage import USAGE
    from karat.core.scores import not_applicable

    try:
        metrics = (*plugins.load_suite(result.run.suite).metrics_for(result.run.headline), *USAGE)
    except UserError:
        metrics = USAGE
    named = {metric.name: metric for metric in metrics}
    unknown = not_applicable("the suite is not installed")
    return {
        item.metric: named.get(item.metric) or Metric(item.metric, item.metric, "", lambda _: unknown)
        for item in result.summary
    }


def as_text(result: RunResult) -> str:
    """Suite, run, cases by state, and the headline figures with their intervals."""
    lines = [f"RunResult  {_line(_title(result))}", f"  {_line(_states(result))}"]
    shown = headline_metrics(result)
    titles = [_line(metric.title, TITLE) for metric, _ in shown]
    width = max(map(len, titles), default=0)
    for title, (_, item) in zip(titles, shown, strict=True):
        errors = f"  errors as 0: {figure(item.with_errors_as_zero)}" if item.with_errors_as_zero is not None else ""
        lines.append(f"  {title.ljust(width)}  {figure(item.mean):>7}  {interval(item):<17}  over {item.n:,}{errors}")
    if result.problems:
        lines.append(f"  {count_of(len(result.problems), 'problem')}: see .problems")
    return "\n".join(lines)


def as_html(result: RunResult) -> str:
    """A table of the headline figures beside a plot of their intervals; the other metrics in a part that unfolds."""
    shown = headline_metrics(result)
    names = {item.metric for _, item in shown}
    known = known_metrics(result)
    rest = [(known[item.metric], item) for item in result.summary if item.metric not in names and item.mean is not None]
    parts = [f"<p><b>{escape(_line(_title(result)))}</b><br/>{escape(_line(_states(result)))}</p>", _table(shown)]
    parts.append(_plot([(metric, item) for metric, item in shown if metric.kind != "quantity"]))
    if result.problems:
        lines = "".join(f"<li>{escape(_line(problem.message))}</li>" for problem in result.problems[:5])
        parts.append(f"<p>{count_of(len(result.problems), 'problem')}</p><ul>{lines}</ul>")
    if rest:
        parts.append(f"<details><summary>{count_of(len(rest), 'more metric')}</summary>{_table(rest)}</details>")
    return f'<div style="{STYLE}">{"".join(parts)}</div>'


def figure(value: float | None) -> str:
    """A number as it is shown; ``n/a`` where there is none."""
    if value is None:
        return "n/a"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"


def interval(item: MetricSummary) -> str:
    """``0.500 – 0.800``; where there is none, why."""
    if item.low is None or item.high is None:
        return why_no_interval(item.n)
    return interval_text(item.low, item.high, figure)


def _title(result: RunResult) -> str:
    run = result.run
    return " · ".join(
        part for part in (run.suite, run.id or "not stored", run.name, run.system, run.started[:16]) if part
    )


def _states(result: RunResult) -> str:
    counts = [f"{count:,} {state.replace('_', ' ')}" for state, count in result.status_counts().items()]
    return f"{count_of(len(result.cases), 'case')}: {', '.join(counts)}" if counts else "no cases"


def _table(rows: list[tuple[Metric, MetricSummary]]) -> str:
    errors = any(item.with_errors_as_zero is not None for _, item in rows)
    head = ["metric", "mean", "95 % interval", "over", *(["errors as 0"] if errors else [])]
    lines = ["<tr>" + "".join(f"<th>{title}</th>" for title in head) + "</tr>"]
    for metric, item in rows:
        cells = [metric.title, figure(item.mean), interval(item), f"{item.n:,}"]
        cells += [figure(item.with_errors_as_zero)] if errors else []
        lines.append("<tr>" + "".join(f"<td>{escape(_line(cell))}</td>" for cell in cells) + "</tr>")
    return f"<table>{''.join(lines)}</table>"


def _plot(rows: list[tuple[Metric, MetricSummary]]) -> str:
    """A dot for each mean with a line for its interval, on an axis from 0 to 1."""
    drawn = [(metric, item) for metric, item in rows if item.mean is not None and 0 <= item.mean <= 1]
    if not drawn:
        return ""
    bottom = HEIGHT * len(drawn) + 4
    parts = []
    for mark in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = LEFT + WIDTH * mark
        parts.append(f'<line x1="{x:g}" y1="0" x2="{x:g}" y2="{bottom}" stroke="currentColor" stroke-opacity="0.15"/>')
        parts.append(
            f'<text x="{x:g}" y="{bottom + 12}" font-size="10" text-anchor="middle" fill="currentColor">{mark:g}</text>'
        )
    for place, (metric, item) in enumerate(drawn):
        y = HEIGHT * place + HEIGHT / 2
        if item.low is not None and item.high is not None:
            low, high = (LEFT + WIDTH * min(max(end, 0.0), 1.0) for end in (item.low, item.high))
            parts.append(
                f'<line x1="{low:.1f}" y1="{y:g}" x2="{high:.1f}" y2="{y:g}" stroke="currentColor" stroke-width="3"/>'
            )
        told = escape(_line(f"{metric.title} {figure(item.mean)} ({interval(item) or 'no interval'})"))
        parts.append(
            f'<circle cx="{LEFT + WIDTH * (item.mean or 0.0):.1f}" cy="{y:g}" r="4.5" '
            f'fill="currentColor"><title>{told}</title></circle>'
        )
        parts.append(
            f'<text x="{LEFT + WIDTH + 12}" y="{y + 4:g}" font-size="12" '
            f'fill="currentColor">{escape(_line(metric.title, TITLE))}</text>'
        )
    size = f'width="{LEFT + WIDTH + 220}" height="{bottom + 18}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" '
        f'aria-label="means with their 95 % intervals">{"".join(parts)}</svg>'
    )
