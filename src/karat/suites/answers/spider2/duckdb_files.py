"""``duckdb_match``: the tables of a DuckDB file, compared as :mod:`.tables` compares CSV files.

All tables of gold count unless ``condition_tabs`` names some; every one must pass; a table the answer lacks fails. Files are opened
read-only and may not reach outside themselves: a view in a submission cannot read other files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.spider2.columns import Columns, Nulls
from karat.suites.answers.spider2.failures import (
    UnreadableGold,
    UnreadablePrediction,
    check_size,
    never_raising,
    unreadable,
)
from karat.suites.answers.spider2.frames import chosen_columns, unmatched, verdict_on_columns
from karat.suites.answers.spider2.tables import conditions_of

if TYPE_CHECKING:
    import duckdb
    import pandas

CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
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
    with _open(gold, UnreadableGold) as golds, _open(result, UnreadablePrediction) as founds:
        present = set(_tables(founds))
        for index, table in enumerate(condition_tabs or _tables(golds)):
            if table not in present:
                return wrong("missing_prediction", table=table, error="the answer has no table of this name")
            ignore_order = bool(ignore_orders[index]) if ignore_orders else False
            frame = _read(golds, table)
            chosen = chosen_columns(conditions_of(condition_cols, index), len(frame.columns))
            try:
                columns = Columns(_read(founds, table), nulls)
            except Exception as problem:
                raise UnreadablePrediction(unreadable(result, problem)) from problem
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
        return duckdb.connect(path, read_only=True, config=CONFIG)
    except Exception as problem:
        raise failure(unreadable(path, problem)) from problem


def _tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return [name for (name,) in connection.execute("SHOW TABLES").fetchall()]


def _read(connection: duckdb.DuckDBPyConnection, table: str) -> pandas.DataFrame:
    quoted = table.replace('"', '""')
    return connection.execute(f'SELECT * FROM "{quoted}"').fetchdf()  # noqa: S608 — the name is quoted
