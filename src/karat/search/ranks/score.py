"""The score of a question and a value as vectors, defined so exactly that every machine agrees, and how far a quick
product may stray.

The score of two float32 rows q and v of length d: the products q[i]·v[i], each exact in float64, summed in float64
along a fixed tree (the upper part beyond the greatest power of two below the width is added onto the lower, until one
number is left), and that rounded to float32. Products of float32 numbers lose nothing in float64, so neither fused
operations nor the shape of blocks nor the device can change a bit of it. Two values with equal rows therefore tie,
always.

A matrix product in float32 sums in an order of its own. It strays from the score before its last rounding by at most
``(d + 16) · 2⁻²⁴ / (1 − (d + 16) · 2⁻²⁴) · |q| · |v|`` (the classical bound for any order of summation, with |q|·|v|
for the sum of the magnitudes, and some roundings to spare). What is farther than this from a truth's score is decided
by the quick product; only the rest is scored as defined.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from karat.search.ranks.blocks import Rows, blocks, loaded
from karat.search.records import Floats, Integers

Doubles = NDArray[np.float64]

_BATCH = 64
"""Pairs at a time: their products stay in the processor's cache."""
_SPARE = 16


def pair_scores(questions: Floats, values: Floats, rows: Integers, columns: Integers) -> Floats:
    """The score of each pair ``questions[rows[i]], values[columns[i]]``."""
    scores = np.empty(len(rows), np.float32)
    for low in range(0, len(rows), _BATCH):
        part = slice(low, low + _BATCH)
        products = questions.take(rows[part], axis=0).astype(np.float64)
        products *= values.take(columns[part], axis=0).astype(np.float64)
        scores[part] = _tree_sums(products)
    return scores


def pair_sums(questions: Floats, values: Floats, rows: Integers, columns: Integers) -> Doubles:
    """The sum of products of each pair in float64, in whatever order: the score before its last rounding, but for a
    little."""
    sums = np.empty(len(rows))
    for low in range(0, len(rows), _BATCH):
        part = slice(low, low + _BATCH)
        asking, against = (
            side.take(own[part], axis=0).astype(np.float64) for side, own in ((questions, rows), (values, columns))
        )
        sums[part] = np.vecdot(asking, against)
    return sums


def _tree_sums(terms: Doubles) -> Doubles:
    """The sum of each row along the fixed tree, for all rows side by side."""
    across: Doubles = np.ascontiguousarray(terms.T)
    width = len(across)
    while width > 1:
        half = 1 << ((width - 1).bit_length() - 1)
        across[: width - half] += across[half:width]
        width = half
    return across[0] if len(across) else np.zeros(len(terms))


def scores_at(questions: Floats, values: Rows, rows: Integers, positions: Integers, block: int) -> Floats:
    """The score of each question's row with the value at that position. One pass over the values that reads only what
    is asked for."""
    scores = np.empty(len(rows), np.float32)
    order = np.argsort(positions, kind="stable")
    wanted = positions[order]
    for start, part in blocks(values, block):
        low, high = np.searchsorted(wanted, (start, start + len(part)))
        if low < high:
            here = order[low:high]
            needed, columns = np.unique(wanted[low:high] - start, return_inverse=True)
            scores[here] = pair_scores(questions, loaded(part[needed]), rows[here], columns)
    return scores


def lengths(rows: Floats) -> Doubles:
    """The length of each row, never less than it is. Raises ValueError where a row cannot be compared: NaN, infinite,
    or absurdly long."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", rows, rows).astype(np.float64)
    if not np.all(squares < _LONGEST**2):
        raise ValueError("a vector has a number that is not finite, or is longer than 1e15")
    # The sum of squares in float32 may be a little low, and squares of tiny numbers may vanish.
    return np.asarray(np.sqrt(squares) * (1 + 1e-3) + math.sqrt(rows.shape[1]) * 2.0**-62)


_LONGEST = 1e15


def slack(width: int, question_lengths: Doubles, longest_value: float) -> Doubles:
    """How far a float32 product may be from the float64 sum, and two roundings to float32 beyond, for each question."""
    terms = (width + _SPARE) * 2.0**-24
    if terms >= 0.5:
        raise ValueError(f"vectors of {width} numbers are too long for float32 products")
    return np.asarray(terms / (1 - terms) * question_lengths * longest_value + 2 * width * 2.0**-126)


def doubles_slack(width: int, questions: Doubles, values: Doubles) -> Doubles:
    """The same for a product in float64, for each question; float64 neither overflows nor underflows on products of
    float32."""
    terms = (width + _SPARE) * 2.0**-53
    longest = math.sqrt(float(np.einsum("ij,ij->i", values, values).max(initial=0.0)))
    return np.asarray(2 * terms * longest * np.sqrt(np.einsum("ij,ij->i", questions, questions)))


def turning_points(scores: Floats) -> Doubles:
    """The number above which a float64 sum rounds to at least this float32 score, and below which to less."""
    with np.errstate(over="ignore"):
        below = np.nextafter(scores, np.float32(-np.inf))
    return (scores.astype(np.float64) + below) / 2


def surely(marks: Doubles, slacks: Doubles) -> tuple[Floats, Floats]:
    """(low, high) for a float32 product: below ``low`` it is surely under the mark, from ``high`` on surely over it."""
    low = np.nextafter((marks - slacks).astype(np.float32), np.float32(-np.inf))
    high = np.nextafter((marks + slacks).astype(np.float32), np.float32(np.inf))
    return low, high
