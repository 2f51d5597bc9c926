"""Rows for a filling: the literals of the queries and their neighbours, few different values, nulls, keys with and
without a partner."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any  # Any: values that a column takes, of any type

import msgspec

from karat.suites.answers.text_to_sql.fillings.dates import made_date
from karat.suites.answers.text_to_sql.fillings.scratch import Filling, ScratchColumn, ScratchTable
from karat.suites.answers.text_to_sql.queries.parsed import tree_of
from karat.suites.answers.text_to_sql.running.result_row import Row

MOST_ROWS = 6
"""Of one table in one filling."""


class Hints(msgspec.Struct, frozen=True):
    """What two queries say about values worth trying."""

    tables: frozenset[str] = frozenset()
    numbers: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()
    linked: tuple[tuple[str, str], ...] = ()
    """Pairs of columns that are compared with each other."""
    compared: Mapping[str, tuple[Any, ...]] = {}
    """Column → the literals that it is compared with."""


@lru_cache(maxsize=2048)
def hints_of(*queries: str) -> Hints:
    """The literals, tables and links of queries. What cannot be parsed gives none."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    tables: set[str] = set()
    numbers: set[float] = set()
    texts: set[str] = set()
    linked: set[tuple[str, str]] = set()
    compared: dict[str, set[Any]] = {}
    for sql in queries:
        try:
            tree = tree_of(sql, "sqlite")
        except (SqlglotError, RecursionError):
            continue
        tables |= {table.name.lower() for table in tree.find_all(exp.Table)}
        for literal in tree.find_all(exp.Literal):
            value = _value(literal)
            if isinstance(value, str):
                texts.add(value)
            elif value is not None:
                numbers.add(value)
            column = literal.parent.find(exp.Column) if literal.parent is not None else None
            if column is not None and value is not None:
                compared.setdefault(column.name.lower(), set()).add(value)
        for quoted in tree.find_all(exp.Column):  # "FR" in double quotes is a text where no column has that name
            if quoted.this.args.get("quoted") and not quoted.table:
                texts.add(quoted.name)
                other = quoted.parent.find(exp.Column) if quoted.parent is not None else None
                if other is not None and other is not quoted:
                    compared.setdefault(other.name.lower(), set()).add(quoted.name)
        for equal in tree.find_all(exp.EQ):
            if isinstance(equal.this, exp.Column) and isinstance(equal.expression, exp.Column):
                linked.add((equal.this.name.lower(), equal.expression.name.lower()))
    kept = {name: tuple(sorted(values, key=str)) for name, values in compared.items()}
    return Hints(frozenset(tables), tuple(sorted(numbers)), tuple(sorted(texts)), tuple(sorted(linked)), kept)


def _value(literal: Any) -> Any:
    if literal.is_string:
        return literal.name
    try:
        return float(literal.name) if "." in literal.name else int(literal.name)
    except ValueError:
        return None


def made_filling(tables: Sequence[ScratchTable], hints: Hints, chance: random.Random) -> Filling:
    """One random filling of the tables that the queries use; the others stay empty."""
    realistic = chance.random() < 0.4
    spread = chance.choice((1, 2, 3, 4))
    # Now and then many rows in few groups: a HAVING with a count, or a place among the largest, needs them.
    most = MOST_ROWS if chance.random() < 0.6 else 2 * MOST_ROWS
    return {
        table.name: _rows(table, hints, chance, realistic=realistic, spread=spread, most=most)
        for table in tables
        if not hints.tables or table.name.lower() in hints.tables or table.name in _parents(tables, hints)
    }


def _parents(tables: Sequence[ScratchTable], hints: Hints) -> set[str]:
    return {other for table in tables if table.name.lower() in hints.tables for _, other, _ in table.parents}


def _rows(
    table: ScratchTable, hints: Hints, chance: random.Random, *, realistic: bool, spread: int, most: int
) -> list[Row]:
    count = chance.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, most) if most == MOST_ROWS else (2, 3, 4, 5, 6, 8, most))
    rows: list[Row] = []
    for number in range(count):
        if realistic and table.sample:
            row = list(chance.choice(table.sample))
            for place, column in enumerate(table.columns):
                if chance.random() < 0.3:
                    row[place] = _cell(column, hints, chance, number, spread, table.sample, place)
        elif rows and chance.random() < 0.25:  # the same again, with a key of its own
            row = list(chance.choice(rows))
            for place, column in enumerate(table.columns):
                if column.key:
                    row[place] = _cell(column, hints, chance, number, spread, table.sample, place)
        else:
            row = [
                _cell(column, hints, chance, number, spread, table.sample, place)
                for place, column in enumerate(table.columns)
            ]
        rows.append(tuple(row))
    return rows


def _cell(
    column: ScratchColumn,
    hints: Hints,
    chance: random.Random,
    number: int,
    spread: int,
    sample: Sequence[Row],
    place: int,
) -> Any:
    compared = hints.compared.get(column.name.lower(), ())
    if column.nullable and chance.random() < 0.08:
        return None
    if column.form:
        return made_date(column.form, compared or hints.texts, [row[place] for row in sample], chance)
    if compared and chance.random() < 0.6:
        return _near(chance.choice(compared), column, chance)
    linked = any(column.name.lower() in pair for pair in hints.linked) or column.name.lower().endswith("id")
    if column.key and not linked:
        return number + 1 if column.kind == "number" else f"k{number + 1}"
    if linked and column.sole and chance.random() < 0.8:  # a random one is often there already: the row is refused
        return number + 1 if column.kind == "number" else str(number + 1)
    if linked:
        value = chance.randint(1, spread)
        return value if column.kind == "number" else str(value)
    if sample and chance.random() < 0.4:
        return chance.choice(sample[: spread + 1])[place]
    if column.kind == "number":
        return _near(chance.choice((*hints.numbers, 0, 1, 2, 10)), column, chance)
    return chance.choice(("a", "b", "ab", "A", *hints.texts)[: spread + 1 + len(hints.texts)])


def _near(value: Any, column: ScratchColumn, chance: random.Random) -> Any:
    """A value at, below or above a literal; a text in other case, longer, or cut."""
    if isinstance(value, str):
        bare = value.strip("%").replace("%", "x")
        forms = (bare, bare, bare, value, f"{bare}x", f"x{bare}", bare.upper(), bare.lower(), bare[:-1], "")
        return chance.choice(forms)
    found = chance.choice((value, value, value - 1, value + 1, -value, value * 2))
    return found if column.kind == "number" else str(found)
