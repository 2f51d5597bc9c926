"""What strategies are worth: the example by hand, pairs, prices, Holm."""

from __future__ import annotations

import pytest

from karat.stats import estimate
from karat.stats.compare.significance.holm import holm as by_stats
from karat.suites.codegen.repair.records import StrategyResult
from karat.suites.codegen.repair.strategy_figures import Tried, holm, strategy_differences, strategy_figures


def tried(task: int, **right: bool) -> Tried:
    return f"task {task}", {
        name: StrategyResult(name, one, 2, "ran", latency=1.5, tokens=100, cost=0.02) for name, one in right.items()
    }


TEN = [tried(number, repair=number < 4, fresh=number in (0, 1, 8)) for number in range(10)]


def test_the_example_by_hand() -> None:
    repair, fresh = strategy_figures(TEN, estimate)
    assert (repair.wrong_at_first, repair.right, repair.calls, repair.share.mean) == (10, 4, 20, 0.4)
    assert repair.cost_each == pytest.approx(0.05) and repair.calls_each == 5
    assert fresh.right == 3 and fresh.cost_each == pytest.approx(0.2 / 3)
    assert fresh.tokens_each == pytest.approx(1000 / 3) and fresh.seconds_each == pytest.approx(5)
    (gap,) = strategy_differences(TEN, estimate)
    assert (gap.strategy, gap.other) == ("repair", "fresh")
    assert gap.difference.mean == pytest.approx(0.1) and gap.difference.n == 10
    assert gap.difference.low is not None and gap.difference.low < 0.1 < (gap.difference.high or 0)
    assert gap.p == gap.p_holm == 1.0  # two tasks for repair, one for fresh


def test_nobody_is_charged_for_what_was_not_used() -> None:
    one = {"repair": StrategyResult("repair", False, 0, "ran", 0.0, 0, 0.0)}
    two = {"repair": StrategyResult("repair", True, 1, "ran", None, 7, None)}
    (found,) = strategy_figures([("a", one), ("b", two)], estimate)
    assert (found.calls, found.tokens, found.cost, found.seconds) == (1, 7, None, None)
    assert found.cost_each is None and found.tokens_each == 7


def test_without_a_right_answer_there_is_no_price() -> None:
    (found,) = strategy_figures([tried(1, fresh=False)], estimate)
    assert found.cost == 0.02 and found.cost_each is None and found.calls_each is None


def test_a_clear_difference_is_seen_and_tasks_are_clusters() -> None:
    clear = [tried(number, repair=True, fresh=False) for number in range(8)]
    (gap,) = strategy_differences(clear, estimate)
    assert gap.p == pytest.approx(2 / 2**8) and gap.difference.low is None  # all alike: no spread
    (same_task,) = strategy_differences([tried(1, repair=True, fresh=False)] * 8, estimate)
    assert same_task.p == 1.0


def test_answers_that_not_all_were_tried_on_are_left_out() -> None:
    assert [one.wrong_at_first for one in strategy_figures([*TEN, tried(11, repair=True)], estimate)] == [10, 10]
    assert strategy_figures([], estimate) == [] and strategy_differences([], estimate) == []


def test_holm_is_that_of_the_statistics() -> None:
    for chances in ([0.01, 0.04, 0.03], [0.5, 0.5], [0.2], [0.001, 0.001, 0.9, 0.03]):
        assert holm(chances) == pytest.approx(by_stats(chances))
