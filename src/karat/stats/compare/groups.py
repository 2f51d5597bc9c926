"""Differences by tag, and by the groups that a suite's explanations name: dimensions, fields, functions.

A group with figures is compared by those, each case's mean over its turns and repeats. A group without is compared by
the headline metrics over the cases that belong to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from karat.core.metric import Metric
from karat.core.problems import count_of
from karat.core.results.columns.figures import plain
from karat.core.results.columns.packed_numbers import Coded
from karat.core.results.columns.word_lists import Entries, Word, WordLists
from karat.stats.compare.paired import Difference, paired_difference
from karat.stats.compare.pairing import Pairs
from karat.stats.compare.records import GroupComparison, TagComparison

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

MOST = 100
"""Tags, or names of one kind, that are compared: those with most cases."""
ROOM = 50_000_000
"""Places of a table that is counted in, at most."""
CHUNK = 10_000


def compare_tags(pairs: Pairs, metrics: Sequence[Metric]) -> tuple[tuple[TagComparison, ...], list[str]]:
    """Each tag that a case has in either run, in the order of the alphabet; and what was left out, in words."""
    rows = {word[0]: found for word, found in _rows_of(pairs, pairs.a.words.tags, pairs.b.words.tags).items()}
    kept, warnings = _largest({tag: len(found) for tag, found in rows.items()}, "tag")
    found = (
        TagComparison(tag, metric.name, difference)
        for tag in kept
        for metric in metrics
        if (difference := pairs.difference(metric.name, rows[tag])) is not None
    )
    return tuple(found), warnings


def compare_groups(pairs: Pairs, metrics: Sequence[Metric]) -> tuple[tuple[GroupComparison, ...], list[str]]:
    """By the groups that the suite's explanations name, such as dimensions or fields; and what was left out, in
    words."""
    by_member, said = _by_member(pairs, metrics)
    by_figure, said_too = _by_figure(pairs)
    return (*by_member, *by_figure), [*said, *said_too]


def _by_member(pairs: Pairs, metrics: Sequence[Metric]) -> tuple[list[GroupComparison], list[str]]:
    """The metrics over the cases of each group."""
    rows = _rows_of(pairs, pairs.a.words.members, pairs.b.words.members)
    found: list[GroupComparison] = []
    warnings: list[str] = []
    for kind in dict.fromkeys(word[0] for word in rows):
        kept, said = _largest({word[1]: len(own) for word, own in rows.items() if word[0] == kind}, kind)
        warnings += said
        found += [
            GroupComparison(kind, name, metric.name, difference)
            for name in kept
            for metric in metrics
            if (difference := pairs.difference(metric.name, rows[kind, name])) is not None
        ]
    return found, warnings


def _by_figure(pairs: Pairs) -> tuple[list[GroupComparison], list[str]]:
    """The figures that the cases have in each group."""
    values = _counted(pairs)
    if values is None:
        values = _listed(pairs)
    found: list[GroupComparison] = []
    warnings: list[str] = []
    for kind in dict.fromkeys(word[0] for word in values):
        own: dict[str, dict[str, Figure]] = {}
        for (other, name, metric), figure in values.items():
            if other == kind:
                own.setdefault(name, {})[metric] = figure
        sizes = {name: max(figure.n for figure in figures.values()) for name, figures in own.items()}
        kept, said = _largest(sizes, kind)
        warnings += said
        found += [
            GroupComparison(kind, name, metric, figure.difference())
            for name in kept
            for metric, figure in own[name].items()
        ]
    return found, warnings


def _rows_of(pairs: Pairs, a: WordLists, b: WordLists) -> dict[Word, Integers]:
    """Word → the pairs in which either run has it; words in the order in which they first come."""
    import numpy as np

    words, codes_b = _same_codes(a, b)
    own, theirs = a.entries(pairs.places_a), b.entries(pairs.places_b)
    rows_a, first, rows_b, second = own.rows, own.codes, theirs.rows, theirs.codes
    seen = np.zeros(len(pairs), dtype=np.bool_)
    found = []
    for word, in_a, in_b in zip(words, _split(first, len(words)), _split(codes_b[second], len(words)), strict=True):
        begins = [(int(rows_a[in_a[0]]), 0, int(in_a[0]))] if len(in_a) else []
        begins += [(int(rows_b[in_b[0]]), 1, int(in_b[0]))] if len(in_b) else []  # within a pair, a's words come first
        if begins:
            rows, more = rows_a[in_a], rows_b[in_b]
            seen[rows] = True
            more = more[~seen[more]]
            seen[rows] = False
            found.append((min(begins), word, np.sort(np.concatenate((rows, more))) if len(more) else rows))
    found.sort(key=lambda item: item[0])
    return {word: rows for _, word, rows in found}


class Figure(NamedTuple):
    """A figure of one group in both runs: the pairs of values, how often each comes, or which clusters they are in."""

    n: int
    a: Floats
    b: Floats
    counts: Integers | None = None
    clusters: Integers | None = None

    def difference(self) -> Difference:
        """Run b against run a."""
        return paired_difference(self.a, self.b, self.clusters, counts=self.counts)


def _counted(pairs: Pairs) -> dict[Word, Figure] | None:
    """(kind, name, metric) → the pairs of values of the cases that have both, counted, in the order in which they first
    come; None where the values, or the groups, are too many for that."""
    import numpy as np

    a, b = pairs.a.words.figures, pairs.b.words.figures
    words, codes_b = _same_codes(a, b)
    first, second = a.entries(pairs.places_a), b.entries(pairs.places_b)
    if pairs.clusters is not None or not isinstance(first.numbers, Coded) or not isinstance(second.numbers, Coded):
        return None
    down, across = len(first.numbers.table), len(second.numbers.table) + 1
    if len(words) * max(len(pairs), down * across) > ROOM:
        return None
    values = np.zeros(len(pairs) * len(words), dtype=np.uint8)  # run b's value of each word of each pair; 0: none
    values[_places(second, codes_b[second.codes], len(words))] = second.numbers.codes + np.uint8(1)
    match = values[_places(first, first.codes, len(words))]
    cells = (first.codes * np.int32(down) + first.numbers.codes) * np.int32(across) + match
    counts = np.bincount(cells, minlength=len(words) * down * across).reshape(len(words), down, across)
    counts[:, :, 0] = 0
    figures = {}
    for word in _first_come(first.codes, match, np.flatnonzero(counts.any(axis=(1, 2)))):
        was, now = counts[word].nonzero()
        own = counts[word][was, now]
        figures[words[word]] = Figure(
            int(own.sum()), first.numbers.table[was], second.numbers.table[now - 1], counts=own
        )
    return figures


def _places(entries: Entries, codes: NDArray[np.int32], words: int) -> NDArray[np.int32]:
    """A place for each word of each case."""
    import numpy as np

    found = np.repeat(np.arange(len(entries.counts), dtype=np.int32) * np.int32(words), entries.counts)
    found += codes
    return found


def _first_come(codes: NDArray[np.int32], match: NDArray[np.uint8], there: Integers) -> list[int]:
    """These words in the order of the first entries that match."""
    import numpy as np

    found: dict[int, None] = {}
    for begin in range(0, len(codes), CHUNK):
        some = codes[begin : begin + CHUNK][match[begin : begin + CHUNK] > 0]
        own, firsts = np.unique(some, return_index=True)
        found |= dict.fromkeys(word for word in own[np.argsort(firsts)].tolist() if word not in found)
        if len(found) == len(there):  # most often in the first chunk
            break
    return list(found)


def _listed(pairs: Pairs) -> dict[Word, Figure]:
    """The same with the values of each case."""
    import numpy as np

    a, b = pairs.a.words.figures, pairs.b.words.figures
    words, codes_b = _same_codes(a, b)
    first, second = a.entries(pairs.places_a), b.entries(pairs.places_b)
    rows_a, rows_b, values, others = first.rows, second.rows, plain(first.numbers), plain(second.numbers)
    found = []
    entry = np.full(len(pairs), -1, dtype=np.int64)
    each = zip(words, _split(first.codes, len(words)), _split(codes_b[second.codes], len(words)), strict=True)
    for word, own, theirs in each:
        entry[rows_b[theirs]] = theirs
        match = entry[rows_a[own]]
        entry[rows_b[theirs]] = -1
        both = match >= 0
        if both.any():
            here = own[both]
            clusters = None if pairs.clusters is None else pairs.clusters[rows_a[here]]
            figure = Figure(len(here), values[here], others[match[both]], clusters=clusters)
            found.append((int(here[0]), word, figure))
    found.sort(key=lambda item: item[0])
    return {word: figure for _, word, figure in found}


def _same_codes(a: WordLists, b: WordLists) -> tuple[list[Word], NDArray[np.int32]]:
    """The words of both, and what b's codes are among them."""
    import numpy as np

    words = {word: code for code, word in enumerate(a.words)}
    codes = np.array([words.setdefault(word, len(words)) for word in b.words], dtype=np.int32)
    return list(words), codes


def _split(codes: NDArray[np.int32], count: int) -> list[Integers]:
    """The places that have each of the codes, in their order."""
    import numpy as np

    small = codes.astype(np.int16) if count < 2**15 else codes  # sorted in one pass
    order = np.argsort(small, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes, minlength=count))[:-1]) if count else []


def _largest(sizes: Mapping[str, int], noun: str) -> tuple[list[str], list[str]]:
    if len(sizes) <= MOST:
        return sorted(sizes), []
    kept = sorted(sizes, key=lambda name: (-sizes[name], name))[:MOST]
    said = f"Compared by {noun} for the {MOST} with most cases; {count_of(len(sizes) - MOST, noun)} more left out."
    return sorted(kept), [said]
