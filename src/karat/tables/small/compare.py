"""Small tables, compared cell by cell in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from karat.tables.options import CompareOptions
from karat.tables.small.rows import Pair, row_pairing
from karat.tables.values.cells import Cell, as_gold, as_shown, equal, names_needed, parse
from karat.tables.values.numbers import may_be_percent, widest

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
        self.gold = [as_gold(read_cells(column, options, known)) for column in gold]
        self.pred = [read_cells(column, options, known) for column in pred]
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
        if signed_beside_percent(gold, pred):
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
        self.figures = sorted((cell for cell in cells if cell.numeric), key=lambda cell: cell.number)
        """The cells that have a number, by its size."""
        self.percent = bool(self.figures) and all(cell.percent for cell in self.figures)
        self.numbers = [cell.number for cell in self.figures]
        self.decimals = min((cell.decimals for cell in self.figures), default=0)
        self.others = Counter((cell.kind, cell.key) for cell in cells if not cell.numeric)
        wholes = [cell.whole for cell in self.figures if cell.whole is not None and cell.kind == "number"]
        self.wholes = sorted(wholes) if len(wholes) == len(self.figures) else None
        """All numbers, if all are whole and none is a code."""
        self.scale = min((cell.scale for cell in self.figures), default=1.0)
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
        """Whether the cells could be paired, taking the widest tolerance of any pair for all. With one width for all,
        pairing the sorted numbers is the best there is; the rows decide afterwards, with the tolerance of each pair.
        """
        if self.others != other.others or len(self.numbers) != len(other.numbers):
            return False
        if options.exact_whole and self.wholes is not None and other.wholes is not None:
            return self.wholes == other.wholes
        decimals, scale = min(self.decimals, other.decimals), min(self.scale, other.scale)
        for a, b in zip(self.numbers, other.numbers, strict=True):
            if abs(a - b) > widest(max(abs(a), abs(b)), decimals, options, scale):
                return False
        return True


def signed_beside_percent(gold: Side, pred: Side) -> bool:
    """Whether one column has percent signs and the other has none, and may be meant in percent all the same."""
    if gold.percent == pred.percent:
        return False
    sizes = [abs(number) for number in (pred if gold.percent else gold).numbers if number]
    above_one = sum(size > 1 for size in sizes)
    return may_be_percent(above_one, len(sizes) - above_one)


def same_cells(gold: Side, pred: Side, options: CompareOptions) -> bool:
    """Whether two columns could hold the same cells, percent signs read in either way."""
    if gold.could_equal(pred, options):
        return True
    return signed_beside_percent(gold, pred) and gold.shown().could_equal(pred.shown(), options)


def _first_of_equals(columns: Sequence[Texts]) -> list[int]:
    """For each column the first one with the same texts in the same rows."""
    seen: dict[tuple[str | None, ...], int] = {}
    return [seen.setdefault(tuple(column), index) for index, column in enumerate(columns)]
