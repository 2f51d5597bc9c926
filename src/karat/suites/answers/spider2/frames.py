"""Which gold columns of a frame have no equal in the frame of the answer, and the verdict that follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from karat.core.json_types import JsonObject
from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.spider2.columns import Columns, Nulls, columns_equal

if TYPE_CHECKING:
    import pandas


def unmatched(
    gold: pandas.DataFrame, found: Columns, chosen: list[int], left: Iterable[int], *, ignore_order: bool, nulls: Nulls
) -> list[int]:
    """The gold columns among ``left`` that equal no column of the answer. ``chosen`` are all that count: types depend
    on them."""
    everything = chosen == list(range(gold.shape[1]))
    counting = Columns(gold if everything else gold.iloc[:, chosen], nulls)
    return [
        position
        for position in left
        if not any(
            columns_equal(counting, chosen.index(position), found, other, ignore_order=ignore_order)
            for other in _nearest_first(position, len(found))
        )
    ]


def _nearest_first(position: int, width: int) -> Iterable[int]:
    """All positions, the same one first: that is where a right column usually is."""
    if position < width:
        yield position
    yield from (other for other in range(width) if other != position)


def verdict_on_columns(
    missing: Sequence[int], chosen: Sequence[int], names: Sequence[str], rows: tuple[int, int], found_width: int
) -> Verdict:
    """Right when no column is missing. ``rows`` of gold and of the answer, ``names`` of all gold columns."""
    if not missing:
        return right()
    evidence: JsonObject = {
        "gold_rows": rows[0],
        "rows": rows[1],
        "unmatched": [{"column": position, "name": names[position]} for position in missing],
        "matched_columns": len(set(chosen)) - len(set(missing)),
    }
    if rows[0] != rows[1]:
        return wrong("row_count", **evidence)
    return wrong("missing_column" if found_width < len(set(chosen)) else "values_differ", **evidence)
