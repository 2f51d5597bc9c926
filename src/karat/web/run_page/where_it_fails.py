"""Where a run fails: right, wrong and failed cases by tag, with the interval of the share that is right."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.results.clusters import cluster_names
from karat.stats.intervals.estimates import estimate, wilson
from karat.store import RunRow
from karat.web.compare.baseline_diff import columns_in
from karat.web.page import Viewer
from karat.web.run_page.figures import Figure

SHOWN = 10
"""Bars that are shown at once; the filter has all tags."""
MOST = 40


class Tally(msgspec.Struct, frozen=True):
    """Cases by what came of them. ``failed`` gave no answer that could be scored, ``missing`` of them none at all; the
    others have no value here."""

    right: int = 0
    wrong: int = 0
    failed: int = 0
    other: int = 0
    missing: int = 0
    partly: int = 0
    """Of the wrong ones: those with some of their turns right."""

    @property
    def errors(self) -> int:
        """Failed, with an error that says why."""
        return self.failed - self.missing

    @property
    def scored(self) -> int:
        """Right or wrong."""
        return self.right + self.wrong

    @property
    def drawn(self) -> int:
        """All that a bar shows."""
        return self.right + self.wrong + self.failed


class Bar(msgspec.Struct, frozen=True):
    """One tag. ``low`` and ``high`` are the interval of the share right of those scored; ``before`` is the baseline's
    share of its bar."""

    tag: str
    tally: Tally
    low: float | None
    high: float | None
    before: float | None

    def share(self, number: float) -> float:
        """Of the bar, in per cent."""
        return 100 * number / (self.tally.drawn or 1)

    @property
    def fails(self) -> bool:
        """Whether any of it is wrong, or without an answer."""
        return self.tally.wrong + self.tally.failed > 0

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval on the bar, in per cent: failed cases are no part of it."""
        if self.low is None or self.high is None:
            return None
        return self.share(self.low * self.tally.scored), self.share(self.high * self.tally.scored)


class Outcomes(msgspec.Struct, frozen=True):
    """A run's cases in all, and by tag."""

    all: Tally
    by_tag: dict[str, Tally]


def outcomes(viewer: Viewer, row: RunRow, main: Figure | None) -> Outcomes:
    """Counted from the columns, and kept, as a scoring never changes. A quantity says nothing of right or wrong."""
    if main is None or main.kind == "quantity" or row.scoring is None:
        return Outcomes(Tally(), {})
    scoring = row.scoring
    return viewer.kept(("outcomes", scoring), lambda: _count(viewer, scoring, main))


def bars(
    viewer: Viewer, row: RunRow, main: Figure | None, found: Outcomes, baseline: tuple[RunRow, Figure] | None
) -> list[Bar]:
    """Most wrong first. Without tags, one bar for all cases."""
    if main is None or not found.all.drawn:
        return []
    before = outcomes(viewer, *baseline) if baseline is not None else None
    tags = sorted(found.by_tag, key=lambda tag: (-found.by_tag[tag].wrong, -found.by_tag[tag].failed, tag))[:MOST]
    tallies = {tag: found.by_tag[tag] for tag in tags} or {"": found.all}
    ends = viewer.kept(("intervals", row.scoring), lambda: _intervals(viewer, row, main, tallies))
    shown = []
    for tag, tally in tallies.items():
        earlier = None if before is None else before.by_tag.get(tag) if tag else before.all
        share = earlier.right / earlier.drawn if earlier is not None and earlier.drawn else None
        shown.append(Bar(tag, tally, *ends[tag], share))
    return shown


def full_value(main: Figure) -> float:
    """What a right case has in the main figure."""
    return 1.0 if main.higher_is_better else 0.0


def _count(viewer: Viewer, scoring: int, main: Figure) -> Outcomes:
    import numpy as np

    tags, codes = viewer.viewing.tag_sets(scoring)
    columns = viewer.viewing.columns(scoring)
    values = columns.column(main.name)
    right = values == full_value(main)
    known = np.isfinite(values)
    failed = columns.has_status("error", "missing") & ~known
    partly = known & (values > 0) & (values < 1)
    kinds = (right, known & ~right, failed, ~known & ~failed, columns.has_status("missing") & ~known, partly)
    counts = [np.bincount(codes[chosen], minlength=len(tags)).tolist() for chosen in kinds]
    by_tag: dict[str, list[int]] = {}
    for place, own in enumerate(tags):
        for tag in dict.fromkeys(own):
            sums = by_tag.setdefault(tag, [0] * len(kinds))
            for kind in range(len(kinds)):
                sums[kind] += counts[kind][place]
    total = _tally([int(chosen.sum()) for chosen in kinds])
    return Outcomes(total, {tag: _tally(sums) for tag, sums in by_tag.items()})


def _tally(counts: Sequence[int]) -> Tally:
    return Tally(*counts)


def _intervals(
    viewer: Viewer, row: RunRow, main: Figure, tallies: dict[str, Tally]
) -> dict[str, tuple[float | None, float | None]]:
    """Wilson's interval by the counts; where cases are variants of one, over those."""
    scoring = row.scoring or 0
    columns = columns_in(viewer, row)
    if columns.clusters is None:
        return {
            tag: wilson(tally.right / tally.scored, tally.scored) if tally.scored else (None, None)
            for tag, tally in tallies.items()
        }
    import numpy as np

    tags, codes = viewer.viewing.tag_sets(scoring)
    values = columns.column(main.name)
    known = np.isfinite(values)
    names = cluster_names(columns.clusters, columns.case_ids) or columns.case_ids
    ends = {}
    for tag in tallies:
        with_tag = np.array([not tag or tag in own for own in tags], bool)
        places = np.flatnonzero(known & with_tag[codes]).tolist()
        right = [float(values[place] == full_value(main)) for place in places]
        item = estimate(right, "rate", [names[place] for place in places])
        ends[tag] = (item.low, item.high)
    return ends
