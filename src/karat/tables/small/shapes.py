"""One wide row and the same values as a long table.

Wide: one row whose columns are, say, the quarters. Long: a row for each quarter, its name in one column and its value
in another. They say the same when the long rows are in the order of the wide columns, or are labelled with their
names; otherwise they only hold the same values, and no rule can tell which value belongs to what.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from karat.tables.options import CompareOptions
from karat.tables.small.compare import Side, read_cells
from karat.tables.table import Table
from karat.tables.values.cells import Cell, equal, folded

_WIDEST = 1_000
Turned = Literal["same", "values", ""]


def turned(gold: Table, pred: Table, options: CompareOptions) -> Turned:
    """Whether one table is the other one turned, one row against several: ``same``, or only the same ``values``."""
    if gold.large or pred.large or max(gold.width, pred.width) > _WIDEST:
        return ""
    if gold.height == 1 and gold.width >= 2 and pred.height == gold.width:
        return _compare(gold, pred, options, labels_needed=False)
    if pred.height == 1 and pred.width == gold.height and gold.width <= 2 and gold.height + gold.width >= 3:
        return _compare(pred, gold, options, labels_needed=gold.width == 2)
    return ""


def _compare(wide: Table, long: Table, options: CompareOptions, *, labels_needed: bool) -> Turned:
    """``labels_needed``: the long table is gold and its labels are part of it, so the wide headers must give them."""
    row = [read_cells([wide.texts(place)[0]], options)[0] for place in range(wide.width)]
    names = [folded(name) for name in wide.names]
    columns = [read_cells(long.texts(index), options) for index in range(long.width)]
    found: Turned = ""
    for values, column in enumerate(columns):
        if not Side(row).could_equal(Side(column), options):
            continue
        others = [other for index, other in enumerate(columns) if index != values]
        labelled = _labelled(row, names, column, others, options)
        in_order = all(equal(a, b, options) for a, b in zip(row, column, strict=True))
        if labelled or (labelled is None and in_order and not labels_needed):
            return "same"
        found = "values"
    return found


def _labelled(
    row: Sequence[Cell],
    names: Sequence[str],
    column: Sequence[Cell],
    others: Sequence[Sequence[Cell]],
    options: CompareOptions,
) -> bool | None:
    """Whether the values are beside the names of their wide columns; None when no column holds those names."""
    for labels in others:
        texts = [folded(label.text or "") for label in labels]
        if sorted(texts) == sorted(names) and len(set(names)) == len(names):
            return all(equal(row[names.index(text)], cell, options) for text, cell in zip(texts, column, strict=True))
    return None
