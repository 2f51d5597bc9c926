"""Which optional packages the cases of a run need: none for texts and numbers, DuckDB and data frames for tables, a
driver for SQL."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.records import Case
from karat.suites.answers.options import Options
from karat.suites.answers.records import Gold

TABLES = frozenset({"table_match", "tables_match", "duckdb_match"})
DRIVERS = {"bigquery": "bigquery", "snowflake": "snowflake"}
"""Engine → the extra that has its driver, beside ``sql``, which checks every query before it runs and has the other
drivers."""


def extras(cases: Sequence[Case[Gold]], options: Options) -> tuple[str, ...]:
    """The extras without which these cases cannot be scored."""
    targets = [turn.target for case in cases for turn in case.conversation if turn.target is not None]
    tables = any(entry.func in TABLES for target in targets for entry in target.entries)
    engines = {engine.engine for engine in options.engines.values()}
    needed = {"answers"} if tables or engines else set()
    if any(target.queries is not None for target in targets):
        needed |= {"answers", "sql"}
    needed |= {"sql"} if engines else set()
    return tuple(sorted(needed | {DRIVERS[engine] for engine in engines if engine in DRIVERS}))
