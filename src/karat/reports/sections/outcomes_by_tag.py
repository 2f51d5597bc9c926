"""Right and wrong cases by tag, as a table and as stacked bars: where a run fails.

A case is right where the first headline figure that is a rate or a share has its best value, wrong where it has another
one, and without an answer where it failed or none was given. A case with several tags counts in each of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.metric import Metric
from karat.core.report import MOST_BARS, Chart, Column, Series, Table, visible
from karat.core.results.clusters import clusters_of
from karat.core.results.result import CaseResult, RunResult
from karat.stats.intervals.estimates import estimate

NOTE = "Most wrong first. A case with several tags counts in each. Low and high: the 95 % interval of the share."


def outcomes_by_tag(result: RunResult, metrics: Sequence[Metric]) -> Table | None:
    """None where no case has a tag, or no figure says right or wrong."""
    main = main_metric(result, metrics)
    if main is None:
        return None
    clusters = clusters_of(result.cases)
    members: dict[str, list[tuple[int, str]]] = {}
    for number, case in enumerate(result.cases):
        place = _outcome(case, main)
        for tag in dict.fromkeys(case.tags if place >= 0 else ()):
            members.setdefault(tag, []).append((place, "" if clusters is None else clusters[number]))
    if not members:
        return None
    rows = [(visible(tag), *_counts(own), *_share(own, clustered=clusters is not None)) for tag, own in members.items()]
    rows.sort(key=lambda row: (-row[2], -row[3], row[0]))
    columns = (
        Column("tag", width=70),
        Column("right", "count", 14),
        Column("wrong", "count", 10),
        Column("no answer", "count", 10),
        Column("share right", "number", 11, decimals=3),
        Column("low", "number", 9, decimals=3),
        Column("high", "number", 9, decimals=3),
    )
    return Table(columns, tuple(rows), f"Right and wrong by tag: {main.title}", NOTE)


def outcomes_chart(table: Table, place: int) -> Chart:
    """Its first rows as stacked bars; ``place``: which table of the sheet it is."""
    last = min(len(table.rows), MOST_BARS) - 1
    series = (
        Series("right", 0, 1, 0, last, tone="right"),
        Series("wrong", 0, 2, 0, last, tone="wrong"),
        Series("no answer", 0, 3, 0, last, tone="none"),
    )
    return Chart("Right and wrong by tag", "tag", "cases", series, place, kind="matrix")


def main_metric(result: RunResult, metrics: Sequence[Metric]) -> Metric | None:
    """The first headline rate, else the first headline share, of those with a value."""
    known = {item.metric for item in result.summary if item.n}
    judged = [metric for metric in metrics if metric.headline and metric.kind != "quantity" and metric.name in known]
    return min(judged, key=lambda metric: metric.kind != "rate", default=None)


def _outcome(case: CaseResult, main: Metric) -> int:
    """0 right, 1 wrong, 2 no answer; -1: the figure does not cover this case."""
    score = case.scores.get(main.name)
    if score is not None and score.value is not None:
        return int(score.value != (1.0 if main.higher_is_better else 0.0))
    return 2 if case.status in ("error", "missing") else -1


def _counts(members: Sequence[tuple[int, str]]) -> tuple[int, int, int]:
    places = [place for place, _ in members]
    return places.count(0), places.count(1), places.count(2)


def _share(members: Sequence[tuple[int, str]], *, clustered: bool) -> tuple[float | None, float | None, float | None]:
    """Of those with an answer, with its interval; variants of one case are kept together."""
    judged = [one for one in members if one[0] < 2]
    found = estimate(
        [float(place == 0) for place, _ in judged], "rate", [name for _, name in judged] if clustered else None
    )
    return found.mean, found.low, found.high
