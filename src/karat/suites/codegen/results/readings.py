"""The forms in which two results can be compared, where they are of different types.

- a named tuple or dataclass is a mapping beside a mapping, and a tuple beside a tuple
- two mappings of lists are compared item by item, each at its place
- a mapping of mappings is a table beside a table: its keys are the rows, or the columns (``to_dict``); keys that are
  tuples are the levels of an index
- a column of lists or mappings is beside a list the list of them
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from karat.sandbox import Column, Plain, Record, Series, Table, Unordered
from karat.suites.codegen.results.tables import fields_of, is_quantity, items_of, text_of

Pair = tuple[Plain, Plain]


def readings(gold: Plain, given: Plain) -> list[Pair]:
    """Both results in the forms in which they can be compared, the most likely first."""
    if is_quantity(gold) or is_quantity(given):  # a unit counts only where one is expected, see ``units``
        return [tuple(side.values[0] if is_quantity(side) else side for side in (gold, given))]
    if isinstance(gold, Record) and isinstance(given, Record):
        by_name = set(gold.names) == set(given.names)
        return [(fields_of(gold), fields_of(given))] if by_name else [(gold.values, given.values)]
    if isinstance(gold, Record):
        return [(form, given) for form in _forms(gold, given)]
    if isinstance(given, Record):
        return [(gold, form) for form in _forms(given, gold)]
    if isinstance(gold, Mapping) and isinstance(given, Mapping):
        gold, given = _with_like_parts(gold, given), _with_like_parts(given, gold)
        listed = _holds_lists(gold) and _holds_lists(given)
        return [(_item_by_item(gold), _item_by_item(given)) if listed else (gold, given)]
    if has_rows_without_names(gold) or has_rows_without_names(given):
        gold, given = _without_names(gold), _without_names(given)
    others = [(form, given) for form in _beside(gold, given)] + [(gold, form) for form in _beside(given, gold)]
    return [*others, (gold, given)]


def has_rows_without_names(value: Plain) -> bool:
    """Whether it is a list of tuples, or an array of rows: only their places say what its columns are."""
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(row, list | tuple) for row in value)


def _without_names(value: Plain) -> Plain:
    """A list of records as a list of tuples."""
    records = isinstance(value, list | tuple) and bool(value) and all(isinstance(row, Record) for row in value)
    return [row.values for row in value] if records else value


def _forms(record: Record, beside: Plain) -> list[Plain]:
    if isinstance(beside, Mapping):
        return [fields_of(record)]
    return [record.values] if isinstance(beside, list | tuple) else [fields_of(record), record.values]


def _with_like_parts(value: Mapping[Plain, Plain], other: Mapping[Plain, Plain]) -> dict[Plain, Plain]:
    """The mapping with its parts in the form of the other's: records as tuples or mappings, lists beside sets as
    sets."""
    return {key: _like(part, other[key]) if key in other else part for key, part in value.items()}


def _like(part: Plain, other: Plain) -> Plain:
    if isinstance(part, Record) and not isinstance(other, Record):
        return _forms(part, other)[0]
    if isinstance(other, Unordered) and isinstance(part, list) and not isinstance(part, Unordered):
        return Unordered(part)
    return part


def _holds_lists(value: Mapping[Plain, object]) -> bool:
    return bool(value) and all(items_of(part) is not None for part in value.values())


def _item_by_item(value: Mapping[Plain, object]) -> Table:
    """A row for each item, under its key and place; the order of the keys is none. An empty list has a row too."""
    rows: list[tuple[str, Plain]] = []
    for key, part in value.items():
        number = int(key) if isinstance(key, float) and key.is_integer() else key
        label, items = text_of(number) or "", items_of(part)
        rows += [(f"{label} · {place}", item) for place, item in enumerate(items, 1)] if items else [(label, None)]
    rows.sort(key=lambda row: row[0])
    return Table(
        len(rows), (Column("key", "", [row[0] for row in rows]), Column("value", "", [row[1] for row in rows]))
    )


def _beside(value: Plain, other: Plain) -> list[Plain]:
    """What else a value is, beside a result of another type."""
    if isinstance(value, Mapping) and (isinstance(other, Table | Series) or _are_mappings(other)):
        return [*_of_mappings(value), *_of_tuple_keys(value)]
    cells = _only_column(value)
    if _are_mappings(cells):
        return [] if _are_mappings(_only_column(other)) else [cells]
    return [cells] if has_rows_without_names(cells) and isinstance(other, list | tuple) else []


def _of_mappings(value: Mapping[Plain, Plain]) -> list[Plain]:
    """``{"a": {"min": 1, "max": 3}}`` as a table with a row, and as one with a column, for each key."""
    parts = [fields_of(part) if isinstance(part, Record) else part for part in value.values()]
    if not _are_mappings(parts):
        return []
    keys, inner = list(value), list(parts[0])
    rows = Table(len(keys), tuple(Column(name, "", [part[name] for part in parts]) for name in inner), _index([keys]))
    columns = [Column(key, "", list(part.values())) for key, part in zip(keys, parts, strict=True)]
    same_order = all(list(part) == inner for part in parts)
    return [rows, Table(len(inner), tuple(columns), _index([inner]))] if same_order else [rows]


def _of_tuple_keys(value: Mapping[Plain, Plain]) -> list[Plain]:
    """``{("a", 1): 5}`` as a series with two levels."""
    keys = list(value)
    if not has_rows_without_names(keys) or len({len(key) for key in keys}) != 1:
        return []
    return [Series(Column(None, "", list(value.values())), _index(list(zip(*keys, strict=True))))]


def _index(levels: Sequence[Sequence[Plain]]) -> tuple[Column, ...]:
    return tuple(Column(None, "", list(level)) for level in levels)


def _only_column(value: Plain) -> list[Plain]:
    """The cells of a series, or of a table with one column; nothing of any other value."""
    if isinstance(value, Series):
        return value.column.values
    return value.columns[0].values if isinstance(value, Table) and len(value.columns) == 1 else []


def _are_mappings(value: Plain) -> bool:
    """Whether it is a list of mappings with the same keys."""
    if not isinstance(value, list | tuple) or not value or not isinstance(value[0], Mapping):
        return False
    keys = set(value[0])
    return bool(keys) and all(isinstance(row, Mapping) and set(row) == keys for row in value)
