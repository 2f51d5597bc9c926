"""Headers that contradict the cells: an answer whose rows are right, with the header of one gold column on the cells of
another.

Headers are never required. But where every gold header is in the answer once, they say which column is which, and a
column labelled ``min`` that holds the maxima is not right. A person decides (``labels_swapped``).
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


def label_evidence(
    found: Sequence[tuple[int, int]], gold_names: Sequence[str], letters: int = 80
) -> list[dict[str, str]]:
    """For people: which header is on the cells of which gold column."""
    return [{"header": gold_names[g][:letters], "holds": gold_names[o][:letters]} for g, o in found[:SHOWN_LABELS]]
