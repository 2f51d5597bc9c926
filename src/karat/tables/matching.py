"""Whether a prediction holds the rows of gold: ``match_tables``.

The cheapest test first: are the same texts there, row by row? Only if not, cells are read and compared with tolerance.
Only if that fails too, the difference is explained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from karat.tables.bipartite import Unsettled, perfect_matching
from karat.tables.mapping import find_mapping, labelled, preferred
from karat.tables.options import CompareOptions
from karat.tables.small import SmallComparison, Texts
from karat.tables.table import Table, TableError

_MOST_TRIES = 20_000
_ROWS_TO_LOOK_AT = 3_000_000
QUICKER_AS_LARGE = 4_000
"""From this many rows on, comparing with tolerance is quicker outside Python's own objects, importing them included."""


class Match(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a prediction compares with gold. ``mapping`` gives for each gold column the prediction column that stands for it,
    or None. Not ``settled``: no rule could tell within its bound; the reason is then of the nearest thing found.
    """

    passed: bool
    settled: bool = True
    mapping: tuple[int | None, ...] = ()
    normalised: tuple[str, ...] = ()
    reason: str = ""
    evidence: dict[str, Any] = {}
    cell_f1: float = 1.0
    row_share: float = 1.0


class Comparison(Protocol):
    """Two tables of the same height that have been read; see :class:`karat.tables.small.SmallComparison`."""

    @property
    def twins(self) -> Sequence[int]: ...

    def candidates(self) -> list[list[int]]: ...

    def rows_agree(self, mapped: Sequence[tuple[int, int]]) -> Any: ...

    def normalised(self, mapped: Sequence[tuple[int, int]], rows: Any) -> tuple[str, ...]: ...


def match_tables(
    gold: Table,
    pred: Table,
    *,
    columns: Sequence[int] | None = None,
    ignore_order: bool = False,
    options: CompareOptions | None = None,
    explained: bool = True,
) -> Match:
    """Compares the chosen columns of gold (all when none are named) with the prediction.

    Without ``explained`` a failure has no reason, and costs less: for trying one gold after another. Raises
    :class:`TableError` when gold has not the columns that are asked for.
    """
    options = options or CompareOptions()
    gold = chosen(gold, columns)
    settled = True
    if gold.height == pred.height and gold.width <= pred.width:
        try:
            found = same_rows(gold, pred, ignore_order=ignore_order, options=options)
        except Unsettled:
            found, settled = None, False
        if found is not None:
            return found
    if not explained:
        return Match(False, settled)
    from karat.tables.explaining import explain

    return explain(gold, pred, ignore_order=ignore_order, options=options, settled=settled)


def chosen(gold: Table, columns: Sequence[int] | None) -> Table:
    """Gold with the chosen columns only."""
    if not columns:
        return gold
    outside = [column for column in columns if not 0 <= column < gold.width]
    if outside:
        raise TableError(f"column {outside[0]} is asked for, and gold has columns 0 to {gold.width - 1}", "columns")
    return gold.select(columns)


def same_rows(gold: Table, pred: Table, *, ignore_order: bool, options: CompareOptions) -> Match | None:
    """The match of two tables with the same rows; None when they are not. Raises :class:`Unsettled`."""
    ordered = not ignore_order
    held_large = gold.large or pred.large
    mapping = None if held_large else same_texts(gold, pred, ordered=ordered)
    if mapping is None and (held_large or gold.height >= QUICKER_AS_LARGE):
        from karat.tables.large import LargeComparison

        large = LargeComparison(gold, pred, options, ordered=ordered)
        mapping = large.same_texts(gold.names, pred.names) if held_large else None
        if mapping is None:
            return _tolerant(large, gold, pred)
    if mapping is not None:
        return Match(True, mapping=tuple(mapping))
    gold_columns = [gold.texts(index) for index in range(gold.width)]
    pred_columns = [pred.texts(index) for index in range(pred.width)]
    return _tolerant(SmallComparison(gold_columns, pred_columns, options, ordered=ordered), gold, pred)


def same_texts(gold: Table, pred: Table, *, ordered: bool) -> list[int] | None:
    """The likeliest mapping, if under it the rows are the same texts. None says only that this quick test did not find them."""
    gold_columns = [gold.texts(index) for index in range(gold.width)]
    pred_columns = [pred.texts(index) for index in range(pred.width)]
    by_content: dict[Any, list[int]] = {}
    for index, column in enumerate(pred_columns):
        by_content.setdefault(_content(column, ordered), []).append(index)
    candidates = [by_content.get(_content(column, ordered), []) for column in gold_columns]
    if not all(candidates):
        return None
    mapping = perfect_matching(preferred(candidates, gold.names, pred.names))
    if mapping is None:
        return None
    if ordered:
        return mapping
    mapped = [pred_columns[index] for index in mapping]
    same = Counter(zip(*gold_columns, strict=True)) == Counter(zip(*mapped, strict=True))
    return mapping if same else None


def _content(column: Texts, ordered: bool) -> Any:
    return tuple(column) if ordered else tuple(sorted(column, key=lambda text: (text is None, text or "")))


def _tolerant(comparison: Comparison, gold: Table, pred: Table) -> Match | None:
    candidates = preferred(comparison.candidates(), gold.names, pred.names)
    if not all(candidates):
        return None
    by_header = labelled(candidates, gold.names, pred.names)
    if by_header is not None:
        candidates = [[p] for p in by_header]
    tries = max(64, min(_MOST_TRIES, _ROWS_TO_LOOK_AT // max(1, gold.height)))
    mapping = find_mapping(
        candidates, lambda pairs: comparison.rows_agree(pairs) is not None, tries=tries, twins=comparison.twins
    )
    if mapping is None:
        return None
    pairs = list(enumerate(mapping))
    names = comparison.normalised(pairs, comparison.rows_agree(pairs))
    return Match(True, mapping=tuple(mapping), normalised=names)
