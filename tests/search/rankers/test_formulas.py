"""Fusion: the spec's example by hand, other tools' figures, edge cases, and a slow reading in exact numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from karat.core.problems import UserError
from karat.search.rankers.formulas import Doubles, ranks_of, rrf, wsum
from karat.search.records import Integers
from tests.search.rankers.slow_orders import slow_minmax, slow_ranks, slow_rrf

NAN = math.nan


def doubles(values: ArrayLike) -> Doubles:
    return np.array(values, np.float64)


def ranks(*values: int) -> Integers:
    return np.array(values, np.int64)


def test_the_examples_of_the_spec() -> None:
    fused = rrf([ranks(1, 2, 3), ranks(2, 3, 1)], 60, [1, 1])
    assert fused.round(6).tolist() == [0.032522, 0.032002, 0.032266]
    assert ranks_of(fused).tolist() == [1, 3, 2]
    summed = wsum([doubles([4, 2, 0]), doubles([0.2, 0.1, 0.6])], [0.5, 0.5], "minmax")
    assert summed.tolist() == pytest.approx([0.6, 0.25, 0.5])


A = {"d1": 9.0, "d2": 7.5, "d3": 4.0, "d4": 1.0}
B = {"d3": 0.9, "d1": 0.7, "d5": 0.4}
DOCUMENTS = sorted({*A, *B})
SCORES_OF_RUNS = [doubles([run.get(document, NAN) for document in DOCUMENTS]) for run in (A, B)]


def test_two_runs_without_ties_as_ranx_fuses_them() -> None:
    """Figures of ranx 0.3.21: rrf (which is pyserini's formula too), wsum after min-max, and after zmuv."""
    fused = rrf([ranks_of(scores) for scores in SCORES_OF_RUNS], 60, [1, 1])
    assert fused.tolist() == pytest.approx([0.032522475, 0.016129032, 0.032266458, 0.015625, 0.015873016], abs=1e-9)
    fused = rrf([ranks_of(scores) for scores in SCORES_OF_RUNS], 10, [1, 1])
    assert fused.tolist() == pytest.approx([0.174242424, 0.083333333, 0.167832168, 0.071428571, 0.076923077], abs=1e-9)
    summed = wsum(SCORES_OF_RUNS, [0.3, 0.7], "minmax")
    assert summed.tolist() == pytest.approx([0.72, 0.24375, 0.8125, 0.0, 0.0], abs=1e-9)
    summed = wsum(SCORES_OF_RUNS, [0.3, 0.7], "zscore")
    assert summed.tolist() == pytest.approx([0.463237519, 0.204986307, 0.662246765, -0.422030632, -0.908439958])


def test_ties_are_pessimistic_and_unlisted_values_have_no_rank() -> None:
    assert ranks_of(doubles([3, 1, 3, 2])).tolist() == [2, 4, 2, 3]
    assert ranks_of(doubles([NAN, 1, NAN, 1])).tolist() == [0, 2, 0, 2]
    assert ranks_of(doubles([])).tolist() == []


def test_a_constant_model_changes_nothing() -> None:
    first, constant = ranks(2, 1, 3), ranks(3, 3, 3)
    assert rrf([first, constant], 60, [1, 1]).tolist() == rrf([first], 60, [1]).tolist()
    scores = doubles([0.1, 0.9, 0.3])
    for norm in ("minmax", "zscore"):
        alone = wsum([scores], [0.5], norm)
        both = wsum([scores, doubles([7, 7, 7])], [0.5, 0.5], norm)
        assert both.tolist() == alone.tolist()


def test_the_same_parts_in_another_order_tie() -> None:
    """1/61 + 1/62 + 1/70 for both values, from different models: whatever the order, the float is the same."""
    fused = rrf([ranks(1, 2, 9), ranks(2, 10, 1), ranks(10, 1, 2)], 60, [1, 1, 1])
    assert fused[0] == fused[1]


def test_what_a_run_does_not_list_adds_nothing() -> None:
    fused = rrf([ranks(1, 2, 0), ranks(0, 1, 0)], 60, [1, 1])
    assert fused[:2].tolist() == [1 / 61, 1 / 62 + 1 / 61]
    assert math.isnan(fused[2])
    summed = wsum([doubles([4, 2, NAN]), doubles([NAN, 5, NAN])], [0.5, 0.5], "minmax")
    assert summed[:2].tolist() == [0.5, 0.0]
    assert math.isnan(summed[2])


def test_zscore_by_hand() -> None:
    """Mean 2, deviations -2, 0, 2, sd = sqrt(8/3)."""
    summed = wsum([doubles([0, 2, 4])], [1], "zscore")
    assert summed.tolist() == pytest.approx([-2 / math.sqrt(8 / 3), 0, 2 / math.sqrt(8 / 3)])


def test_infinite_scores_cannot_be_summed() -> None:
    with pytest.raises(UserError, match="finite"):
        wsum([doubles([0, -math.inf])], [1], "minmax")
    assert ranks_of(doubles([0, -math.inf])).tolist() == [1, 2]


SCORES = st.lists(st.lists(st.integers(0, 4), min_size=5, max_size=5), min_size=2, max_size=3)


@given(SCORES, st.integers(0, 80))
def test_rrf_orders_as_exact_fractions_do(models: list[list[int]], k: int) -> None:
    exact = slow_rrf(models, k)
    fused = rrf([ranks_of(doubles(scores)) for scores in models], k, [1] * len(models))
    constant = [len(set(scores)) == 1 for scores in models]
    left_out = Fraction(sum(constant), k + 5)
    assert fused.tolist() == pytest.approx([float(score - left_out) for score in exact])
    for one in range(5):
        for other in range(5):
            if exact[one] > exact[other]:
                assert fused[one] > fused[other] or float(exact[one] - exact[other]) < 1e-15


@given(SCORES, st.integers(0, 10))
def test_wsum_is_the_weighted_sum_of_exact_fractions(models: list[list[int]], tenths: int) -> None:
    weights = [tenths / 10, 1 - tenths / 10, 0.5][: len(models)]
    exact = [slow_minmax(scores) for scores in models]
    summed = wsum([doubles(scores) for scores in models], weights, "minmax")
    for place in range(5):
        expected = sum(Fraction(weight) * own[place] for weight, own in zip(weights, exact, strict=True))
        assert summed[place] == pytest.approx(float(expected))


@given(st.lists(st.integers(0, 3), max_size=8))
def test_ranks_are_those_that_are_counted_one_by_one(scores: list[int]) -> None:
    assert ranks_of(doubles(scores)).tolist() == slow_ranks(scores)
