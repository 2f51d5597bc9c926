"""The same steps as in ``screen``, ``recheck`` and ``ranks.score``, compiled for this processor by numba (extra
``fast``).

Each reads a product once, while it is in the processor's cache, and makes nothing on the way; numpy needs a pass over
memory for every step. What comes out is the same, bit for bit: sums in any order (``sums``) are only ever used within
their error, and ``scores`` and ``keep`` sum along the tree that defines a score. The first call on a machine compiles,
which takes a few seconds, and is remembered in numba's cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar  # Any: the options of numba; what it compiles is called as the plain function is

import numba
import numpy as np

from karat.search.ranks.best import Best, Candidates
from karat.search.ranks.score import Doubles, surely
from karat.search.ranks.screen import Screen, Seen
from karat.search.records import Floats, Integers

Function = TypeVar("Function", bound=Callable[..., object])

_STRETCH = 256
"""Products counted together: enough for the processor's wide registers, few enough that one too near to a mark is soon
found."""
_ANY_ORDER = frozenset({"reassoc", "nsz", "contract"})
"""Sums may be made in any order; infinities and comparisons stay what they are."""
_NOTHING: Integers = np.empty(0, np.int64)


def _compiled(*, any_order: bool = False) -> Callable[[Function], Function]:
    """Compiled at its first call, without the interpreter's lock, and kept on disk where a folder can be written."""

    def compiled(function: Function) -> Function:
        options: dict[str, Any] = {"nogil": True, "fastmath": set(_ANY_ORDER) if any_order else False}
        made: Function
        try:
            made = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # no folder for the cache
            made = numba.njit(**options)(function)
        return made

    return compiled


def look(screen: Screen) -> Seen:
    """Through a tile: see :meth:`Screen.look`."""
    highs = screen.highs
    lows = np.where(np.isposinf(highs), highs, screen.lows)  # a missing mark
    if not screen.depth:
        return Seen(*_listed(screen.tile, lows, highs, len(lows)), _NOTHING)
    levels, width = len(lows), screen.tile.shape[1]
    wanted = surely(screen.wanted, screen.slacks)[0]
    unknown = np.isneginf(wanted)
    lows = np.vstack([lows, np.where(unknown, np.float32(np.inf), wanted)])
    counts, places, on = _listed(screen.tile, lows, np.vstack([highs, np.full_like(wanted, np.inf)]), levels)
    between, best = on < levels, places[on == levels]
    crowded = unknown | (np.bincount(best // width, minlength=len(wanted)) > 2 * screen.depth)
    if crowded.any():
        rows = np.flatnonzero(crowded)
        best = np.sort(np.concatenate([best[~crowded[best // width]], screen.best_of(rows, wanted[rows])]))
    return Seen(counts[:levels], places[between], on[between], best)


def _listed(tile: Floats, lows: Floats, highs: Floats, ordered: int) -> tuple[Integers, Integers, Integers]:
    """(how many are over on each level and row, places of those between, their levels)."""
    room = tile.size // 512 + 4096
    while True:
        counts = np.zeros(lows.shape, np.int64)
        places, levels = np.empty(room, np.int64), np.empty(room, np.int64)
        found = _look(tile, lows, highs, ordered, counts, places, levels)
        if found <= room:
            return counts, places[:found], levels[:found]
        room = found


def sums(questions: Floats, values: Floats, rows: Integers, columns: Integers) -> Doubles:
    """The sum of products of each pair in float64, in whatever order."""
    out = np.empty(len(rows))
    _sums(questions, values, rows, columns, out)
    return out


def scores(questions: Floats, values: Floats, rows: Integers, columns: Integers) -> Floats:
    """The score of each pair: see :func:`karat.search.ranks.score.pair_scores`."""
    out = np.empty(len(rows), np.float32)
    _scores(questions, values, rows, columns, out)
    return out


@_compiled(any_order=True)
def _reached(part: Floats, low: np.float32, high: np.float32) -> tuple[np.float32, np.float32]:
    """How many products reach each of the two; as float32, exact for so few, which the processor counts as wide as it
    compares."""
    none, one = np.float32(0), np.float32(1)
    lows, highs = none, none
    for place in range(len(part)):
        product = part[place]
        lows += one if product >= low else none
        highs += one if product >= high else none
    return lows, highs


@_compiled(any_order=True)
def _reached_by(part: Floats, low: np.float32) -> np.float32:
    """How many products reach it."""
    none, one = np.float32(0), np.float32(1)
    reached = none
    for place in range(len(part)):
        reached += one if part[place] >= low else none
    return reached


@_compiled()
def _look(
    tile: Floats, lows: Floats, highs: Floats, ordered: int, counts: Integers, places: Integers, levels: Integers
) -> int:
    """Counts what is surely over, and lists what is between, row by row; how many those are, though there may be room
    for fewer.

    The first ``ordered`` levels go down: what does not reach one reaches none before it. Where there is another, one
    look comes before all.
    """
    found = 0
    width = tile.shape[1]
    for row in range(tile.shape[0]):
        floor = np.float32(np.inf)
        for level in range(len(lows)):
            floor = min(floor, lows[level, row])
        for start in range(0, width, _STRETCH):
            part = tile[row, start : min(start + _STRETCH, width)]
            if len(lows) > ordered and _reached_by(part, floor) == 0:
                continue
            for level in range(len(lows) - 1, -1, -1):
                low, high = lows[level, row], highs[level, row]
                if low == np.inf:
                    continue
                over_low, over_high = _reached(part, low, high)
                if over_low == 0 and level < ordered:
                    break
                counts[level, row] += int(over_high)
                left = int(over_low) - int(over_high)
                place = 0
                while left:
                    product = part[place]
                    if (product >= low) & (product < high):
                        if found < len(places):
                            places[found] = row * width + start + place
                            levels[found] = level
                        found += 1
                        left -= 1
                    place += 1
    return found


@_compiled(any_order=True)
def _sums(questions: Floats, values: Floats, rows: Integers, columns: Integers, out: Doubles) -> None:
    for pair in range(len(rows)):
        asking, value = questions[rows[pair]], values[columns[pair]]
        total = 0.0
        for place in range(len(asking)):
            total += np.float64(asking[place]) * np.float64(value[place])
        out[pair] = total


@_compiled()
def _scores(questions: Floats, values: Floats, rows: Integers, columns: Integers, out: Floats) -> None:
    room, other = np.zeros(max(1, questions.shape[1])), np.zeros(max(1, questions.shape[1]))
    for pair in range(len(rows)):
        out[pair] = _score(questions[rows[pair]], values[columns[pair]], room, other)


@_compiled()
def _score(asking: Floats, value: Floats, room: Doubles, other: Doubles) -> float:
    """The sum of the products along the tree, before its last rounding. A product of two float32 is exact in float64,
    so that the first sums may be made at once. Each row of sums goes from one room into the other, which the processor
    does four times as quickly as within one."""
    width = len(asking)
    half = 1
    while 2 * half < width:
        half *= 2
    for place in range(min(half, width)):
        room[place] = np.float64(asking[place]) * np.float64(value[place])
    for place in range(width - half):
        room[place] += np.float64(asking[half + place]) * np.float64(value[half + place])
    terms, sums = room, other
    half //= 2
    while half >= 1:
        for place in range(half):
            sums[place] = terms[place] + terms[half + place]
        terms, sums = sums, terms
        half //= 2
    return float(terms[0]) if width else 0.0


def keep(best: Best, found: Candidates) -> None:
    """See :func:`karat.search.ranks.best.keep`. What a question has found so far narrows what is scored next."""
    _keep(
        found.asking,
        found.values,
        found.rows,
        found.columns,
        found.products,
        found.slacks,
        found.first,
        found.start,
        best.depth,
        best.least,
        best.scores,
        best.positions,
        best.held,
    )


@_compiled()
def _keep(
    asking: Floats,
    values: Floats,
    rows: Integers,
    columns: Integers,
    products: Floats,
    slacks: Doubles,
    first: int,
    start: int,
    depth: int,
    least: Floats,
    scores: Floats,
    positions: Integers,
    held: Integers,
) -> None:
    """Each question's best are a heap with the worst on top: the lowest score, of equal ones the last position."""
    room, other = np.zeros(max(1, asking.shape[1])), np.zeros(max(1, asking.shape[1]))
    for pair in range(len(rows)):
        row = rows[pair]
        question = first + row
        full = held[question] == depth
        if full and np.float64(products[pair]) + slacks[row] < np.float64(least[question]):
            continue
        score = np.float32(_score(asking[row], values[columns[pair]], room, other))
        if full and score <= least[question]:  # an equal one that comes later is worse
            continue
        heap, places = scores[question], positions[question]
        if full:
            _sink(heap, places, depth, score, start + columns[pair])
        else:
            _rise(heap, places, held[question], score, start + columns[pair])
            held[question] += 1
        if held[question] == depth:
            least[question] = heap[0]


@_compiled()
def _sink(heap: Floats, places: Integers, size: int, score: np.float32, place: int) -> None:
    """In place of the top."""
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        other = child + 1
        if other < size and (
            heap[other] < heap[child] or (heap[other] == heap[child] and places[other] > places[child])
        ):
            child = other
        if heap[child] > score or (heap[child] == score and places[child] < place):
            break
        heap[at], places[at] = heap[child], places[child]
        at = child
    heap[at], places[at] = score, place


@_compiled()
def _rise(heap: Floats, places: Integers, size: int, score: np.float32, place: int) -> None:
    """Behind the last."""
    at = size
    while at:
        parent = (at - 1) // 2
        if heap[parent] < score or (heap[parent] == score and places[parent] > place):
            break
        heap[at], places[at] = heap[parent], places[parent]
        at = parent
    heap[at], places[at] = score, place
