"""The best values of each question on a GPU: the same as ``ranks.dense`` gives, to the last one.

The exact scores of as many values as are asked for, whichever they are, have a least one, and no value below it can be
among the best. The screen lists every value that may reach that score, the exact score of each is computed, and the
best are kept; with every block of values the score to reach rises. A good first choice only makes the lists short: it
is the best of a sample, by a rough product.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING

from karat.search.gpu.screen import Screen
from karat.search.records import Floats, Integers

if TYPE_CHECKING:
    from torch import Tensor

_SAMPLE = 1 << 17
_PRODUCTS = 1 << 29
"""Products at a time: a gigabyte."""
_LAST = (1 << 32) - 1
"""The highest position that a key can hold."""


def best_values(
    torch: ModuleType, screen: Screen, least: Tensor, blocks: Iterable[tuple[int, Tensor]], depth: int
) -> tuple[Integers, Floats]:
    """Positions and scores of the ``depth`` best values of each row of the screen, out of blocks that begin at the
    positions given. For each row, at least ``depth`` values reach the score in ``least``."""
    none = torch.iinfo(torch.int64).min
    kept = torch.full((len(least), depth), none, dtype=torch.int64, device="cuda")
    for start, values in blocks:
        screen.aim(least[None])
        for lists in screen.over(values):
            kept = torch.topk(torch.cat([kept, screen.keys(lists, start)], dim=1), depth, dim=1).values
        last = kept[:, -1]
        least = torch.where(last == none, least, torch.maximum(least, _scores(torch, last)))
    return (_LAST - (kept & _LAST)).cpu().numpy(), _scores(torch, kept).cpu().numpy()


def _scores(torch: ModuleType, keys: Tensor) -> Tensor:
    ordered = (keys >> 32).to(torch.int32)
    return (ordered ^ ((ordered >> 31) & 0x7FFFFFFF)).view(torch.float32)


def sample_of(values: Tensor, depth: int) -> Tensor:
    """Some values from all over, enough of them that the best of the sample are a good guess."""
    return values[:: max(1, len(values) // max(_SAMPLE, 4 * depth))]


def least_scores(torch: ModuleType, questions: Tensor, sample: Tensor, depth: int) -> Tensor:
    """For each question a score that at least ``depth`` of the sampled values reach; nothing is known from too few."""
    if len(sample) < depth:
        return torch.full((len(questions),), -math.inf, dtype=torch.float32, device="cuda")
    panel = max(1, _PRODUCTS // len(sample))
    rough, against = questions.bfloat16(), sample.bfloat16().T
    least = []
    for low in range(0, len(questions), panel):
        chosen = torch.topk(torch.mm(rough[low : low + panel], against), depth, dim=1, sorted=False).indices
        asked = torch.arange(low, low + len(chosen), device="cuda").repeat_interleave(depth)
        least.append(exact_scores(torch, questions, sample, asked, chosen.flatten()).view(-1, depth).amin(dim=1))
    return torch.cat(least)


def exact_scores(torch: ModuleType, questions: Tensor, values: Tensor, asked: Tensor, positions: Tensor) -> Tensor:
    """The score of each pair as ``ranks.score`` defines it."""
    scores = torch.empty(len(asked), dtype=torch.float32, device="cuda")
    batch = max(1, (1 << 26) // questions.shape[1])
    for low in range(0, len(asked), batch):
        part = slice(low, low + batch)
        terms = questions[asked[part]].double()
        terms *= values[positions[part]]
        while (width := terms.shape[1]) > 1:
            half = 1 << ((width - 1).bit_length() - 1)
            terms[:, : width - half] += terms[:, half:]
            terms = terms[:, :half]
        scores[part] = terms[:, 0].float()
    return scores
