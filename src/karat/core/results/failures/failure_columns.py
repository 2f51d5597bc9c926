"""The failures of all cases of a run as arrays: a number for each label and each family, so that a million cases are
put into groups without holding their texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import TYPE_CHECKING

import msgspec

from karat.core.explanation import Explanation, Failure, Outcome
from karat.core.files.json import without_surrogates
from karat.core.results.columns.columns import StoredCases
from karat.core.results.columns.word_lists import PackedBlock, Word, WordLists, WordListsBuilder, pack, unpack
from karat.core.results.failures.failures import case_failures
from karat.core.results.result import CaseResult, RunResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

ReadWords = Callable[[int], Word]
"""The (outcome, label, family) of an entry, by its number."""


class FailureColumns(msgspec.Struct, frozen=True):
    """``starts[i]:starts[i + 1]`` are the entries of case i."""

    starts: Integers
    labels: Integers
    """The number of each entry's label, see :func:`number_of`."""
    families: Integers
    word_of: ReadWords

    def __len__(self) -> int:
        return len(self.starts) - 1

    def rows(self) -> Integers:
        """The case of each entry."""
        import numpy as np

        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def take(self, places: Integers) -> FailureColumns:
        """The same for these cases only."""
        import numpy as np

        counts = self.starts[places + 1] - self.starts[places]
        starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        entries = np.arange(int(starts[-1])) + np.repeat(self.starts[places] - starts[:-1], counts)
        word_of = self.word_of
        return FailureColumns(
            starts, self.labels[entries], self.families[entries], lambda entry: word_of(int(entries[entry]))
        )


def number_of(text: str) -> int:
    """Stands for a text as long as this process runs; 64 bits, so that no two of a million are likely to be the same.
    It is the hash of the bytes that a store keeps of it, so that stored texts need not be decoded."""
    return hash(without_surrogates(text).encode()) or 1


def numbers_of(words: Iterable[Word]) -> tuple[list[int], list[int]]:
    """The numbers of the labels and of the families."""
    pairs = [(number_of(word[1]), number_of(word[2])) for word in words]
    return [label for label, _ in pairs], [family for _, family in pairs]


def numbers_in(block: PackedBlock) -> tuple[Integers, Integers]:
    """The same for a block as it is stored."""
    import numpy as np

    words = block.words
    labels, families = (np.array([*map(hash, map(itemgetter(part), words))], np.int64) for part in (1, 2))
    for numbers in (labels, families):
        numbers[numbers == 0] = 1
    return labels, families


def from_words(found: WordLists) -> FailureColumns:
    """The columns where all words are in memory."""
    import numpy as np

    labels, families = (np.array(numbers, np.int64) for numbers in numbers_of(found.words))
    return FailureColumns(
        found.starts, labels[found.codes], families[found.codes], lambda entry: found.words[found.codes[entry]]
    )


def pack_failures(suite: str, cases: Iterable[tuple[CaseResult, Explanation | None]]) -> bytes:
    """The failures of a block of cases as bytes, for a store to keep. An explanation that is not given is made."""
    return pack(_lists(suite, cases))


def unpack_failures(data: bytes) -> WordLists:
    """The failures of one block."""
    return unpack([data])


def make_failures(suite: str, cases: Iterable[CaseResult]) -> FailureColumns:
    """The columns of cases, which may come from anywhere and are not kept."""
    return from_words(_lists(suite, ((case, None) for case in cases)))


def failure_columns_of(result: RunResult) -> FailureColumns:
    """The failures of a run's cases: the store's, or made from the cases in memory."""
    if isinstance(result.cases, StoredCases):
        return result.cases.failures()
    return make_failures(result.run.suite, result.cases)


def _lists(suite: str, cases: Iterable[tuple[CaseResult, Explanation | None]]) -> WordLists:
    builder = WordListsBuilder()
    for case, explanation in cases:
        builder.add(_word(outcome, failure) for outcome, failure in case_failures(suite, case, explanation))
    return builder.built()


def _word(outcome: Outcome, failure: Failure) -> Word:
    return outcome, failure.label, failure.family
