"""Ranks by counting are the ranks by sorting, with trec_eval's ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.suites.retrieval.ranking import NotANumber, as_scores, ranks_by_score

keys = st.text("abéZ", min_size=1, max_size=3)
scores = st.one_of(st.sampled_from([0.0, 1.0, 1.0 + 1e-12, -2.0, 1e39]), st.floats(-3, 3))


@given(st.dictionaries(keys, scores, min_size=1, max_size=30))
def test_counting_equals_sorting(results: dict[str, float]) -> None:
    found = as_scores(list(results.values()))
    by_sorting = sorted(zip(found.tolist(), results, strict=True), reverse=True)
    names = sorted(results)
    wanted = as_scores([results[name] for name in names])
    ranks = ranks_by_score(names, wanted, results, found)
    assert ranks.tolist() == [
        next(rank for rank, (_, key) in enumerate(by_sorting, start=1) if key == name) for name in names
    ]


def test_equal_scores_go_by_bytes() -> None:
    """ "é" is greater than "z" as UTF-8; upper case comes below lower."""
    results = ["Z", "a", "z", "é"]
    ranks = ranks_by_score(results, as_scores([1.0] * 4), results, as_scores([1.0] * 4))
    assert ranks.tolist() == [4, 3, 2, 1]


def test_not_a_number() -> None:
    with pytest.raises(NotANumber):
        ranks_by_score(["a"], as_scores([1.0]), ["a", "b"], as_scores([1.0, float("nan")]))


def test_scores_are_float32() -> None:
    assert as_scores([0.1]).dtype == np.float32
    assert as_scores([1e300]).tolist() == [float("inf")]
