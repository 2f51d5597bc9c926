"""The figures of a run while it goes on: those of the scored cases, as if there were no others."""

from __future__ import annotations

import random

import pytest

from karat.core import plugins
from karat.core.results.columns.columns import columns_of
from karat.core.results.failures.failure_columns import failure_columns_of
from karat.core.results.live import LiveBatch, LiveCase
from karat.core.results.result import CaseResult, RunInfo, RunResult
from karat.core.scores import Score
from karat.reports.console.live import live_lines, live_words
from karat.reports.live_run import LiveBaseline, LiveRun, in_words, seconds_left
from karat.stats.compare.paired import paired_difference
from karat.stats.intervals.estimates import estimate

METRICS = ("macro_recall", "fully_right")
SUITE = plugins.load_suite("data_query")
MEX = ("wrong", "COUNTRY wrong: asked MEX, got USA", "COUNTRY wrong")


def line(
    place: int,
    right: bool,
    recall: float | None = 1.0,
    *,
    at: float = 0.0,
    cost: float | None = None,
    cluster: str = "",
) -> LiveCase:
    outcome = "right" if right else "wrong"
    return LiveCase(
        place, f"c{place}", f"question {place}", outcome, "" if right else "asked MEX, got USA",  # type: ignore[arg-type]  # a word of the list
        (recall, float(right)), () if right else (MEX,), cost, None, cluster, at,
    )  # fmt: skip


def live_of(*lines: LiveCase, at_random: bool = True) -> LiveRun:
    live = LiveRun(SUITE.metrics)
    live.add(LiveBatch(METRICS, lines, at_random))
    return live


def baseline(right: dict[int, bool]) -> LiveBaseline:
    cases = tuple(
        CaseResult(f"c{n}", "scored", {"macro_recall": Score(1.0), "fully_right": Score(float(ok))}, {})
        for n, ok in right.items()
    )
    result = RunResult(RunInfo("data_query", id="r-0001"), (), cases)
    columns = columns_of(result, groups=False)
    places = {case: place for place, case in enumerate(columns.case_ids)}
    return LiveBaseline("r-0001", columns, failure_columns_of(result), places)


def test_figures_are_those_of_the_cases_so_far() -> None:
    draw = random.Random(3)
    recalls = [draw.choice((0.25, 0.5, 1.0, None)) for _ in range(40)]
    live = live_of(*(line(n, recall == 1.0, recall) for n, recall in enumerate(recalls)))
    found = {one.metric: one for one in live.figures()}
    known = [recall for recall in recalls if recall is not None]
    assert found["macro_recall"].estimate == estimate(known, "share")
    assert found["fully_right"].estimate == estimate([float(recall == 1.0) for recall in recalls], "rate")
    assert live.outcomes() == {"right": recalls.count(1.0), "wrong": 40 - recalls.count(1.0)}


def test_variants_of_one_case_are_kept_together() -> None:
    lines = [line(n, n % 8 < 4, cluster=f"group {n // 4}") for n in range(40)]
    found = live_of(*lines).figures()[1].estimate
    assert found == estimate([float(n % 8 < 4) for n in range(40)], "rate", [n // 4 for n in range(40)])


def test_a_case_that_is_scored_again_replaces_itself() -> None:
    live = live_of(line(0, False, cost=1.0), line(1, True, cost=1.0))
    live.add(LiveBatch(METRICS, (line(0, True, cost=3.0),), at_random=True))
    assert (len(live), live.outcomes()["right"], live.cost()) == (2, 2, 4.0)
    assert not live.groups().groups


def test_the_difference_is_over_the_cases_that_both_have() -> None:
    own = {n: bool(n % 2) for n in range(20)}
    base = baseline({n: n % 3 > 0 for n in range(5, 60)})
    live = live_of(*(line(n, right) for n, right in own.items()))
    found = live.figures(base)[1].difference
    both = range(5, 20)
    assert found == paired_difference([float(n % 3 > 0) for n in both], [float(own[n]) for n in both], kind="rate")
    none = baseline(dict.fromkeys(range(50, 60), True))
    assert live.figures(none)[1].difference is None


def test_groups_so_far_and_before() -> None:
    live = live_of(*(line(n, n > 7) for n in range(20)))
    (group,) = live.groups(baseline(dict.fromkeys(range(10), True))).groups
    assert (group.label, group.cases, group.on_same_cases, group.baseline) == (MEX[1], 8, 8, 0)


def test_the_newest_wrong_answers() -> None:
    live = live_of(*(line(n, bool(n % 2)) for n in range(20)))
    assert [case.case_id for case in live.newest_wrong()] == ["c18", "c16", "c14", "c12", "c10"]
    assert live_of(line(0, right=True)).newest_wrong() == []


@pytest.mark.parametrize("pause", [0.0, 7200.0])
def test_the_rate_is_that_of_late(pause: float) -> None:
    """A pause in which the run was stopped does not count."""
    times = [n * 0.5 - (pause if n < 30 else 0.0) for n in range(60)]
    live = live_of(*(line(n, True, at=at) for n, at in enumerate(times)))
    assert live.rate(now=times[-1]) == pytest.approx(2.0)
    assert live.rate(now=times[-1] + 14.5) == pytest.approx(1.0 if pause else 59 / 44)
    assert live_of(line(0, right=True)).rate() is None


def test_what_is_left() -> None:
    assert (seconds_left(100, 60, 2.0), seconds_left(100, 60, None)) == (20.0, None)
    assert [in_words(n) for n in (0.4, 59, 61, 600, 3599, 3600, 7860)] == [
        "0 s", "59 s", "1 min 1 s", "10 min", "60 min", "1 h 0 min", "2 h 11 min",
    ]  # fmt: skip


def test_the_curve_ends_with_the_figure() -> None:
    live = live_of(*(line(n, n % 3 > 0) for n in range(100)))
    title, points = live.curve()
    assert title == "fully right" and points[0].cases == 10
    assert (points[-1].cases, points[-1].estimate) == (100, live.figures()[1].estimate)
    assert live_of(line(0, right=True)).curve() == ("", [])


def test_the_terminal_says_the_same() -> None:
    live = live_of(*(line(n, n > 7, cost=0.5) for n in range(20)))
    texts = ["".join(words for words, _ in spans) for spans in live_lines(live, 40, baseline({3: True, 4: True}))]
    assert texts[1].split() == ["fully", "right", "0.600", "0.387", "–", "0.781", "20", "−1.000", "against", "r-0001"]
    assert "scored 20 · right 12 · wrong 8 · cost 10.00 of about 20.00" in texts[2]
    assert texts[3].split() == ["8", "cases", *MEX[1].split()[:-1], "USA,", "2", "more"]
    assert texts[4].split()[:2] == ["newest", "c7"] and "got USA" in texts[4]
    assert live_words(live) == "fully right 0.600 (0.387 – 0.781)"
    assert live_lines(LiveRun(SUITE.metrics), 40) == [] and live_words(LiveRun(SUITE.metrics)) == ""
    by_file = live_of(line(0, right=True), at_random=False)
    assert "in the order of the file" in "".join(words for spans in live_lines(by_file, 40) for words, _ in spans)
