"""What an instance touches, and what there is to touch: functions of the contract, tables, columns, parts of SQL."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from karat.core.problems import UserError
from karat.core.records import Case
from karat.suites.answers.cases import FUNCTIONS, gold_sql
from karat.suites.answers.options import Options
from karat.suites.answers.prompts import dialect, schema
from karat.suites.answers.records import Gold
from karat.suites.answers.text_to_sql.components.parts import PARTS, Unparsed, parts_of
from karat.suites.answers.text_to_sql.queries.parsed import parsed

SHOWN = tuple(part for part in PARTS if part not in ("tables", "select"))
"""Parts that a query may or may not have."""


def covers(case: Case[Gold], options: Options) -> Mapping[str, Iterable[str]]:
    """Kind → what the gold of an instance uses."""
    found: dict[str, list[str]] = {"evaluation": [], "table": [], "column": [], "SQL": [], "SQL function": []}
    for turn in case.conversation:
        if turn.target is None:
            continue
        found["evaluation"] += [entry.func for entry in turn.target.entries]
        for text in _sql(turn.target):
            for kind, name in _used(text, case, options):
                found[kind].append(name)
    return found


def _sql(gold: Gold) -> Sequence[str]:
    if gold.queries is not None:
        return gold.queries.sql
    with contextlib.suppress(UserError, OSError):
        return [text] if (text := gold_sql(gold)) else []
    return []


def _used(text: str, case: Case[Gold], options: Options) -> Iterator[tuple[str, str]]:
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    tables = _tables(case, options)
    try:
        kind = dialect(case, options)
        tree = parsed(text, kind)
        parts = parts_of(text, kind, tuple((name, tuple(columns)) for name, columns in tables.items()))
    except (UserError, SqlglotError, Unparsed, RecursionError):
        return
    used = {table.name.casefold() for table in tree.find_all(exp.Table)}
    columns = {column.name.casefold() for column in tree.find_all(exp.Column)}
    known = {name: names for name, names in tables.items() if name.casefold() in used}
    yield from (("table", name) for name in known or sorted(used))
    yield from (
        ("column", f"{name}.{one}") for name, names in known.items() for one in names if one.casefold() in columns
    )
    yield from (("SQL", part) for part in SHOWN if parts.get(part))
    functions = {node.sql_name().lower() for node in tree.find_all(exp.Func) if not isinstance(node, exp.And | exp.Or)}
    yield from (("SQL function", name) for name in sorted(functions))


def _tables(case: Case[Gold], options: Options) -> dict[str, list[str]]:
    try:
        return {str(one["name"]): [str(column["name"]) for column in one["columns"]] for one in schema(case, options)}
    except (UserError, OSError):
        return {}


def coverable(cases: Sequence[Case[Gold]], options: Options) -> Mapping[str, Iterable[str]]:
    """Kind → everything that the databases have, and the parts that a query may have."""
    golds = [turn.target for case in cases for turn in case.conversation if turn.target is not None]
    found: dict[str, Iterable[str]] = {}
    if any(gold.entries for gold in golds):
        found["evaluation"] = FUNCTIONS
    if any(_sql(gold) for gold in golds):
        found["SQL"] = SHOWN
    first = {gold.queries.database: case for case, gold in zip(cases, golds, strict=False) if gold.queries is not None}
    tables = [_tables(case, options) for case in first.values()]
    if any(tables):
        found["table"] = [name for one in tables for name in one]
        found["column"] = [f"{name}.{column}" for one in tables for name, columns in one.items() for column in columns]
    return found
