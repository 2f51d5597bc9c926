"""The sheet on repairs: how far they got, what became of tries that were wrong at first, and whether fresh tries would
have done as well."""

from __future__ import annotations

from karat.core.problems import count_of
from karat.core.report import Cell, Chart, Column, Series, Sheet, Table
from karat.core.results.facts import facts_of
from karat.core.results.result import Estimator, RunResult
from karat.suites.codegen.repair.figures import AfterRepairs, AgainstFresh, after_repairs, against_fresh
from karat.suites.codegen.summaries.counts import Step, funnel

# A note is on one line of a spreadsheet, left of the picture: it must be short.
INTERVAL = (Column("low", "number", 11, decimals=3), Column("high", "number", 11, decimals=3))


def recovery_sheet(result: RunResult, estimate: Estimator) -> Sheet | None:
    """The funnel with its picture, and two tables more when something was repaired. None when no code was judged."""
    steps = funnel(result)
    if not steps:
        return None
    tables = [_funnel(steps, "tries" if facts_of(result.cases).most_tries else "tasks")]
    wrong, fresh = after_repairs(result, estimate), against_fresh(result, estimate)
    if wrong:
        tables.append(_after_repairs(wrong))
    if fresh:
        tables.append(_against_fresh(fresh))
    return Sheet("Recovery", tuple(tables), charts=(_picture(len(steps)),) if len(steps) > 1 else ())


def _funnel(steps: list[Step], noun: str) -> Table:
    columns = (
        Column("after", "text", 20),
        Column(noun, "count", 10),
        Column("ran", "count", 11),
        Column("share that ran", "score", 14),
        Column("result known", "count", 13),
        Column("right", "count", 11),
        Column("share right", "score", 14),
    )
    rows = tuple(
        (s.name, s.tries, s.ran, s.ran / s.tries, s.known, s.right, s.right / s.known if s.known else None)
        for s in steps
    )
    note = (
        f"How many {noun} had run by then, and how many were right where that is known. "
        "Only code that does not run is repaired."
    )
    return Table(columns, rows, "First try and repairs", note)


def _picture(steps: int) -> Chart:
    series = (Series("ran", 0, 3, 0, steps - 1), Series("right", 0, 6, 0, steps - 1))
    return Chart("How far repairs got", "after", "share", series, kind="bar", y_most=1.0)


def _after_repairs(found: list[AfterRepairs]) -> Table:
    columns = (
        Column("after", "text", 20),
        Column("wrong at first", "count", 10),
        Column("of these did not run", "count", 11),
        Column("right by then", "count", 14),
        Column("share right", "score", 13, decimals=3),
        *INTERVAL,
    )
    rows = tuple(
        (_at_most(s.repairs), s.wrong_at_first, s.did_not_run, s.right, s.share.mean, s.share.low, s.share.high)
        for s in found
    )
    note = (
        "P(right after ≤ r repairs | first try wrong), with its 95 % interval. "
        "Code that ran and gave a wrong result is not repaired, and stays wrong."
    )
    return Table(columns, rows, "Right after repairs, when the first try was wrong", note)


def _against_fresh(found: list[AgainstFresh]) -> Table:
    columns = (
        Column("after", "text", 20),
        Column("fresh tries", "count", 10),
        Column("tasks", "count", 11),
        Column("right with repairs", "score", 14, decimals=3),
        Column("right in a fresh try", "score", 13, decimals=3),
        Column("difference", "number", 11, decimals=3),
        *INTERVAL,
        Column("tasks left out", "count", 11),
    )
    return Table(columns, tuple(_fresh_row(step) for step in found), "Repairs against fresh tries", _fresh_note(found))


def _fresh_row(step: AgainstFresh) -> tuple[Cell, ...]:
    gap = step.difference
    means = (step.with_repairs, step.with_fresh_tries, gap.mean, gap.low, gap.high)
    return (_at_most(step.repairs), step.fresh_tries, step.tasks, *means, step.left_out)


def _fresh_note(found: list[AgainstFresh]) -> str:
    note = (
        "Share of tries right after ≤ r repairs, minus pass@(r+1) of first tries, task by task; "
        "above 0, repairs do better."
    )
    without = [step for step in found if not step.tasks]
    if not without:
        return note
    most = without[-1].fresh_tries
    return (
        f"{note} {count_of(without[0].fresh_tries, 'fresh try needs', 'fresh tries need')} as many tries per task: "
        f"karat run --repeats {most}."
    )


def _at_most(repairs: int) -> str:
    return f"≤ {count_of(repairs, 'repair')}"
