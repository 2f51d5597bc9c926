"""The tags of the cases of a run and the groups they belong to, as arrays: what a comparison breaks its figures down
by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from karat.core.explanation import Explanation
from karat.core.results.columns.word_lists import WordLists, WordListsBuilder, pack, unpack
from karat.core.results.groups import case_groups
from karat.core.results.result import CaseResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CaseWords(msgspec.Struct, frozen=True):
    """Of each case, in their order."""

    tags: WordLists
    """One text each."""
    members: WordLists
    """(kind, name) of the groups that a case belongs to as a whole."""
    figures: WordLists
    """(kind, name, metric) of the groups in which a case has figures of its own, with these."""

    def take(self, places: NDArray[np.int64]) -> CaseWords:
        """The same for these cases only."""
        return CaseWords(self.tags.take(places), self.members.take(places), self.figures.take(places))


class CaseWordsBuilder:
    """Takes one case after the other."""

    def __init__(self) -> None:
        self._tags, self._members, self._figures = WordListsBuilder(), WordListsBuilder(), WordListsBuilder()

    def add(self, suite: str | None, case: CaseResult, explanation: Explanation | None = None) -> None:
        """The next case. Without the suite that explains it, it is in no group. ``explanation``: the case's, where it
        is known."""
        figures, named = case_groups(suite, case, explanation) if suite is not None else ({}, [])
        self._tags.add((tag,) for tag in dict.fromkeys(case.tags))
        self._members.add(named)
        self._figures.add(figures.keys(), figures.values())

    def built(self) -> CaseWords:
        """All of them."""
        return CaseWords(self._tags.built(), self._members.built(), self._figures.built())


def pack_words(suite: str, cases: Iterable[tuple[CaseResult, Explanation | None]]) -> bytes:
    """The words of a block of cases as bytes, for a store to keep beside their figures. An explanation that is not
    given is made."""
    builder = CaseWordsBuilder()
    for case, explanation in cases:
        builder.add(suite, case, explanation)
    found = builder.built()
    return msgspec.msgpack.encode([pack(found.tags), pack(found.members), pack(found.figures)])


def unpack_words(blocks: Iterable[bytes]) -> CaseWords:
    """The words of all cases from those of their blocks, in order."""
    decoder = msgspec.msgpack.Decoder(tuple[bytes, bytes, bytes])
    parts = [decoder.decode(block) for block in blocks]
    return CaseWords(*(unpack(part[number] for part in parts) for number in range(3)))
