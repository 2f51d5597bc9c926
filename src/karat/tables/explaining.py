"""Why two tables do not match: a reason, the nearest columns, the first rows that differ, and how much is right.

Reasons, in the order in which they are tested: order_differs, shape_differs, duplicates and row_count (other heights),
rows_scrambled (every column is there, the rows are not), then what is wrong with the columns: case_or_space,
null_vs_zero, scale_100, rounding, date_format when one such change explains all that is wrong, else missing_column or
values_differ. Of tables too large to look at whole, the same part of both is looked at, and the evidence says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from karat.tables.alignment import SHOWN_COLUMNS, align, first_differences
from karat.tables.bipartite import Unsettled, perfect_matching
from karat.tables.cells import Cell, as_gold
from karat.tables.mapping import preferred
from karat.tables.matching import Match, same_rows
from karat.tables.options import CompareOptions
from karat.tables.shapes import turned
from karat.tables.small import read_cells
from karat.tables.table import Table
from karat.tables.view import SHOWN_LETTERS, View

_CELLS_LOOKED_AT = 400_000
_PAIRS_LOOKED_AT = 5_000_000
_WIDEST = 400


def explain(gold: Table, pred: Table, *, ignore_order: bool, options: CompareOptions, settled: bool = True) -> Match:
    """The match of two tables that are known to differ."""
    if not ignore_order and gold.height == pred.height and gold.width <= pred.width:
        try:
            reordered = same_rows(gold, pred, ignore_order=True, options=options)
        except Unsettled:
            reordered = None
        if reordered is not None:
            return _other_order(gold, pred, reordered, options)
    shape = turned(gold, pred, options)
    if shape == "same" and options.allow_shape:
        return Match(True, normalised=("shape",), evidence={"shape": _sizes(gold, pred)})
    looked_at = _part(gold, pred)
    view = View(*looked_at, options)
    reason = _reason(view, gold, pred, shape, _every_column_there(gold, pred, view))
    alignment = align(
        view.mapped(),
        view.gold.height,
        view.pred.height,
        options,
        ordered=not ignore_order and gold.height == pred.height,
    )
    evidence: dict[str, Any] = {
        **_sizes(gold, pred),
        "columns": view.nearest(everything=reason == "rows_scrambled"),
        "shown_columns": [name[:SHOWN_LETTERS] for name in gold.names[:SHOWN_COLUMNS]],
        "rows": first_differences(alignment, view.mapped()),
    }
    if looked_at[0].height < gold.height:
        evidence["looked_at_rows"] = looked_at[0].height
    if shape == "same" and reason == "shape_differs":
        evidence["allowed_by"] = "allow_shape"
    return Match(
        False,
        settled,
        tuple(view.mapping),
        (),
        reason,
        evidence,
        round(alignment.cell_f1, 6),
        round(alignment.row_share, 6),
    )


def _sizes(gold: Table, pred: Table) -> dict[str, Any]:
    return {"gold_size": [gold.height, gold.width], "pred_size": [pred.height, pred.width]}


def _other_order(gold: Table, pred: Table, match: Match, options: CompareOptions) -> Match:
    """The same rows in another order: shown with the mapping that makes them the same."""
    gold, pred = gold.head(2_000), pred.head(2_000)
    mapped: list[tuple[Sequence[Cell], Sequence[Cell] | None]] = [
        (as_gold(read_cells(gold.texts(g), options)), read_cells(pred.texts(p), options))
        for g, p in enumerate(match.mapping)
        if p is not None
    ]
    alignment = align(mapped, gold.height, pred.height, options, ordered=True)
    evidence = {
        **_sizes(gold, pred),
        "shown_columns": [name[:SHOWN_LETTERS] for name in gold.names[:SHOWN_COLUMNS]],
        "rows": first_differences(alignment, mapped),
    }
    return msgspec.structs.replace(
        match,
        passed=False,
        reason="order_differs",
        evidence=evidence,
        normalised=(),
        cell_f1=1.0,
        row_share=round(alignment.row_share, 6),
    )


def _every_column_there(gold: Table, pred: Table, view: View) -> list[int] | None:
    """A mapping of all columns by their cells in any order, if there is one."""
    if gold.height != pred.height or gold.width > pred.width:
        return None
    if (view.gold.height, view.gold.width, view.pred.width) == (gold.height, gold.width, pred.width):
        candidates = view.candidates()
    else:
        from karat.tables.large import LargeComparison

        candidates = LargeComparison(gold, pred, view.options, ordered=False).candidates()
    return perfect_matching(preferred(candidates, gold.names, pred.names))


def _part(gold: Table, pred: Table) -> tuple[Table, Table]:
    """As much of both tables as is looked at: all of them, or the same part of both where that would be too much."""
    pred = pred.select(range(min(pred.width, _WIDEST)))
    gold = gold.select(range(min(gold.width, _WIDEST)))
    rows = _CELLS_LOOKED_AT // max(1, gold.width + pred.width)
    rows = max(50, min(rows, _PAIRS_LOOKED_AT // max(1, gold.width * pred.width)))
    if max(gold.height, pred.height) <= rows:
        return gold.head(gold.height), pred.head(pred.height)
    if gold.large or pred.large:
        from karat.tables.large import same_part

        return same_part(gold, pred, rows)
    return gold.head(rows), pred.head(rows)


def _reason(view: View, gold: Table, pred: Table, shape: str, every_column_there: list[int] | None) -> str:
    if shape:
        return "shape_differs"
    if gold.height != pred.height:
        return "duplicates" if view.same_distinct_rows() else "row_count"
    if every_column_there is not None:
        view.mapping[:] = every_column_there
        return "rows_scrambled"
    changes = [view.change(g) for g in view.unmatched]
    if changes and all(changes):
        return Counter(changes).most_common(1)[0][0]
    if view.same_distinct_rows():
        return "duplicates"
    plain = [g for g, change in zip(view.unmatched, changes, strict=True) if not change]
    missing = [g for g in plain if not view.near(g)]
    return "missing_column" if missing else "values_differ"
