"""A comparison as sheets of a workbook: figures, by tag, by part, cases, and what was compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.core.report import MOST_BARS, Cell, Chart, Column, Report, Series, Sheet, Table
from karat.core.results.failures.failure_groups import FailureGroups
from karat.core.results.judged import JudgeChanges
from karat.reports.compare.changes import SECTIONS
from karat.reports.compare.comparison import Compared, answer_lines, label, moves_text, outcome
from karat.reports.sections.failure_groups import TITLE, groups_table

if TYPE_CHECKING:
    from karat.stats.compare.paired import Difference

_DIFFERENCE = (
    Column("before", "number", 11, decimals=3),
    Column("now", "number", 11, decimals=3),
    Column("difference", "number", 11, decimals=3),
    Column("low", "number", 11, decimals=3),
    Column("high", "number", 11, decimals=3),
    Column("n", "count", 8),
)
_NOTE = "Paired on case id. The difference is now minus before; low and high are its 95 % interval."


def comparison_report(compared: Sequence[Compared]) -> Report:
    """A workbook for all comparisons; with several, the second run's name is in the sheets' names."""
    sheets: list[Sheet] = []
    for item in compared:
        tail = f" {label(item.b)}" if len(compared) > 1 else ""
        sheets += _sheets(item, tail)
    names = ", ".join(label(item.b) for item in compared)
    return Report(f"{label(compared[0].a)} against {names}", tuple(sheets))


def _sheets(item: Compared, tail: str) -> list[Sheet]:
    found = [Sheet(f"Overview{tail}", (_figures(item), _counts(item), _about(item)))]
    if item.comparison.tags:
        rows = [(t.tag, item.title(t.metric), *_cells(t.difference)) for t in item.comparison.tags]
        found.append(_list(f"By tag{tail}", "tag", rows))
    for kind in dict.fromkeys(group.kind for group in item.comparison.groups):
        groups = [group for group in item.comparison.groups if group.kind == kind]
        rows = [(g.name, item.title(g.metric), *_cells(g.difference)) for g in groups]
        found.append(_list(f"By {kind}{tail}", kind, rows))
    if item.failure_groups is not None and item.failure_groups.groups:
        found.append(_failure_groups(item, item.failure_groups, tail))
    found.append(_cases(item, tail))
    if item.judge is not None and item.judge.changes:
        found.append(_judged(item.judge, tail))
    return found


def _judged(found: JudgeChanges, tail: str) -> Sheet:
    columns = (Column("case", "wrapped", 38), Column("judge before", width=16), Column("judge now", width=16))
    rows = tuple((one.case, one.before, one.after) for one in found.changes)
    return Sheet(f"Judge{tail}", (Table(columns, rows, f"Changed verdicts of {found.version}"),), freeze_columns=1)


def _failure_groups(item: Compared, groups: FailureGroups, tail: str) -> Sheet:
    """The groups, and the first of them as pairs of bars."""
    last = min(len(groups.groups), MOST_BARS) - 1
    series = (Series(label(item.a), 0, 3, 0, last), Series(label(item.b), 0, 2, 0, last))
    bars = Chart("Failure groups before and now", "what went wrong", "cases in both", series, kind="bar")
    return Sheet(f"{TITLE}{tail}", (groups_table(groups, label(item.a)),), charts=(bars,))


def _list(title: str, head: str, rows: Sequence[tuple[Cell, ...]]) -> Sheet:
    columns = (Column(head, width=28), Column("metric", width=28), *_DIFFERENCE)
    return Sheet(title, (Table(columns, tuple(rows)),), freeze_columns=1)


def _cells(found: Difference | None) -> tuple[Cell, ...]:
    if found is None:
        return (None, None, None, None, None, 0)
    return (found.mean_a, found.mean_b, found.mean, found.low, found.high, found.n)


def _figures(item: Compared) -> Table:
    columns = (
        Column("metric", width=32),
        *_DIFFERENCE,
        Column("p", "number", 10, decimals=4),
        Column("p (Holm)", "number", 10, decimals=4),
        Column("effect size", "number", 10, decimals=2),
        Column("smallest detectable difference", "number", 14, decimals=3),
        Column("right in both", "count", 9),
        Column("only before", "count", 9),
        Column("only now", "count", 9),
        Column("in neither", "count", 9),
        Column("verdict", "wrapped", 30),
    )
    rows: list[tuple[Cell, ...]] = []
    for metric in item.comparison.metrics:
        found, table = metric.difference, metric.mcnemar
        tests = (
            (None, None, None, None) if found is None else (found.p, metric.p_adjusted, found.effect, found.detectable)
        )
        verdicts = (None,) * 4 if table is None else (table.both, table.only_a, table.only_b, table.neither)
        rows.append((metric.title, *_cells(found), *tests, *verdicts, outcome(metric) or metric.undefined))
    return Table(columns, tuple(rows), f"{label(item.a)} → {label(item.b)}", _NOTE)


def _counts(item: Compared) -> Table:
    rows = [(SECTIONS[name], count) for name, count in item.changes.sections().items()]
    return Table((Column("cases that changed"), Column("cases", "count")), tuple(rows), "Cases")


def _about(item: Compared) -> Table:
    facts: list[tuple[Cell, ...]] = [("cases in both runs", f"{item.comparison.n_shared:,}", "")]
    facts += [
        (name.replace("_", " "), str(getattr(item.a, name)), str(getattr(item.b, name)))
        for name in ("id", "name", "suite", "system", "karat", "truth_set", "prompt", "started", "finished")
    ]
    facts += [("warning", warning, "") for warning in item.comparison.warnings]
    columns = (Column("what"), Column("before", "wrapped", 40), Column("now", "wrapped", 40))
    return Table(columns, tuple(facts), "About the runs")


def _cases(item: Compared, tail: str) -> Sheet:
    columns = (
        Column("case", "wrapped", 30),
        Column("change", width=20),
        Column("question", "wrapped", 40),
        Column("what changed", "wrapped", 60),
        Column("figures", "wrapped", 34),
        Column("status before", "status", 14),
        Column("status now", "status", 14),
        Column("why before", "wrapped", 34),
        Column("why now", "wrapped", 34),
        Column(f"answer of {label(item.a)}", "wrapped", 60),
        Column(f"answer of {label(item.b)}", "wrapped", 60),
    )
    rows = tuple(
        (
            change.id,
            change.words,
            change.question,
            "\n".join(answer_lines(change)),
            moves_text(item, change),
            change.a.status,
            change.b.status,
            change.a.why,
            change.b.why,
            change.a.answer,
            change.b.answer,
        )
        for change in item.changes
    )
    return Sheet(f"Cases{tail}", (Table(columns, rows),), freeze_columns=1)
