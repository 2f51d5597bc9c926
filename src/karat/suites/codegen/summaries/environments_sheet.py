"""The sheet *Environments*: what the code of each task ran with, and how many were right there."""

from __future__ import annotations

from karat.core.report import Cell, Column, Sheet, Table
from karat.core.results.result import RunResult
from karat.suites.codegen.details import tries
from karat.suites.codegen.running.environments import UsedEnvironment

SHOWN = ("python", "pandas", "numpy")


def environments_sheet(result: RunResult) -> Sheet | None:
    """One row per environment; None where nothing is known of them."""
    counts: dict[tuple[str, ...], list[int]] = {}
    for _, details in tries(result):
        if isinstance(details.environment, UsedEnvironment):
            used = details.environment
            key = (used.name, *(used.ran_with.get(one, "") or "none" for one in SHOWN))
            count = counts.setdefault(key, [0, 0, 0])
            count[0] += 1
            count[1] += details.attempts[-1].ran
            count[2] += details.correctness.passed
    if not counts:
        return None
    columns = (
        Column("environment", "text", 22),
        *(Column(one, "text", 12) for one in SHOWN),
        Column("answers", "count", 10),
        Column("ran", "count", 10),
        Column("right", "count", 10),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name or "(Karat's own, or the option python)", *versions, *count)
        for (name, *versions), count in counts.items()
    )
    return Sheet("Environments", (Table(columns, rows, note="Results depend on these versions."),))
