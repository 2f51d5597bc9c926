"""Differences by tag, and by the groups that a suite's explanations name: dimensions, fields, functions.

A group with figures is compared by those, each case's mean over its turns and repeats. A group without is compared by
the headline metrics over the cases that belong to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.problems import count_of
from karat.core.results.columns.word_lists import Word, WordLists
from karat.stats.compare.paired import paired_difference
from karat.stats.compare.pairing import Pairs
from karat.stats.compare.records import GroupComparison, TagComparison

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

MOST = 100
"""Tags, or names of one kind, that are compared: those with most cases."""


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
    values = _figures_of(pairs)
    found: list[GroupComparison] = []
    warnings: list[str] = []
    for kind in dict.fromkeys(word[0] for word in values):
        own: dict[str, dict[str, tuple[Floats, Floats, Integers]]] = {}
        for (other, name, metric), column in values.items():
            if other == kind:
                own.setdefault(name, {})[metric] = column
        sizes = {name: max(len(column[2]) for column in columns.values()) for name, columns in own.items()}
        kept, said = _largest(sizes, kind)
        warnings += said
        for name in kept:
            for metric, (first, second, rows) in own[name].items():
                clusters = None if pairs.clusters is None else pairs.clusters[rows]
                found.append(GroupComparison(kind, name, metric, paired_difference(first, second, clusters)))
    return found, warnings


def _rows_of(pairs: Pairs, a: WordLists, b: WordLists) -> dict[Word, Integers]:
    """Word → the pairs in which either run has it; words in the order in which they first come."""
    import numpy as np

    words, codes_b = _same_codes(a, b)
    rows_a, first, _ = a.entries(pairs.places_a)
    rows_b, second, _ = b.entries(pairs.places_b)
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


def _figures_of(pairs: Pairs) -> dict[tuple[str, str, str], tuple[Floats, Floats, Integers]]:
    """(kind, name, metric) → the values of both runs and the pairs that have both, in the order in which they first
    come."""
    import numpy as np

    a, b = pairs.a.words.figures, pairs.b.words.figures
    words, codes_b = _same_codes(a, b)
    rows_a, codes, values = a.entries(pairs.places_a)
    rows_b, second, others = b.entries(pairs.places_b)
    found = []
    entry = np.full(len(pairs), -1, dtype=np.int64)
    for word, own, theirs in zip(words, _split(codes, len(words)), _split(codes_b[second], len(words)), strict=True):
        entry[rows_b[theirs]] = theirs
        match = entry[rows_a[own]]
        entry[rows_b[theirs]] = -1
        both = match >= 0
        if both.any():
            here = own[both]
            found.append((int(here[0]), word, (values[here], others[match[both]], rows_a[here])))
    found.sort(key=lambda item: item[0])
    return {(kind, name, metric): column for _, (kind, name, metric), column in found}


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
