"""Which prediction row a gold row comes nearest to, how many cells agree, and the first rows that differ.

For seeing progress and for showing differences. The verdict does not depend on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from karat.core.json_types import JsonObject
from karat.tables.explain.column_similarity import CellKey, identity
from karat.tables.options import CompareOptions
from karat.tables.values.cells import Cell, equal

SHOWN_ROWS = 10
FEWEST_ROWS = 5
SHOWN_CELLS = 60
"""Of wide tables fewer rows are shown, so that a store of many wrong tables stays small."""
SHOWN_EQUAL = 4
"""Equal rows that are shown beside those that differ."""
SHOWN_COLUMNS = 12
SHOWN_LETTERS = 80
_POSTINGS = 16

RowKey: TypeAlias = tuple[CellKey, ...]
Mapped = Sequence[tuple[Sequence[Cell], Sequence[Cell] | None]]
"""Each gold column with the prediction column mapped to it, if any."""


class Alignment(msgspec.Struct, frozen=True):
    """Gold rows beside prediction rows, either of which may be alone, and how many of gold's cells agree in each
    pair."""

    pairs: tuple[tuple[int | None, int | None], ...]
    equal_cells: tuple[int, ...]
    width: int

    @property
    def whole(self) -> int:
        """How many rows agree in all cells."""
        return sum(map(self.agrees, range(len(self.pairs))))

    def agrees(self, place: int) -> bool:
        """Whether the rows of a pair agree in all cells."""
        g, p = self.pairs[place]
        return g is not None and p is not None and self.equal_cells[place] == self.width

    def counts(self) -> dict[str, int]:
        """How many rows differ: in both tables, in gold alone, in the prediction alone."""
        differing = [pair for place, pair in enumerate(self.pairs) if not self.agrees(place)]
        missing, extra = sum(p is None for _, p in differing), sum(g is None for g, _ in differing)
        return {"changed": len(differing) - missing - extra, "missing": missing, "extra": extra}


def align(
    mapped: Mapped, keyed: Mapped, gold_height: int, pred_height: int, options: CompareOptions, *, in_order: bool
) -> Alignment:
    """Pairs the rows: in their order, or else equal rows first and then those with the most cells in common. ``mapped``
    are the cells that are compared; ``keyed`` are the same columns with a change undone, by which rows are looked for
    once the equal ones are paired.
    """
    if in_order:
        length = max(gold_height, pred_height)
        pairs = [(i if i < gold_height else None, i if i < pred_height else None) for i in range(length)]
    else:
        pairs = _pair_by_cells(mapped, keyed, gold_height, pred_height)
    agreeing = []
    for g, p in pairs:
        agreeing.append(0 if g is None or p is None else _agreeing(mapped, g, p, options))
    return Alignment(tuple(pairs), tuple(agreeing), len(mapped))


def _agreeing(mapped: Mapped, g: int, p: int, options: CompareOptions) -> int:
    return sum(1 for gold, pred in mapped if pred is not None and equal(gold[g], pred[p], options))


def _pair_by_cells(
    mapped: Mapped, keyed: Mapped, gold_height: int, pred_height: int
) -> list[tuple[int | None, int | None]]:
    pairs: list[tuple[int | None, int | None]] = []
    left_gold, left_pred = list(range(gold_height)), list(range(pred_height))
    gold_keys: list[RowKey] = []
    pred_keys: list[RowKey] = []
    for columns in (mapped,) if keyed is mapped else (mapped, keyed):
        gold_keys, pred_keys = _row_keys(columns, gold_height, pred_height)
        free: dict[RowKey, list[int]] = defaultdict(list)
        for row in reversed(left_pred):
            free[pred_keys[row]].append(row)
        alone = []
        for row in left_gold:
            if free[gold_keys[row]]:
                pairs.append((row, free[gold_keys[row]].pop()))
            else:
                alone.append(row)
        left_gold, left_pred = alone, sorted(row for rows in free.values() for row in rows)
    pairs += _pair_the_rest(left_gold, left_pred, gold_keys, pred_keys)
    return sorted(pairs, key=lambda pair: (pair[0] is None, pair[0] or 0, pair[1] or 0))


def _row_keys(columns: Mapped, gold_height: int, pred_height: int) -> tuple[list[RowKey], list[RowKey]]:
    there = [(gold, pred) for gold, pred in columns if pred is not None]
    return (
        [tuple(identity(gold[row]) for gold, _ in there) for row in range(gold_height)],
        [tuple(identity(pred[row]) for _, pred in there) for row in range(pred_height)],
    )


def _pair_the_rest(
    gold_rows: Sequence[int],
    pred_rows: Sequence[int],
    gold_keys: Sequence[RowKey],
    pred_keys: Sequence[RowKey],
) -> list[tuple[int | None, int | None]]:
    holding: dict[tuple[int, CellKey], list[int]] = defaultdict(list)
    for row in pred_rows:
        for column, key in enumerate(pred_keys[row]):
            holding[column, key].append(row)
    # A cell that few rows have tells more than one that many have: an id more than a year.
    likely: list[tuple[float, int, int]] = []
    for row in gold_rows:
        votes: dict[int, float] = defaultdict(float)
        for column, key in enumerate(gold_keys[row]):
            holders = holding.get((column, key), ())
            for other in holders[:_POSTINGS]:
                votes[other] += 1 / len(holders)
        likely += [(-vote, row, other) for other, vote in votes.items()]
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, row, other in sorted(likely):
        if row not in found and other not in taken:
            found[row] = other
            taken.add(other)
    pairs: list[tuple[int | None, int | None]] = list(found.items())
    alone = [row for row in gold_rows if row not in found]
    rest = [row for row in pred_rows if row not in taken]
    # What has nothing in common is put side by side in the order of its values, where a small difference moves a row
    # least.
    alone.sort(key=lambda row: gold_keys[row])
    rest.sort(key=lambda row: pred_keys[row])
    pairs += zip(alone, rest, strict=False)
    both = min(len(alone), len(rest))
    pairs += [(row, None) for row in alone[both:]]
    pairs += [(None, row) for row in rest[both:]]
    return pairs


def first_differences(
    alignment: Alignment,
    mapped: Mapped,
    columns: Sequence[int],
    options: CompareOptions,
    numbers: tuple[Sequence[int], Sequence[int]] | None = None,
) -> list[JsonObject]:
    """The first rows that differ, gold and prediction side by side in these columns, as plain JSON of bounded size,
    with the places of the shown cells that differ. Rows count from 1; ``numbers`` gives their places in the tables
    these are a part of.
    """
    shown: list[JsonObject] = []
    for place, (g, p) in enumerate(alignment.pairs):
        if alignment.agrees(place):
            continue
        row: JsonObject = {}
        texts = [
            shown_pair(
                None if g is None else gold[g].text, None if p is None or pred is None else pred[p].text, SHOWN_LETTERS
            )
            for gold, pred in (mapped[index] for index in columns)
        ]
        if g is not None:
            row["gold_row"] = (numbers[0][g] if numbers else g) + 1
            row["gold"] = [expected for expected, _ in texts]
        if p is not None:
            row["pred_row"] = (numbers[1][p] if numbers else p) + 1
            row["pred"] = [given for _, given in texts]
        if g is not None and p is not None:
            row["differs"] = [
                place
                for place, index in enumerate(columns)
                if (pred := mapped[index][1]) is None or not equal(mapped[index][0][g], pred[p], options)
            ]
        shown.append(row)
        if len(shown) == most_rows(len(columns)):
            break
    return shown


def most_rows(width: int) -> int:
    """How many rows are shown of tables with this many columns."""
    return max(FEWEST_ROWS, min(SHOWN_ROWS, SHOWN_CELLS // max(width, 1)))


def equal_around(alignment: Alignment, mapped: Mapped, columns: Sequence[int]) -> list[JsonObject]:
    """A few equal rows, each next to one of the first that differ, so that a reader sees where these are. Both are
    whole tables."""
    places = [place for place in range(len(alignment.pairs)) if not alignment.agrees(place)]
    near = {beside for place in places[: most_rows(len(columns))] for beside in (place - 1, place + 1)}
    shown: list[JsonObject] = []
    for place in sorted(near):
        if 0 <= place < len(alignment.pairs) and alignment.agrees(place) and len(shown) < SHOWN_EQUAL:
            g = alignment.pairs[place][0] or 0
            shown.append({"gold_row": g + 1, "gold": [shown_text(mapped[index][0][g]) for index in columns]})
    return shown


def shown_columns(width: int, differing: Sequence[int]) -> list[int]:
    """The columns that are shown: those that differ before the others, in the order of the table."""
    first = [*differing, *(index for index in range(width) if index not in set(differing))]
    return sorted(first[:SHOWN_COLUMNS])


def shown_text(cell: Cell) -> str | None:
    """The text of a cell, cut where it is long."""
    return cut_text(cell.text, 0, SHOWN_LETTERS)


def shown_pair(expected: str | None, given: str | None, longest: int) -> tuple[str | None, str | None]:
    """Two texts, cut where they are long: at the same place, so that the first difference between them is seen."""
    first = 0
    if expected is not None and given is not None and max(len(expected), len(given)) > longest:
        shorter = min(len(expected), len(given))
        same = next((place for place in range(shorter) if expected[place] != given[place]), shorter)
        first = max(0, same - longest // 4) if same > longest // 2 and expected != given else 0
    return cut_text(expected, first, longest), cut_text(given, first, longest)


def cut_text(text: str | None, first: int, longest: int) -> str | None:
    """``longest`` letters of a text from the ``first`` on, with a mark at each end that is cut off."""
    if text is None or (len(text) <= longest and not first):
        return text
    before = "…" if first else ""
    rest = text[first:]
    room = longest - len(before)
    return before + (rest if len(rest) <= room else f"{rest[: room - 1]}…")
