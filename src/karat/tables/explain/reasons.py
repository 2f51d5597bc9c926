"""Why two tables do not match: a reason, the nearest columns, the first rows that differ, and how much is right.

Reasons, in the order in which they are tested: order_differs, shape_differs, duplicates and row_count (other heights),
rows_scrambled (every column is there, the rows are not), then what is wrong with the columns: case_or_space,
null_vs_zero, scale_100, rounding, date_format when one such change explains every cell that differs, else
missing_column, duplicates (the same rows, not as often) or values_differ. Of large tables the rows that differ are
looked at; where they are too many, the same part of both sides, and the evidence says so.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from karat.core.json_types import JsonObject
from karat.tables.explain.alignment import Alignment, equal_around, first_differences, shown_columns
from karat.tables.explain.parts import Part, whole_tables
from karat.tables.explain.side_by_side import SHOWN_LETTERS, View
from karat.tables.matching import Match, TablePair
from karat.tables.small.bipartite import Unsettled, perfect_matching
from karat.tables.small.mapping import preferred
from karat.tables.small.shapes import turned

_CELLS_LOOKED_AT = 10_000
_PAIRS_LOOKED_AT = 2_000_000
_WIDEST = 400


def explain(pair: TablePair, *, ignore_order: bool, settled: bool = True) -> Match:
    """The match of two tables that are known to differ."""
    in_order = not ignore_order and pair.gold.height == pair.pred.height
    if not ignore_order:
        try:
            reordered = pair.same_rows(ordered=False)
        except Unsettled:
            reordered = None
        if reordered is not None:
            return _other_order(pair, reordered)
    shape = turned(pair.gold, pair.pred, pair.options)
    if shape == "same" and pair.options.allow_shape:
        return Match(True, normalised=("shape",), evidence={"shape": _sizes(pair)})
    part = _part(pair, in_order=in_order)
    view = View(
        part.gold,
        part.pred,
        pair.options,
        in_order=in_order,
        mapping=part.mapping,
        unmatched=part.unmatched,
        equal_rows=part.equal_rows / part.weight,
    )
    view.pair_the_rest()
    reason = "shape_differs" if shape else _reason(pair, part, view)
    evidence = {**_sizes(pair), "columns": view.nearest(), **_rows_shown(part, view)}
    if part.sampled:
        evidence["looked_at_rows"] = part.gold.height
    if shape == "same":
        evidence["allowed_by"] = "allow_shape"
    cell_f1, row_share = _shares(pair, part, view.alignment)
    return Match(False, settled, tuple(view.mapping), (), reason, evidence, cell_f1, row_share)


def _sizes(pair: TablePair) -> JsonObject:
    return {
        "gold_size": [pair.gold.height, pair.gold.width],
        "pred_size": [pair.pred.height, pair.pred.width],
    }


def _rows_shown(part: Part, view: View) -> JsonObject:
    missing = [g for g, p in enumerate(view.mapping) if p is None]
    columns = shown_columns(part.gold.width, [*view.differing_cells, *missing])
    numbers = None if part.gold_rows is None or part.pred_rows is None else (part.gold_rows, part.pred_rows)
    mapped = view.mapped()
    shown: JsonObject = {
        "shown_columns": [part.gold.names[index][:SHOWN_LETTERS] for index in columns],
        "rows": first_differences(view.alignment, mapped, columns, view.options, numbers),
        "compared": view.compared(),
    }
    if extra := view.not_compared():
        shown["not_compared"] = extra
    if not part.sampled:
        shown["differing_rows"] = view.alignment.counts()
    if numbers is None and (equal := equal_around(view.alignment, mapped, columns)):
        shown["equal_rows"] = equal
    return shown


def _shares(pair: TablePair, part: Part, alignment: Alignment) -> tuple[float, float]:
    """F1 of gold's cells, and the share of gold's rows that are there as whole rows: of the rows looked at, which may
    stand for more, and those left out. Rows too many lower the F1 alone."""
    width, heights = pair.gold.width, (pair.gold.height, pair.pred.height)
    cells = part.equal_rows * width + part.weight * sum(alignment.equal_cells)
    rows = part.equal_rows + part.weight * alignment.whole
    return (
        round(min(1.0, 2 * cells / (sum(heights) * width)), 6) if sum(heights) * width else 1.0,
        round(min(1.0, rows / heights[0]), 6) if heights[0] else float(not heights[1]),
    )


def _other_order(pair: TablePair, match: Match) -> Match:
    """The same rows in another order: shown with the mapping that makes them the same."""
    part = _part(pair, in_order=True, mapping=match.mapping)
    view = View(part.gold, part.pred, pair.options, in_order=True, mapping=part.mapping, unmatched=())
    evidence = {**_sizes(pair), **_rows_shown(part, view)}
    return msgspec.structs.replace(
        match,
        passed=False,
        settled=True,
        reason="order_differs",
        evidence=evidence,
        normalised=(),
        cell_f1=1.0,
        row_share=_shares(pair, part, view.alignment)[1],
    )


def _part(pair: TablePair, *, in_order: bool, mapping: tuple[int | None, ...] | None = None) -> Part:
    """As much of both tables as is looked at: all of them, or the rows that differ where that would be too much."""
    gold, pred = pair.gold, pair.pred
    rows = _CELLS_LOOKED_AT // max(1, gold.width + pred.width)
    rows = max(50, min(rows, _PAIRS_LOOKED_AT // max(1, gold.width * pred.width)))
    if max(gold.height, pred.height) <= rows and max(gold.width, pred.width) <= _WIDEST:
        return whole_tables(gold, pred, mapping)
    from karat.tables.large.differences import differing_part

    return differing_part(pair, rows, in_order=in_order, mapping=mapping)


def _reason(pair: TablePair, part: Part, view: View) -> str:
    if pair.gold.height != pair.pred.height:
        same = view.same_distinct_rows() if part.same_distinct_rows is None else part.same_distinct_rows
        return "duplicates" if same else "row_count"
    if part.unmatched is None and pair.gold.width <= pair.pred.width:
        # All columns may be there under another mapping than the likeliest.
        mapping = perfect_matching(preferred(view.candidates(), pair.gold.names, pair.pred.names))
        if mapping is not None:
            view.map_all(mapping)
    if not view.unmatched:
        # Where numbers lie close together, a column can be paired off within tolerance although a cell was changed.
        changed = [] if part.sampled else view.not_moved()
        if not changed:
            return "rows_scrambled"
        view.unmatched = changed
    if any(view.mapping[g] is None for g in view.unmatched):
        return "missing_column"
    changes = [view.change(g) for g in view.unmatched]
    if all(changes) and not set(view.differing_cells) - set(view.unmatched):
        return Counter(changes).most_common(1)[0][0]
    plain = [g for g, change in zip(view.unmatched, changes, strict=True) if not change]
    if any(not view.near(g) for g in plain):
        return "missing_column"
    return "duplicates" if _only_repeated(view) else "values_differ"


def _only_repeated(view: View) -> bool:
    """Whether the same rows are there, not as often. A row that differs in one cell was changed, whatever it was
    changed to."""
    alignment = view.alignment
    several = all(alignment.width - count != 1 for count in alignment.equal_cells)
    return several and view.same_distinct_rows()
