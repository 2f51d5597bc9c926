"""Results of queries as the tables of texts that Karat compares."""

from __future__ import annotations

from collections.abc import Sequence

from karat.engines.query.cell_text import column_text
from karat.suites.answers.text_to_sql.running.result_row import Row
from karat.tables.table import Table


def table_of(names: Sequence[str], rows: Sequence[Row]) -> Table:
    """Columns of texts; a null is None, and what is not a number is ``nan``, which is no null. What is not UTF-8 in a
    text becomes a question mark."""
    columns = zip(*rows, strict=True) if rows else (() for _ in names)
    texts = tuple([_sound(text) for text in _texts(column)] for column in columns)
    return Table(tuple(map(str, names)), texts, len(rows))


def _texts(column: Row) -> Sequence[str | None]:
    texts = column_text(column)
    if all(cell == cell for cell in column):
        return texts
    return [text if cell == cell else "nan" for cell, text in zip(column, texts, strict=True)]


def _sound(text: str | None) -> str | None:
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def with_blocks(table: Table, blocks: Sequence[int]) -> Table:
    """The table with a column that says which block of equal sort keys a row is in."""
    return Table((*table.names, "karat block"), (*table.columns, [f"block {block}" for block in blocks]), table.height)


def numbers_as_texts(gold: Sequence[Row], given: Sequence[Row], mapping: Sequence[int | None]) -> bool:
    """Whether a column of numbers stands for one of texts, or the other way round."""
    for ours, theirs in enumerate(mapping):
        if theirs is not None and gold and given:
            kinds = ({type(row[ours]) for row in gold}, {type(row[theirs]) for row in given})
            if any((str in a) and (str not in b) and b - {type(None)} for a, b in (kinds, kinds[::-1])):
                return True
    return False
