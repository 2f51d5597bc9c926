"""The Excel sheet *Steps*: one row per step of every session, and one per session above them."""

from __future__ import annotations

from karat.core.report import Cell, Column, Sheet, Table, visible
from karat.core.results.result import RunResult
from karat.suites.codegen.details import tries
from karat.suites.codegen.steps.records import SessionResult

MB = 1024**2
LONGEST = 8_000


def steps_sheet(result: RunResult) -> Sheet | None:
    """None for a run without sessions."""
    found = [(case.id, details.steps) for case, details in tries(result) if details.steps]
    if not found:
        return None
    sessions = Table(
        (
            Column("task", "wrapped", 22),
            Column("steps", "score", 9),
            Column("steps alone", "score", 12),
            Column("first wrong step", "count", 16),
            Column("decided by step", "text", 15),
            Column("ran out", "text", 16),
        ),
        tuple(_session(task, session) for task, session in found),
        "Sessions",
    )
    columns = (
        Column("task", "wrapped", 22),
        Column("step", "count", 6),
        Column("question", "wrapped", 40),
        Column("state", "text", 10),
        Column("alone", "text", 10),
        Column("first wrong", "text", 12),
        Column("why", "wrapped", 40),
        Column("seconds", "number", 10, decimals=3),
        Column("memory, MB", "number", 12, decimals=1),
        Column("replayed", "text", 10),
        Column("result", "wrapped", 40),
        Column("code", "wrapped", 60),
    )
    rows = tuple(row for task, session in found for row in _rows(task, session))
    return Sheet("Steps", (sessions, Table(columns, rows, "Each step")), freeze_columns=1)


def _session(task: str, session: SessionResult) -> tuple[Cell, ...]:
    total = len(session.steps)
    return (
        task,
        None if session.unsettled else session.right / total,
        None if session.no_alone else session.right_alone / total,
        session.first_wrong,
        ", ".join(map(str, session.final)),
        session.ran_out,
    )


def _rows(task: str, session: SessionResult) -> list[tuple[Cell, ...]]:
    return [
        (
            task,
            step.number,
            visible(step.question)[:LONGEST],
            step.state,
            step.alone or "",
            "yes" if step.number == session.first_wrong else "",
            visible(step.error or step.trouble or step.reason)[:LONGEST],
            step.seconds if step.code else None,
            step.peak_memory / MB if step.code else None,
            "yes" if step.replayed else "",
            visible(step.result)[:LONGEST],
            visible(step.code)[:LONGEST],
        )
        for step in session.steps
    ]
