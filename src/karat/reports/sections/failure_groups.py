"""Failure groups in reports: as a table, as lines for the terminal, and as rows for a page; see
``karat.core.results.failures.failure_groups`` for the rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from karat.core.metric import Metric
from karat.core.problems import count_of
from karat.core.report import Cell, Column, Sheet, Table, bar_chart, visible
from karat.core.results.failures.failure_columns import failure_columns_of
from karat.core.results.failures.failure_groups import SINGLE, FailureGroup, FailureGroups, group_failures
from karat.core.results.result import RunResult
from karat.reports.sections.outcomes_by_tag import outcomes_by_tag, outcomes_chart
from karat.stats.compare.records import RunComparison

TITLE = "Failure groups"
MEANING = (
    "Each case that is not right is counted once, in the largest group that it is in. "
    "Groups of one case are folded into single cases."
)
ON_THE_SAME = "The change is on the cases that both runs have."
FAILED = ("error", "missing")
"""Outcomes of cases without an answer that could be scored; the terminal lists these apart."""


def failure_groups(result: RunResult) -> FailureGroups:
    """The groups of a run."""
    return group_failures(failure_columns_of(result))


def compared_failure_groups(a: RunResult, b: RunResult, comparison: RunComparison) -> FailureGroups:
    """The groups of run b, each with its size in run a on the cases that both have."""
    import numpy as np

    if comparison.shared is None:
        return failure_groups(b)
    order = np.argsort(comparison.shared.b, kind="stable")
    places = comparison.shared.b[order], comparison.shared.a[order]
    return group_failures(failure_columns_of(b), failure_columns_of(a), places)


class GroupRow(msgspec.Struct, frozen=True):
    """A group as a row of a page."""

    head: str
    detail: str
    cases: int
    share: float
    """Of the longest bar, in per cent."""
    baseline_share: float | None
    before: str
    """``15``; empty without a baseline."""
    change: str
    """``6 fewer``, ``3 more``, ``same``; empty without a baseline."""
    grew: bool
    link: str
    label: str
    """For a screen reader: ``9 cases, 15 in the baseline``."""


def group_rows(found: FailureGroups, link: Callable[[str], str] = lambda _: "") -> list[GroupRow]:
    """The groups for a page; ``link`` gives the address of the cases of a group, by its key."""
    longest = max([1, *(max(group.cases, group.baseline or 0) for group in found.groups)])
    return [_row(group, longest, link(group.key)) for group in found.groups]


def _row(group: FailureGroup, longest: int, link: str) -> GroupRow:
    before = "" if group.baseline is None else f"{group.baseline:,}"
    words = count_of(group.cases, "case")
    return GroupRow(
        visible(group.head),
        visible(group.detail),
        group.cases,
        100 * group.cases / longest,
        None if group.baseline is None else 100 * group.baseline / longest,
        before,
        change_words(group),
        bool(group.change and group.change > 0),
        link if group.cases else "",
        f"{words}, {before} in the baseline" if before else words,
    )


def change_words(group: FailureGroup) -> str:
    """``6 fewer``, ``3 more``, ``same``; empty without a baseline."""
    if group.change is None:
        return ""
    return "same" if not group.change else f"{abs(group.change):,} {'more' if group.change > 0 else 'fewer'}"


def further_words(found: FailureGroups) -> str:
    """``12 further groups with 30 cases``; empty where all are named."""
    return f"{count_of(found.further, 'further group')} with {count_of(found.further_cases, 'case')}" * bool(
        found.further
    )


def groups_sheet(result: RunResult, metrics: Sequence[Metric] = ()) -> Sheet | None:
    """All groups that are named, for a workbook, and right and wrong cases by tag; None where every case is right."""
    found = failure_groups(result)
    if not found.groups:
        return None
    named = sum(group.key != SINGLE for group in found.groups)  # single cases come last
    bars = (bar_chart("Largest failure groups", "what went wrong", "cases", named, 2),) if named else ()
    tags = outcomes_by_tag(result, metrics)
    if tags is None:
        return Sheet(TITLE, (groups_table(found),), charts=bars)
    return Sheet(TITLE, (groups_table(found), tags), charts=(*bars, outcomes_chart(tags, 1)))


def groups_table(found: FailureGroups, baseline: str = "") -> Table:
    """A row for each group. ``baseline``: the name of the run that the groups are
    compared with."""
    columns = [Column("what went wrong", "wrapped", 70), Column("outcome", width=14)]
    columns.append(Column("cases in both" if baseline else "cases", "count", 10))
    if baseline:
        columns += [Column(baseline, "count", 12), Column("change", "count", 10)]
    rows: list[tuple[Cell, ...]] = []
    for group in found.groups:
        counts: tuple[Cell, ...] = (group.on_same_cases, group.baseline, group.change) if baseline else (group.cases,)
        rows.append((visible(group.label), group.outcome.replace("_", " "), *counts))
    more = f" {further_words(found)}." if found.further else ""
    note = f"{count_of(found.failing, 'case')} not right. {MEANING}{f' {ON_THE_SAME}' if baseline else ''}{more}"
    return Table(tuple(columns), tuple(rows), note=note)


def group_lines(found: FailureGroups, most: int) -> list[tuple[str, str]]:
    """For the terminal: (what went wrong, ``41 cases``), the largest first; without failed calls and missing answers,
    which are listed apart. Nothing where no two cases share a fault."""
    shown = [group for group in found.groups if group.outcome not in FAILED and (group.cases or group.change)]
    if not any(group.outcome for group in shown):
        return []
    lines = [(group.label, _counted(group)) for group in shown[:most]]
    rest = shown[most:]
    if rest or found.further:
        cases = sum(group.cases for group in (shown[most - 1], *rest)) + found.further_cases
        number = len(rest) + 1 + found.further
        lines[-1] = (count_of(number, "more group"), count_of(cases, "case"))
    return lines


def _counted(group: FailureGroup) -> str:
    change = change_words(group)
    return count_of(group.cases, "case") + (f", {change}" if change and change != "same" else "")


def moved_groups(found: FailureGroups, most: int) -> list[FailureGroup]:
    """The groups that grew or shrank against the baseline, the largest change first."""
    moved = [group for group in found.groups if group.change]
    return sorted(moved, key=lambda group: (-abs(group.change or 0), group.label))[:most]
