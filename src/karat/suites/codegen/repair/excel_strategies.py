"""The sheet *Strategies*: what each way of asking again was worth, and how they differ."""

from __future__ import annotations

from karat.core.report import Cell, Column, Sheet, Table
from karat.core.results.result import Estimator, RunResult
from karat.suites.codegen.repair.strategy_figures import (
    StrategyDifference,
    StrategyFigures,
    strategy_differences,
    strategy_figures,
    tried_strategies,
)


def strategies_sheet(result: RunResult, estimate: Estimator) -> Sheet | None:
    """None for a run without strategies."""
    tried = tried_strategies(result)
    found = strategy_figures(tried, estimate)
    if not found:
        return None
    tables = [_each(found)]
    if differences := strategy_differences(tried, estimate):
        tables.append(_differences(differences))
    return Sheet("Strategies", tuple(tables))


def _each(found: list[StrategyFigures]) -> Table:
    columns = (
        Column("strategy", "text", 16),
        Column("wrong at first", "count", 14),
        Column("made right", "count", 12),
        Column("share", "score", 10),
        Column("low", "number", 10, decimals=3),
        Column("high", "number", 10, decimals=3),
        Column("calls", "count", 10),
        Column("no change", "count", 11),
        Column("calls each", "number", 11, decimals=2),
        Column("tokens each", "number", 12, decimals=0),
        Column("cost each", "number", 12, decimals=4),
        Column("seconds each", "number", 13, decimals=2),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            one.strategy,
            one.wrong_at_first,
            one.right,
            one.share.mean,
            one.share.low,
            one.share.high,
            one.calls,
            one.no_change,
            one.calls_each,
            one.tokens_each,
            one.cost_each,
            one.seconds_each,
        )
        for one in found
    )
    note = "All from the same wrong first answers. “Each”: per answer that was made right; empty if none was."
    return Table(columns, rows, "P(right | first wrong)", note)


def _differences(found: list[StrategyDifference]) -> Table:
    columns = (
        Column("strategy", "text", 16),
        Column("less", "text", 16),
        Column("difference", "number", 12, decimals=3),
        Column("low", "number", 10, decimals=3),
        Column("high", "number", 10, decimals=3),
        Column("p", "number", 10, decimals=4),
        Column("p (Holm)", "number", 10, decimals=4),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            one.strategy,
            one.other,
            one.difference.mean,
            one.difference.low,
            one.difference.high,
            one.p,
            one.p_holm,
        )
        for one in found
    )
    return Table(columns, rows, "Paired differences", "Intervals are over tasks; p is that of an exact sign test.")
