"""What is defined in a sheet: its tables, and the fields that a table, or a row of it, is known to have.

Not everything is known before a sheet is evaluated: the columns of a file come with the file. Where the fields are not
known, ``None`` stands for them, and nothing is said about them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from karat.core.problems import nearest
from karat.sheet.text.tree import (
    TABLE_CALL,
    Call,
    Element,
    Expr,
    FieldOf,
    FieldsOf,
    OwnField,
    Sheet,
    Table,
    TableName,
    Text,
)
from karat.sheet.values import TableValue, Wrong

Known = frozenset[str] | None
"""The fields of a table or row; None: not known."""

KEEP_ROWS = frozenset(
    {"FILTER", "SORT", "SORTBY", "UNIQUE", "UNIQUEBY", "FIND", "INDEX", "FIRST", "LAST", "SINGLE", "MINBY", "MAXBY"}
)
"""What these give has the same fields as what they are given."""
OF_CHUNKS = frozenset({"doc", "start", "end", "text", "size", "overlap"})
"""The fields of what CHUNKS gives."""

MOST_STEPS = 100


class Files(Protocol):
    """The files that formulas name. Both raise :class:`Wrong` where there is none, or it cannot be read."""

    def read(self, name: str, table: str) -> TableValue:
        """What INPUT gives."""

    def documents(self, pattern: str) -> Sequence[object]:
        """What CHUNKS cuts."""


@dataclass(frozen=True)
class Names:
    """The tables of a sheet by name, and the fields of all tables, with those bound from outside."""

    tables: dict[str, Table]
    """Those that the sheet itself computes."""
    fields: dict[str, Known] = field(default_factory=dict)
    sources: dict[tuple[str, str], Expr] = field(default_factory=dict)
    """The formula of each field that has one to itself."""
    files: Files | None = None
    """None: the files are not looked at."""

    def element_of(self, expression: Expr, own: str, element: Known) -> Known:
        """The fields of a row of what the expression gives, inside the table ``own``, where ``$`` has the fields
        ``element``."""
        for _ in range(MOST_STEPS):
            match expression:
                case TableName(name=name):
                    return self.fields.get(name)
                case FieldsOf(names=names):
                    return frozenset(names)
                case Element(of=table):
                    return self.fields.get(table) if table else element
                case Call(name="INPUT"):
                    return self.columns(expression)
                case Call(name="CHUNKS"):
                    return OF_CHUNKS
                case Call(name=name, arguments=(first, *_)) if name in KEEP_ROWS or name == TABLE_CALL:
                    expression = first
                    continue
                case OwnField(name=name):
                    place = (own, name)
                case FieldOf(source=TableName(name=table), name=name):
                    place = (table, name)
                case _:
                    return None
            if place not in self.sources:
                return None
            expression, own, element = self.sources[place], place[0], None
        return None

    def columns(self, call: Call) -> Known:
        """The columns of the file that INPUT names."""
        named = input_of(call)
        if self.files is None or named is None:
            return None
        try:
            return frozenset(self.files.read(*named).columns)
        except Wrong:
            return None


def input_of(call: Call) -> tuple[str, str] | None:
    """(file, table) of INPUT, where they are written in the call."""
    match call.arguments:
        case (Text(value=file),):
            return file, ""
        case (Text(value=file), Text(value=table)):
            return file, table
        case _:
            return None


def unknown_table_hint(name: str, known: Iterable[str]) -> str:
    """What to do about a table that is not there: the near name, or how to give the sheet one."""
    close = nearest(name, known)
    if close:
        return f'Did you mean "{close[0]}"?'
    bound = f'"{name}=FILE"' if re.search(r"\W", name) else f"{name}=FILE"
    return f'Bind it with --table {bound}, or define it in the sheet, with override or INPUT("FILE").'


def names_of(sheet: Sheet, bound: Mapping[str, Collection[str]], files: Files | None = None) -> Names:
    """What a sheet defines. Of two tables with one name the first counts; a table bound from outside takes the place of
    the sheet's own."""
    names = Names({}, files=files)
    for table in sheet.tables:
        if table.name in names.tables or table.name in bound:
            continue
        names.tables[table.name] = table
        names.fields[table.name] = frozenset(declared.name for line in table.fields for declared in line.fields)
        for line in table.fields:
            if line.formula is not None and len(line.fields) == 1:
                names.sources.setdefault((table.name, line.fields[0].name), line.formula)
    for name, columns in bound.items():
        names.fields[name] = frozenset(columns) if columns else None
    return names
