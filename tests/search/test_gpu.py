"""Ranks from a GPU are those of the processor, every one. Without a GPU only what needs none is tested."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from karat.core.installed.extras import install_command
from karat.core.problems import UserError
from karat.search.gpu.layout import laid_out
from karat.search.gpu.ranks import rank_rows_on_gpu, why_not
from karat.search.ranks.device import on_gpu

needs_gpu = pytest.mark.skipif(bool(why_not()), reason=f"no ranks from a GPU here: {why_not()}")


def test_what_is_missing_is_named() -> None:
    if importlib.util.find_spec("torch") is None:
        assert why_not() == f"torch is not installed: {install_command('gpu')}"
    else:
        assert why_not() in ("", "torch sees no CUDA device", f"triton is not installed: {install_command('gpu')}")


def test_truths_share_rows_and_the_best_scoring_rows_come_first() -> None:
    asked = np.array([4, 0, 4, 4, 4, 4])
    scores = np.array([0.5, 0.7, 0.9, 0.1, 0.3, 0.4], np.float32)
    rows, slots, questions = laid_out(asked, 4, scores)
    # Question 4 has five truths: four in one row, the lowest alone in another.
    assert questions.tolist() == [0, 4, 4]
    assert list(zip(rows.tolist(), slots.tolist(), strict=True)) == [(1, 1), (0, 0), (1, 0), (2, 0), (1, 3), (1, 2)]


@needs_gpu
@pytest.mark.parametrize("width", [1, 3, 100, 384, 1536])
@pytest.mark.parametrize("whole", [True, False])
def test_every_rank_is_the_processor_s(width: int, whole: bool) -> None:
    from karat.search.ranks.dense import rank_rows
    from tests.search.test_dense import some

    for seed, scale in ((0, 1.0), (1, 1e-6), (2, 1e5)):
        asking, against, truths = some(seed, 150, 1300, width, whole=whole)
        asking = asking * np.float32(scale)
        expected = rank_rows(asking, against, truths).ranks
        for block in (256, 1 << 19):
            assert np.array_equal(rank_rows_on_gpu(asking, against, truths, block=block).ranks, expected)


@needs_gpu
def test_equal_values_share_the_worst_rank_and_zeros_tie() -> None:
    against = np.tile(np.array([[0.6, 0.8]], np.float32), (3000, 1))
    assert rank_rows_on_gpu(np.array([[1.0, 0.3]], np.float32), against, np.array([[0, 5]])).ranks.tolist() == [3000]
    zeros = np.zeros((40, 7), np.float32)
    assert rank_rows_on_gpu(zeros, zeros, np.array([[3, 5], [3, -1]])).ranks.tolist() == [40, 0]


@needs_gpu
def test_a_number_that_is_not_finite_is_an_error() -> None:
    against = np.ones((5000, 8), np.float32)
    against[4999, 3] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        rank_rows_on_gpu(np.ones((1, 8), np.float32), against, np.array([[0, 0]]))


@needs_gpu
def test_terms_too_small_for_the_running_sum_are_not_lost() -> None:
    """One great product and hundreds that each vanish beside it, but not together."""
    from karat.search.ranks.dense import rank_rows

    random = np.random.default_rng(4)
    against = np.full((2000, 384), 2.0**-13, np.float32) * random.integers(0, 2, (2000, 384)).astype(np.float32)
    against[:, 0] = 1.0
    asking = np.full((3, 384), 2.0**-12, np.float32)
    asking[:, 0] = 1.0
    truths = np.column_stack([np.repeat(np.arange(3), 100), random.integers(0, 2000, 300)])
    expected = rank_rows(asking, against, truths).ranks
    assert len(set(expected.tolist())) > 10
    assert np.array_equal(rank_rows_on_gpu(asking, against, truths).ranks, expected)


@needs_gpu
@pytest.mark.parametrize("whole", [True, False])
def test_the_best_values_are_the_processor_s(whole: bool) -> None:
    """Whole numbers tie by the hundred, so that lists run over and blocks are done again in pieces."""
    from karat.search.ranks.dense import rank_rows
    from tests.search.test_dense import some

    for width, depth in ((3, 5), (100, 40), (384, 1300), (7, 2000)):
        asking, against, truths = some(width, 50, 1300, width, whole=whole)
        expected = rank_rows(asking, against, truths, depth=depth)
        for block in (256, 1 << 19):
            found = rank_rows_on_gpu(asking, against, truths, depth=depth, block=block)
            assert np.array_equal(found.ranks, expected.ranks)
            assert np.array_equal(found.best, expected.best)
            assert np.array_equal(found.scores, expected.scores)


@needs_gpu
def test_a_field_is_ranked_on_the_gpu_as_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.search.ranks.ranking import rank_field
    from karat.search.records import Model

    random = np.random.default_rng(0)
    values = [f"value {number}" for number in range(500)]
    vectors = {text: random.standard_normal(64).astype(np.float32) for text in (*values, "a", "b", "c")}
    model = Model("made", "1", embed=lambda texts, _: np.array([vectors[text] for text in texts]))
    found = []
    for device in ("cpu", "gpu"):
        monkeypatch.setenv("KARAT_DEVICE", device)
        found.append(rank_field("T[f]", values, ["a", "b", "c"], [values[:2], values[5:6], ()], [model], depth=20))
    cpu, gpu = (field.models[0] for field in found)
    assert [ranks.tolist() for ranks in cpu.ranks] == [ranks.tolist() for ranks in gpu.ranks]
    assert np.array_equal(cpu.tokens, gpu.tokens)


def test_the_device_is_a_word_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_DEVICE", "gpus")
    with pytest.raises(UserError, match="gpus"):
        on_gpu(10)
    monkeypatch.setenv("KARAT_DEVICE", "cpu")
    assert not on_gpu(10**12)
    monkeypatch.delenv("KARAT_DEVICE")
    assert not on_gpu(10)
    assert on_gpu(10**12) == (not why_not())


@pytest.mark.skipif(not why_not(), reason="there is a GPU here")
def test_a_gpu_that_is_asked_for_and_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_DEVICE", "gpu")
    with pytest.raises(UserError, match="KARAT_DEVICE requests a GPU"):
        on_gpu(10)
