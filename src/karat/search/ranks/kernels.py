"""The four steps that look at every product or at single pairs: in numpy, or compiled where numba is at hand and the
work repays it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from karat.search.ranks.best import Best, Candidates, keep
from karat.search.ranks.score import Doubles, pair_scores, pair_sums
from karat.search.ranks.screen import Screen, Seen
from karat.search.records import Floats, Integers

_WORTH = 500_000_000
"""Pairs from which on the start of numba (0.7 s, the first time 2 s) is repaid: each then costs one to two nanoseconds
less."""


@dataclass(frozen=True)
class Steps:
    """One way to take them. What comes out is the same for all, bit for bit."""

    look: Callable[[Screen], Seen]
    sums: Callable[[Floats, Floats, Integers, Integers], Doubles]
    """Of pairs, in float64 and any order."""
    scores: Callable[[Floats, Floats, Integers, Integers], Floats]
    """Of pairs, exactly."""
    keep: Callable[[Best, Candidates], None]
    """The best values of each question."""
    block: int
    """Values in a block: for numpy long enough rows, for compiled steps few enough that the products stay in the
    processor's cache."""


NUMPY = Steps(Screen.look, pair_sums, pair_scores, keep, 32768)


def steps_for(pairs: int) -> Steps:
    """The quickest for this many pairs of a question and a value."""
    return compiled() or NUMPY if pairs >= _WORTH else NUMPY


def compiled() -> Steps | None:
    """None without numba, or with one that does not go with this numpy."""
    try:
        from karat.search.ranks import compiled
    except ImportError:
        return None
    return Steps(compiled.look, compiled.sums, compiled.scores, compiled.keep, 4096)
