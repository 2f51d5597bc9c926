"""Rows of questions on the GPU, compared with one block of values after another."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from karat.search.records import Integers

if TYPE_CHECKING:
    from torch import Tensor

_ROOM = 512
"""Values that can be listed for a question and a stretch of values; a block where that is too few is done again in
pieces."""
_PER_TERM = 2.0**-23
"""What the tensor units may lose for each term of a sum, of the sum of the magnitudes; see ``gpu``."""
_PER_ROUNDING = 2.0**-24
_SPARE = 16
_PROGRAMS = 1 << 14
_EACH = 8
"""Lists that one program of the recheck goes through."""


@dataclass(frozen=True)
class Shape:
    """How the screen is cut for the chip. These were the quickest on an H200."""

    rows: int = 128
    columns: int = 256
    inner: int = 64
    warps: int = 8
    stages: int = 3
    stretch: int = 32
    """Tiles of values that one program goes through: fewer than 65,536 values, which are counted in 16 bits."""
    step: int = 4
    """Pairs that a recheck looks at together."""


class Block(NamedTuple):
    """A block of values on the device, and its rows in 16 bits."""

    values: Tensor
    halves: Tensor
    shorts: Tensor
    units: Tensor

    def part(self, low: int, high: int) -> Block:
        return Block(*(one[low:high] for one in self))


class Limits(NamedTuple):
    """Below ``lows`` a product is surely under the mark, from ``highs`` on surely over it: for the product of half
    rows, for that with whole numbers, for that of float32 rows."""

    lows: Tensor
    highs: Tensor
    coarse_lows: Tensor
    coarse_highs: Tensor
    fine_lows: Tensor
    fine_highs: Tensor


class Lists(NamedTuple):
    """Which values of some part of a block are listed."""

    start: int
    """Where the part begins in the block."""
    values: Tensor
    lengths: Tensor
    """[stretch, row]"""
    stretch: int
    """Values in a stretch."""


class Screen:
    """Some rows of questions with up to four marks each on the device, and the room to work in."""

    def __init__(self, torch: ModuleType, questions: Tensor, slots: int, block: int, shape: Shape) -> None:
        self._torch, self._shape, self._questions = torch, shape, questions.contiguous()
        self._kernels = import_module("karat.search.gpu.kernels")
        self._rows, self._width = questions.shape
        self._padded = _up(self._width, shape.inner)
        self._power = 1 << (self._padded - 1).bit_length()
        self._levels = self._power.bit_length() - 1
        self._chunk = 128 if self._padded % 128 == 0 else shape.inner
        self._step = max(1, 4096 // self._power)
        self._warps = max(1, self._power // 1024)  # of what sums whole rows: one alone needs no other
        self._all_rows = _up(self._rows, shape.rows)
        self._slots, self._room = slots, max(_ROOM, slots * shape.columns)
        self._fitting = self._room // (slots * shape.columns)
        self.aim(torch.full((slots, self._rows), math.inf, dtype=torch.float32, device="cuda"))
        self._counts = torch.zeros((slots, self._all_rows), dtype=torch.int64, device="cuda")
        stretches = -(-block // (shape.columns * shape.stretch))
        self._most_words = shape.stretch * shape.columns // 32
        self._listed = torch.empty((stretches, self._all_rows, self._room), dtype=torch.int32, device="cuda")
        self._lengths = torch.empty((stretches, self._all_rows), dtype=torch.int32, device="cuda")
        self._halves = torch.empty((_up(block, shape.columns), self._padded), dtype=torch.float16, device="cuda")
        self._words = torch.empty(
            slots * stretches * self._all_rows * self._most_words, dtype=torch.int32, device="cuda"
        )
        self._shorts: Tensor | None = None
        self._scale = _power_of_two(torch, questions)
        self._value_scale = 0.0
        self._asking = torch.zeros((self._all_rows, self._padded), dtype=torch.float16, device="cuda")
        full = questions.double() * self._scale
        self._asking[: self._rows, : self._width] = full.half()
        kept = self._asking[: self._rows, : self._width].double()
        self._sizes = torch.zeros((3, self._all_rows), dtype=torch.float64, device="cuda")
        for line, part in zip(self._sizes, (full, kept, full - kept), strict=True):
            line[: self._rows] = torch.linalg.vector_norm(part, dim=1) * (1 + 1e-9)

    def aim(self, scores: Tensor) -> None:
        """Take these scores, [slot, row], as the marks."""
        torch = self._torch
        held = torch.full((self._slots, self._all_rows), math.inf, dtype=torch.float32, device="cuda")
        held[:, : self._rows] = scores
        below = torch.nextafter(held, torch.full((), -math.inf, device="cuda"))
        self._scores, self._marks = held, (held.double() + below.double()) / 2

    def count(self, values: Tensor) -> None:
        """Count for one block of values."""
        torch, shape = self._torch, self._shape
        if self._shorts is None:
            self._shorts = torch.empty(self._halves.shape, dtype=torch.int16, device="cuda")
        block, limits, longest = self._prepared(values)
        sure, settled = torch.zeros((2, *self._counts.shape), dtype=torch.int32, device="cuda")
        lists = self._list(block, limits, sure, shape.stretch)
        if self._fits(lists, longest):
            self._recheck(block, limits, lists, settled)
        else:
            unused = torch.zeros_like(sure)
            for low, piece in self._pieces(block):
                lists = self._list(piece, limits, unused, self._fitting, low)
                self._recheck(piece, limits, lists, settled)
        self._counts += sure + settled

    def over(self, values: Tensor) -> Iterator[Lists]:
        """All values of a block that may score as much as the first mark of a row: a part of the block at a time."""
        block, limits, longest = self._prepared(values)
        unused = self._torch.zeros(self._counts.shape, dtype=self._torch.int32, device="cuda")
        open_ended = limits._replace(highs=self._torch.full_like(limits.highs, math.inf))
        lists = self._list(block, open_ended, unused, self._shape.stretch)
        if self._fits(lists, longest):
            yield lists
        else:
            for low, piece in self._pieces(block):
                yield self._list(piece, open_ended, unused, self._fitting, low)

    def keys(self, lists: Lists, first: int) -> Tensor:
        """[row, any]: a key for each listed value, the greatest for the best; see ``kernels.collect``. The block
        begins at the position ``first``."""
        torch = self._torch
        ends = lists.lengths.cumsum(0, dtype=torch.int32)
        most = int(ends[-1].max())
        keys = torch.full((self._all_rows, most), torch.iinfo(torch.int64).min, dtype=torch.int64, device="cuda")
        if most:
            self._kernels.collect[(min(lists.lengths.numel(), _PROGRAMS),)](
                self._questions, lists.values, self._listed, lists.lengths, ends - lists.lengths, keys,
                self._all_rows, lists.lengths.numel(), lists.stretch, first + lists.start, most,
                self._room, self._width, self._power, self._levels, self._step, num_warps=self._warps,
            )  # fmt: skip
        return keys[: self._rows]

    def counted(self) -> Integers:
        """[slot, row]: values that score at least as much as the truth, itself among them."""
        return np.asarray(self._counts[:, : self._rows].cpu().numpy())

    def _prepared(self, values: Tensor) -> tuple[Block, Limits, Tensor]:
        torch = self._torch
        if not self._value_scale:
            self._value_scale = _power_of_two(torch, values)
        room = _up(len(values), self._shape.columns)
        halves = self._halves[:room]
        shorts = halves if self._shorts is None else self._shorts[:room]
        units = torch.empty(room, dtype=torch.float32, device="cuda")
        largest = torch.zeros(4, dtype=torch.float32, device="cuda")
        self._kernels.halve[(-(-room // self._step),)](
            values, self._value_scale, halves, shorts, units, largest, len(values), room,
            self._width, self._padded, self._power, self._step, self._shorts is not None,
        )  # fmt: skip
        sizes = largest.double().sqrt() * (1 + 1e-3) + math.sqrt(self._width) * 2.0**-62
        return Block(values, halves, shorts, units / self._value_scale), self._limits(sizes), sizes[0]

    def _fits(self, lists: Lists, longest: Tensor) -> bool:
        """Whether every list had room. The device is waited for once, here."""
        most, length = self._torch.stack([lists.lengths.max().double(), longest]).tolist()
        if not math.isfinite(length):
            raise ValueError("a vector has a number that is not finite, or is longer than 1e15")
        return bool(most <= self._room)

    def _limits(self, sizes: Tensor) -> Limits:
        """``sizes`` are the greatest lengths of rows, of half rows, of what was lost between them, and of what whole
        numbers lost."""
        whole, half, lost = self._sizes
        added = (self._padded * 9 / 8 + _SPARE) * _PER_TERM
        slack = lost * sizes[0] + half * sizes[2] + added * half * sizes[1] + 2 * self._padded * 2.0**-126
        scale = self._scale * self._value_scale
        terms = (self._padded // self._chunk + 32 + self._chunk // 32 + _SPARE) * _PER_ROUNDING
        again = terms / (1 - terms) * whole * (sizes[0] + sizes[3]) / scale + 2 * self._width * 2.0**-126
        coarse = again + whole * sizes[3] / scale
        return Limits(
            *self._apart(self._marks * scale, slack),
            *self._apart(self._marks, coarse),
            *self._apart(self._marks, again),
        )

    def _apart(self, marks: Tensor, slack: Tensor) -> tuple[Tensor, Tensor]:
        far = self._torch.full((), math.inf, dtype=self._torch.float32, device="cuda")
        low, high = (marks - slack).float(), (marks + slack).float()
        # What cannot be bounded is never sure.
        low = self._torch.nextafter(low.nan_to_num(-math.inf, math.inf, -math.inf), -far)
        return low, self._torch.nextafter(high.nan_to_num(math.inf, math.inf, -math.inf), far)

    def _pieces(self, block: Block) -> Iterator[tuple[int, Block]]:
        """Parts so small that every list has room, as is needed when all values are alike."""
        step = len(self._listed) * self._fitting * self._shape.columns
        for low in range(0, len(block.values), step):
            yield low, block.part(low, low + step)

    def _list(self, block: Block, limits: Limits, sure: Tensor, tiles: int, start: int = 0) -> Lists:
        """Count into ``sure``, and list the pairs too near to tell. A stretch has ``tiles`` tiles of values."""
        shape, rows = self._shape, self._all_rows
        whole = len(block.halves) // shape.columns
        stretches = -(-whole // tiles)
        lengths = self._lengths[:stretches]
        self._kernels.screen[(rows // shape.rows * stretches,)](
            self._asking, block.halves, limits.lows, limits.highs, sure, self._words, rows, whole, tiles,
            self._padded, self._slots, shape.rows, shape.columns, shape.inner,
            num_warps=shape.warps, num_stages=shape.stages,
        )  # fmt: skip
        self._kernels.extract[(-(-lengths.numel() // _EACH),)](
            self._words, self._listed, lengths, rows, lengths.numel(), whole, tiles,
            self._slots, self._room, shape.columns // 32, self._most_words, _EACH, num_warps=1,
        )  # fmt: skip
        return Lists(start, block.values, lengths, tiles * shape.columns)

    def _recheck(self, block: Block, limits: Limits, lists: Lists, settled: Tensor) -> None:
        """Count the listed pairs that are over their marks into ``settled``."""
        rows, number, stretch = self._all_rows, lists.lengths.numel(), lists.stretch
        for values, stride, lows, highs in (
            (block.shorts, self._padded, limits.coarse_lows, limits.coarse_highs),
            (block.values, self._width, limits.fine_lows, limits.fine_highs),
        ):
            self._kernels.narrow[(-(-number // _EACH),)](
                self._questions, values, block.units, self._listed, lists.lengths, lows, highs, self._scores, settled,
                rows, number, stretch, self._slots, self._room, self._width, self._power, self._levels, stride,
                self._chunk, self._shape.step, _EACH, values is block.shorts, num_warps=1,
            )  # fmt: skip


def _up(count: int, step: int) -> int:
    return -(-count // step) * step


def _power_of_two(torch: ModuleType, rows: Tensor) -> float:
    """What brings rows of about this length to a length near one without touching a digit."""
    longest = float(torch.linalg.vector_norm(rows[:4096], dim=1).max())
    if not longest < 1e15:
        raise ValueError("a vector has a number that is not finite, or is longer than 1e15")
    return float(2.0 ** -round(math.log2(longest))) if longest > 0 else 1.0
