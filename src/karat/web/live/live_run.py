"""A run while it goes on, as its page and the JSON API show it: read from the store as far as it was not read
before."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import msgspec

from karat.core.json_types import JsonObject
from karat.core.results.failures.failure_groups import FailureGroup
from karat.core.results.live import LiveCase
from karat.reports.live_run import CurvePoint, LiveBaseline, LiveFigure, LiveRun, in_words, seconds_left
from karat.reports.sections.failure_groups import GroupRow, group_rows
from karat.stats.compare.paired import Difference
from karat.store import RunRow, run_name
from karat.store.records import Progress
from karat.web.compare.baseline_diff import columns_in
from karat.web.page import Viewer

GROUPS = 8
"""Failure groups that are listed."""
GREW = 5
"""Cases by which a group must have grown to be pointed at."""


class LiveView(msgspec.Struct, frozen=True):
    """All that is shown of a run while it goes on. ``version`` changes when something is new."""

    status: str
    stopping: bool
    progress: Progress
    of: int
    """Answers that the run will have."""
    scored: int
    cases: int
    right: int
    wrong: int
    review: int
    not_right: int
    """Wrong, to be reviewed, or without an answer that could be judged."""
    rate: float | None
    """Answers a second: each repeat counts, as in ``of``."""
    left: float | None
    cost: float | None
    cost_in_all: float | None
    tokens: float | None
    at_random: bool
    figures: Sequence[LiveFigure]
    curve_title: str
    curve: Sequence[CurvePoint]
    groups: Sequence[GroupRow]
    grown: FailureGroup | None
    """The group that has grown most against the baseline."""
    newest: Sequence[tuple[LiveCase, str, int | None]]
    """A wrong answer, how long ago it was scored, and the place of the case in the baseline, if that had it right."""
    version: str

    @property
    def left_words(self) -> str:
        """``3 min 50 s``; empty where nobody knows."""
        return "" if self.left is None else in_words(self.left)

    @property
    def reach(self) -> float:
        """Half the length of the axis of differences."""
        ends = [abs(end) for one in self.figures if one.difference for end in _ends(one.difference)]
        return next((reach for reach in (0.05, 0.1, 0.2, 0.5, 1.0) if max(ends, default=0.0) <= reach), 1.0)

    @property
    def curve_axis(self) -> Sequence[float]:
        """The marks of the curve's axis: all that is drawn lies between the first and the last."""
        ends = [end for point in self.curve for end in (point.estimate.low, point.estimate.high, point.estimate.mean)]
        ends += [one.difference.mean_a for one in self.figures if one.difference and one.title == self.curve_title]
        known = [end for end in ends if end is not None] or [0.0, 1.0]
        low, high = math.floor(min(known) * 5), math.ceil(max(known) * 5)
        return [step / 5 for step in range(max(low, 0), max(high, low + 1) + 1)]

    @property
    def all_answered(self) -> bool:
        """Whether nothing is left but the scoring."""
        return self.progress.answered >= self.of > 0


def _ends(found: Difference) -> tuple[float, ...]:
    return tuple(end for end in (found.low, found.high, found.mean) if end is not None)


def live_view(viewer: Viewer, row: RunRow, base: RunRow | None) -> LiveView:
    """A run as it is now, against a baseline where there is one."""
    live = viewer.watched.of(row)
    baseline = None if base is None or base.id == row.id else live_baseline(viewer, base)
    figures, (title, curve), groups = viewer.watched.computed(row, live, baseline)
    progress = viewer.store.progress(row.id)
    outcomes = live.outcomes()
    now, repeats = time.time(), max(1, row.repeats)
    rate, left = _pace(row, live, progress, now)
    cost, scored = live.cost(), len(live)
    rows = group_rows(groups)
    return LiveView(
        status=row.status,
        stopping=viewer.watched.stopping(row),
        progress=progress,
        of=row.cases * repeats,
        scored=scored,
        cases=row.cases,
        right=outcomes["right"],
        wrong=outcomes["wrong"],
        review=outcomes["needs_review"],
        not_right=scored - outcomes["right"] - outcomes["not_applicable"],
        rate=rate,
        left=left,
        cost=cost,
        cost_in_all=cost / scored * row.cases if cost is not None and live.at_random and scored else None,
        tokens=live.tokens(),
        at_random=live.at_random,
        figures=sorted(figures, key=lambda one: one.title != title),  # what the curve shows comes first
        curve_title=title,
        curve=curve,
        groups=rows[:GROUPS],
        grown=_grown([group for group in groups.groups if group.outcome]),
        newest=[(case, in_words(max(now - case.at, 0)), _right_at(baseline, case)) for case in live.newest_wrong()],
        version=f"{row.status} {live.version} {progress.answered} {progress.errors}",
    )


def _pace(row: RunRow, live: LiveRun, progress: Progress, now: float) -> tuple[float | None, float | None]:
    """(answers a second, seconds left) of a run that goes on."""
    repeats = max(1, row.repeats)
    cases_a_second = live.rate(now) if row.status == "running" else None
    rate = cases_a_second * repeats if cases_a_second is not None else None
    return rate, seconds_left(row.cases * repeats, max(progress.answered, len(live) * repeats), rate)


class Running(msgspec.Struct, frozen=True):
    """A run that goes on, in a line of the list of runs. ``main``: its main figure so far; None where the cases come
    in the order of the file, as the first ones say little of the rest."""

    rate: float | None
    left_words: str
    main: LiveFigure | None


def running(viewer: Viewer, row: RunRow, progress: Progress) -> Running:
    """How fast the run is, what is left, and what came of it so far."""
    live = viewer.watched.of(row)
    rate, left = _pace(row, live, progress, time.time())
    figures = [one for one in live.figures() if one.estimate.mean is not None] if live.at_random else []
    main = next((one for one in figures if one.kind == "rate"), figures[0] if figures else None)
    return Running(rate, "" if left is None else in_words(left), main)


def live_baseline(viewer: Viewer, base: RunRow) -> LiveBaseline:
    """A scored run to compare with; kept, as a scoring never changes."""

    def read() -> LiveBaseline:
        columns = columns_in(viewer, base)
        places = {case: place for place, case in enumerate(columns.case_ids)}
        failures = viewer.store.failures(base.scoring or 0, base.suite)
        return LiveBaseline(run_name(base.id), columns, failures, places)

    return viewer.kept(("live baseline", base.scoring), read)


def _right_at(baseline: LiveBaseline | None, case: LiveCase) -> int | None:
    place = None if baseline is None else baseline.places.get(case.case_id)
    if baseline is None or place is None:
        return None
    return place if baseline.failures.starts[place] == baseline.failures.starts[place + 1] else None


def _grown(groups: Sequence[FailureGroup]) -> FailureGroup | None:
    """The group that grew most, where that is worth a look: by five cases or more, and by half."""
    most = max(groups, key=lambda group: group.change or 0, default=None)
    if most is None or most.change is None or most.change < GREW:
        return None
    return most if most.change * 2 >= (most.baseline or 0) else None


def as_json(view: LiveView) -> JsonObject:
    """The same for a script. Its progress is said elsewhere."""
    return {
        "status": view.status,
        "stopping": view.stopping,
        "of": view.of,
        "cases": view.cases,
        "scored_cases": view.scored,
        "right": view.right,
        "wrong": view.wrong,
        "needs_review": view.review,
        "rate": view.rate,
        "seconds_left": view.left,
        "cost": view.cost,
        "cost_in_all": view.cost_in_all,
        "tokens": view.tokens,
        "at_random": view.at_random,
        "figures": [_figure_json(one) for one in view.figures],
        "groups": [
            {
                "label": f"{row.head}: {row.detail}" if row.detail else row.head,
                "cases": row.cases,
                "baseline": row.before,
                "change": row.change,
            }
            for row in view.groups
        ],
        "newest": [
            {
                "case_id": case.case_id,
                "question": case.question,
                "outcome": case.outcome,
                "headline": case.headline,
                "at": case.at,
                "right_in_baseline": right_at is not None,
            }
            for case, _, right_at in view.newest
        ],
        "version": view.version,
    }


def _figure_json(one: LiveFigure) -> JsonObject:
    own, gap = one.estimate, one.difference
    return {
        "metric": one.metric,
        "title": one.title,
        **msgspec.structs.asdict(own),
        "difference": None if gap is None else gap.mean,
        "difference_low": None if gap is None else gap.low,
        "difference_high": None if gap is None else gap.high,
        "baseline": None if gap is None else gap.mean_a,
    }
