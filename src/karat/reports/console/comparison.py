"""A comparison in the terminal: warnings, the difference of each headline metric, where it comes from, which cases
changed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from karat.core.metric import Kind
from karat.core.problems import count_of
from karat.core.results.result import interval_text, why_no_interval
from karat.reports.compare.changes import SECTIONS, Change
from karat.reports.compare.comparison import (
    Compared,
    answer_lines,
    differ_in_system,
    headline_sentence,
    label,
    moves_text,
    outcome,
    same_prompt,
)
from karat.reports.console.page import LABEL, Page, fit, plain
from karat.reports.console.run import figure
from karat.reports.sections.failure_groups import change_words, moved_groups

if TYPE_CHECKING:
    from rich.console import Console

    from karat.stats.compare.paired import Difference
    from karat.stats.compare.records import MetricComparison

FEW = 5
"""Cases of a kind, and parts of a breakdown, that the terminal shows."""
COLOURS = {"better": "green", "worse": "red"}
WIDEST = 48
"""Characters of an id that a screen shows."""


def print_comparison(item: Compared, console: Console, *, saved: Sequence[str] = ()) -> None:
    """Print one comparison; ``saved`` says where files were put."""
    page = Page(console)
    first, second = plain(label(item.a)), plain(label(item.b))
    systems = f" · {plain(item.a.system)} → {plain(item.b.system)}" if differ_in_system(item) else ""
    head = f" · {count_of(item.comparison.n_shared, 'case')} in both{systems}{plain(same_prompt(item))}"
    page.line([(f"A {first} → B {second}", "bold"), (f"   {plain(item.b.suite)}{head}", "")], whole=True)
    page.line([(plain(headline_sentence(item)), "bold")], whole=True)
    for warning in item.comparison.warnings:
        page.line([("warning  ", "bold yellow"), (plain(warning), "yellow")], whole=True)
    if item.comparison.n_shared:
        _table(page, item, first, second)
        _breakdown(page, item)
        _failure_groups(page, item)
    _changes(page, item)
    _judged(page, item)
    for number, name in enumerate(saved):
        page.line([(("" if number else "saved").ljust(LABEL), "dim"), (plain(name), "")], whole=True)


def _table(page: Page, item: Compared, first: str, second: str) -> None:
    """A line a metric. Where the screen is too narrow, the verdict comes beside the difference and the rest goes
    below."""
    shown = [m for m in item.comparison.metrics if m.headline] or list(item.comparison.metrics[:3])
    rows = [_row(metric) for metric in shown]
    width = max([16, *(len(metric.title) for metric in shown)])
    said = max(len(row.verdict) for row in rows) if rows else 0
    one, two = max(len(first), 8), max(len(second), 8)
    stacked = page.cuts and 2 + width + 2 + one + 2 + two + 2 + 10 + 39 + 3 + said > page.width
    if stacked and 2 + width + 2 + one + 2 + two + 2 + 10 + 3 + said > page.width:
        first, second, one, two = "A", "B", 8, 8
        width = max(12, min(width, page.width - 2 - 2 - 8 - 2 - 8 - 2 - 10 - 3 - said))
    head = f"  {'metric'.ljust(width)}  {first:>{one}}  {second:>{two}}  {'difference':>10}"
    more = f"    {'95 % interval':<17}  {'p':>6}  {'over':>6}"
    page.line([(head if stacked else head + more, "dim")])
    for metric, row in zip(shown, rows, strict=True):
        if row.undefined:
            page.line([(f"  {fit(metric.title, width)}  ", ""), (row.undefined, "dim")], whole=True)
            continue
        colour = COLOURS.get(row.verdict, "")
        alone = len(metric.title) > width  # too long for its column: on a line of its own
        if alone:
            page.line([(f"  {metric.title}", "")], whole=True)
        start = f"  {fit('' if alone else metric.title, width)}  {row.a:>{one}}  {row.b:>{two}}  "
        change, verdict = (f"{row.difference:>10}", f"bold {colour}".strip()), (f"   {row.verdict}", colour or "dim")
        if stacked:
            page.line([(start, ""), change, verdict], whole=True)
            page.line([(f"    95 % interval {row.interval}, p {row.p}, over {row.over}", "dim")])
        else:
            rest = f"    {row.interval:<17}  {row.p:>6}  {row.over:>6}"
            page.line([(start, ""), change, (rest, ""), verdict], whole=True)


class _Row(msgspec.Struct, frozen=True):
    """What the table says about a metric, as text."""

    undefined: str = ""
    a: str = ""
    b: str = ""
    difference: str = ""
    interval: str = ""
    p: str = ""
    over: str = ""
    verdict: str = ""


def _row(metric: MetricComparison) -> _Row:
    found, kind = metric.difference, metric.kind
    if found is None:
        return _Row(undefined=plain(metric.undefined) or "n/a")
    return _Row(
        a=figure(found.mean_a, kind),
        b=figure(found.mean_b, kind),
        difference=change_text(found.mean, kind),
        interval=interval(found, kind),
        p=p_text(metric.p_adjusted),
        over=f"{found.n:,}",
        verdict=outcome(metric),
    )


def change_text(value: float, kind: Kind = "share") -> str:
    """A difference with its sign."""
    if value == 0:
        return figure(0.0, "share" if kind != "quantity" else kind)
    return ("+" if value > 0 else "-") + figure(abs(value), kind)


def interval(found: Difference, kind: Kind = "share") -> str:
    """Both ends with their signs; where the cases tell none, why."""
    if found.low is None or found.high is None:
        return why_no_interval(found.n)
    return interval_text(found.low, found.high, partial(change_text, kind=kind))


def p_text(p: float | None) -> str:
    """A p-value as people write it."""
    return "n/a" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def _breakdown(page: Page, item: Compared) -> None:
    """The largest moves, by tag and by dimension, function or field: ``weo +0.10 (12)``."""
    headline = next((m.metric for m in item.comparison.metrics if m.headline), "")
    tags = [(t.tag, t.difference) for t in item.comparison.tags if t.metric == headline]
    _moves(page, "by tag", tags)
    kinds = list(dict.fromkeys(group.kind for group in item.comparison.groups))
    for kind in kinds:
        groups = [group for group in item.comparison.groups if group.kind == kind]
        metric = next((g.metric for g in groups if g.metric == headline), groups[0].metric)
        _moves(page, f"by {plain(kind)}", [(g.name, g.difference) for g in groups if g.metric == metric])


def _moves(page: Page, title: str, parts: Sequence[tuple[str, Difference | None]]) -> None:
    found = [(name, part) for name, part in parts if part is not None and part.mean != 0]
    found.sort(key=lambda pair: (-abs(pair[1].mean), pair[0]))
    if found:
        words = "   ".join(f"{plain(name)} {change_text(part.mean)} ({part.n:,})" for name, part in found[:FEW])
        page.wrapped(fit(title, LABEL - 1).rstrip(), [(words, "")])


def _failure_groups(page: Page, item: Compared) -> None:
    """The groups that grew or shrank: ``COUNTRY wrong: asked MEX, got USA · 22 → 41 cases, 19 more``."""
    moved = moved_groups(item.failure_groups, FEW) if item.failure_groups is not None else []
    for number, group in enumerate(moved):
        counts = f" · {group.baseline:,} → {count_of(group.on_same_cases or 0, 'case')}, {change_words(group)}"
        room = max(16, page.width - LABEL - len(counts))
        page.labelled("" if number else "fails by", [(page.fitted(plain(group.label), room), ""), (counts, "bold")])


def _changes(page: Page, item: Compared) -> None:
    counts = item.changes.sections()
    said = [f"{counts[name]:,} {word}" for name, word in SECTIONS.items() if counts[name]]
    page.labelled("cases", [(" · ".join(said) or "none changed", "bold")])
    shown = item.changes.firsts(("newly_wrong", "status", "newly_right", "worse", "mixed", "better"), FEW)
    for name, some in shown.items():
        for number, change in enumerate(some):
            _change(page, item, change, SECTIONS[name].partition(",")[0] if not number else "")
        if counts[name] > FEW:
            page.labelled("", [(f"{counts[name] - FEW:,} more in --html, --json, --markdown or --xlsx", "dim")])


def _judged(page: Page, item: Compared) -> None:
    """What a judge says otherwise: a list, and no claim."""
    found = item.judge
    if found is None:
        return
    said = f"{len(found.changes):,} of {count_of(found.both, 'verdict')} changed, by {found.version}"
    page.labelled("judge", [(said, "bold")])
    for change in found.changes[:FEW]:
        name = fit(plain(change.case), WIDEST).rstrip() if page.cuts else plain(change.case)
        page.wrapped("", [(name, "bold"), (f"  {change}", "dim")], most=2)
    if len(found.changes) > FEW:
        page.labelled("", [(f"{len(found.changes) - FEW:,} more in --html, --json, --markdown or --xlsx", "dim")])


def _change(page: Page, item: Compared, change: Change, title: str) -> None:
    """The case and its figures, then a line for each part that differs."""
    short = msgspec.structs.replace(change, moves=change.moves[:1])
    moved = moves_text(item, short)
    if change.a.status == change.b.status and len(change.moves) > 1:
        moved += f" and {len(change.moves) - 1} more"
    name = fit(plain(change.id), WIDEST).rstrip() if page.cuts else plain(change.id)
    page.wrapped(title, [(name, "bold"), (f"  {plain(moved)}", "dim")], most=2)
    lines = answer_lines(change, page.width)
    for line in lines[:FEW]:
        page.wrapped("", [(f"  {plain(line)}", "")], most=2)
    if len(lines) > FEW:
        page.labelled("", [(f"  {count_of(len(lines) - FEW, 'more part differs', 'more parts differ')}", "dim")])
