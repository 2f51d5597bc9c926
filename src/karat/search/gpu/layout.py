"""Which row of the GPU's product a truth belongs to: a few truths of one question share a row."""

from __future__ import annotations

import numpy as np

from karat.search.records import Floats, Integers


def laid_out(asked: Integers, slots: int, scores: Floats) -> tuple[Integers, Integers, Integers]:
    """(row of each truth, its slot, question of each row): a question has one row for every few of its truths, the
    best together.

    Rows with well scoring truths come first, so that the tiles of products that need a second look are as few as can
    be.
    """
    order = np.lexsort((-scores, asked))
    ordered = asked[order]
    number = np.arange(len(asked)) - np.searchsorted(ordered, ordered)
    firsts = number % slots == 0
    row, slot = np.empty_like(asked), np.empty_like(asked)
    row[order] = np.cumsum(firsts) - 1
    slot[order] = number % slots
    lowest = np.full(int(firsts.sum()), np.inf)
    np.minimum.at(lowest, row, scores)
    by_score = np.argsort(-lowest, kind="stable")
    place = np.empty_like(by_score)
    place[by_score] = np.arange(len(by_score))
    return place[row], slot, ordered[firsts][by_score]
