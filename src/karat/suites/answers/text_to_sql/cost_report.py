"""What the queries of a run cost: all of them together, each question, and those that are far slower than gold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from karat.core.report import Cell, Column, Sheet, Table
from karat.core.results.result import CaseResult
from karat.suites.answers.details import Details, SqlDetails
from karat.suites.answers.text_to_sql.running.cost import Cost

Judged = tuple[CaseResult, Details, SqlDetails]
SLOWER = 10.0
"""An answer that takes this many times as long as gold is listed."""
LEAST_SECONDS = 0.05
"""Below this a ratio of times says nothing."""


def slower(cost: Cost) -> float | None:
    """How many times as long as gold an answer takes; None where it is not far slower. The median of many runs counts,
    where there is one."""
    given, gold = cost.seconds, cost.gold_seconds
    if given is None or not gold or given <= LEAST_SECONDS:
        return None
    ratio = 1 / cost.speed.ratio if cost.speed is not None and cost.speed.runs else given / gold
    return ratio if ratio > SLOWER else None


def cost_sheet(cases: Sequence[Judged], system: str) -> Sheet:
    """The totals, the slow ones, and every question."""
    tables = [_totals([sql.cost for _, _, sql in cases], system)]
    slow = sorted(((ratio, *one) for one in cases if (ratio := slower(one[2].cost)) is not None), key=lambda x: -x[0])
    if slow:
        columns = (
            Column("question", "wrapped", 16),
            Column("times gold", "number", 12, decimals=1),
            Column("seconds", "number", 12, decimals=4),
            Column("SQL", "wrapped", 60),
        )
        rows = tuple((case.id, ratio, sql.cost.seconds, sql.sql) for ratio, case, _, sql in slow)
        tables.append(Table(columns, rows, f"Slower than {SLOWER:.0f} × gold"))
    return Sheet("Query cost", (*tables, _each(cases)), freeze_columns=1)


def _totals(costs: Sequence[Cost], system: str) -> Table:
    both = [cost for cost in costs if cost.seconds is not None]
    ratios = [cost.seconds / cost.gold_seconds for cost in both if cost.seconds is not None and cost.gold_seconds]
    columns = (
        Column("system", "text", 20),
        Column("questions", "count", 11),
        Column("with a result", "count", 13),
        Column("seconds", "number", 12, decimals=3),
        Column("gold seconds", "number", 12, decimals=3),
        Column("median ratio", "number", 12, decimals=2),
        Column("result bytes", "count", 13),
        Column("gold bytes", "count", 13),
        Column("rows read", "count", 12),
        Column("gold rows read", "count", 12),
        Column(f"over {SLOWER:.0f} × gold", "count", 13),
    )
    row: tuple[Cell, ...] = (
        system,
        len(costs),
        len(both),
        sum(cost.seconds or 0.0 for cost in both),
        sum(cost.gold_seconds for cost in both),
        median(ratios) if ratios else None,
        sum(cost.answer_bytes or 0 for cost in both),
        sum(cost.gold_bytes for cost in both),
        _sum(cost.rows_read for cost in both),
        _sum(cost.gold_rows_read for cost in both),
        sum(slower(cost) is not None for cost in both),
    )
    return Table(columns, (row,), "All questions with a result")


def _sum(values: Iterable[int | None]) -> int | None:
    """None where no value is known, or not every one."""
    found = list(values)
    return sum(value for value in found if value is not None) if found and None not in found else None


def _each(cases: Sequence[Judged]) -> Table:
    columns = [
        Column("question", "wrapped", 16),
        Column("gold seconds", "number", 12, decimals=4),
        Column("seconds", "number", 12, decimals=4),
        Column("ratio", "number", 10, decimals=2),
        Column("rows", "count", 10),
        Column("gold rows", "count", 10),
        Column("bytes", "count", 12),
        Column("gold bytes", "count", 12),
        Column("rows read", "count", 12),
        Column("gold rows read", "count", 12),
    ]
    timed = any(sql.cost.speed is not None for _, _, sql in cases)
    if timed:
        names = ("gold / answer", "low", "high", "bird_rves", "fair_rves")
        columns += [Column(name, "number", 12, decimals=2) for name in names]
    rows: list[tuple[Cell, ...]] = []
    for case, _, sql in cases:
        cost, size, expected = sql.cost, sql.rows.get("answer"), sql.rows.get("gold")
        row: list[Cell] = [
            case.id,
            cost.gold_seconds,
            cost.seconds,
            cost.seconds / cost.gold_seconds if cost.gold_seconds and cost.seconds else None,
            size[0] if size else None,
            expected[0] if expected else None,
            cost.answer_bytes,
            cost.gold_bytes,
            cost.rows_read,
            cost.gold_rows_read,
        ]
        speed = cost.speed
        if timed and speed is not None and speed.runs:
            row += [speed.ratio, speed.low, speed.high, speed.bird_rves, speed.fair_rves]
        elif timed:
            row += [None, None, None, *((speed.bird_rves, speed.fair_rves) if speed is not None else (None, None))]
        rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows), "Each question")
