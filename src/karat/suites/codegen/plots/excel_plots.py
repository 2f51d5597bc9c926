"""The sheet *Plots*: every plot with its score and the items that it lost, and how often each item is lost."""

from __future__ import annotations

from collections import Counter

from karat.core.report import Cell, Column, Sheet, Table, bar_chart, visible
from karat.core.results.result import RunResult
from karat.suites.codegen.details import tries
from karat.suites.codegen.plots.messages import problem_of


def plots_sheet(result: RunResult) -> Sheet | None:
    """None for a run without plots."""
    rows: list[tuple[Cell, ...]] = []
    lost: Counter[str] = Counter()
    for case, details in tries(result):
        plot = details.correctness.plot
        if plot is None:
            continue
        names = list(dict.fromkeys(item.name for item in plot.lost))
        lost.update(names)
        met = sum(item.score >= 1 for item in plot.items)
        rows.append(
            (
                case.id,
                plot.score,
                details.correctness.reason,
                plot.library,
                f"{met} of {len(plot.items)}" if plot.items else "",
                ", ".join(names),
                visible(problem_of(plot)),
            )
        )
    if not rows:
        return None
    columns = (
        Column("task", "wrapped", 22),
        Column("plot", "score", 9),
        Column("reason", "text", 20),
        Column("library", "text", 12),
        Column("items met", "text", 11),
        Column("items lost", "wrapped", 24),
        Column("what is wrong", "wrapped", 90),
    )
    items = Table((Column("item", "text", 16), Column("plots", "count", 9)), tuple(lost.most_common()), "Lost, by item")
    each = Table(columns, tuple(rows), "Each of them", note="Data weighs 8, type 4, order 2, each other stated item 1.")
    if not lost:
        return Sheet("Plots", (each,), freeze_columns=1)
    bars = bar_chart("Lost items", "item", "plots", len(items.rows), 1)
    return Sheet("Plots", (items, each), charts=(bars,))
