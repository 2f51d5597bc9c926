"""A DuckDB file against a gold DuckDB file: ``duckdb_match``. Every table that gold asks for must be there and
match."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from karat.suites.answers.records import Verdict, wrong
from karat.suites.answers.strict.tables import all_of, columns_for, from_match, gold_error, names_of, sample
from karat.tables.explain.sample import TablePair
from karat.tables.files.reading import duckdb_tables, read_duckdb
from karat.tables.matching import match_tables
from karat.tables.options import CompareOptions
from karat.tables.table import TableError


def duckdb_match(
    result: str,
    gold: str,
    condition_tabs: Sequence[str] | None = None,
    condition_cols: Sequence[Sequence[int]] | None = None,
    ignore_orders: Sequence[bool] | None = None,
    *,
    options: CompareOptions | None = None,
) -> Verdict:
    """``condition_cols`` and ``ignore_orders`` belong to the table in the same place; order counts unless they say
    otherwise."""
    try:
        names = list(condition_tabs) if condition_tabs else list(duckdb_tables(Path(gold)))
    except TableError as error:
        return gold_error(error.reason)
    if not names:
        return gold_error(f"{Path(gold).name} has no tables")
    verdicts: dict[str, Verdict] = {}
    for index, name in enumerate(names):
        ignored = bool(ignore_orders[index]) if ignore_orders and index < len(ignore_orders) else False
        columns = columns_for(condition_cols, index)
        verdicts[name] = _one(result, gold, name, columns, ignored, options or CompareOptions())
    return all_of(verdicts)


def _one(
    result: str, gold: str, name: str, columns: Sequence[int] | None, ignored: bool, options: CompareOptions
) -> Verdict:
    try:
        table = read_duckdb(Path(gold), name)
    except TableError as error:
        return gold_error(error.reason)
    try:
        pred = read_duckdb(Path(result), name)
    except TableError as error:
        if error.kind == "no_table":
            return wrong("shape_differs", problem=error.reason, missing_table=name)
        return wrong("unreadable_prediction", problem=error.reason, kind=error.kind)
    try:
        verdict = from_match(match_tables(table, pred, columns=columns, ignore_order=ignored, options=options))
    except TableError as error:
        return gold_error(f"table {name}: {error.reason}")
    pair = TablePair(sample(table), sample(pred), "", names_of(table, columns), ignored)
    return msgspec.structs.replace(verdict, tables=(pair,))
