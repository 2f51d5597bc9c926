"""One case and equal values are never shown as certainty, and an unchanged cost never breaks a gate."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from karat.core.metric import Metric
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult, interval_text
from karat.core.results.text import interval as python_interval
from karat.core.scores import Score
from karat.reports.console.comparison import interval as console_difference
from karat.reports.console.run import figure as console_figure
from karat.reports.html.page import _interval as html_interval
from karat.reports.sections.reviews import estimate_words
from karat.stats.compare.paired import paired_difference
from karat.stats.gates.verdicts import Gate, Verdict, judge
from karat.stats.intervals.estimates import estimate
from karat.web.formatting import interval as viewer_interval
from karat.web.formatting import signed_interval as viewer_difference


def _never(_: object) -> Score:
    raise AssertionError("nothing is scored here")


COST = Metric("cost", "cost", "money", _never, kind="quantity", higher_is_better=False)


@pytest.mark.parametrize(("values", "said"), [([0.017], "n = 1"), ([0.017] * 5, "all equal")])
def test_every_writer_says_why_there_is_no_interval(values: list[float], said: str) -> None:
    found = estimate(values, "quantity")
    item = MetricSummary("cost", found.mean, found.n, found.low, found.high)
    change = paired_difference(values, values, kind="quantity")
    assert python_interval(item) == said
    assert html_interval(item, "quantity") == said
    assert viewer_interval(item, "quantity") == said
    assert console_difference(change, "quantity") == said
    assert viewer_difference(change, "quantity") == said


def test_a_narrow_interval_is_not_written_as_none() -> None:
    values = [0.017, 0.017, 0.0170001, 0.0170002, 0.017, 0.0170001]
    found = estimate(values, "quantity")
    item = MetricSummary("cost", found.mean, found.n, found.low, found.high)
    change = paired_difference([0.017] * 6, values, kind="quantity")
    texts = [python_interval(item), html_interval(item, "quantity"), viewer_interval(item, "quantity")]
    texts += [console_difference(change, "quantity"), viewer_difference(change, "quantity")]
    for text in texts:
        low, _, high = text.partition(" – ")
        assert low != high and high


def test_digits_are_added_only_where_they_are_needed() -> None:
    show = partial(console_figure, kind="share")
    assert interval_text(0.41, 0.65, show) == "0.410 – 0.650"
    assert interval_text(0.70001, 0.70002, show) == "0.70001 – 0.70002"
    assert interval_text(0.0, 0.0, show) == "0.000 – 0.000"
    assert interval_text(0.00001, 0.00002, lambda value: f"{value:+.3f}") == "+1e-05 – +2e-05"
    rate = estimate([1.0] * 50_000 + [0.0] * 50_000, "rate")
    assert estimate_words(rate) == "0.50 (0.4969–0.5031)"


@pytest.mark.parametrize("kind", ["share", "rate"])
@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_equal_shares_keep_a_width(kind: str, value: float, n: int) -> None:
    if kind == "rate" and value == 0.5:
        return
    found = estimate([value] * n, "rate" if kind == "rate" else "share")
    change = paired_difference([value] * n, [value] * n)
    for low, high in ((found.low, found.high), (change.low, change.high)):
        assert low is not None and high is not None and high - low > 0.1


def costs(values: list[float], name: str) -> RunResult:
    cases = tuple(CaseResult(f"c{i}", "scored", {"cost": Score(value)}) for i, value in enumerate(values))
    summary = (MetricSummary("cost", math.fsum(values) / len(values), len(values), None, None),)
    return RunResult(RunInfo("demo", name), summary, cases)


def judged(before: list[float], now: list[float], margin: float) -> Verdict:
    gate = Gate("demo.cost", no_worse_than="baseline", margin=margin)
    (found,) = judge([gate], costs(now, "r-0002"), [COST], lambda _: costs(before, "r-0001"))
    return found


@pytest.mark.parametrize("n", range(1, 31))
def test_an_unchanged_cost_never_breaks_a_gate(n: int) -> None:
    rng = np.random.default_rng(n)
    before = [0.017] * n
    assert judged(before, before, 0.0).passed
    assert judged(before, (0.017 + rng.normal(0, 1e-6, n)).tolist(), 0.001).passed
    assert judged(before, (0.017 + rng.lognormal(-14, 1, n)).tolist(), 0.001).passed
    assert not judged(before, [0.02] * n, 0.001).passed


def test_few_costs_pass_only_where_none_is_much_worse() -> None:
    found = judged([0.017, 0.02, 0.03], [0.0175, 0.019, 0.03], 0.001)
    assert found.passed
    assert found.words == "demo.cost against r-0001: at most 0.0005 worse in each of 3 cases, wanted at most 0.001"
    worse = judged([0.017, 0.02, 0.03], [0.0175, 0.019, 0.04], 0.001)
    assert not worse.passed and "only 3 cases" in worse.words
