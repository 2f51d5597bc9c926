"""Two tables side by side for an explanation: which columns are likely the same, by what change they would be, and
which rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from karat.core.json_types import JsonObject
from karat.tables.explain.alignment import Alignment, align
from karat.tables.explain.column_similarity import identity, likeliest_mapping, share_found
from karat.tables.explain.transforms import Change, change_of_cells, change_of_column, differing, hold_the_same
from karat.tables.options import CompareOptions
from karat.tables.small.compare import Side, read_cells, signed_beside_percent
from karat.tables.table import Table
from karat.tables.values.cells import Cell, as_gold

SHOWN_LETTERS = 80
_NEAR = 0.5
"""A prediction column with this share of gold's cells is the same column with other values, not another column."""
_SHOWN_COLUMNS = 20
_CHANGES_TRIED = 3


class View:
    """Both tables read, the mapping of columns that finds most of gold, and the rows under it side by side.

    ``mapping`` and ``unmatched`` (the gold columns whose cells are not all there) are given where they are known of
    larger tables, of which these are a part; ``equal_rows`` are then those left out, counted as each row here is
    for some of the whole.
    """

    def __init__(
        self,
        gold: Table,
        pred: Table,
        options: CompareOptions,
        *,
        in_order: bool,
        mapping: Sequence[int | None] | None = None,
        unmatched: Sequence[int] | None = None,
        equal_rows: float = 0,
    ) -> None:
        self.gold, self.pred, self.options, self.in_order = gold, pred, options, in_order
        self.equal_rows = equal_rows
        known: dict[str | None, Cell] = {}
        gold_cells = [read_cells(gold.texts(index), options, known) for index in range(gold.width)]
        self.gold_sides = [Side(as_gold(cells)) for cells in gold_cells]
        self.pred_sides = [Side(read_cells(pred.texts(i), options, known)) for i in range(pred.width)]
        self.mapping = likeliest_mapping(self.shares, gold.names, pred.names) if mapping is None else list(mapping)
        if unmatched is None:
            unmatched = [g for g, p in enumerate(self.mapping) if p is None or not self.same_column(g, p)]
        self.unmatched = unmatched
        self._changes: dict[int, tuple[Change, int]] = {}
        if gold.height == pred.height:
            for g in self.unmatched:
                self._find_change(g)

    @cached_property
    def shares(self) -> list[list[float]]:
        """How much of each gold column each prediction column holds."""
        return [[share_found(g, p, self.options) for p in self.pred_sides] for g in self.gold_sides]

    def same_column(self, g: int, p: int) -> bool:
        return hold_the_same(self.gold_sides[g], self.pred_sides[p], self.options)

    def map_all(self, mapping: Sequence[int]) -> None:
        """Takes a mapping under which every column is there."""
        self.mapping, self.unmatched = list(mapping), []
        self._changes.clear()

    def pair_the_rest(self) -> None:
        """In tables of the same width no column is without a partner: what is left on both sides is compared with each
        other in its order, so that the cells that were given are seen."""
        if self.gold.width != self.pred.width:
            return
        free = iter([p for p in range(self.pred.width) if p not in self.mapping])
        self.mapping = [next(free) if p is None else p for p in self.mapping]

    def candidates(self) -> list[list[int]]:
        """For each gold column the prediction columns that hold the same cells, in any order."""
        columns = range(self.pred.width)
        return [[p for p in columns if self.same_column(g, p)] for g in range(self.gold.width)]

    def mapped(self) -> list[tuple[Sequence[Cell], Sequence[Cell] | None]]:
        return [
            (self.gold_sides[g].cells, None) if p is None else self._side_by_side(g, p)
            for g, p in enumerate(self.mapping)
        ]

    def _side_by_side(self, g: int, p: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """The cells of two columns, percentages in the reading in which they are the same."""
        gold, pred = self.gold_sides[g], self.pred_sides[p]
        if signed_beside_percent(gold, pred) and not gold.could_equal(pred, self.options):
            shown = gold.shown(), pred.shown()
            if shown[0].could_equal(shown[1], self.options):
                gold, pred = shown
        return gold.cells, pred.cells

    def _rewritten(self) -> list[tuple[Sequence[Cell], Sequence[Cell] | None]]:
        """The mapped columns with the changes undone, so that rows are found in spite of them."""
        columns = self.mapped()
        for g, (change, p) in self._changes.items():
            gold, pred = self.gold_sides[g].cells, self.pred_sides[p].cells
            columns[g] = [change.gold(cell) for cell in gold], [change.pred(cell) for cell in pred]
        return columns

    @cached_property
    def alignment(self) -> Alignment:
        mapped = self.mapped()
        keyed = self._rewritten() if self._changes else mapped
        return align(mapped, keyed, self.gold.height, self.pred.height, self.options, in_order=self.in_order)

    @cached_property
    def differing_cells(self) -> dict[int, list[tuple[Cell, Cell]]]:
        """For each mapped gold column the cells that differ, row by row; only columns where some do."""
        rows = [(g, p) for g, p in self.alignment.pairs if g is not None and p is not None]
        found = {}
        for index, (gold, pred) in enumerate(self.mapped()):
            cells = [] if pred is None else differing(gold, pred, rows, self.options)
            if cells:
                found[index] = cells
        return found

    def not_moved(self) -> list[int]:
        """The gold columns most of whose differing cells are not in the differing rows of the prediction either."""
        return [
            g
            for g, cells in self.differing_cells.items()
            if share_found(Side([gold for gold, _ in cells]), Side([pred for _, pred in cells]), self.options) < _NEAR
        ]

    def change(self, g: int) -> str:
        """The one change that explains every cell of this gold column that differs; empty when none does."""
        cells = self.differing_cells.get(g)
        if cells:
            return change_of_cells(cells, self.options)
        return self._changes[g][0].name if g in self._changes else ""

    def _find_change(self, g: int) -> None:
        """Maps a free prediction column to this gold column, if one change makes it the same."""
        held = {p for other, p in enumerate(self.mapping) if other not in self.unmatched}
        held |= {p for _, p in self._changes.values()}
        name = self.gold.names[g].casefold()
        free = [p for p in range(self.pred.width) if p not in held]
        free.sort(
            key=lambda p: (p != self.mapping[g], self.pred.names[p].casefold() != name, -self.shares[g][p], p != g)
        )
        for p in free[: max(_CHANGES_TRIED, 2 * len(self.unmatched))]:
            change = change_of_column(self.gold_sides[g], self.pred_sides[p], self.options)
            if change is not None:
                for other in self.unmatched:
                    if self.mapping[other] == p:
                        self.mapping[other] = None
                self.mapping[g] = p
                self._changes[g] = change, p
                return

    def near(self, g: int) -> bool:
        """Whether the column mapped to this one is likely meant to be it: by its cells, by its name, or as the only
        one."""
        p = self.mapping[g]
        if p is None:
            return False
        if self.gold.width == self.pred.width == 1:
            return True
        same_name = self.gold.names[g].casefold() == self.pred.names[p].casefold()
        return same_name or self.shares[g][p] >= _NEAR or self._share(g) >= _NEAR

    def _share(self, g: int) -> float:
        """The share of rows in which the column mapped to this one agrees with it; what differs somewhere is never
        all."""
        both = sum(1 for g, p in self.alignment.pairs if g is not None and p is not None) + self.equal_rows
        different = len(self.differing_cells.get(g, ()))
        return min(round(1 - different / both, 4), 0.9999) if different else 1.0

    def same_distinct_rows(self) -> bool:
        """Whether the mapped rows are the same ones, only not as often."""
        if None in self.mapping or not self.gold.height or not self.pred.height:
            return False
        columns = [(gold, pred) for gold, pred in self.mapped() if pred is not None]
        gold_rows = {tuple(map(identity, row)) for row in zip(*(gold for gold, _ in columns), strict=True)}
        pred_rows = {tuple(map(identity, row)) for row in zip(*(pred for _, pred in columns), strict=True)}
        return gold_rows == pred_rows

    def nearest(self) -> list[JsonObject]:
        """For each gold column that is not right the nearest prediction column, with its share of equal cells, row by
        row. A column without one of its own shows the nearest, and which gold column has taken it.
        """
        shown = []
        for g in range(self.gold.width):
            p = self.mapping[g]
            if p is not None and g not in self.differing_cells:
                continue
            entry: JsonObject = {"gold": self.gold.names[g][:SHOWN_LETTERS]}
            if p is not None:
                entry["nearest"] = self.pred.names[p][:SHOWN_LETTERS]
                entry["share"] = self._share(g)
                if change := self.change(g):
                    entry["change"] = change
            elif self.pred.width:
                entry |= self._nearest_of_others(g)
            shown.append(entry)
            if len(shown) == _SHOWN_COLUMNS:
                break
        return shown

    def compared(self) -> list[list[str | None]]:
        """The names of the first columns of gold, each with that of the column it is compared with."""
        return [
            [self.gold.names[g][:SHOWN_LETTERS], None if p is None else self.pred.names[p][:SHOWN_LETTERS]]
            for g, p in enumerate(self.mapping[:_SHOWN_COLUMNS])
        ]

    def not_compared(self) -> list[str]:
        """The names of prediction columns that no column of gold is compared with."""
        rest = [name for p, name in enumerate(self.pred.names) if p not in self.mapping]
        return [name[:SHOWN_LETTERS] for name in rest[:_SHOWN_COLUMNS]]

    def _nearest_of_others(self, g: int) -> JsonObject:
        p = max(range(self.pred.width), key=lambda other: (self.shares[g][other], other not in self.mapping))
        if not self.shares[g][p]:
            return {}
        entry = {"nearest": self.pred.names[p][:SHOWN_LETTERS], "share": round(self.shares[g][p], 4)}
        if p in self.mapping:
            entry["taken_by"] = self.gold.names[self.mapping.index(p)][:SHOWN_LETTERS]
        return entry
