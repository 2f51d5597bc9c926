"""The rank of every truth, and each question's best values, on a GPU: the same as ``ranks.dense`` gives. Needs torch
with CUDA (extra ``[gpu]``).

Rows are rounded to float16 and multiplied by the tensor units; the products are compared where they are made and never
stored. How far such a product may be from the exact score is bounded for each block of values from what the rounding
really lost (Cauchy–Schwarz):

    |q·v − q'·v'|  ≤  |q − q'|·|v| + |q'|·|v − v'|,   and for the sum in the tensor units   (9/8·d + 16) · 2⁻²³ ·
    |q'|·|v'|.

The tensor units add sixteen products and the sum so far at a time, and cut off what lies below the 24 digits of the
largest: at most 2⁻²³ of it for each of the seventeen and for the result, where a processor would lose half as much by
rounding. They are known to keep more digits. Pairs nearer to a truth's score than this are listed and multiplied again
in float32, at first with the value's row in whole numbers of 16 bits, which lose a tenth of what float16 loses, then
with the row itself. The few that are still too near are scored in float64 as ``ranks.score`` defines it. How the best
values are found is said in ``gpu.best``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.core.installed.extras import install_command
from karat.search.gpu.best import best_values, exact_scores, least_scores, sample_of
from karat.search.gpu.layout import laid_out
from karat.search.gpu.screen import Screen, Shape
from karat.search.ranks.blocks import blocks, loaded, rows_of
from karat.search.ranks.dense import Found, Watch, unwatched
from karat.search.ranks.score import scores_at
from karat.search.records import NOT_A_VALUE, Floats, Integers

if TYPE_CHECKING:
    from torch import Tensor

Values: TypeAlias = Any
"""The vectors of the values: an array, ``Rows``, or a tensor on the GPU. ``torch.is_tensor`` says which."""

BLOCK = 1 << 19
"""Values at a time."""
_ROWS = 5 << 11
"""Questions at a time: what is listed for them and a block takes about five gigabytes at most."""
NO_TRUTHS: Integers = np.zeros((0, 2), np.int64)
_MOST_SLOTS = 4
"""Truths that share one row, and so one product."""


def why_not() -> str:
    """Why ranks are not available from a GPU here; nothing when they are."""
    try:
        torch = import_module("torch")
        import_module("triton")
    except ImportError as missing:
        return f"{missing.name} is not installed: {install_command('gpu')}"
    if not torch.cuda.is_available():
        return "torch sees no CUDA device"
    return ""


def rank_rows_on_gpu(
    questions: Floats | Tensor,
    values: Values,
    truths: Integers,
    *,
    depth: int = 0,
    block: int = BLOCK,
    shape: Shape | None = None,
    watch: Watch = unwatched,
) -> Found:
    """Ranks of ``truths``, rows of (question, position of the value; less than 0: not among the values), and the
    ``depth`` best values.

    Questions and values are arrays (values also ``Rows``), or float32 tensors that lie on the GPU already. Only a block
    of values is on the device at a time, unless they were there before.
    """
    torch = import_module("torch")
    truths = np.asarray(truths, np.int64).reshape(-1, 2)
    count = len(values) if torch.is_tensor(values) else rows_of(values).count
    if int(truths[:, 1].max(initial=-1)) >= count:
        raise ValueError(f"a truth is value {truths[:, 1].max()} of {count}")
    asking = questions if torch.is_tensor(questions) else torch.from_numpy(loaded(questions)).cuda()
    ranks = _ranks(torch, asking, values, truths, count, block, shape or Shape(), watch)
    best, scores = _best(torch, asking, values, count, min(depth, count), block, shape or Shape())
    return Found(ranks, best, scores)


def _ranks(
    torch: ModuleType,
    asking: Tensor,
    values: Values,
    truths: Integers,
    count: int,
    block: int,
    shape: Shape,
    watch: Watch,
) -> Integers:
    ranks = np.full(len(truths), NOT_A_VALUE, np.int64)
    known = np.flatnonzero(truths[:, 1] >= 0)
    if not known.size:
        return ranks
    asked, positions = truths[known].T
    scores = _scores(torch, asking, values, asked, positions, block)
    slots = int(min(_MOST_SLOTS, np.bincount(asked).max()))
    row, slot, row_questions = laid_out(asked, slots, scores)
    marks = np.full((slots, len(row_questions)), np.inf, np.float32)
    marks[slot, row] = scores
    counts = np.empty(marks.shape, np.int64)
    panels = range(0, len(row_questions), _ROWS)
    for low in panels:
        part = slice(low, low + _ROWS)
        here = asking[torch.from_numpy(row_questions[part]).cuda()]
        screen = Screen(torch, here, slots, min(block, count), shape)
        screen.aim(torch.from_numpy(marks[:, part]).cuda())
        for start, piece in _device_blocks(torch, values, block):
            screen.count(piece)
            watch((low // _ROWS * count + start + len(piece)) // len(panels), count)
        counts[:, part] = screen.counted()
    ranks[known] = counts[slot, row]
    return ranks


def _device_blocks(torch: ModuleType, values: Values, block: int) -> Iterator[tuple[int, Tensor]]:
    if torch.is_tensor(values):
        for start in range(0, len(values), block):
            yield start, values[start : start + block]
    else:
        for start, part in blocks(rows_of(values), block):
            yield start, torch.from_numpy(loaded(part)).cuda()


def _best(
    torch: ModuleType, asking: Tensor, values: Values, count: int, depth: int, block: int, shape: Shape
) -> tuple[Integers, Floats]:
    best = np.zeros((len(asking), depth), np.int64)
    scores = np.zeros((len(asking), depth), np.float32)
    if not depth or not len(asking):
        return best, scores
    some = values if torch.is_tensor(values) else next(_device_blocks(torch, values, block))[1]
    sample = sample_of(some, depth)
    for low in range(0, len(asking), _ROWS):
        here = asking[low : low + _ROWS]
        screen = Screen(torch, here, 1, min(block, count), shape)
        least = least_scores(torch, here, sample, depth)
        part = slice(low, low + len(here))
        best[part], scores[part] = best_values(torch, screen, least, _device_blocks(torch, values, block), depth)
    return best, scores


def _scores(
    torch: ModuleType, asking: Tensor, values: Values, asked: Integers, positions: Integers, block: int
) -> Floats:
    """The exact scores of these pairs: on the device where the values are there, else on the processor."""
    if not torch.is_tensor(values):
        return scores_at(asking.cpu().numpy(), rows_of(values), asked, positions, block)
    pairs = (torch.from_numpy(np.ascontiguousarray(side)).cuda() for side in (asked, positions))
    scores: Floats = exact_scores(torch, asking, values, *pairs).cpu().numpy()
    if not np.isfinite(scores).all():
        raise ValueError("a vector has a number that is not finite, or is longer than 1e15")
    return scores


__all__ = ["BLOCK", "Shape", "rank_rows_on_gpu", "why_not"]
