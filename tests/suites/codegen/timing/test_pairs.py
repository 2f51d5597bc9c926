"""Pairs of runs: turns, doubling, a small difference seen twice, counts; on a clock that the test sets."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from karat.sandbox import Outcome
from karat.suites.codegen.timing.pairs import EMPTY, Empty, Pairs, empty_run, repeats

NOTHING = Empty(0.0, None)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many pairs as it takes: the clock here costs nothing."""
    monkeypatch.setattr("karat.suites.codegen.timing.pairs.PATIENCE", 5.0)


def clock(times: Callable[[str], float], seen: list[str] | None = None) -> Callable[[str], Outcome]:
    def run(code: str) -> Outcome:
        if seen is not None:
            seen.append(code)
        seconds = times(code)
        return Outcome("ok", result=code, wall=seconds, busy=seconds)

    return run


def test_turns_are_taken_and_the_first_pair_does_not_count() -> None:
    seen: list[str] = []
    pairs = Pairs(clock(lambda _: 0.01, seen), "own", "reference", NOTHING)
    pairs.until(3)
    assert seen == ["reference", "own", "own", "reference", "reference", "own", "own", "reference"]
    assert [len(outcomes) for outcomes in pairs.runs] == [3, 3]


def test_times_are_net_of_an_empty_snippet() -> None:
    empty = empty_run(clock(lambda code: 0.004 if code == EMPTY else 0.0))
    assert empty == Empty(0.004, None)
    pairs = Pairs(clock(lambda code: 0.022 if code == "own" else 0.012), "own", "reference", empty)
    found, seen = pairs.by_clock(9) or pytest.fail("all ran")
    assert found.middle == pytest.approx((0.018 + 0.002) / (0.008 + 0.002)) and seen
    assert len(pairs.runs[0]) == 9  # clear at once


def test_pairs_are_doubled_while_the_interval_is_wide() -> None:
    pick = random.Random(5)
    pairs = Pairs(clock(lambda _: 0.01 * pick.lognormvariate(0, 0.7)), "own", "reference", NOTHING)
    _, seen = pairs.by_clock(9) or pytest.fail("all ran")
    assert len(pairs.runs[0]) == 33 and not seen


def test_a_small_difference_must_be_seen_twice() -> None:
    lucky = iter([1.1] * 10 + [1.0] * 10)  # nine pairs by chance, and the one before them
    pairs = Pairs(clock(lambda code: 0.1 * next(lucky) if code == "own" else 0.1), "own", "reference", NOTHING)
    found, seen = pairs.by_clock(9) or pytest.fail("all ran")
    assert not seen and len(pairs.runs[0]) == 18
    pairs = Pairs(clock(lambda code: 0.11 if code == "own" else 0.1), "own", "reference", NOTHING)
    found, seen = pairs.by_clock(9) or pytest.fail("all ran")
    assert seen and found.middle == pytest.approx(0.112 / 0.102)


def test_the_same_code_is_seldom_taken_for_slower_on_a_busy_machine() -> None:
    pick = random.Random(11)

    def busy(_: str) -> float:
        return 0.01 * pick.lognormvariate(0, 0.15) * (pick.uniform(1, 4) if pick.random() < 0.3 else 1)

    slower = 0
    for _ in range(300):
        found, seen = Pairs(clock(busy), "own", "reference", NOTHING).by_clock(9) or pytest.fail("all ran")
        slower += seen and found.middle > 1
    assert slower <= 2


def test_a_run_that_fails_ends_it() -> None:
    def run(code: str) -> Outcome:
        return Outcome("timeout" if code == "own" else "ok", wall=1.0)

    pairs = Pairs(run, "own", "reference", NOTHING)
    assert pairs.failed[0] is not None and pairs.failed[1] is None
    assert pairs.by_clock(9) is None and pairs.by_count() is None


def test_long_runs_end_early(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 1_000, 3))
    monkeypatch.setattr("karat.suites.codegen.timing.pairs.time.monotonic", lambda: float(next(now)))
    pairs = Pairs(clock(lambda code: 2.0 if code == "own" else 1.0), "own", "reference", NOTHING)
    found, seen = pairs.by_clock(9) or pytest.fail("all ran")
    assert len(pairs.runs[0]) == 3 and seen  # the first pair counts: it took long
    assert found.confidence == 0.75


def test_pairs_that_cannot_change_the_score_are_not_run() -> None:
    pick = random.Random(5)
    run = clock(lambda code: (0.4 if code == "own" else 0.01) * pick.lognormvariate(0, 0.5))
    pairs = Pairs(run, "own", "reference", NOTHING)
    found, seen = pairs.by_clock(9) or pytest.fail("all ran")
    assert found.wide and seen and len(pairs.runs[0]) == 9


def counting(counts: Callable[[str], int]) -> Callable[[str], Outcome]:
    return lambda code: Outcome("ok", result=1, wall=0.01, counted=counts(code))


def test_counts_decide_where_they_repeat() -> None:
    run = counting(lambda code: {"own": 205_000_000, "reference": 105_000_000}.get(code, 10_000_000))
    pairs = Pairs(run, "own", "reference", empty_run(run))
    found, seen = pairs.by_count() or pytest.fail("they repeat")
    assert found.middle == 2.0 and seen and len(pairs.runs[0]) == 3


def test_counts_that_do_not_repeat_are_not_used() -> None:
    pick = random.Random(1)
    run = counting(lambda _: pick.randint(100_000_000, 110_000_000))
    assert Pairs(run, "own", "reference", empty_run(run)).by_count() is None
    assert repeats([1000, 1010]) and not repeats([1000, 1011])


def test_without_a_counter_there_are_no_counts() -> None:
    assert Pairs(clock(lambda _: 0.01), "own", "reference", NOTHING).by_count() is None
