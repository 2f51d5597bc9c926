"""A run on the terminal while it goes on: the figures so far, what went wrong most often, the newest wrong answer. As
few lines as tell it, below the bar."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from karat.core.problems import count_of
from karat.core.results.failures.failure_groups import FailureGroup
from karat.core.results.result import interval_text, why_no_interval
from karat.reports.console.page import Span, fit, plain
from karat.reports.console.run import figure
from karat.reports.live_run import LiveBaseline, LiveFigure, LiveRun
from karat.reports.sections.failure_groups import change_words

GROUPS = 3
"""Failure groups that are named."""
TITLE = 24
"""Characters of a label on the left."""


def live_lines(live: LiveRun, cases: int, baseline: LiveBaseline | None = None) -> list[list[Span]]:
    """The lines, each as texts with their styles; none before the first case is scored. ``cases``: of the whole
    run."""
    if not len(live):
        return []
    lines = [_figure(one, baseline) for one in live.figures(baseline)]
    lines.append([("  " + _counts(live, cases), "dim")])
    groups = [group for group in live.groups(baseline).groups if group.cases]
    lines += [_group(group) for group in groups[:GROUPS]]
    for case in live.newest_wrong(1):
        why = plain(case.headline or case.outcome)
        lines.append([("  newest  ", "dim"), (f"{plain(case.case_id)}  ", ""), (why, "red")])
    return lines


def live_words(live: LiveRun) -> str:
    """The same for a log, in a few words: ``fully right 0.681 (0.647 – 0.713)``."""
    figures = live.figures() if len(live) else []
    main = next((one for one in figures if one.kind == "rate"), figures[0] if figures else None)
    if main is None or main.estimate.mean is None:
        return ""
    return f"{main.title} {figure(main.estimate.mean, main.kind)} ({_interval(main)})"


def _figure(one: LiveFigure, baseline: LiveBaseline | None) -> list[Span]:
    own = one.estimate
    spans: list[Span] = [
        (f"  {fit(one.title, TITLE)}  ", ""),
        (f"{figure(own.mean, one.kind):>7}", "bold"),
        (f"    {_interval(one):<15}  {own.n:>6,}", ""),
    ]
    if baseline is not None and one.difference is not None:
        gap = one.difference.mean
        sign = f"{gap:+.4g}" if one.kind == "quantity" else f"{gap:+.3f}"
        spans.append((f"   {sign.replace('-', '−')} against {baseline.name}", "dim"))
    return spans


def _interval(one: LiveFigure) -> str:
    own = one.estimate
    if own.low is None or own.high is None:
        return why_no_interval(own.n)
    return interval_text(own.low, own.high, partial(figure, kind=one.kind))


def _counts(live: LiveRun, cases: int) -> str:
    """``scored 764 · right 518 · wrong 243 · error 3 · cost 6.11 of about 9.60``."""
    words = [f"scored {len(live):,}"]
    found = live.outcomes()
    words += [f"{name.replace('_', ' ')} {found[name]:,}" for name in _OUTCOMES if found[name]]
    if (cost := live.cost()) is not None:
        in_all = f" of about {figure(cost / len(live) * cases, 'quantity')}" if live.at_random else ""
        words.append(f"cost {figure(cost, 'quantity')}{in_all}")
    elif (tokens := live.tokens()) is not None:
        words.append(f"{tokens:,.0f} tokens")
    if not live.at_random:
        words.append("in the order of the file")
    return " · ".join(words)


_OUTCOMES: Sequence[str] = ("right", "wrong", "needs_review", "error", "missing", "not_applicable")


def _group(group: FailureGroup) -> list[Span]:
    change = change_words(group)
    more = f", {change}" if change and change != "same" else ""
    return [(f"  {count_of(group.cases, 'case'):>{TITLE}}  ", "dim"), (plain(group.label), ""), (more, "bold")]
