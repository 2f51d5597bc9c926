"""Texts of many cases, kept as a few long ones, in which a word is found without touching each case."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from karat.store.cases.case_lines import BETWEEN

_BETWEEN = re.compile(BETWEEN)


class TextBlock:
    """The texts of the cases from position ``first`` on, with :data:`BETWEEN` between them."""

    def __init__(self, first: int, text: str) -> None:
        self.first = first
        self.text = text
        self._ends: list[int] | None = None

    def holding(self, word: str) -> Iterator[int]:
        """The positions of the cases whose text has this word, which is without white space."""
        text = self.text
        at = text.find(word)
        if at < 0:
            return
        ends = self._ends
        if ends is None:
            ends = self._ends = [found.start() for found in _BETWEEN.finditer(text)]
            ends.append(len(text))
        while at >= 0:
            row = bisect_right(ends, at)
            yield self.first + row
            at = text.find(word, ends[row])
