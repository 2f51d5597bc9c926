"""A suite over its releases: the newest run of each, oldest first.

Figures of two releases are comparable only if their truth sets are equal. Where the truth set changes, the line of a
figure breaks, and the two releases are compared over the cases that they share. A case whose target was edited is not
shared: it has another truth, and is counted apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any  # Any: any suite, whatever its targets and options

import msgspec

from karat.core.json_types import JsonObject
from karat.core.metric import Metric, pass_metric
from karat.core.problems import count_of
from karat.core.report import Cell, Chart, Column, Report, Series, Sheet, Table
from karat.core.results.columns.columns import columns_of, selected
from karat.core.results.result import RunResult
from karat.core.suite import Suite
from karat.reports.full_report import ABOUT, whole_report
from karat.stats.compare.runs import compare_runs
from karat.stats.gates.figures import values_of
from karat.stats.intervals.estimates import estimate

TREND = "Trend"
Truths = Callable[[RunResult], Mapping[str, bytes]]
"""What a run had for the truth of each of its cases, by their ids."""


class Step(msgspec.Struct, frozen=True):
    """A metric from one release to the next, over the cases that both have."""

    metric: str
    mean: float
    low: float | None
    high: float | None
    n: int
    before: float
    after: float


class Release(msgspec.Struct, frozen=True):
    """A release and its newest run."""

    label: str
    result: RunResult
    shared: int | None = None
    """Cases that it shares with the release before, with the same truth; None for the first."""
    comparable: bool = True
    """Its truth set is that of the release before."""
    steps: tuple[Step, ...] = ()
    other_truth: frozenset[str] = frozenset()
    """The cases that had another truth in the last release before that has them."""


class CaseHistory(msgspec.Struct, frozen=True):
    """A case that was wrong in some release: where that began, and where it ended. Empty: it is still wrong."""

    case: str
    wrong_since: str
    right_since: str
    other_truth_since: str = ""
    """The release that expects another answer, which ends the history too."""


class Trend(msgspec.Struct, frozen=True):
    """All releases of a suite."""

    suite: Suite[Any, Any, Any]
    releases: tuple[Release, ...]
    cases: tuple[CaseHistory, ...]
    judged_by: str
    """The metric by which a case is right."""


def trend_of(runs: Sequence[tuple[str, RunResult]], suite: Suite[Any, Any, Any], truths: Truths) -> Trend:
    """The trend over (label, newest run), oldest first."""
    metrics = suite.metrics
    releases: list[Release] = []
    known: dict[str, bytes] = {}
    for label, result in runs:
        if not releases:
            releases.append(Release(label, result))
            continue
        before = releases[-1].result
        same = before.run.truth_set == result.run.truth_set
        other: frozenset[str] = frozenset()
        if not same:
            known = known or dict(truths(before))
            now = truths(result)
            other = frozenset(case for case, truth in now.items() if known.get(case, truth) != truth)
            known |= now
        found = compare_runs(before, _without(result, other), metrics)
        steps = tuple(
            Step(item.metric, one.mean, one.low, one.high, one.n, one.mean_a, one.mean_b)
            for item in found.metrics
            if (one := item.difference) is not None
        )
        releases.append(Release(label, result, found.n_shared, same, steps, other))
    chosen = pass_metric(metrics)
    judged = chosen.name if chosen else ""
    return Trend(suite, tuple(releases), tuple(_histories(releases, judged)), judged)


def _without(result: RunResult, cases: frozenset[str]) -> RunResult:
    """The result without some of its cases."""
    import numpy as np

    if not cases:
        return result
    ids = columns_of(result, groups=False).case_ids
    places = np.array([place for place, one in enumerate(ids) if one not in cases], dtype=np.int64)
    return msgspec.structs.replace(result, cases=selected(result.cases, places))


def _histories(releases: Sequence[Release], metric: str) -> list[CaseHistory]:
    """Every time that a case was wrong. A release without a verdict on it changes nothing."""
    open_since: dict[str, str] = {}
    found: list[CaseHistory] = []
    for release in releases:
        edited = sorted(release.other_truth & open_since.keys())
        found += [CaseHistory(case, open_since.pop(case), "", release.label) for case in edited]
        columns = columns_of(release.result, groups=False)
        for case, value in zip(columns.case_ids, values_of(columns, metric).tolist(), strict=True):
            if value < 1 and case not in open_since:
                open_since[case] = release.label
            elif value >= 1 and case in open_since:  # NaN, no value, is neither
                found.append(CaseHistory(case, open_since.pop(case), release.label))
    return found + [CaseHistory(case, since, "") for case, since in open_since.items()]


# -- JSON -------------------------------------------------------------------------------------------------------------


def trend_json(trend: Trend) -> JsonObject:
    """The whole trend as plain values."""
    return {
        "suite": trend.suite.name,
        "judged_by": trend.judged_by,
        "releases": [_release_json(one, trend.suite) for one in trend.releases],
        "cases": [msgspec.to_builtins(one) for one in trend.cases],
    }


def _release_json(release: Release, suite: Suite[Any, Any, Any]) -> JsonObject:
    run = release.result.run
    return {
        "release": release.label,
        "run": run.id,
        "date": run.started,
        "cases": len(release.result.cases),
        "truth_set": run.truth_set,
        "comparable": release.comparable,
        "shared_cases": release.shared,
        "cases_with_other_truth": len(release.other_truth),
        "metrics": {
            item.metric: {"mean": item.mean, "low": item.low, "high": item.high, "n": item.n}
            for item in release.result.summary
        },
        "differences": {step.metric: msgspec.to_builtins(step) for step in release.steps},
        "main_reasons": suite.figures(release.result, estimate).get("reasons", {}).get("main", {}),
    }


# -- a sheet ----------------------------------------------------------------------------------------------------------


def trend_report(trend: Trend) -> Report:
    """The report of the newest release, with the sheet ``Trend``."""
    report = whole_report(trend.releases[-1].result, trend.suite)
    last = next((place for place, one in enumerate(report.sheets) if one.title == ABOUT), len(report.sheets))
    return Report(report.title, (*report.sheets[:last], _sheet(trend), *report.sheets[last:]))


def _sheet(trend: Trend) -> Sheet:
    metrics = [metric for metric in trend.suite.metrics if metric.kind != "quantity"]
    present = {item.metric for one in trend.releases for item in one.result.summary if item.mean is not None}
    metrics = [metric for metric in metrics if metric.name in present]
    shown = [metric for metric in metrics if metric.headline] or metrics[:1]
    columns = [Column("no.", "count", 6), Column("release", width=16), Column("date", width=20)]
    columns += [Column("cases", "count", 8), Column("truth set", width=16), Column("note", "wrapped", 40)]
    for metric in metrics:
        columns.append(Column(metric.title, "score", 11, metric.higher_is_better, 3))
        columns += [Column(end, "number", 9, decimals=3) for end in ("low", "high")]
    rows = tuple(_row(number, one, metrics) for number, one in enumerate(trend.releases, start=1))
    note = (
        "The newest run of each release, oldest first. Low and high are 95 % intervals. "
        "A line breaks where the cases changed."
    )
    table = Table(tuple(columns), rows, "Releases", note)
    common = _common(trend, shown)
    charts = tuple(_chart(metric, 6 + 3 * metrics.index(metric), trend, common) for metric in shown)
    tables = [table, *([_common_table(common)] if common else []), *_steps(trend, metrics)]
    if trend.cases:
        heads = (Column("case", "wrapped", 38), Column("wrong since", width=16), Column("right since", width=16))
        held = tuple((one.case, one.wrong_since, _until(one)) for one in trend.cases)
        tables.append(Table(heads, held, "Cases that were wrong", f"By {trend.judged_by.replace('_', ' ')}."))
    return Sheet(TREND, tuple(tables), charts=charts)


def _until(history: CaseHistory) -> str:
    other = f"other truth in {history.other_truth_since}" if history.other_truth_since else ""
    return history.right_since or other or "still wrong"


def _row(number: int, release: Release, metrics: Sequence[Metric]) -> tuple[Cell, ...]:
    run = release.result.run
    found = {item.metric: item for item in release.result.summary}
    figures: list[Cell] = []
    for metric in metrics:
        item = found.get(metric.name)
        figures += [item.mean, item.low, item.high] if item else [None, None, None]
    note = "" if release.comparable else f"other cases than before: {release.shared:,} are the same"
    if release.other_truth:
        note += f", {count_of(len(release.other_truth), 'case')} with another truth"
    return (number, release.label, run.started, len(release.result.cases), run.truth_set[:16], note, *figures)


def _common(trend: Trend, metrics: Sequence[Metric]) -> list[tuple[Cell, ...]]:
    """Where the cases change: two rows for each figure, over the cases that both releases have."""
    known = {metric.name: metric.title for metric in metrics}
    rows: list[tuple[Cell, ...]] = []
    for number, (before, after) in enumerate(zip(trend.releases, trend.releases[1:], strict=False), start=1):
        for step in after.steps if not after.comparable else ():
            if step.metric in known:
                rows.append((number, before.label, known[step.metric], step.n, step.before))
                rows.append((number + 1, after.label, known[step.metric], step.n, step.after))
    return rows


def _common_table(rows: Sequence[tuple[Cell, ...]]) -> Table:
    columns = (
        Column("no.", "count", 6),
        Column("release", width=16),
        Column("metric", width=26),
        Column("common cases", "count", 12),
        Column("mean over these", "number", 14, decimals=3),
    )
    note = "Where the cases change: both releases over the cases that they share. The dashed lines are drawn from this."
    return Table(columns, tuple(rows), "Over common cases", note)


def _chart(metric: Metric, column: int, trend: Trend, common: Sequence[tuple[Cell, ...]]) -> Chart:
    """A line for each stretch of releases with the same cases, and a dashed one over common cases between them."""
    stretches: list[list[int]] = []
    for number, release in enumerate(trend.releases):
        if number and release.comparable:
            stretches[-1].append(number)
        else:
            stretches.append([number])
    series = tuple(Series(metric.title, 0, column, one[0], one[-1]) for one in stretches)
    places = [place for place in range(0, len(common), 2) if common[place][2] == metric.title]
    series += tuple(Series("common cases", 0, 4, place, place + 1, dashed=True, table=1) for place in places)
    return Chart(metric.title, "release (no.)", metric.title, series, y_most=1.0)


def _steps(trend: Trend, metrics: Sequence[Metric]) -> list[Table]:
    known = {metric.name: metric.title for metric in metrics}
    rows: list[tuple[Cell, ...]] = [
        (before.label, after.label, known[one.metric], one.n, one.before, one.after, one.mean, one.low, one.high)
        for before, after in zip(trend.releases, trend.releases[1:], strict=False)
        for one in after.steps
        if one.metric in known
    ]
    if not rows:
        return []
    columns = [Column("from", width=16), Column("to", width=16), Column("metric", width=26), Column("n", "count", 8)]
    columns += [Column(title, "number", 11, decimals=3) for title in ("before", "after", "difference", "low", "high")]
    note = "Paired over the n cases that have a value in both releases, as in karat compare."
    return [Table(tuple(columns), tuple(rows), "From release to release", note)]
