"""Passes by difficulty, by database and by tag: how many of how many, with intervals that keep databases together.

A case counts in each of its tags. The questions of one database share its schema and its oddities, so where a group has
questions of several databases its interval is over databases; in one of a single database it is over questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from karat.core.report import Cell, Column, Sheet, Table
from karat.core.results.result import CaseResult, Estimator
from karat.suites.answers.details import SqlDetails
from karat.suites.answers.text_to_sql.cost_report import Judged

FIGURES = ("strict", "bird_ex", "spider_exec", "spider_suite", "defog_exact", "defog_correct")
LEVELS = ("simple", "easy", "moderate", "medium", "challenging", "hard", "extra")
"""Difficulties in their order; others come after them."""

Groups = Callable[[CaseResult, SqlDetails], Iterable[str]]


def breakdown_sheet(cases: Sequence[Judged], estimate: Estimator) -> Sheet | None:
    """None where there is nothing to break down."""
    by: tuple[tuple[str, Groups], ...] = (
        ("By difficulty", lambda _, sql: (sql.difficulty,)),
        ("By database", lambda _, sql: (sql.db,)),
        ("By tag", lambda case, _: case.tags),
    )
    tables = [table for title, groups in by if (table := _table(title, cases, groups, estimate)) is not None]
    return Sheet("Breakdown", tuple(tables), freeze_columns=1) if tables else None


def passes_by_difficulty(cases: Sequence[Judged], figure: str = "strict") -> list[tuple[str, int, int]]:
    """(difficulty, passes, questions with a verdict), the easiest first."""
    found = []
    for level, members in _grouped(cases, lambda _, sql: (sql.difficulty,)):
        values = [value for case, _, _ in members if (value := _value(case, figure)) is not None]
        found.append((level, sum(value == 1 for value in values), len(values)))
    return found


def _grouped(cases: Sequence[Judged], groups: Groups) -> list[tuple[str, list[Judged]]]:
    found: dict[str, list[Judged]] = {}
    for one in cases:
        for group in dict.fromkeys(groups(one[0], one[2])):
            if group:
                found.setdefault(group, []).append(one)
    order = {level: place for place, level in enumerate(LEVELS)}
    return sorted(found.items(), key=lambda item: (order.get(item[0], len(order)), item[0]))


def _value(case: CaseResult, figure: str) -> float | None:
    score = case.scores.get(figure)
    return None if score is None else score.value


def _table(title: str, cases: Sequence[Judged], groups: Groups, estimate: Estimator) -> Table | None:
    grouped = _grouped(cases, groups)
    figures = [name for name in FIGURES if any(_value(case, name) is not None for case, _, _ in cases)]
    if not grouped or not figures:
        return None
    columns = [Column(title.removeprefix("By "), "text", 24), Column("questions", "count", 11)]
    for name in figures:
        columns += [Column(f"{name} passes", "count", 13), Column("of", "count", 7), Column("share", "score", 9)]
        columns += [Column(end, "score", 9) for end in ("low", "high")]
    rows = [
        (group, len(members), *(cell for name in figures for cell in _cells(members, name, estimate)))
        for group, members in grouped
    ]
    note = "Of: the questions with a verdict. Low and high are the ends of the 95 % interval, over databases."
    return Table(tuple(columns), tuple(rows), title, note)


def _cells(members: Sequence[Judged], figure: str, estimate: Estimator) -> tuple[Cell, ...]:
    known = [(value, sql.db) for case, _, sql in members if (value := _value(case, figure)) is not None]
    values, databases = [value for value, _ in known], [database for _, database in known]
    found = estimate(values, "rate", databases if len(set(databases)) > 1 else None)
    return sum(value == 1 for value in values), len(values), found.mean, found.low, found.high
