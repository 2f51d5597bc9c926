"""A comparison in the terminal: warnings, the difference of each headline metric, where it comes from, which cases changed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from karat.core.problems import count_of
from karat.core.result import interval_text, why_no_interval
from karat.core.suite import Kind
from karat.reports.comparison import Change, Compared, label, moves_text, outcome, same_prompt
from karat.reports.console import figure
from karat.reports.console_page import LABEL, Page, fit, plain

if TYPE_CHECKING:
    from rich.console import Console

    from karat.stats.paired import Difference

FEW = 5
"""Cases of a kind, and parts of a breakdown, that the terminal shows."""
COLOURS = {"better": "green", "worse": "red"}
KINDS = {
    "worse": "worse",
    "mixed": "mixed",
    "better": "better",
    "status": "other status",
    "only_a": "only in A",
    "only_b": "only in B",
}


def print_comparison(item: Compared, console: Console, *, saved: Sequence[str] = ()) -> None:
    """Print one comparison; ``saved`` says where files were put."""
    page = Page(console)
    first, second = plain(label(item.a)), plain(label(item.b))
    systems = "" if item.a.system == item.b.system else f" · {plain(item.a.system)} → {plain(item.b.system)}"
    head = f" · {count_of(item.comparison.n_shared, 'case')} in both{systems}{plain(same_prompt(item))}"
    page.line([(f"A {first} → B {second}", "bold"), (f"   {plain(item.b.suite)}{head}", "")])
    for warning in item.comparison.warnings:
        page.line([("warning  ", "bold yellow"), (plain(warning), "yellow")], whole=True)
    if item.comparison.n_shared:
        _table(page, item, first, second)
        _breakdown(page, item)
    _changes(page, item)
    for number, name in enumerate(saved):
        page.line([(("" if number else "saved").ljust(LABEL), "dim"), (plain(name), "")], whole=True)


def _table(page: Page, item: Compared, first: str, second: str) -> None:
    shown = [m for m in item.comparison.metrics if m.headline] or list(item.comparison.metrics[:3])
    width = max([16, *(len(m.title) for m in shown)])
    one, two = max(len(first), 8), max(len(second), 8)
    head = f"  {'metric'.ljust(width)}  {first:>{one}}  {second:>{two}}  {'difference':>10}    {'95 % interval':<17}  {'p':>6}  {'over':>6}"
    page.line([(head, "dim")])
    for metric in shown:
        found = metric.difference
        if found is None:
            page.line([(f"  {fit(metric.title, width)}  ", ""), (plain(metric.undefined) or "n/a", "dim")])
            continue
        said = outcome(metric)
        start = f"  {fit(metric.title, width)}  {figure(found.mean_a, metric.kind):>{one}}  {figure(found.mean_b, metric.kind):>{two}}  "
        rest = f"    {interval(found, metric.kind):<17}  {p_text(metric.p_adjusted):>6}  {found.n:>6,}"
        page.line(
            [
                (start, ""),
                (f"{change_text(found.mean, metric.kind):>10}", f"bold {COLOURS.get(said, '')}".strip()),
                (rest, ""),
                (f"   {said}", COLOURS.get(said, "dim")),
            ]
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
        page.labelled(fit(title, LABEL - 1).rstrip(), [(words, "")])


def _changes(page: Page, item: Compared) -> None:
    counts = item.counts()
    said = [f"{counts[kind]:,} {word}" for kind, word in KINDS.items() if counts[kind]]
    page.labelled("cases", [(" · ".join(said) or "none changed", "bold")])
    for kind in ("worse", "mixed", "better", "status"):
        some = [change for change in item.changes if change.kind == kind]
        width = min(max((len(plain(change.id)) for change in some[:FEW]), default=0), 32)
        for number, change in enumerate(some[:FEW]):
            _change(page, item, change, KINDS[kind] if not number else "", width)
        if len(some) > FEW:
            page.labelled("", [(f"{len(some) - FEW:,} more in --json, --markdown or --xlsx", "dim")])


def _change(page: Page, item: Compared, change: Change, title: str, width: int) -> None:
    short = msgspec.structs.replace(change, moves=change.moves[:1])
    moved = moves_text(item, short)
    if change.a.status == change.b.status and len(change.moves) > 1:
        moved += f" and {len(change.moves) - 1} more"
    why = plain(change.b.why if change.kind != "better" else change.a.why)
    page.labelled(title, [(fit(plain(change.id), width), ""), (f"  {plain(moved)}  ", "bold"), (why, "dim")])
    half = (page.width - LABEL - 14) // 2
    was, now = (fit(plain(text), half).rstrip() or "no answer" for text in (change.a.answer, change.b.answer))
    if was != now:
        page.line([(" " * LABEL, ""), ("was ", "dim"), (fit(was, half), ""), ("  now ", "dim"), (now, "")])
