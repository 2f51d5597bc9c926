"""The compiled steps give what those in numpy give, and are taken only where they are at hand and of use."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.search.ranks import kernels
from karat.search.ranks.dense import rank_rows
from karat.search.ranks.kernels import NUMPY, Steps, steps_for
from karat.search.ranks.score import surely
from karat.search.ranks.screen import Screen, Seen


def _compiled() -> Steps:
    steps = kernels.compiled()
    assert steps is not None
    return steps


def _seen(seen: Seen) -> tuple[object, ...]:
    between = sorted(zip(seen.unsure.tolist(), seen.levels.tolist(), strict=True))
    return seen.counts.tolist(), between, seen.wanted.tolist()


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 7),
    width=st.sampled_from([1, 5, 8, 255, 256, 257, 600]),
    levels=st.integers(0, 4),
    spread=st.sampled_from([0.0, 0.02, 0.5]),
    depth=st.sampled_from([0, 1, 40]),
    known=st.booleans(),
)
def test_a_look_sees_the_same(
    seed: int, rows: int, width: int, levels: int, spread: float, depth: int, known: bool
) -> None:
    """Marks that few, many or all products reach, rows with fewer marks than others, all products near to a mark or
    none."""
    random = np.random.default_rng(seed)
    tile = random.standard_normal((rows, width), dtype=np.float32).round(2)
    marks = -np.sort(-random.choice(tile.ravel(), (levels, rows)).astype(np.float64), axis=0)
    marks += random.choice([0.0, 0.0, 3.0, -9.0], (1, rows))
    if levels:
        marks[-1, random.random(rows) < 0.3] = np.inf
    slacks = np.full(rows, spread)
    wanted = np.where(random.random(rows) < 0.8, 1.0, -np.inf) if known else np.full(rows, -np.inf)
    screen = Screen(tile, *surely(marks, slacks), depth, wanted, slacks)
    ours, theirs = _compiled().look(screen), NUMPY.look(screen)
    assert ours.counts.tolist() == theirs.counts.tolist()
    assert _seen(ours)[1] == _seen(theirs)[1]
    for row in range(rows if depth else 0):
        best = np.argsort(-tile[row], kind="stable")[:depth]
        needed = set((row * width + best[tile[row, best] > wanted[row]]).tolist())
        for seen in (ours, theirs):
            assert needed <= set(seen.wanted[seen.wanted // width == row].tolist())
    assert ours.wanted.tolist() == sorted(ours.wanted.tolist())


def test_not_all_is_scored_where_all_is_better_than_before() -> None:
    """Values that come in the order of their scores: each reaches the best so far, and yet only the best of a block are
    handed on."""
    tile = np.linspace(1, 2, 6000, dtype=np.float32).reshape(2, 3000)
    screen = Screen(tile, *surely(np.zeros((0, 2)), np.zeros(2)), 10, np.full(2, 0.5), np.full(2, 1e-6))
    for steps in (_compiled(), NUMPY):
        wanted = steps.look(screen).wanted.tolist()
        assert set(wanted) >= {*range(2990, 3000), *range(5990, 6000)}
        assert len(wanted) < 40


def test_everything_may_be_too_near_to_tell() -> None:
    """More open places than room was made for."""
    screen = Screen(
        np.ones((40, 3000), np.float32),
        *surely(np.ones((2, 40)), np.full(40, 0.1)),
        0,
        np.full(40, -np.inf),
        np.full(40, 0.1),
    )
    seen = _compiled().look(screen)
    assert len(seen.unsure) == 2 * screen.tile.size
    assert _seen(seen) == _seen(NUMPY.look(screen))


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), width=st.integers(1, 600), scale=st.sampled_from([1.0, 1e-30, 1e12]))
def test_pairs_score_the_same(seed: int, width: int, scale: float) -> None:
    random = np.random.default_rng(seed)
    asking, against = (random.standard_normal((9, width), dtype=np.float32) * np.float32(scale) for _ in range(2))
    rows, columns = random.integers(0, 9, 130), random.integers(0, 9, 130)
    steps = _compiled()
    pairs = asking, against, rows, columns
    assert np.array_equal(steps.scores(*pairs), NUMPY.scores(*pairs))
    assert np.allclose(steps.sums(*pairs), NUMPY.sums(*pairs), rtol=0, atol=1e-12 * width * scale**2)


def test_which_steps_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps_for(1_000_000) is NUMPY
    assert steps_for(10**9) == _compiled()
    monkeypatch.setitem(sys.modules, "karat.search.ranks.compiled", None)
    monkeypatch.delattr("karat.search.ranks.compiled")
    assert steps_for(10**9) is NUMPY


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    width=st.sampled_from([1, 2, 3, 8, 33]),
    depth=st.integers(1, 12),
    alike=st.booleans(),
)
def test_the_same_values_are_kept_as_best(seed: int, width: int, depth: int, alike: bool) -> None:
    """Over several blocks, with many equal scores."""
    random = np.random.default_rng(seed)
    questions = random.integers(-2, 3, (5, width)).astype(np.float32)
    values = random.integers(-1 if alike else -9, 2 if alike else 10, (90, width)).astype(np.float32)
    truths = np.zeros((0, 2), np.int64)
    ours, theirs = (
        rank_rows(questions, values, truths, depth=depth, block=block, steps=steps)
        for steps, block in ((_compiled(), 16), (NUMPY, 25))
    )
    scores = questions @ values.T
    order = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
    assert ours.best.tolist() == theirs.best.tolist() == order.tolist()
    assert ours.scores.tolist() == theirs.scores.tolist()
