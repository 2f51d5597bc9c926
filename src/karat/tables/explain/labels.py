"""Headers that contradict the cells: an answer whose rows are right, with the header of one gold column on the cells of
another, or gold's cells under another header.

Headers are never required. But where every gold header is in the answer once, they say which column is which, and a
column labelled ``min`` that holds the maxima is not right; nor is a ``total`` of 6 where gold has 5, though the answer
has a 5 in a column of its own, say ``rank``. A person decides (``labels_swapped``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

LABELS_SWAPPED = "labels_swapped"
SHOWN_LABELS = 20

Agree = Callable[[Sequence[tuple[int, int]]], bool]
"""Whether the rows agree on these (gold column, prediction column) pairs."""


def swapped(mapping: Sequence[int], header: Sequence[int], gold_width: int, agree: Agree) -> list[tuple[int, int]]:
    """Each gold column whose header is on the cells of another gold column, with that other one.

    The rows agree under ``mapping``, which maps the columns that count; ``header`` is the mapping that the headers
    name. Gold may have further columns, up to ``gold_width``, which do not count but whose cells may be under a header
    that does.
    """
    found = []
    for g, labelled in enumerate(header):
        if labelled == mapping[g]:
            continue
        rest = [(other, p) for other, p in enumerate(mapping) if other != g and p != labelled]
        if agree([*rest, (g, labelled)]):
            continue  # the column under this header would do as well
        holder = next((other for other, p in enumerate(mapping) if p == labelled), None)
        others = (other for other in range(gold_width) if other != g)
        if holder is None:
            holder = next((o for o in others if agree([*(pair for pair in rest if pair[0] != o), (o, labelled)])), None)
        if holder is not None:
            found.append((g, holder))
    return found


def crossed(mapping: Sequence[int], gold_keys: Sequence[str], pred_keys: Sequence[str]) -> list[tuple[int, int]]:
    """Each gold column whose cells are under the header of another gold column, with that other one, where such columns
    have each other's headers in a circle: ``min`` under ``max`` and ``max`` under ``min``. The rows agree under
    ``mapping``; headers that are there twice or nowhere name nothing.
    """
    named = {key: g for g, key in enumerate(gold_keys) if key and gold_keys.count(key) == pred_keys.count(key) == 1}
    under = {g: named[pred_keys[p]] for g, p in enumerate(mapping) if pred_keys[p] in named}
    found = []
    for start in under:
        seen, at = [start], under[start]
        while at in under and at not in seen:
            seen.append(at)
            at = under[at]
        if at == start and len(seen) > 1:
            found.append((start, under[start]))
    return found


def elsewhere(mapping: Sequence[int], header: Sequence[int], agree: Agree) -> list[tuple[int, int]]:
    """Each gold column whose header is on other cells than gold's, with the prediction column whose cells are gold's.
    The rows agree under ``mapping``, and do not under ``header``.
    """
    found = []
    for g, labelled in enumerate(header):
        rest = [(other, p) for other, p in enumerate(mapping) if other != g and p != labelled]
        if labelled != mapping[g] and not agree([*rest, (g, labelled)]):
            found.append((g, mapping[g]))
    return found


def label_evidence(
    found: Sequence[tuple[int, int]], gold_names: Sequence[str], headers: Sequence[str] | None = None, letters: int = 80
) -> list[dict[str, str]]:
    """For people: which header is on the cells of which gold column. Where ``headers`` of the answer are given, each
    pair is a gold column and a column of the answer.
    """
    pairs = [(gold_names[g], gold_names[o]) if headers is None else (headers[o], gold_names[g]) for g, o in found]
    return [{"header": header[:letters], "holds": holds[:letters]} for header, holds in pairs[:SHOWN_LABELS]]
