"""Two tables side by side for an explanation: which columns are likely the same, and by what change they would be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karat.tables.cells import Cell, as_gold
from karat.tables.likeness import identity, likeliest_mapping, share_found
from karat.tables.options import CompareOptions
from karat.tables.small import Side, read_cells, same_cells
from karat.tables.table import Table
from karat.tables.transforms import why_not

SHOWN_LETTERS = 80
_NEAR = 0.5
"""A prediction column with this share of gold's cells is the same column with other values, not another column."""
_SHOWN_COLUMNS = 20
_CHANGES_TRIED = 3


class View:
    """Both tables read, with the share of each gold column that each prediction column holds, and the mapping that finds most."""

    def __init__(self, gold: Table, pred: Table, options: CompareOptions) -> None:
        self.gold, self.pred, self.options = gold, pred, options
        known: dict[str | None, Cell] = {}
        gold_cells = [read_cells(gold.texts(index), options, known) for index in range(gold.width)]
        self.gold_sides = [Side(as_gold(cells)) for cells in gold_cells]
        self.pred_sides = [Side(read_cells(pred.texts(i), options, known)) for i in range(pred.width)]
        self.shares = [[share_found(g, p, options) for p in self.pred_sides] for g in self.gold_sides]
        self.mapping = likeliest_mapping(self.shares, gold.names, pred.names)
        self.unmatched = [g for g, p in enumerate(self.mapping) if p is None or not self._whole(g, p)]
        self._changes: dict[int, tuple[str, int | None]] = {}

    def _whole(self, g: int, p: int) -> bool:
        return same_cells(self.gold_sides[g], self.pred_sides[p], self.options)

    def candidates(self) -> list[list[int]]:
        """For each gold column the prediction columns that hold the same cells, in any order."""
        return [
            [p for p, pred in enumerate(self.pred_sides) if same_cells(gold, pred, self.options)]
            for gold in self.gold_sides
        ]

    def mapped(self) -> list[tuple[Sequence[Cell], Sequence[Cell] | None]]:
        return [
            (self.gold_sides[g].cells, None if p is None else self.pred_sides[p].cells)
            for g, p in enumerate(self.mapping)
        ]

    def change(self, g: int) -> str:
        """The one change of cells under which a free prediction column would be this gold column; empty when there is none."""
        if g not in self._changes:
            change, p = self._find_change(g)
            self._changes[g] = change, p
            if change:
                for other in self.unmatched:
                    if self.mapping[other] == p:
                        self.mapping[other] = None
                self.mapping[g] = p
        return self._changes[g][0]

    def _find_change(self, g: int) -> tuple[str, int | None]:
        held = {p for other, p in enumerate(self.mapping) if other not in self.unmatched}
        held |= {p for _, p in self._changes.values()}
        name = self.gold.names[g].casefold()
        free = [p for p in range(self.pred.width) if p not in held]
        free.sort(
            key=lambda p: (p != self.mapping[g], self.pred.names[p].casefold() != name, -self.shares[g][p], p != g)
        )
        for p in free[: max(_CHANGES_TRIED, 2 * len(self.unmatched))]:
            change = why_not(self.gold_sides[g], self.pred_sides[p], self.options)
            if change:
                return change, p
        return "", None

    def near(self, g: int) -> bool:
        """Whether the column mapped to this one is likely meant to be it: by its cells, or by its name."""
        p = self.mapping[g]
        return p is not None and (
            self.shares[g][p] >= _NEAR or self.gold.names[g].casefold() == self.pred.names[p].casefold()
        )

    def same_distinct_rows(self) -> bool:
        """Whether the mapped rows are the same ones, only not as often."""
        if None in self.mapping or not self.gold.height or not self.pred.height:
            return False
        columns = [(gold, pred) for gold, pred in self.mapped() if pred is not None]
        gold_rows = {tuple(map(identity, row)) for row in zip(*(gold for gold, _ in columns), strict=True)}
        pred_rows = {tuple(map(identity, row)) for row in zip(*(pred for _, pred in columns), strict=True)}
        return gold_rows == pred_rows

    def nearest(self, *, everything: bool) -> list[dict[str, Any]]:
        """For each unmatched gold column the nearest prediction column, with its share of equal cells."""
        shown = []
        for g in range(self.gold.width) if everything else self.unmatched:
            p = self.mapping[g]
            if p is None and self.pred.width:
                p = max(range(self.pred.width), key=lambda other, row=self.shares[g]: row[other])  # type: ignore[misc]
            entry: dict[str, Any] = {"gold": self.gold.names[g][:SHOWN_LETTERS]}
            if p is not None:
                entry["nearest"] = self.pred.names[p][:SHOWN_LETTERS]
                entry["share"] = round(self.shares[g][p], 4)
            if self._changes.get(g, ("",))[0]:
                entry["change"] = self._changes[g][0]
            shown.append(entry)
            if len(shown) == _SHOWN_COLUMNS:
                break
        return shown
