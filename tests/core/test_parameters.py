"""Parameters of metrics: names with values, the nearest of what there is, and wrong values refused."""

from __future__ import annotations

from typing import Any

import pytest

from karat.core.metric import Metric
from karat.core.metrics.metric_names import find_metric, has_metric
from karat.core.metrics.parameters import Parameter, parse_name
from karat.core.plugins import load_suite
from karat.core.problems import UnknownName, UserError
from karat.core.scores import Score, scored


def score(comparison: list[int], cutoff: int = 10, gains: str = "linear") -> Score:
    return scored(sum(comparison[:cutoff]) if gains == "linear" else 0.0)


CUTOFF = Parameter("cutoff", int, 10, "How many results count.", at_least=1)
GAINS = Parameter("gains", str, "linear", "How gains grow.")
SUM = Metric("Sum", "sum", "the sum of the first {cutoff}", score, kind="quantity", parameters=(CUTOFF, GAINS))
METRICS = (
    SUM.with_parameters(cutoff=2),
    SUM.with_parameters(),
    SUM.with_parameters(cutoff=5, gains="exponential"),
    Metric("plain", "plain", "plain", score),
)


def test_a_metric_with_values() -> None:
    two = METRICS[0]
    assert (two.name, two.full_name, two.title, two.formula) == ("Sum@2", "Sum@2", "sum@2", "the sum of the first 2")
    assert two.score([1, 2, 4]).value == 3 and METRICS[1].score([1, 2, 4]).value == 7
    assert dict(two.values) == {"cutoff": 2, "gains": "linear"} and two.base == "Sum"
    assert METRICS[2].name == "Sum(gains=exponential)@5"
    assert METRICS[3].full_name == "plain"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Sum@2", 0),
        ("sum @ 2", 0),
        ("Sum(cutoff=2)", 0),
        ("Sum( cutoff = 2, gains = linear )", 0),
        ("Sum", 1),
        ("Sum@010", 1),
        ("Sum()", 1),
        ("Sum(gains=exponential)@5", 2),
        ("Sum(gains=exponential, cutoff=5)", 2),
        ("plain", 3),
    ],
)
def test_names_that_mean_the_same(text: str, place: int) -> None:
    assert find_metric(text, METRICS) is METRICS[place]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("Sum@3", 'there is no metric "Sum@3"', 'Did you mean "Sum@2"?'),
        ("Sum@9", 'there is no metric "Sum@9"', 'Did you mean "Sum@10"?'),
        ("Sums@10", 'there is no metric "Sums@10"', 'Did you mean "Sum@10"?'),
        ("Sum(cutof=2)", 'the metric Sum has no parameter "cutof"', 'Did you mean "cutoff"?'),
        ("Sum@two", '"two" cannot be the cutoff of the metric Sum: it must be a whole number, at least '
                    '1', "Sum(cutoff=10)"),
        ("Sum@0", '"0" cannot be the cutoff', "How many results count."),
        ("Sum@2.5", '"2.5" cannot be the cutoff', ""),
        ("Sum(cutoff=2)@2", "gives cutoff twice", ""),
        ("plain@2", 'there is no metric "plain@2"', 'Did you mean "plain"?'),
        ("Sum(2", 'there is no metric "Sum(2"', ""),
        ("", 'there is no metric ""', ""),
    ],
)  # fmt: skip
def test_what_is_not_there(text: str, message: str, hint: str) -> None:
    with pytest.raises(UserError) as raised:
        find_metric(text, METRICS)
    assert message in raised.value.message and hint in raised.value.hint
    assert not has_metric(text, METRICS)


def test_the_nearest_value_is_in_the_error() -> None:
    with pytest.raises(UnknownName) as raised:
        find_metric("Sum@7", METRICS)
    assert raised.value.nearest == "Sum@10"


def test_names_are_parsed() -> None:
    assert parse_name("nDCG(gains=linear)@10") == ("nDCG", {"gains": "linear"}, "10")
    assert parse_name("R") == ("R", {}, None)
    for wrong in ("R(10)", "R(a=1,a=2)", "R@", "@10", "R@1@2", "R(a=)"):
        assert parse_name(wrong) is None, wrong


@pytest.mark.parametrize("value", [True, 0, 1.5, "x", float("nan"), float("inf"), 10**400])
def test_values_that_do_not_fit(value: Any) -> None:
    with pytest.raises(UserError):
        SUM.with_parameters(cutoff=value)


def test_numbers_are_finite() -> None:
    share = Parameter("p", float, 0.8, "How likely.", at_least=0, at_most=1)
    assert share.read("0.5", "RBP") == 0.5 and share.read(1, "RBP") == 1.0
    for wrong in ("nan", "inf", "1.1", "-0.1"):
        with pytest.raises(UserError, match="at least 0 and at most 1"):
            share.read(wrong, "RBP")


def test_what_score_takes_must_be_what_is_declared() -> None:
    with pytest.raises(TypeError, match="must take cutoff=20"):
        Metric("Sum", "sum", "", score, parameters=(Parameter("cutoff", int, 20, ""),))
    with pytest.raises(TypeError, match="must take depth=1"):
        Metric("Sum", "sum", "", score, parameters=(Parameter("depth", int, 1, ""),))
    with pytest.raises(TypeError, match="no parameters left"):
        METRICS[0].with_parameters(cutoff=3)


def test_the_cutoffs_of_retrieval_are_parameters_and_keep_their_names() -> None:
    metrics = [metric for metric in load_suite("retrieval").metrics if not metric.package]
    named = {metric.name: metric for metric in metrics}
    for text, name in {
        "R@10": "recall_at_10",
        "R(cutoff=100)": "recall_at_100",
        "ndcg@10": "ndcg_at_10",
        "nDCG@10": "ndcg_at_10",
        "MAP@5": "map_at_5",
        "RR_of_all@10": "rr_at_10_of_all",
        "recall": "recall",
        "RR": "rr",  # as reports write it; not RR@10
        "MAP": "map",
        "nDCG": "ndcg",
        "R": "recall_at_10",
    }.items():
        assert find_metric(text, metrics) is named[name], text
    assert named["recall_at_10"].title == "R@10" and dict(named["recall_at_10"].values) == {"cutoff": 10}
    assert named["recall_at_10"].formula == "relevant keys among the first 10 / relevant keys"
    assert len({metric.full_name for metric in metrics}) == len(metrics)
