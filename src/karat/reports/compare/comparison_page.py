"""A comparison as a page shows it, in the viewer and in a file alike: every number as text, every bar as a place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from karat.core.metric import Kind
from karat.core.problems import count_of, p_words
from karat.core.results.failures.failure_groups import SINGLE
from karat.core.results.result import interval_text, why_no_interval
from karat.reports.compare.comparison import Compared, headline_sentence, note_words, outcome
from karat.reports.console.run import figure
from karat.stats.compare.paired import Difference
from karat.stats.compare.records import MetricComparison

ENDS = (0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 1.0)
"""Where the axis of differences may end."""
MOST_GROUPS = 9
MARKS = {"better": "▲", "worse": "▼"}


class Bar(msgspec.Struct, frozen=True):
    """Places on the axis in per cent; no band where there is no interval."""

    at: float
    low: float | None
    width: float
    clear: bool


class FigureRow(msgspec.Struct, frozen=True):
    """A figure in both runs; ``undefined`` says why it has none."""

    title: str
    undefined: str = ""
    before: str = ""
    after: str = ""
    difference: str = ""
    interval: str = ""
    p: str = ""
    n: str = ""
    outcome: str = ""
    mark: str = ""
    bar: Bar | None = None


class GroupRow(msgspec.Struct, frozen=True):
    """A failure group in both runs, on the cases of both; places in per cent."""

    key: str
    label: str
    before: int
    after: int
    before_at: float
    after_at: float
    grew: bool


class Groups(msgspec.Struct, frozen=True):
    """The failure groups that are largest in either run, on one axis."""

    rows: tuple[GroupRow, ...]
    axis: tuple[str, ...]
    before: int
    """Cases that are not right, in all groups that are named."""
    after: int
    smaller: tuple[GroupRow, ...]
    """The others, folded."""


class RightWrongTable(msgspec.Struct, frozen=True):
    """The two by two table, and what its test says."""

    right: int
    newly_wrong: int
    newly_right: int
    wrong: int
    said: str


class ComparisonPage(msgspec.Struct, frozen=True):
    """All of a comparison but its cases."""

    title: str
    notes: tuple[str, ...]
    in_short: str
    headline: tuple[FigureRow, ...]
    others: tuple[FigureRow, ...]
    axis: tuple[str, ...]
    table: RightWrongTable | None
    groups: Groups | None
    sections: dict[str, int]
    """How many changed cases each section has."""


def comparison_page(item: Compared) -> ComparisonPage:
    """Put together from the statistics; no case is read."""
    metrics = item.comparison.metrics
    judged = [one for one in metrics if one.headline] or list(metrics)
    deciding = item.comparison.right_wrong.metric if item.comparison.right_wrong is not None else ""
    judged = [one for one in judged if one.difference is not None] or judged
    judged.sort(key=lambda one: one.metric != deciding)  # what the title says comes first
    rest = [one for one in metrics if one not in judged and (one.difference is not None or one.headline)]
    end = _end(judged)
    notes = item.comparison.warnings
    return ComparisonPage(
        headline_sentence(item),
        notes,
        " · ".join(note_words(notes)),
        tuple(_row(one, end) for one in judged),
        tuple(_row(one, end) for one in rest),
        tuple(_tick(end * share) for share in (-1, -0.5, 0, 0.5, 1)),
        _table(item),
        _groups(item),
        item.changes.sections(),
    )


def signed(value: float, kind: Kind = "share") -> str:
    """A difference with its sign: ``+0.110``, ``−0.041``, ``±0.000``."""
    text = figure(abs(value), kind)
    if not any(digit in text for digit in "123456789"):
        return f"±{text}"
    return f"{'+' if value > 0 else '−'}{text}"


def _interval(found: Difference, kind: Kind) -> str:
    if found.low is None or found.high is None:
        return why_no_interval(found.n)
    return interval_text(found.low, found.high, partial(signed, kind=kind)).replace("-", "−")


def _end(metrics: Sequence[MetricComparison]) -> float:
    """The end of the axis: the first that holds every difference and interval."""
    drawn = [one.difference for one in metrics if one.difference is not None and one.kind != "quantity"]
    most = max((abs(value) for one in drawn for value in (one.mean, one.low, one.high) if value is not None), default=0)
    return next((end for end in ENDS if end >= most), 1.0)


def _tick(value: float) -> str:
    text = f"{abs(value):g}"
    return "0" if value == 0 else f"{'+' if value > 0 else '−'}{text}"


def _row(metric: MetricComparison, end: float) -> FigureRow:
    found, kind = metric.difference, metric.kind
    if found is None:
        return FigureRow(metric.title, metric.undefined or "no value")
    said = outcome(metric)
    return FigureRow(
        metric.title,
        "",
        figure(found.mean_a, kind),
        figure(found.mean_b, kind),
        signed(found.mean, kind),
        _interval(found, kind),
        p_words(metric.p_adjusted),
        f"{found.n:,}",
        said,
        MARKS.get(said, ""),
        None if kind == "quantity" else _bar(found, end, clear=said in MARKS),
    )


def _bar(found: Difference, end: float, *, clear: bool) -> Bar:
    def place(value: float) -> float:
        return round(50 + 50 * max(-1.0, min(1.0, value / end)), 2)

    if found.low is None or found.high is None:
        return Bar(place(found.mean), None, 0.0, clear)
    low, high = place(found.low), place(found.high)
    return Bar(place(found.mean), low, max(round(high - low, 2), 0.3), clear)


def _table(item: Compared) -> RightWrongTable | None:
    found = item.comparison.right_wrong
    if found is None or not found.n:
        return None
    metric = next((one for one in item.comparison.metrics if one.metric == found.metric), None)
    said = f"{found.newly_right:,} against {found.newly_wrong:,}"
    difference = metric.difference if metric is not None else None
    if metric is not None and difference is not None:
        exact = metric.mcnemar is not None and abs(metric.mcnemar.p - difference.p) < 1e-9
        said += f": {p_words(difference.p)}{' (McNemar)' if exact else ''}"
        adjusted = metric.p_adjusted
        if adjusted is not None and p_words(adjusted) != p_words(difference.p):
            said += f", {p_words(adjusted).removeprefix('p = ').removeprefix('p ')} after Holm"
    left = item.comparison.n_shared - found.n
    if left > 0:
        said += (
            f". {count_of(left, 'case')} without a verdict in one of the runs {'is' if left == 1 else 'are'} left out"
        )
    return RightWrongTable(found.right, found.newly_wrong, found.newly_right, found.wrong, f"{said}.")


def _groups(item: Compared) -> Groups | None:
    """None where no case of both runs is wrong in either."""
    every = item.failure_groups.groups if item.failure_groups is not None else ()
    named = [(one, one.baseline or 0, one.on_same_cases or 0) for one in every if one.baseline or one.on_same_cases]
    if not named:
        return None
    named.sort(key=lambda group: (group[0].key == SINGLE, -max(group[1:])))  # what is left over comes last
    end = _whole_end(max(max(group[1:]) for group in named))
    rows = tuple(
        GroupRow(one.key, one.label, was, now, round(100 * was / end, 2), round(100 * now / end, 2), now > was)
        for one, was, now in named
    )
    axis = tuple(f"{end * place // 4:,}" if end * place % 4 == 0 else "" for place in range(4))
    return Groups(
        rows[:MOST_GROUPS],
        (*axis, count_of(end, "case")),
        sum(was for _, was, _ in named),
        sum(now for _, _, now in named),
        rows[MOST_GROUPS:],
    )


def _whole_end(most: int) -> int:
    """The end of an axis of counts: four even steps."""
    if most < 3:
        return max(1, most)
    scale = int(10 ** max(0, len(str(most)) - 2))
    return next(4 * step * scale for step in (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 25) if 4 * step * scale >= most)
