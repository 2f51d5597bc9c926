"""The sheet *Environments*: what the code of each task ran with, and how many were right there."""

from __future__ import annotations

from karat.core.report import Cell, Column, Sheet, Table
from karat.core.results.result import RunResult
from karat.suites.codegen.details import tries
from karat.suites.codegen.running.environments import UsedEnvironment


def environments_sheet(result: RunResult) -> Sheet | None:
    """One row per environment; None where nothing is known of them."""
    counts: dict[UsedEnvironment, list[int]] = {}
    for _, details in tries(result):
        if isinstance(details.environment, UsedEnvironment):
            count = counts.setdefault(details.environment, [0, 0, 0])
            count[0] += 1
            count[1] += details.attempts[-1].ran
            count[2] += details.correctness.passed
    if not counts:
        return None
    columns = (
        Column("environment", "text", 22),
        Column("Python", "text", 12),
        Column("pandas", "text", 12),
        Column("numpy", "text", 12),
        Column("answers", "count", 10),
        Column("ran", "count", 10),
        Column("right", "count", 10),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            one.name or "(Karat's own, or the option python)",
            one.python,
            one.pandas or "none",
            one.numpy or "none",
            *count,
        )
        for one, count in counts.items()
    )
    return Sheet("Environments", (Table(columns, rows, note="Results depend on these versions."),))
