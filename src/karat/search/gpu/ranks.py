"""The rank of every truth, and each question's best values, on a GPU: the same as ``ranks.dense`` gives. Needs torch
with CUDA (extra ``[gpu]``).

Rows are rounded to float16 and multiplied by the tensor units; the products are compared where they are made and never
stored. How far such a product may be from the exact score is bounded for each block of values from what the rounding
really lost (Cauchy–Schwarz):

    |q·v − q'·v'|  ≤  |q − q'|·|v| + |q'|·|v − v'|,   and for the sum in the tensor units   (9/8·d + 16) · 2⁻²³ ·
    |q'|·|v'|.

The tensor units add sixteen products and the sum so far at a time, and cut off what lies below the 24 digits of the
largest: at most 2⁻²³ of it for each of the seventeen and for the result, where a processor would lose half as much by
rounding. They are known to keep more digits. Pairs nearer to a truth's score than this are listed, multiplied again in
float32, and the few that are still too near are scored in float64 as ``ranks.score`` defines it. How the best values
are found is said in ``gpu.best``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.core.extras import install_command
from karat.search.gpu.best import SPARE, complete, highest, in_order
from karat.search.gpu.layout import laid_out
from karat.search.gpu.screen import Screen, Shape
from karat.search.ranks.blocks import blocks, loaded, rows_of
from karat.search.ranks.dense import Found, Watch, rank_rows, unwatched
from karat.search.ranks.score import scores_at, slack
from karat.search.records import NOT_A_VALUE, Floats, Integers

if TYPE_CHECKING:
    from torch import Tensor

Values: TypeAlias = Any
"""The vectors of the values: an array, ``Rows``, or a tensor on the GPU. ``torch.is_tensor`` says which."""

BLOCK = 1 << 19
"""Values at a time."""
_MARKS = 1 << 14
"""Truths at a time: what is listed for them and a block takes about two gigabytes at most."""
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
    best, scores = _best(torch, asking, values, count, min(depth, count), block)
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
    panel = _MARKS // slots
    panels = range(0, len(row_questions), panel)
    for low in panels:
        part = slice(low, low + panel)
        here = asking[torch.from_numpy(row_questions[part]).cuda()]
        screen = Screen(torch, here, marks[:, part], min(block, count), shape)
        for start, piece in _device_blocks(torch, values, block):
            screen.go(piece)
            watch((low // panel * count + start + len(piece)) // len(panels), count)
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
    torch: ModuleType, asking: Tensor, values: Values, count: int, depth: int, block: int
) -> tuple[Integers, Floats]:
    if not depth or not len(asking):
        return np.zeros((len(asking), depth), np.int64), np.zeros((len(asking), depth), np.float32)
    found = highest(torch, asking, _device_blocks(torch, values, block), min(depth + SPARE, count))
    positions, products = found.positions.cpu().numpy(), found.products.cpu().numpy()
    rows = np.repeat(np.arange(len(positions)), positions.shape[1])
    scores = _scores(torch, asking, values, rows, positions.ravel(), block).reshape(positions.shape)
    best, best_scores = in_order(positions, scores, depth)
    sizes = torch.linalg.vector_norm(asking, dim=1).double().cpu().numpy() * (1 + 1e-3)
    slacks = slack(asking.shape[1], sizes, found.longest * (1 + 1e-3))
    left = np.flatnonzero(~complete(products, depth, slacks, count))
    if left.size:
        rest = values.cpu().numpy() if torch.is_tensor(values) else values
        again = rank_rows(asking[torch.from_numpy(left).cuda()].cpu().numpy(), rest, NO_TRUTHS, depth=depth)
        best[left], best_scores[left] = again.best, again.scores
    return best, best_scores


def _scores(
    torch: ModuleType, asking: Tensor, values: Values, asked: Integers, positions: Integers, block: int
) -> Floats:
    """The exact scores of these pairs: on the device where the values are there, else on the processor."""
    if not torch.is_tensor(values):
        return scores_at(asking.cpu().numpy(), rows_of(values), asked, positions, block)
    scores = np.empty(len(asked), np.float32)
    for low in range(0, len(asked), _MARKS):
        part = slice(low, low + _MARKS)
        terms = asking[torch.from_numpy(asked[part]).cuda()].double()
        terms *= values[torch.from_numpy(positions[part]).cuda()]
        while (width := terms.shape[1]) > 1:
            half = 1 << ((width - 1).bit_length() - 1)
            terms[:, : width - half] += terms[:, half:]
            terms = terms[:, :half]
        scores[part] = terms[:, 0].float().cpu().numpy()
    if not np.isfinite(scores).all():
        raise ValueError("a vector has a number that is not finite, or is longer than 1e15")
    return scores


__all__ = ["BLOCK", "Shape", "rank_rows_on_gpu", "why_not"]
