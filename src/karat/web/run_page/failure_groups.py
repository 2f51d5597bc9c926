"""The failure groups of a run in the viewer: kept, as a scoring never changes, and found again by an address.

The address of a group names the run that it was compared with (``?group=…&against=r-0001``): sizes are over both runs,
so another baseline could draw the groups otherwise.
"""

from __future__ import annotations

import msgspec

from karat.core.problems import UserError, count_of
from karat.core.results.failures.failure_columns import FailureColumns
from karat.core.results.failures.failure_groups import SINGLE, FailureGroups, group_failures
from karat.reports.sections.failure_groups import GroupRow, further_words, group_rows
from karat.stats.compare.pairing import pair_columns
from karat.store import RunRow, run_name
from karat.store.cases.case_pages import CaseQuery
from karat.web.formatting import shown
from karat.web.lookup import run_number
from karat.web.page import Viewer
from karat.web.search.filters import Filters


class ShownGroups(msgspec.Struct, frozen=True):
    """What the template ``failure_groups.html`` shows."""

    rows: list[GroupRow]
    """The groups of two cases and more; single cases too, where they are not named one by one."""
    alone: GroupRow | None
    """All single cases together, where they are named one by one."""
    singles: list[GroupRow]
    """The single cases, one by one, as far as they are named."""
    words: str
    """``33 cases not right, each in one group``."""
    baseline: str
    """The run that the groups are compared with; empty: none."""
    further: str


def shown_groups(
    viewer: Viewer, row: RunRow, baseline: RunRow | None, filters: Filters, base: str, not_right: int | None = None
) -> ShownGroups:
    """The groups of a run, each with the address of its cases among the filters that are on. ``base``: the address of
    the run's page. ``not_right``: cases that the main figure does not call right; other rules may refuse more."""
    other = _comparable(row, baseline)
    found = groups_in(viewer, row, other)
    against = run_name(other.id) if other is not None else None
    agree = not_right is None or not_right == found.failing
    counted = f"{count_of(found.failing, 'case')} {'not right' if agree else 'that not every rule calls right'}"

    def link(key: str) -> str:
        return filters.link(base, group=key, against=against) + "#cases"

    singles = msgspec.structs.replace(found, groups=found.singles)
    rows, named = ([_visible(one) for one in group_rows(groups, link)] for groups in (found, singles))
    alone = next((row for row, group in zip(rows, found.groups, strict=True) if group.key == SINGLE), None)
    alone = alone if named else None
    return ShownGroups(
        [row for row in rows if row is not alone],
        alone,
        named,
        f"{counted}, each in one group",
        against or "",
        further_words(found),
    )


def groups_in(viewer: Viewer, row: RunRow, baseline: RunRow | None = None) -> FailureGroups:
    """The groups of a run's newest scoring; with a baseline of the same suite, also of that one on the same cases."""
    other = _comparable(row, baseline)
    if row.scoring is None:
        raise UserError(f"the run {run_name(row.id)} has no scores yet")
    key = ("failure groups", row.scoring, other.scoring if other is not None else None)
    return viewer.kept(key, lambda: _grouped(viewer, row, other))


def with_group(viewer: Viewer, row: RunRow, query: CaseQuery) -> CaseQuery:
    """The query with the cases of the failure group that it names."""
    if not query.group or row.scoring is None:
        return query
    number = run_number(query.against) if query.against else None
    try:
        baseline = viewer.store.run_row(number) if number is not None else None
    except UserError:  # it was deleted since
        baseline = None
    places = groups_in(viewer, row, baseline).places(query.group)
    return msgspec.structs.replace(query, among=tuple(places.tolist()))


def _visible(row: GroupRow) -> GroupRow:
    return msgspec.structs.replace(row, head=shown(row.head), detail=shown(row.detail))


def _comparable(row: RunRow, baseline: RunRow | None) -> RunRow | None:
    if baseline is None or baseline.scoring is None or baseline.suite != row.suite or baseline.id == row.id:
        return None
    return baseline


def _grouped(viewer: Viewer, row: RunRow, baseline: RunRow | None) -> FailureGroups:
    found = _failures(viewer, row)
    if baseline is None or baseline.scoring is None:
        return group_failures(found)
    pairs = pair_columns(viewer.viewing.columns(row.scoring or 0), viewer.viewing.columns(baseline.scoring))
    return group_failures(found, _failures(viewer, baseline), (pairs.places_a, pairs.places_b))


def _failures(viewer: Viewer, row: RunRow) -> FailureColumns:
    """Kept: the run alone, and the run against each baseline, need them."""
    return viewer.kept(("failures", row.scoring), lambda: viewer.store.failures(row.scoring or 0, row.suite))
