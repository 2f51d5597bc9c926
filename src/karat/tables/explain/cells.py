"""The rows of two tables that differ, cell by cell, from the evidence that a comparison of tables leaves."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from karat.core.explanation import Cell, CellRow, Cells
from karat.core.json_types import JsonMapping
from karat.core.problems import percent


def cells_of(evidence: Mapping[str, object]) -> Cells | None:
    """None where the evidence is not about tables."""
    rows = tuple(_row(row, _without_partner(evidence)) for row in mappings(evidence.get("rows")))
    nearest = tuple(_nearest(column) for column in mappings(evidence.get("columns")))
    if not rows and not nearest:
        return None
    width = max((len(row.cells) for row in rows), default=0)
    named = [cell_text(name) for name in listed(evidence.get("shown_columns"))][:width]
    columns = (*named, *(f"column {place + 1}" for place in range(len(named), width)))
    return Cells(columns, rows, _sizes(evidence), nearest)


def _without_partner(evidence: Mapping[str, object]) -> set[int]:
    """The places of the shown columns that no given column is compared with: their cells are missing, not null."""
    pairs = [pair for pair in map(listed, listed(evidence.get("compared"))) if len(pair) == 2]
    alone = {pair[0] for pair in pairs if pair[1] is None} - {pair[0] for pair in pairs if pair[1] is not None}
    return {place for place, name in enumerate(listed(evidence.get("shown_columns"))) if name in alone}


def _row(row: Mapping[str, object], alone: set[int]) -> CellRow:
    if "pred" not in row:
        return CellRow(
            f"row {row.get('gold_row', '')}",
            tuple(Cell(cell_text(cell), "", "missing") for cell in listed(row.get("gold"))),
        )
    if "gold" not in row:
        return CellRow(
            f"given row {row.get('pred_row', '')}",
            tuple(
                Cell("", "", "same") if place in alone else Cell("", cell_text(cell), "extra")
                for place, cell in enumerate(listed(row["pred"]))
            ),
        )
    gold, given = listed(row["gold"]), listed(row["pred"])
    differs = listed(row["differs"]) if "differs" in row else None
    cells = []
    for place in range(max(len(gold), len(given))):
        left = cell_text(gold[place]) if place < len(gold) else ""
        right = cell_text(given[place]) if place < len(given) else ""
        if place >= len(given) or place in alone:
            cells.append(Cell(left, "", "missing"))
        elif place >= len(gold):
            cells.append(Cell(left, right, "extra"))
        else:
            same = left == right if differs is None else place not in differs
            cells.append(Cell(left, right, "same" if same else "changed"))
    return CellRow(f"row {row.get('gold_row', '')}", tuple(cells))


def _nearest(column: Mapping[str, object]) -> tuple[str, str, str]:
    near = column.get("nearest")
    share = column.get("share")
    equal = f"{percent(share)} of cells equal" if isinstance(share, int | float) else ""
    change = f"{equal}, {column['change']}" if column.get("change") else equal
    return cell_text(column.get("gold")), "" if near is None else cell_text(near), change


def _sizes(evidence: Mapping[str, object]) -> str:
    sides = []
    for word, key in (("expected", "gold_size"), ("given", "pred_size")):
        size = listed(evidence.get(key))
        if len(size) == 2:
            sides.append(f"{word} {size[0]} × {size[1]}")
    where = evidence.get("where")
    sizes = ", ".join(sides) + (" (rows × columns)" if sides else "")
    return ": ".join(part for part in (where, sizes) if part) if isinstance(where, str) else sizes


def cell_text(value: object) -> str:
    """A cell as a person reads it; a null is said."""
    if value is None:
        return "null"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def listed(value: object) -> list[object]:
    """The items of a list; none for anything else."""
    return list(value) if isinstance(value, list | tuple) else []


def mappings(value: object) -> list[JsonMapping]:
    """The objects of a list."""
    return [item for item in listed(value) if isinstance(item, Mapping)]
