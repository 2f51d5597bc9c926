"""The part of two tables that an explanation looks at."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.tables.table import Table


class Part(msgspec.Struct, frozen=True):
    """Rows of both tables, held as lists. What is known of the whole tables comes with them; None is not known."""

    gold: Table
    pred: Table
    mapping: tuple[int | None, ...] | None = None
    unmatched: tuple[int, ...] | None = None
    """The gold columns whose cells are not all in the column mapped to them."""
    gold_rows: Sequence[int] | None = None
    """The places of the rows in the whole table; None when these are the whole tables."""
    pred_rows: Sequence[int] | None = None
    equal_rows: int = 0
    """Rows that are equal and were left out."""
    weight: float = 1.0
    """How many rows each row looked at stands for."""
    same_distinct_rows: bool | None = None

    @property
    def sampled(self) -> bool:
        """Whether not all the rows that differ are here."""
        return self.weight > 1


def whole_tables(gold: Table, pred: Table, mapping: tuple[int | None, ...] | None) -> Part:
    return Part(gold.head(gold.height), pred.head(pred.height), mapping)
