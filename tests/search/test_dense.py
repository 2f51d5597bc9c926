"""Ranks by counting are those by sorting, whatever the blocks; the n best are the first of the sorted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.search.ranks import dense, kernels, processors, screen
from karat.search.ranks.blocks import Rows, parquet_rows
from karat.search.ranks.dense import rank_rows
from karat.search.ranks.score import pair_scores, turning_points
from karat.search.records import NOT_A_VALUE, Floats, Integers
from tests.search.sorted_ranks import best_by_sorting, ranks_by_sorting, score_table, tree_score


@pytest.fixture(autouse=True, scope="module", params=["numpy", "compiled"])
def _steps(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test here holds for the steps in numpy and for those compiled, however few pairs there are."""
    steps = kernels.NUMPY if request.param == "numpy" else kernels.compiled()
    assert steps is not None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dense, "steps_for", lambda pairs: steps)
        yield


def some(seed: int, questions: int, values: int, width: int, *, whole: bool) -> tuple[Floats, Floats, Integers]:
    """Questions, values (some of them repeated) and truths (some of them not among the values)."""
    random = np.random.default_rng(seed)

    def rows(count: int) -> Floats:
        if whole:
            return random.integers(-2, 3, (count, width)).astype(np.float32)
        return random.standard_normal((count, width), dtype=np.float32)

    asking, against = rows(questions), rows(values)
    for place in range(1, values, 3):
        against[place] = against[random.integers(0, place)]
    count = int(random.integers(0, 4 * questions))
    return (
        asking,
        against,
        np.column_stack([random.integers(0, questions, count), random.integers(-1, values, count)]),
    )


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    questions=st.integers(1, 9),
    values=st.integers(1, 40),
    width=st.integers(1, 70),
    whole=st.booleans(),
    depth=st.integers(0, 60),
    block=st.sampled_from([1, 7, 16, 16384]),
)
def test_counting_agrees_with_sorting(
    seed: int, questions: int, values: int, width: int, whole: bool, depth: int, block: int
) -> None:
    asking, against, truths = some(seed, questions, values, width, whole=whole)
    scores = score_table(asking, against)
    found = rank_rows(asking, against, truths, depth=depth, block=block)
    assert found.ranks.tolist() == ranks_by_sorting(scores, truths).tolist()
    expected = best_by_sorting(scores, depth)
    assert found.best.tolist() == expected.tolist()
    assert np.array_equal(found.scores, np.take_along_axis(scores, expected, axis=1))


@pytest.mark.parametrize("rows_near", [0.0, 1e-7, 1e-5, 1e-3])
def test_near_ties_are_decided_alike_in_any_blocks(rows_near: float) -> None:
    """Values that differ in the last digits only, so that float32 products cannot tell them apart."""
    random = np.random.default_rng(3)
    base = random.standard_normal(384, dtype=np.float32)
    against = (base + rows_near * random.standard_normal((300, 384))).astype(np.float32)
    asking = random.standard_normal((6, 384), dtype=np.float32)
    truths = np.column_stack([np.repeat(np.arange(6), 50), random.integers(0, 300, 300)])
    table = pair_scores(asking, against, np.repeat(np.arange(6), 300), np.tile(np.arange(300), 6)).reshape(6, 300)
    expected = ranks_by_sorting(table, truths).tolist()
    for block in (3, 64, 300):
        found = rank_rows(asking, against, truths, depth=20, block=block)
        assert found.ranks.tolist() == expected
        assert found.best.tolist() == best_by_sorting(table, 20).tolist()


def test_threads_and_panels_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asking, against, truths = some(5, 40, 900, 20, whole=True)
    expected = rank_rows(asking, against, truths, depth=30)
    monkeypatch.setattr(processors, "_SMALL", 0)
    monkeypatch.setattr(dense, "PANEL", 3)
    monkeypatch.setattr(screen, "_CHUNK", 64)
    found = rank_rows(asking, against, truths, depth=30, block=100)
    assert np.array_equal(found.ranks, expected.ranks)
    assert np.array_equal(found.best, expected.best)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    values=st.integers(100, 700),
    whole=st.booleans(),
    depth=st.sampled_from([0, 1, 12]),
    block=st.sampled_from([8, 33, 64, 1000]),
    chunk=st.sampled_from([1, 300, 5000]),
)
def test_few_or_many_in_blocks_and_chunks_of_any_shape(
    seed: int, values: int, whole: bool, depth: int, block: int, chunk: int
) -> None:
    """Large enough that in some chunks few products matter, in others many, on some levels the one and on others the
    other."""
    asking, against, truths = some(seed, 12, values, 24, whole=whole)
    scores = score_table(asking, against)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(screen, "_CHUNK", chunk)
        found = rank_rows(asking, against, truths, depth=depth, block=block)
    assert found.ranks.tolist() == ranks_by_sorting(scores, truths).tolist()
    assert found.best.tolist() == best_by_sorting(scores, depth).tolist()


def test_a_score_is_the_sum_along_the_tree() -> None:
    question = np.array([1.0, 2.0, 3.0, 4.0, 5.0], np.float32)
    value = np.array([1.0, 10.0, 100.0, 1000.0, 0.5], np.float32)
    assert pair_scores(question[None], value[None], np.array([0]), np.array([0]))[0] == 4323.5
    random = np.random.default_rng(1)
    for width in (1, 2, 3, 63, 64, 65, 300, 384):
        left, right = random.standard_normal((2, width), dtype=np.float32)
        assert pair_scores(left[None], right[None], np.array([0]), np.array([0]))[0] == tree_score(left, right)


def test_the_turning_point_lies_half_way_to_the_score_below() -> None:
    assert turning_points(np.array([1.0], np.float32))[0] == 1 - 2.0**-25
    assert turning_points(np.array([0.0], np.float32))[0] == -(2.0**-150)


def test_equal_rows_share_the_worst_rank() -> None:
    against = np.tile(np.array([[0.6, 0.8]], np.float32), (5, 1))
    found = rank_rows(np.array([[1.0, 0.3]], np.float32), against, np.array([[0, 0], [0, 3]]), depth=2)
    assert found.ranks.tolist() == [5, 5]
    assert found.best.tolist() == [[0, 1]]


def test_rows_of_zeros_tie_with_each_other_and_lie_between_the_rest() -> None:
    against = np.array([[0, 0], [1, 0], [-1, 0], [0, 0]], np.float32)
    asking = np.array([[1, 0], [0, 0]], np.float32)
    found = rank_rows(asking, against, np.array([[0, 0], [0, 1], [0, 2], [1, 2]]), depth=4)
    assert found.ranks.tolist() == [3, 1, 4, 4]
    assert found.best.tolist() == [[1, 0, 3, 2], [0, 1, 2, 3]]


def test_many_equal_values_are_settled_by_a_product_in_float64() -> None:
    """All alike but one: nearly every pair is too near for float32."""
    random = np.random.default_rng(2)
    against = np.tile(random.standard_normal(384, dtype=np.float32), (500, 1))
    asking = random.standard_normal((200, 384), dtype=np.float32)
    against[7] += 0.5 * asking[0]
    found = rank_rows(asking, against, np.array([[0, 7], [0, 8], [1, 0]]), depth=3)
    assert found.ranks[:2].tolist() == [1, 500]
    assert found.ranks[2] in (499, 500)
    assert found.best[0].tolist() == [7, 0, 1]


def test_one_value_no_truth_and_a_depth_beyond_the_values() -> None:
    one = np.array([[0.5, 0.5]], np.float32)
    found = rank_rows(one, one, np.zeros((0, 2), np.int64), depth=9)
    assert found.ranks.tolist() == []
    assert found.best.tolist() == [[0]]
    assert found.scores.tolist() == [[0.5]]
    assert rank_rows(one, one, np.array([[0, 0], [0, -1]])).ranks.tolist() == [1, NOT_A_VALUE]


def test_tiny_and_large_numbers_keep_their_order() -> None:
    against = np.array([[1e-23], [2e-23], [-1e-23], [0]], np.float32)
    for scale in (1.0, 1e-20, 1e12):
        found = rank_rows(np.array([[scale]], np.float32), against, np.array([[0, 0], [0, 1], [0, 2], [0, 3]]))
        expected = ranks_by_sorting(
            score_table(np.array([[scale]], np.float32), against), np.array([[0, place] for place in range(4)])
        )
        assert found.ranks.tolist() == expected.tolist()


@pytest.mark.parametrize("number", [np.nan, np.inf, 1e20])
def test_a_number_that_cannot_be_compared_is_an_error(number: float) -> None:
    against = np.array([[1.0, number], [0.0, 1.0]], np.float32)
    with pytest.raises(ValueError, match="not finite"):
        rank_rows(np.ones((1, 2), np.float32), against, np.array([[0, 1]]))


def test_a_truth_beyond_the_values_is_an_error() -> None:
    with pytest.raises(ValueError, match="value 2 of 2"):
        rank_rows(np.ones((1, 2), np.float32), np.ones((2, 2), np.float32), np.array([[0, 2]]))


def test_values_that_stream_from_pieces_a_mapped_file_or_parquet(tmp_path: Path) -> None:
    asking, against, truths = some(9, 5, 120, 12, whole=True)
    expected = rank_rows(asking, against, truths, depth=10)

    def pieces() -> Iterator[Floats]:
        yield against[:50]
        yield against[50:51]
        yield against[51:]

    np.save(tmp_path / "values.npy", against)
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet.write_table(arrow.table({"vector": against.tolist()}), tmp_path / "values.parquet")
    for values in (
        Rows(120, pieces),
        np.load(tmp_path / "values.npy", mmap_mode="r"),
        parquet_rows(tmp_path / "values.parquet", "vector", size=17),
    ):
        told: list[tuple[int, int]] = []
        found = rank_rows(asking, values, truths, depth=10, block=32, watch=lambda *at, told=told: told.append(at))
        assert np.array_equal(found.ranks, expected.ranks)
        assert np.array_equal(found.best, expected.best)
        assert told[-1] == (120, 120)


def test_pieces_that_do_not_add_up_are_an_error() -> None:
    with pytest.raises(ValueError, match="3 rows were promised and 2 came"):
        rank_rows(
            np.ones((1, 2), np.float32), Rows(3, lambda: [np.ones((2, 2), np.float32)]), np.zeros((0, 2), np.int64)
        )
