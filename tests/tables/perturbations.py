"""A table changed in one way, by a seeded generator: what must still pass, and what must not."""

from __future__ import annotations

from collections import Counter
from random import Random

from karat.tables.options import CompareOptions
from karat.tables.table import Table, table_of
from karat.tables.values.cells import parse

OPTIONS = CompareOptions()


def columns_of(table: Table) -> list[list[str | None]]:
    return [list(table.texts(index)) for index in range(table.width)]


def from_columns(table: Table, columns: list[list[str | None]]) -> Table:
    names = [*table.names, *(f"extra {index}" for index in range(len(columns) - table.width))]
    return table_of(names, list(zip(*columns, strict=True))) if columns[0] else table_of(names, [])


def shuffled_rows(table: Table, random: Random) -> Table:
    order = list(range(table.height))
    random.shuffle(order)
    return from_columns(table, [[column[row] for row in order] for column in columns_of(table)])


def shuffled_columns(table: Table, random: Random) -> Table:
    """Every column shuffled on its own."""
    columns = columns_of(table)
    for column in columns:
        random.shuffle(column)
    return from_columns(table, columns)


def plain_number(text: str | None) -> float | None:
    cell = parse(text, OPTIONS)
    return cell.number if cell.kind == "number" and not cell.form else None


def noisy(table: Table, random: Random, size: float = 9e-5) -> Table:
    """Every number moved by less than the relative tolerance, and written in full. One so large that it stays whole is
    left alone: another whole number is another number.
    """

    def moved(text: str | None) -> str | None:
        number = plain_number(text)
        if number is None:
            return text
        other = number * (1 + random.uniform(-size, size))
        return text if other.is_integer() else repr(other)

    return from_columns(table, [[moved(text) for text in column] for column in columns_of(table)])


def times_100(table: Table) -> Table:
    """The columns of numbers, a hundred times as large; a column that holds anything else stays as it is."""

    def scaled(column: list[str | None]) -> list[str | None]:
        if any(text is not None and plain_number(text) is None for text in column):
            return column
        return [None if text is None else repr((plain_number(text) or 0.0) * 100) for text in column]

    return from_columns(table, [scaled(column) for column in columns_of(table)])


def nulls_to_zero(table: Table) -> Table:
    return from_columns(table, [["0" if text is None else text for text in column] for column in columns_of(table)])


def with_midnight(table: Table) -> Table:
    """Plain dates get a time of day."""

    def dated(text: str | None) -> str | None:
        return f"{text} 00:00:00" if text and len(text) == 10 and parse(text, OPTIONS).kind == "moment" else text

    return from_columns(table, [[dated(text) for text in column] for column in columns_of(table)])


def with_separators(table: Table) -> Table:
    """Plain integers of four digits and more get thousands separators."""

    def grouped(text: str | None) -> str | None:
        return f"{int(text):,}" if text and text.isdecimal() and text[0] != "0" and len(text) > 3 else text

    return from_columns(table, [[grouped(text) for text in column] for column in columns_of(table)])


def dropped_row(table: Table, random: Random) -> Table:
    gone = random.randrange(table.height)
    return from_columns(table, [column[:gone] + column[gone + 1 :] for column in columns_of(table)])


def doubled_row(table: Table, random: Random) -> Table:
    again = random.randrange(table.height)
    return from_columns(table, [[*column, column[again]] for column in columns_of(table)])


def extra_columns(table: Table, random: Random) -> Table:
    """Two columns more, all columns in another order, none with its name."""
    columns = columns_of(table)
    columns += [[str(random.random()) for _ in range(table.height)], ["x"] * table.height]
    random.shuffle(columns)
    return table_of(
        [f"c{index}" for index in range(len(columns))], list(zip(*columns, strict=True)) if table.height else []
    )


def rows(table: Table) -> Counter[tuple[str | None, ...]]:
    return Counter(zip(*columns_of(table), strict=True))
