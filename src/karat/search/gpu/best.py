"""The best values of each question on a GPU: the same as ``ranks.dense`` gives, to the last one.

Each block of values is multiplied in float32 and the highest products are kept, some more of them than asked for. The
product strays from the score by no more than ``ranks.score.slack``: when the last one kept is farther than twice that
below the last one asked for, every value that could be among the best is among those kept, and their exact scores put
them in order. Questions where it is not, as when many values are alike, are answered by the processor.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.search.ranks.score import Doubles
from karat.search.records import Floats, Integers

if TYPE_CHECKING:
    from torch import Tensor
    from torch.return_types import topk

SPARE = 64
"""Values kept beyond those asked for."""
_PRODUCTS = 1 << 29
"""Products at a time: two gigabytes."""


class Highest:
    """The highest products of each question so far, and where they come from."""

    def __init__(self, torch: ModuleType, questions: Tensor, kept: int) -> None:
        self._torch, self._questions, self._kept = torch, questions, kept
        self.products = torch.empty((len(questions), 0), dtype=torch.float32, device="cuda")
        self.positions = torch.empty((len(questions), 0), dtype=torch.int64, device="cuda")
        self.longest = 0.0

    def go(self, start: int, values: Tensor) -> None:
        """One block of values, the first of them at this position."""
        torch = self._torch
        self.longest = max(self.longest, float(torch.linalg.vector_norm(values, dim=1).max()))
        panel = max(1, _PRODUCTS // max(1, len(values)))
        found = [
            self._highest(self._questions[low : low + panel], values) for low in range(0, len(self._questions), panel)
        ]
        products = torch.cat([self.products, torch.cat([part.values for part in found])], dim=1)
        positions = torch.cat([self.positions, torch.cat([part.indices for part in found]) + start], dim=1)
        first = torch.topk(products, min(self._kept, products.shape[1]), dim=1)
        self.products, self.positions = first.values, positions.gather(1, first.indices)

    def _highest(self, questions: Tensor, values: Tensor) -> topk:
        products = self._torch.mm(questions, values.T)
        return self._torch.topk(products, min(self._kept, len(values)), dim=1, sorted=False)


def highest(torch: ModuleType, questions: Tensor, pieces: Iterable[tuple[int, Tensor]], kept: int) -> Highest:
    """The ``kept`` highest products of each question with all values. Products are true float32: no unit of lesser
    precision takes part."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    try:
        found = Highest(torch, questions, kept)
        for start, values in pieces:
            found.go(start, values)
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
    return found


def complete(products: Floats, depth: int, slacks: Doubles, count: int) -> NDArray[np.bool_]:
    """For each question whether all that may be among its ``depth`` best were kept. ``products`` are in falling
    order."""
    if products.shape[1] >= count:
        return np.ones(len(products), bool)
    asked, last = products[:, depth - 1].astype(np.float64), products[:, -1].astype(np.float64)
    return np.asarray(last < asked - 2 * slacks)


def in_order(positions: Integers, scores: Floats, depth: int) -> tuple[Integers, Floats]:
    """The first ``depth`` of each row: higher scores first, equal ones in the order of the values."""
    order = np.lexsort((positions, -scores), axis=1)[:, :depth]
    return np.take_along_axis(positions, order, axis=1), np.take_along_axis(scores, order, axis=1)
