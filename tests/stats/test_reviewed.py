"""The rate with people's verdicts, by hand and against the way that sees the reviewed cases alone."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.results.result import CaseResult, CaseReview, Estimate, MetricSummary, RunResult
from karat.stats.intervals.estimates import estimate
from karat.stats.intervals.rates import wilson
from karat.stats.pass_rates import pass_rates
from karat.stats.reviewed import reviewed_rates, verdict_counts, with_reviews
from tests.stats.runs import case, metric, run

PASSED = metric("passed", "rate")


def reviewed_run(values: Sequence[float | None], verdicts: dict[int, str], clusters: Sequence[str] = ()) -> RunResult:
    """A case for each value, named by its place; the verdicts are by place too."""
    details: list[dict[str, str]] = [{"cluster": name} for name in clusters] or [{} for _ in values]
    cases = [
        case(str(place), {"passed": value}, details=own)
        for place, (value, own) in enumerate(zip(values, details, strict=True))
    ]
    found = estimate([value for value in values if value is not None], "rate")
    summary = MetricSummary("passed", found.mean, found.n, found.low, found.high)
    reviews = tuple(CaseReview(str(place), verdict) for place, verdict in verdicts.items())
    return msgspec.structs.replace(run(cases), summary=(summary,), reviews=reviews)


def rate(result: RunResult) -> Estimate:
    (found,) = reviewed_rates(result, [PASSED])
    return found.reviewed


def test_by_hand() -> None:
    # 10 cases, 5 right, one of them without a value. Three wrong ones: accepted, right after all, gold wrong.
    # One right one is found wrong. Right now: 5 + 2 − 1 = 6 of 9 − 1 = 8.
    result = reviewed_run([1, 1, 1, 1, 1, 0, 0, 0, 0, None], {5: "accept", 6: "pass", 7: "gold_wrong", 0: "fail"})
    (found,) = reviewed_rates(result, [PASSED])
    assert (found.metric, found.title) == ("passed", "passed")
    assert found.rule == Estimate(5 / 9, 9, *wilson(5, 9))
    assert found.reviewed == Estimate(6 / 8, 8, *wilson(6, 8))
    assert verdict_counts(result) == {"accept": 1, "pass": 1, "gold_wrong": 1, "fail": 1}


def test_a_case_without_a_value_joins_and_one_with_wrong_gold_leaves() -> None:
    assert rate(reviewed_run([1, None, None], {1: "fail"})) == Estimate(1 / 2, 2, *wilson(1, 2))
    assert rate(reviewed_run([1, None, None], {1: "gold_wrong"})) == Estimate(1.0, 1, *wilson(1, 1))
    assert rate(reviewed_run([1, 0], {0: "gold_wrong", 1: "gold_wrong"})) == Estimate(None, 0, None, None)


def test_a_case_of_several_tries_counts_once() -> None:
    # 2/3 of its tries were right: by rule (2/3 + 0) / 2, with the verdict (1 + 0) / 2.
    assert rate(reviewed_run([2 / 3, 0], {0: "pass"})).mean == 0.5


def test_verdicts_that_change_nothing() -> None:
    result = reviewed_run([1, 0, 0], {0: "pass", 1: "fail"})
    (found,) = reviewed_rates(result, [PASSED])
    assert found.rule == found.reviewed


def test_without_a_verdict_on_a_case_of_the_run_there_is_nothing() -> None:
    assert reviewed_rates(reviewed_run([1, 0], {}), [PASSED]) == ()
    stranger = reviewed_run([1, 0], {7: "pass"})
    assert reviewed_rates(stranger, [PASSED]) == ()
    assert verdict_counts(stranger) == {}


def test_variants_of_one_case_are_kept_together_as_by_rule() -> None:
    values, clusters = [1.0, 1, 1, 0, 0, 0, 1, 0], ["a", "a", "a", "b", "b", "b", "c", "d"]
    found = rate(reviewed_run([*values[:7], 1], {7: "fail"}, clusters))
    assert found == estimate(values, "rate", clusters)
    assert found != estimate(values, "rate")


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 1.0, 0.5, None]), st.sampled_from(["pass", "fail", "accept", "gold_wrong", ""])
        ),
        min_size=1,
    )
)
@settings(max_examples=200, deadline=None)
def test_the_summary_and_the_reviewed_cases_alone_give_the_same(cases: list[tuple[float | None, str]]) -> None:
    given_verdicts = {place: verdict for place, (_, verdict) in enumerate(cases) if verdict}
    result = reviewed_run([value for value, _ in cases], given_verdicts)
    pairs = [(verdict, value) for value, verdict in cases if verdict]
    short = with_reviews(result.summary[0], pairs)
    if not given_verdicts:
        assert reviewed_rates(result, [PASSED]) == ()
        return
    found = rate(result)
    assert found.n == short.n
    assert [found.mean, found.low, found.high] == pytest.approx([short.mean, short.low, short.high], abs=1e-9)


# -- which metrics say right or wrong
# -----------------------------------------------------------------------------------


def test_headline_rates_else_all_rates_that_are_better_when_higher() -> None:
    share, other = metric("recall"), metric("ran", "rate", headline=False)
    lower = metric("unexpected", "rate", higher_is_better=False)
    assert pass_rates([share, PASSED, other, lower]) == [PASSED]
    assert pass_rates([share, other, lower]) == [other]
    assert pass_rates([share]) == []


def test_only_metrics_that_the_run_has_figures_for() -> None:
    result = reviewed_run([1, 0], {0: "fail"})
    assert [found.metric for found in reviewed_rates(result, [PASSED, metric("strict", "rate")])] == ["passed"]


def test_the_last_of_two_verdicts_on_a_case_counts() -> None:
    cases: list[CaseResult] = list(reviewed_run([0], {}).cases)
    twice = msgspec.structs.replace(
        reviewed_run([0], {}), cases=tuple(cases), reviews=(CaseReview("0", "fail"), CaseReview("0", "pass"))
    )
    assert rate(twice).mean == 1.0
