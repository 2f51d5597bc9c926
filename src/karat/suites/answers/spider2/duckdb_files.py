"""``duckdb_match``: the tables of a DuckDB file, compared as :mod:`.tables` compares CSV files.

All tables of gold count unless ``condition_tabs`` names some; every one must pass; a table the answer lacks fails. An
empty list of names leaves nothing to compare, and everything passes. Files are opened read-only and may not reach
outside themselves: a view in a submission cannot read other files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: parameters for several tables, each in any form of the evaluator

import msgspec

from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.spider2.columns import Columns, Nulls
from karat.suites.answers.spider2.conditions import chosen_columns, flags, paired
from karat.suites.answers.spider2.failures import (
    UnreadableGold,
    UnreadablePrediction,
    check_size,
    never_raising,
    said,
    unreadable,
)
from karat.suites.answers.spider2.frames import unmatched, verdict_on_columns
from karat.tables.files.probe import duckdb_copy
from karat.tables.table import TableError

if TYPE_CHECKING:
    import duckdb
    import pandas

CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


@never_raising
def duckdb_match(
    result: str,
    gold: str,
    condition_tabs: Sequence[str] | None = None,
    condition_cols: Sequence[Any] | None = None,
    ignore_orders: Sequence[Any] | None = None,
    *,
    nulls: Nulls = "equal",
) -> Verdict:
    """The verdict on a DuckDB file. Parameters as in the contract, with paths that can be opened."""
    if condition_tabs is not None and not len(condition_tabs):
        paired(condition_cols, 0), flags(ignore_orders, 0)
        return right()
    with _open(gold, UnreadableGold) as golds:
        tables = _tables(golds) if condition_tabs is None else list(condition_tabs)
        frames = [_read(golds, table) for table in tables]
    with _open(result, UnreadablePrediction) as founds:
        for table, frame, condition, ignore_order in zip(
            tables, frames, paired(condition_cols, len(tables)), flags(ignore_orders, len(tables)), strict=True
        ):
            columns = _found(founds, table, nulls)
            if columns is None:
                return wrong("missing_prediction", table=table, error="the answer has no table of this name")
            chosen = chosen_columns(condition, len(frame.columns))
            missing = unmatched(frame, columns, chosen, chosen, ignore_order=ignore_order, nulls=nulls)
            names = [str(name) for name in frame.columns]
            verdict = verdict_on_columns(missing, chosen, names, (len(frame), columns.rows), len(columns))
            if not verdict:
                return msgspec.structs.replace(verdict, evidence={"table": table, **verdict.evidence})
    return right()


def _open(path: str, failure: type[UnreadableGold] | type[UnreadablePrediction]) -> duckdb.DuckDBPyConnection:
    import duckdb

    try:
        check_size(path)
        return duckdb.connect(str(duckdb_copy(Path(path))), read_only=True, config=CONFIG)
    except TableError as problem:
        raise failure(problem.reason) from problem
    except Exception as problem:
        raise failure(unreadable(path, problem)) from problem


def _tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return [name for (name,) in connection.execute("SHOW TABLES").fetchall()]


def _found(connection: duckdb.DuckDBPyConnection, table: str, nulls: Nulls) -> Columns | None:
    """The answer's table; None when it has none of this name."""
    import duckdb

    try:
        return Columns(_read(connection, table), nulls)
    except duckdb.CatalogException:
        return None
    except Exception as problem:
        raise UnreadablePrediction(f"table {table}: {said(problem)}") from problem


def _read(connection: duckdb.DuckDBPyConnection, table: str) -> pandas.DataFrame:
    """The name goes into the query as it is, as in the public evaluator: case does not count, a schema may be before
    it, and a name that needs quotes is an error."""
    query = f"SELECT * FROM {table}"  # noqa: S608 (the name is gold's, and nothing can be written)
    return connection.execute(query).fetchdf()
