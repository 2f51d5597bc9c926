"""Numbers with a decimal comma, and points or spaces between thousands: ``1.234,56``. A table that was written so holds
other numbers by the usual reading, or texts; this gives the table that may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.tables.table import Table, table_of
from karat.tables.values.number_texts import CURRENCY, SPACES

if TYPE_CHECKING:
    import polars

_NUMBER = re.compile(
    rf"(?P<before>[-+]?\s?(?:{CURRENCY})?\s?[-+]?)"
    rf"(?P<whole>[0-9]{{1,3}}(?:\.[0-9]{{3}})+|[0-9]{{1,3}}(?:[{SPACES}][0-9]{{3}})+|[0-9]+)"
    rf"(?:,(?P<rest>[0-9]+))?(?P<after>\s?(?:%|{CURRENCY})?)"
)
_POINTS_AND_SPACES = re.compile(rf"[.{SPACES}]")
_FIRST = 50


def with_points(table: Table) -> Table | None:
    """The table with its decimal commas written as points; None where no column is nothing but such numbers, or none of
    them has a comma."""
    first = table.head(_FIRST)
    likely = [index for index in range(table.width) if _all_numbers(first.texts(index))]
    if not any(_has_commas(table.columns[index]) for index in likely):
        return None
    written = {index: texts for index in likely if _all_numbers(texts := table.texts(index))}
    if not any(map(_has_commas, written.values())):
        return None
    columns = [
        [text and _written(text) for text in written[index]] if index in written else table.texts(index)
        for index in range(table.width)
    ]
    return table_of(table.names, list(zip(*columns, strict=True)))


def _has_commas(column: list[str | None] | polars.Series) -> bool:
    if isinstance(column, list):
        return any("," in text for text in column if text)
    return bool(column.str.contains(",", literal=True).any())


def _all_numbers(texts: Sequence[str | None]) -> bool:
    return all(_NUMBER.fullmatch(text) for text in texts if text)


def _written(text: str) -> str:
    found = _NUMBER.fullmatch(text)
    if found is None:
        return text
    rest = f".{found['rest']}" if found["rest"] else ""
    return f"{found['before']}{_POINTS_AND_SPACES.sub('', found['whole'])}{rest}{found['after']}"
