"""Small tables, compared cell by cell in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from karat.tables.cells import Cell, as_gold, as_prediction, as_shown, equal, half_unit, names_needed, parse, whole
from karat.tables.options import CompareOptions
from karat.tables.rows import Pair, row_pairing

Texts = Sequence[str | None]


def read_cells(column: Texts, options: CompareOptions, known: dict[str | None, Cell] | None = None) -> list[Cell]:
    """Every cell of a column, read; a text that comes back is read once."""
    known = {} if known is None else known
    cells = []
    for text in column:
        cell = known.get(text)
        if cell is None:
            cell = known[text] = parse(text, options)
        cells.append(cell)
    return cells


class SmallComparison:
    """Two tables of the same height, read. Answers which columns could be the same, and whether rows agree."""

    def __init__(self, gold: Sequence[Texts], pred: Sequence[Texts], options: CompareOptions, *, ordered: bool) -> None:
        known: dict[str | None, Cell] = {}
        self.options = options
        self.ordered = ordered
        self.gold = [as_gold(read_cells(column, options, known), options) for column in gold]
        self.pred = [as_prediction(read_cells(column, options, known)) for column in pred]
        self._gold_sides = [Side(column) for column in self.gold]
        self._pred_sides = [Side(column) for column in self.pred]
        self._pairs: dict[tuple[int, int], Pair | None] = {}
        self.twins = _first_of_equals(pred)
        """For each prediction column the first one with the same texts in the same rows."""

    def candidates(self) -> list[list[int]]:
        """For each gold column the prediction columns that could be it."""
        columns = range(len(self.pred))
        return [[p for p in columns if self.pair(g, p) is not None] for g in range(len(self.gold))]

    def pair(self, g: int, p: int) -> Pair | None:
        """The two columns in the reading in which they may be equal; None when they cannot be."""
        if (g, p) not in self._pairs:
            twin = self.twins[p]
            self._pairs[g, p] = self.pair(g, twin) if twin != p else self._compare(g, p)
        return self._pairs[g, p]

    def _compare(self, g: int, p: int) -> Pair | None:
        gold, pred = self._gold_sides[g], self._pred_sides[p]
        if self._alike(gold, pred):
            return gold.cells, pred.cells
        if gold.percent != pred.percent:
            gold, pred = gold.shown(), pred.shown()
            if self._alike(gold, pred):
                return gold.cells, pred.cells
        return None

    def _alike(self, gold: Side, pred: Side) -> bool:
        if self.ordered:
            return all(equal(a, b, self.options) for a, b in zip(gold.cells, pred.cells, strict=True))
        return gold.could_equal(pred, self.options)

    def rows_agree(self, mapped: Sequence[tuple[int, int]]) -> list[int] | None:
        """For each gold row the prediction row equal to it under this mapping; None when the rows differ."""
        pairs = [self._pairs[g, p] for g, p in mapped]
        height = len(self.gold[0])
        if self.ordered or not pairs:
            return list(range(height))
        return row_pairing([pair for pair in pairs if pair is not None], self.options)

    def normalised(self, mapped: Sequence[tuple[int, int]], rows: Sequence[int]) -> tuple[str, ...]:
        """What had to be forgiven for the rows to agree."""
        names: set[str] = set()
        for g, p in mapped:
            pair = self._pairs[g, p]
            if pair is not None:
                for gold_row, pred_row in enumerate(rows):
                    names |= names_needed(pair[0][gold_row], pair[1][pred_row], self.options)
        return tuple(sorted(names))


class Side:
    """A column and what its cells add up to, whatever their order."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = cells
        numeric = [cell for cell in cells if cell.numeric]
        self.percent = bool(numeric) and all(cell.percent for cell in numeric)
        self.numbers = sorted(cell.number for cell in numeric)
        self.decimals = min((cell.decimals for cell in numeric), default=0)
        self.others = Counter((cell.kind, cell.key) for cell in cells if not cell.numeric)
        self.wholes = (
            sorted(whole(cell) for cell in numeric) if numeric and all(cell.exact for cell in numeric) else None
        )
        self.scale = min((cell.scale for cell in numeric), default=1.0)
        self._changed: dict[str, Side] = {}

    def changed(self, name: str, change: Callable[[Cell], Cell]) -> Side:
        """The same column with every cell changed; made once for each name."""
        if name not in self._changed:
            self._changed[name] = Side([change(cell) for cell in self.cells])
        return self._changed[name]

    def shown(self) -> Side:
        """The same column with its percentages on the scale they are shown in."""
        return Side([as_shown(cell) for cell in self.cells])

    def could_equal(self, other: Side, options: CompareOptions) -> bool:
        """Whether the cells could be paired, taking the widest tolerance of any pair for all. With one width for all, pairing
        the sorted numbers is the best there is; the rows decide afterwards, with the tolerance of each pair.
        """
        if self.others != other.others or len(self.numbers) != len(other.numbers):
            return False
        if self.wholes is not None and other.wholes is not None:
            return self.wholes == other.wholes
        slack = half_unit(min(self.decimals, other.decimals)) * (1 + 1e-9) if options.rounding else 0.0
        floor = options.abs_tol * min(self.scale, other.scale)
        for a, b in zip(self.numbers, other.numbers, strict=True):
            largest = max(abs(a), abs(b))
            if abs(a - b) > max(floor, options.rel_tol * largest, slack + 4e-16 * largest):
                return False
        return True


def same_cells(gold: Side, pred: Side, options: CompareOptions) -> bool:
    """Whether two columns could hold the same cells, percent signs read in either way."""
    if gold.could_equal(pred, options):
        return True
    return gold.percent != pred.percent and gold.shown().could_equal(pred.shown(), options)


def _first_of_equals(columns: Sequence[Texts]) -> list[int]:
    """For each column the first one with the same texts in the same rows."""
    seen: dict[tuple[str | None, ...], int] = {}
    return [seen.setdefault(tuple(column), index) for index, column in enumerate(columns)]
