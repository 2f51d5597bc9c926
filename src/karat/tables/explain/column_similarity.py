"""How much of one column is found in another, and the mapping of columns that finds most."""

from __future__ import annotations

from collections.abc import Sequence

from karat.tables.options import CompareOptions
from karat.tables.small.compare import Side
from karat.tables.values.cells import Cell, equal, folded
from karat.tables.values.numbers import VAST


def share_found(gold: Side, pred: Side, options: CompareOptions) -> float:
    """The share of gold's cells that the other column has too, each of them counted once."""
    if not gold.cells:
        return 1.0
    others = sum((gold.others & pred.others).values())
    return (others + _numbers_found(gold, pred, options)) / len(gold.cells)


def _numbers_found(gold: Side, pred: Side, options: CompareOptions) -> int:
    """Two sorted lists, walked side by side."""
    found = g = p = 0
    while g < len(gold.figures) and p < len(pred.figures):
        a, b = gold.figures[g], pred.figures[p]
        if equal(a, b, options):
            found, g, p = found + 1, g + 1, p + 1
        elif a.number < b.number:
            g += 1
        else:
            p += 1
    return found


def likeliest_mapping(
    shares: Sequence[Sequence[float]], gold_names: Sequence[str], pred_names: Sequence[str]
) -> list[int | None]:
    """For each gold column a prediction column of its own, the likeliest pairs first: by their share of equal cells, to
    which the same header adds a half; then by place. A column that has nothing in common with any is mapped only by its
    name.
    """
    headers = [folded(name) for name in pred_names]
    ranked = []
    for g, row in enumerate(shares):
        header = folded(gold_names[g])
        ranked += [(-share - (headers[p] == header) / 2, g != p, g, p) for p, share in enumerate(row)]
    mapping: list[int | None] = [None] * len(shares)
    taken: set[int] = set()
    for likeness, _, g, p in sorted(ranked):
        if mapping[g] is None and p not in taken and likeness < 0:
            mapping[g] = p
            taken.add(p)
    return mapping


CellKey = tuple[str, str, float]


def identity(cell: Cell) -> CellKey:
    """What two cells share when they mean exactly the same. Codes keep their zeros, and large whole numbers all their
    digits."""
    if cell.kind == "code":
        return ("code", cell.text or "", 0.0)
    if cell.kind == "number":
        vast = cell.whole is not None and abs(cell.number) >= VAST
        return ("number", str(cell.whole) if vast else "", cell.number)
    parts = f" {[identity(part) for part in cell.parts]}" if cell.parts else ""
    return (cell.kind, cell.key + parts, 0.0)
