"""Ranks from a GPU are those of the processor, every one. Without a GPU only what needs none is tested."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from karat.search.gpu import rank_rows_on_gpu, why_not
from karat.search.gpu_layout import laid_out

needs_gpu = pytest.mark.skipif(bool(why_not()), reason=f"no ranks from a GPU here: {why_not()}")


def test_what_is_missing_is_named() -> None:
    if importlib.util.find_spec("torch") is None:
        assert why_not() == "torch is not installed: pip install 'karat[gpu]'"
    else:
        assert why_not() in ("", "torch sees no CUDA device", "triton is not installed: pip install 'karat[gpu]'")


def test_truths_share_rows_and_the_best_scoring_rows_come_first() -> None:
    asked = np.array([4, 0, 4, 4, 4, 4])
    scores = np.array([0.5, 0.7, 0.9, 0.1, 0.3, 0.4], np.float32)
    rows, slots, questions = laid_out(asked, 4, scores)
    # Question 4 has five truths: four in one row, the lowest alone in another.
    assert questions.tolist() == [0, 4, 4]
    assert list(zip(rows.tolist(), slots.tolist(), strict=True)) == [(1, 1), (0, 0), (1, 0), (2, 0), (1, 3), (1, 2)]


@needs_gpu
@pytest.mark.parametrize("width", [1, 3, 100, 384])
@pytest.mark.parametrize("whole", [True, False])
def test_every_rank_is_the_processor_s(width: int, whole: bool) -> None:
    from karat.search.dense import rank_rows
    from tests.search.test_dense import some

    for seed, scale in ((0, 1.0), (1, 1e-6), (2, 1e5)):
        asking, against, truths = some(seed, 150, 1300, width, whole=whole)
        asking = asking * np.float32(scale)
        expected = rank_rows(asking, against, truths).ranks
        for block in (256, 1 << 19):
            assert np.array_equal(rank_rows_on_gpu(asking, against, truths, block=block), expected)


@needs_gpu
def test_equal_values_share_the_worst_rank_and_zeros_tie() -> None:
    against = np.tile(np.array([[0.6, 0.8]], np.float32), (3000, 1))
    assert rank_rows_on_gpu(np.array([[1.0, 0.3]], np.float32), against, np.array([[0, 5]])).tolist() == [3000]
    zeros = np.zeros((40, 7), np.float32)
    assert rank_rows_on_gpu(zeros, zeros, np.array([[3, 5], [3, -1]])).tolist() == [40, 0]


@needs_gpu
def test_a_number_that_is_not_finite_is_an_error() -> None:
    against = np.ones((5000, 8), np.float32)
    against[4999, 3] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        rank_rows_on_gpu(np.ones((1, 8), np.float32), against, np.array([[0, 0]]))


@needs_gpu
def test_terms_too_small_for_the_running_sum_are_not_lost() -> None:
    """One great product and hundreds that each vanish beside it, but not together."""
    from karat.search.dense import rank_rows

    random = np.random.default_rng(4)
    against = np.full((2000, 384), 2.0**-13, np.float32) * random.integers(0, 2, (2000, 384)).astype(np.float32)
    against[:, 0] = 1.0
    asking = np.full((3, 384), 2.0**-12, np.float32)
    asking[:, 0] = 1.0
    truths = np.column_stack([np.repeat(np.arange(3), 100), random.integers(0, 2000, 300)])
    expected = rank_rows(asking, against, truths).ranks
    assert len(set(expected.tolist())) > 10
    assert np.array_equal(rank_rows_on_gpu(asking, against, truths), expected)
