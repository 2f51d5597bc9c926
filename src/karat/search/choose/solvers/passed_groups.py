"""Which groups of questions pass with the options taken so far, and which still can: what branch and bound keeps on its
way down.

Where the fields can be looked at one by one, a question is a bit, and it passes when all taken options have it. Else
the truths found so far are counted for each group of questions. Both take options field by field, in a given order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol  # Any: bits or counts, only their own class looks at them

import numpy as np
from numpy.typing import NDArray

from karat.search.choose.solvers.combinations import Program
from karat.search.records import Integers

State = NDArray[Any]


class Passing(Protocol):
    """What the search asks for."""

    def start(self) -> State:
        """Nothing is taken yet."""

    def taken(self, level: int, options: int, state: State) -> State:
        """[option, …]: the state after each of the first options of this field."""

    def hope(self, level: int, states: State, affordable: Sequence[Integers]) -> Integers:
        """[option]: no more questions can pass than this, when the later fields have these options at most."""


class Bits:
    """Eight questions in a byte."""

    def __init__(self, program: Program, allowed: Sequence[NDArray[np.bool_]], order: Sequence[int]) -> None:
        self._bits = [np.packbits(np.repeat(allowed[field], program.weights, axis=1), axis=1) for field in order]
        self._any = [np.bitwise_or.accumulate(bits, axis=0) for bits in self._bits]

    def start(self) -> State:
        return np.full(self._bits[0].shape[1], 255, dtype=np.uint8)

    def taken(self, level: int, options: int, state: State) -> State:
        return np.asarray(self._bits[level][:options] & state)

    def hope(self, level: int, states: State, affordable: Sequence[Integers]) -> Integers:
        for later, last in enumerate(affordable, level + 1):
            states = states & self._any[later][last]
        return np.asarray(np.bitwise_count(states).sum(axis=1, dtype=np.int64))


class Counts:
    """The truths found for a question of each group."""

    def __init__(self, program: Program, order: Sequence[int]) -> None:
        self._found = [program.found[field] for field in order]
        self._most = [np.maximum.accumulate(found, axis=0) for found in self._found]
        self._need, self._weights = program.need, program.weights

    def start(self) -> State:
        return np.zeros(len(self._need), dtype=np.int64)

    def taken(self, level: int, options: int, state: State) -> State:
        return np.asarray(self._found[level][:options] + state)

    def hope(self, level: int, states: State, affordable: Sequence[Integers]) -> Integers:
        for later, last in enumerate(affordable, level + 1):
            states = states + self._most[later][last]
        return np.asarray((states >= self._need) @ self._weights)


def passing_of(program: Program, order: Sequence[int]) -> Passing:
    """The quicker of the two that is exact for this program."""
    if program.allowed is not None:
        return Bits(program, program.allowed, order)
    return Counts(program, order)
