"""Every metric, in the order of its file's words, with numbers that can be checked by hand.

Unless a test says otherwise: a, b and c are relevant; retrieved are x, a, y, b: ranks 2 and 4, and c is missing.
"""

from __future__ import annotations

from math import log2

import pytest

from karat.core.metric import Metric
from karat.suites.retrieval.comparison import Comparison
from karat.suites.retrieval.metrics import ANSWERED, METRICS, OF_ALL
from karat.suites.retrieval.metrics.fields import CUTOFFS
from tests.suites.retrieval.samples import comparison, fields, score, value

EXAMPLE = comparison(["a", "b", "c"], ["x", "a", "y", "b"])
ALL = comparison(["a", "b"], ["b", "x", "a"])


def near(number: float) -> object:
    return pytest.approx(number, abs=1e-12)


def test_passed() -> None:
    assert value("passed", ALL) == 1.0
    found = score("passed", EXAMPLE)
    assert (found.value, found.reason) == (0.0, "missing c")
    many = score("passed", comparison(["a", "b", "c", "d", "e"], []))
    assert many.reason == "missing a, b, c and 2 more"


def test_recall() -> None:
    assert value("recall", EXAMPLE) == near(2 / 3)
    assert value("recall", ALL) == 1.0


def test_recall_at() -> None:
    assert value("recall_at_1", EXAMPLE) == 0.0
    assert value("recall_at_3", EXAMPLE) == near(1 / 3)
    assert value("recall_at_5", EXAMPLE) == value("recall_at_1000", EXAMPLE) == near(2 / 3)


def test_precision_at_is_always_over_k() -> None:
    assert value("precision_at_3", EXAMPLE) == near(1 / 3)
    assert value("precision_at_5", EXAMPLE) == 0.4  # four results only
    assert value("precision_at_100", EXAMPLE) == 0.02


def test_success_at() -> None:
    assert value("success_at_1", EXAMPLE) == 0.0
    assert value("success_at_3", EXAMPLE) == 1.0
    assert value("success_at_3", comparison(["a"], ["x"])) == 0.0


def test_rr() -> None:
    assert value("rr", EXAMPLE) == 0.5
    assert value("rr", comparison(["a"], ["x", "y"])) == 0.0


def test_rr_at() -> None:
    assert value("rr_at_1", EXAMPLE) == 0.0
    assert value("rr_at_3", EXAMPLE) == 0.5


def test_mrr_sum_is_the_contracts() -> None:
    assert value("mrr_sum", EXAMPLE) == 0.5 + 0.25
    assert value("mrr_sum", comparison(["a", "b", "c", "d"], ["d", "c", "b", "a"])) == near(1 + 1 / 2 + 1 / 3 + 1 / 4)
    assert value("mrr_sum", comparison(["a"], [])) == 0.0


def test_map() -> None:
    assert value("map", EXAMPLE) == near((1 / 2 + 2 / 4) / 3)
    assert value("map", comparison(["a"], ["x"])) == 0.0


def test_map_at() -> None:
    assert value("map_at_3", EXAMPLE) == near((1 / 2) / 3)
    assert value("map_at_1", EXAMPLE) == 0.0


def test_r_precision() -> None:
    assert value("r_precision", EXAMPLE) == near(1 / 3)  # of the first three results one is relevant


GRADED = comparison({"a": 3, "b": 1, "c": 2, "z": 0, "n": -1}, ["z", "b", "n", "a"])


def test_ndcg() -> None:
    gained = 1 / log2(3) + 3 / log2(5)
    ideal = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert value("ndcg", GRADED) == near(gained / ideal)
    assert value("ndcg", comparison({"a": 3, "b": 1}, ["a", "b"])) == 1.0
    assert value("ndcg", comparison(["a"], ["x"])) == 0.0


def test_ndcg_at() -> None:
    assert value("ndcg_at_3", GRADED) == near((1 / log2(3)) / (3 + 2 / log2(3) + 1 / log2(4)))
    assert value("ndcg_at_1", GRADED) == 0.0
    assert value("ndcg_at_1", comparison({"a": 3, "b": 1}, ["b", "a"])) == near(1 / 3)


def test_ndcg_does_not_look_at_the_relevance_level() -> None:
    strict = comparison({"a": 3, "b": 1, "c": 2, "z": 0, "n": -1}, ["z", "b", "n", "a"], relevance_level=2)
    assert value("ndcg", strict) == value("ndcg", GRADED)
    assert value("recall", strict) == 0.5  # a of a and c
    assert value("rr", strict) == 0.25


def test_several_fields_count_alike() -> None:
    found = fields(
        {"item": ["a", "b"], "type": ["t"], "other": []}, {"item": ["a"], "type": ["x", "t"], "other": ["o"]}
    )
    assert value("recall", found) == near((0.5 + 1.0 + 1) / 3)  # nothing was asked of the third, nothing is missing
    assert value("recall_at_1", found) == near((0.5 + 0.0 + 1) / 3)
    assert value("rr", found) == near((1.0 + 0.5) / 2)
    assert score("passed", found).reason == "missing b"


@pytest.mark.parametrize("metric", [*ANSWERED, *OF_ALL], ids=lambda metric: metric.name)
def test_no_relevant_key(metric: Metric[Comparison]) -> None:
    """0 with a reason where something was judged, as in trec_eval; else, or where the option says so, not
    applicable."""
    name = metric.name
    judged = score(name, comparison({"a": 0, "b": -1}, ["a"]))
    assert (judged.state, judged.value, judged.reason) == ("scored", 0.0, "no key is relevant: 0, as in trec_eval")
    left = score(name, comparison({"a": 0}, ["a"], no_relevant="leave_out"))
    assert (left.state, left.value, left.reason) == ("not_applicable", None, "no key is relevant")
    assert score(name, comparison([], ["a"])).state == "not_applicable"


def test_names_and_cutoffs() -> None:
    names = [metric.name for metric in METRICS]
    assert len(set(names)) == len(names)
    assert {5, 10, 15, 20, 30, 100, 200, 500, 1000} <= set(CUTOFFS)  # trec_eval's own
    assert [metric.name for metric in METRICS if metric.headline] == [
        "passed",
        "recall",
        "rr",
        "map",
        "recall_at_10",
        "ndcg_at_10",
    ]
    twins = [metric for metric in METRICS if metric.counts_all]
    assert {metric.name for metric in twins} == {name for name in names if name.endswith("_of_all")}
    assert all(value(f"{name}", EXAMPLE) == value(f"{name}_of_all", EXAMPLE) for name in ("map", "ndcg_at_10"))
