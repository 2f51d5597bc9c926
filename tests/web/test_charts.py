"""Trends: what is joined by a line, and what is not."""

from __future__ import annotations

from karat.core.results.result import MetricSummary
from karat.store import RunRow
from karat.web.charts import trend


def row(number: int, mean: float, truth_set: str, *, spread: float | None = 0.1) -> RunRow:
    low, high = (None, None) if spread is None else (mean - spread, mean + spread)
    return RunRow(
        id=number, suite="demo", name="", system="", status="finished", created="", started="", finished="",
        truth_set=truth_set, cases=10, repeats=1, karat="", tags=(), scoring=number,
        summary=(MetricSummary("right", mean, 10, low, high),),
    )  # fmt: skip


def test_runs_over_different_truth_sets_are_never_joined() -> None:
    rows = [row(1, 0.5, "one"), row(2, 0.6, "one"), row(3, 0.9, "two"), row(4, 0.8, "two"), row(5, 0.4, "one")]
    found = trend(rows, "right", "fully right", "rate")
    assert found is not None and len(found.points) == 5
    joined = [stretch.line.split() for stretch in found.stretches]
    points = [f"{point.x},{point.y}" for point in found.points]
    assert joined == [points[:2], points[2:4], points[4:]]


def test_one_truth_set_is_one_line() -> None:
    found = trend([row(1, 0.5, "one"), row(2, 0.6, "one")], "right", "fully right", "rate")
    assert found is not None and len(found.stretches) == 1


def test_a_run_without_an_interval_has_no_band() -> None:
    """A band of width 0 would claim certainty."""
    rows = [row(i, 0.5, "one", spread=None if i == 3 else 0.1) for i in range(1, 6)]
    found = trend(rows, "right", "cost", "quantity")
    assert found is not None
    (stretch,) = found.stretches
    assert len(stretch.line.split()) == 5
    assert [len(band.split()) for band in stretch.bands] == [4, 4]
    assert not any(band.startswith(f"{found.points[2].x},") for band in stretch.bands)


def test_a_break_has_the_names_of_both_truth_sets_where_there_is_room() -> None:
    found = trend([row(1, 0.5, "one"), row(2, 0.6, "two")], "right", "fully right", "rate")
    assert found is not None
    assert [(item.before, item.after) for item in found.breaks] == [("one · 10 cases", "two · 10 cases")]
    many = trend([row(n, 0.5, f"set {n}") for n in range(1, 21)], "right", "fully right", "rate")
    assert many is not None and len(many.breaks) == 19
    assert not any(item.before and item.after for item in many.breaks)
    truths = ["one"] * 3 + ["two"] * 3 + ["three"] * 3
    three = trend([row(n, 0.5, name) for n, name in enumerate(truths, start=1)], "right", "fully right", "rate")
    assert three is not None
    named = [(item.before[:5].split()[:1], item.after.split()[0]) for item in three.breaks]
    assert named == [(["one"], "two"), ([], "three")], "each truth set is named once"
    assert [item.wide for item in three.breaks] == [(True, True), (True, True)], "on a phone there is no room for them"
    assert found.breaks[0].wide == (False, False)


def test_the_axis_encloses_every_interval() -> None:
    for mean, spread in ((0.5, 0.1), (0.02, 0.02), (0.97, 0.03), (1.0, 0.0), (0.0, 0.0)):
        found = trend([row(1, mean, "one", spread=spread), row(2, mean, "one", spread=spread)], "right", "x", "rate")
        assert found is not None
        values = [value for value, _ in found.ticks]
        assert values[0] <= mean - spread + 1e-9 and values[-1] >= mean + spread - 1e-9 and len(values) >= 2
        assert all(18 <= point.y <= 166 for point in found.points)
