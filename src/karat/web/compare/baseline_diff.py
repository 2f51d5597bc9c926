"""A run against a baseline: each headline figure's difference, paired on the case, with its interval.

The same statistics as on the page that compares two runs, from the lines of both lists alone, so that 100,000 cases
take a moment.
"""

from __future__ import annotations

import msgspec

from karat.core.metric import Kind
from karat.core.results.columns.columns import Columns
from karat.reports.compare.comparison import outcome
from karat.stats.compare.paired import Difference
from karat.stats.compare.pairing import pair_columns
from karat.stats.compare.records import MetricComparison
from karat.stats.compare.significance.holm import holm
from karat.store import RunRow
from karat.web.formatting import signed, signed_interval
from karat.web.page import Viewer
from karat.web.run_page.figures import Figure, figures_of


class Against(msgspec.Struct, frozen=True):
    """A figure's difference to the baseline. ``outcome`` as in a comparison: better, worse, no clear difference."""

    metric: str
    title: str
    difference: Difference
    outcome: str
    text: str
    """``+0.259, +0.118 – +0.400``"""
    kind: Kind
    p_adjusted: float
    """By which the outcome is decided: corrected for the number of headline figures."""


AT_ONCE = 20_000
"""Cases up to which a page waits for the differences; for more it is shown first, and asks for them then."""


def at_hand(viewer: Viewer, row: RunRow, base: RunRow, most: int = AT_ONCE) -> dict[str, Against] | None:
    """The differences where they were computed before, or are for so few cases; None where the page should ask for them
    later."""
    if _key(row, base) in viewer.kept_small or max(row.cases, base.cases) <= most:
        return differences(viewer, row, base)
    return None


def _key(row: RunRow, base: RunRow) -> tuple[str, int | None, int | None]:
    return ("against", base.scoring, row.scoring)


def differences(viewer: Viewer, row: RunRow, base: RunRow) -> dict[str, Against]:
    """Headline metric → its difference, where both runs have cases with a value; kept, as scorings never change."""
    if row.scoring is None or base.scoring is None or row.suite != base.suite or row.id == base.id:
        return {}
    return viewer.kept_small(_key(row, base), lambda: _differences(viewer, row, base))


def _differences(viewer: Viewer, row: RunRow, base: RunRow) -> dict[str, Against]:
    known = {item.name for item in figures_of(base)}
    shared = [item for item in figures_of(row) if item.name in known]
    judged = [item for item in shared if item.headline] or shared
    pairs = pair_columns(columns_in(viewer, base), columns_in(viewer, row), judged)
    found = [(item, one) for item in judged if (one := pairs.difference(item.name)) is not None]
    adjusted = holm([one.p for _, one in found], [pairs.columns[item.name].test for item, _ in found])
    told = [_against(item, one, p) for (item, one), p in zip(found, adjusted, strict=True)]
    return {item.metric: item for item in told}


def columns_in(viewer: Viewer, row: RunRow) -> Columns:
    """The figures of all cases of a run's newest scoring: the columns of its list, which is kept."""
    return viewer.viewing.columns(row.scoring or 0)


def _against(item: Figure, found: Difference, p: float) -> Against:
    metric = MetricComparison(
        item.name, item.title, item.kind, item.headline, found, None, p, "", item.higher_is_better
    )
    text = f"{signed(found.mean, item.kind)}, {signed_interval(found, item.kind)}"
    return Against(item.name, item.title, found, outcome(metric), text, item.kind, p)
