"""Rows of questions on the GPU, held against one block of values after another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from karat.search.ranks.score import turning_points
from karat.search.records import Floats, Integers

if TYPE_CHECKING:
    from torch import Tensor

ROOM = 256
"""Values that can be listed for a mark and a stretch of values; a block where that is too few is done again in
pieces."""
_PER_TERM = 2.0**-23
"""What the tensor units may lose for each term of a sum, of the sum of the magnitudes; see ``gpu``."""
_PER_ROUNDING = 2.0**-24
_SPARE = 16
_PROGRAMS = 4096
_EACH = 8
"""Lists that one program of the recheck goes through."""


@dataclass(frozen=True)
class Shape:
    """How the screen is cut for the chip. These were the quickest on an H200."""

    rows: int = 128
    columns: int = 128
    inner: int = 64
    warps: int = 4
    stages: int = 3
    stretch: int = 64
    """Tiles of values that one program goes through."""


class Screen:
    """Some rows of questions with the scores of their truths on the device, and the room to work in."""

    def __init__(self, torch: ModuleType, questions: Tensor, scores: Floats, block: int, shape: Shape) -> None:
        self._torch, self._shape, self._questions = torch, shape, questions.contiguous()
        self._kernels = import_module("karat.search.gpu.kernels")
        self._rows, self._width = questions.shape
        self._padded = _up(self._width, shape.inner)
        self._power = 1 << (self._padded - 1).bit_length()
        self._step = max(1, 4096 // self._power)
        self._warps = max(1, self._power // 1024)  # of a recheck: one alone needs no other to sum a row
        held = np.full((len(scores), _up(self._rows, shape.rows)), np.inf, np.float32)
        held[:, : self._rows] = scores
        self._scores = torch.from_numpy(held).cuda()
        self._marks = torch.from_numpy(turning_points(held)).cuda()
        self._counts = torch.zeros(held.shape, dtype=torch.int64, device="cuda")
        stretches = -(-block // (shape.columns * shape.stretch))
        self._listed = torch.empty((stretches, *held.shape, ROOM), dtype=torch.int32, device="cuda")
        self._list_lengths = torch.empty((stretches, *held.shape), dtype=torch.int32, device="cuda")
        self._left = torch.empty((self._listed.numel(), 2), dtype=torch.int32, device="cuda")
        self._still = torch.zeros(1, dtype=torch.int64, device="cuda")
        self._halves = torch.empty((_up(block, shape.columns), self._padded), dtype=torch.float16, device="cuda")
        self._scale = _power_of_two(torch, questions)
        self._value_scale = 0.0
        self._asking = torch.zeros((held.shape[1], self._padded), dtype=torch.float16, device="cuda")
        full = questions.double() * self._scale
        self._asking[: self._rows, : self._width] = full.half()
        kept = self._asking[: self._rows, : self._width].double()
        self._lengths = torch.zeros((3, held.shape[1]), dtype=torch.float64, device="cuda")
        for line, part in zip(self._lengths, (full, kept, full - kept), strict=True):
            line[: self._rows] = torch.linalg.vector_norm(part, dim=1) * (1 + 1e-9)

    def go(self, values: Tensor) -> None:
        """Count for one block of values."""
        if not self._value_scale:
            self._value_scale = _power_of_two(self._torch, values)
        halves = self._halves[: _up(len(values), self._shape.columns)]
        sizes = self._halve(values, halves)
        if not math.isfinite(float(sizes[0])):
            raise ValueError("a vector has a number that is not finite, or is longer than 1e15")
        limits = self._limits(sizes)
        sure, settled = self._torch.zeros((2, *self._counts.shape), dtype=self._torch.int32, device="cuda")
        if self._look(values, halves, limits, sure, settled, self._shape.stretch) > ROOM:
            # More than there is room for, as when all values are alike: look again in pieces that fit.
            settled.zero_()
            tiles = max(1, ROOM // self._shape.columns)
            step = len(self._listed) * tiles * self._shape.columns
            unused = self._torch.zeros_like(sure)
            for low in range(0, len(values), step):
                part = slice(low, low + step)
                self._look(values[part], halves[part], limits, unused, settled, tiles)
        self._counts += sure + settled

    def counted(self) -> Integers:
        """[slot, row]: values that score at least as much as the truth, itself among them."""
        return np.asarray(self._counts[:, : self._rows].cpu().numpy())

    def _halve(self, values: Tensor, halves: Tensor) -> Tensor:
        """Fill ``halves``; the greatest lengths of rows, of half rows, and of what was lost between them."""
        largest = self._torch.zeros(3, dtype=self._torch.float32, device="cuda")
        self._kernels.halve[(-(-len(halves) // self._step),)](
            values, self._value_scale, halves, largest, len(values), len(halves),
            self._width, self._padded, self._power, self._step,
        )  # fmt: skip
        return largest.double().sqrt() * (1 + 1e-3) + math.sqrt(self._width) * 2.0**-62

    def _limits(self, sizes: Tensor) -> tuple[Tensor, ...]:
        """(floors, lows, highs) for the product of half rows, and (lows, highs) for that of float32 rows."""
        whole, half, lost = self._lengths
        added = (self._padded * 9 / 8 + _SPARE) * _PER_TERM
        slack = lost * sizes[0] + half * sizes[2] + added * half * sizes[1] + 2 * self._padded * 2.0**-126
        scale = self._scale * self._value_scale
        lows, highs = self._apart(self._marks * scale, slack)
        terms = (self._power // 32 + 32 + _SPARE) * _PER_ROUNDING
        again = (terms / (1 - terms) * whole * sizes[0]) / scale + 2 * self._width * 2.0**-126
        return lows.amin(dim=0), lows, highs, *self._apart(self._marks, again)

    def _apart(self, marks: Tensor, slack: Tensor) -> tuple[Tensor, Tensor]:
        far = self._torch.full((), math.inf, dtype=self._torch.float32, device="cuda")
        low, high = (marks - slack).float(), (marks + slack).float()
        # What cannot be bounded is never sure.
        low = self._torch.nextafter(low.nan_to_num(-math.inf, math.inf, -math.inf), -far)
        return low, self._torch.nextafter(high.nan_to_num(math.inf, math.inf, -math.inf), far)

    def _look(
        self, values: Tensor, halves: Tensor, limits: tuple[Tensor, ...], sure: Tensor, settled: Tensor, stretch: int
    ) -> int:
        """Count into ``sure``, and of the pairs too near to tell into ``settled``. The length of the longest list of
        such."""
        shape, kernels, (slots, rows) = self._shape, self._kernels, self._counts.shape
        tiles = len(halves) // shape.columns
        stretches = -(-tiles // stretch)
        floors, lows, highs, lows_again, highs_again = limits
        lengths = self._list_lengths[:stretches].zero_()
        self._still.zero_()
        kernels.screen[(rows // shape.rows * stretches,)](
            self._asking, halves, floors, lows, highs, sure, self._listed, lengths, rows, tiles, stretch,
            self._padded, slots, ROOM, shape.rows, shape.columns, shape.inner,
            num_warps=shape.warps, num_stages=shape.stages,
        )  # fmt: skip
        kernels.recheck[(-(-lengths.numel() // _EACH),)](
            self._questions, values, self._listed, lengths, lows_again, highs_again, settled, self._left, self._still,
            rows, lengths.numel(), slots, ROOM, self._width, self._power, self._step, _EACH, num_warps=self._warps,
        )  # fmt: skip
        kernels.settle[(_PROGRAMS,)](
            self._questions, values, self._left, self._still, self._scores, settled, rows,
            self._width, self._power, self._power.bit_length() - 1, self._step, num_warps=self._warps,
        )  # fmt: skip
        return int(lengths.max())


def _up(count: int, step: int) -> int:
    return -(-count // step) * step


def _power_of_two(torch: ModuleType, rows: Tensor) -> float:
    """What brings rows of about this length to a length near one without touching a digit."""
    longest = float(torch.linalg.vector_norm(rows[:4096], dim=1).max())
    if not longest < 1e15:
        raise ValueError("a vector has a number that is not finite, or is longer than 1e15")
    return float(2.0 ** -round(math.log2(longest))) if longest > 0 else 1.0
