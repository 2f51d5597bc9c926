"""The schema of a real database with a few of its rows, read through the guarded engine."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any  # Any: a cell of the real data

import msgspec

from karat.suites.answers.text_to_sql.fillings.dates import date_form
from karat.suites.answers.text_to_sql.fillings.scratch import ScratchColumn, ScratchTable, kind_of, quoted
from karat.suites.answers.text_to_sql.running.execution import Ran

SAMPLED = 40
"""Rows of each real table that fillings start from."""
LONGEST = 10_000
"""Characters of one of their cells."""
_LISTED = r"SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'"
_PLAIN = re.compile(r"\s*create\s+table\b", re.IGNORECASE)


def read_schema(run: Callable[[str], Ran]) -> tuple[ScratchTable, ...]:
    """Every plain table of a SQLite database. What its columns are is asked of an empty copy."""
    found = []
    with closing(sqlite3.connect(":memory:")) as copy:
        for name, ddl in run(_LISTED).rows:
            if not _PLAIN.match(str(ddl)):
                continue
            try:
                copy.execute(ddl)
            except sqlite3.Error:
                continue
            told = copy.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
            parts = sum(bool(key) for *_, key in told)
            # SQLite lets nulls into a key of several columns, and real databases have them there.
            columns = tuple(
                ScratchColumn(
                    str(column),
                    kind_of(str(declared)),
                    not required and (not key or parts > 1),
                    bool(key),
                    sole=bool(key) and parts == 1,
                )
                for _, column, declared, required, _, key in told
            )
            parents = tuple(
                (str(row[3]), str(row[2]), str(row[4] or ""))
                for row in copy.execute(f"PRAGMA foreign_key_list({quoted(name)})")
            )
            listed = ", ".join(quoted(column.name) for column in columns)
            rows = run(f"SELECT {listed} FROM {quoted(name)} LIMIT {SAMPLED}").rows  # noqa: S608 (quoted)
            sample = tuple(tuple(_short(cell) for cell in row) for row in rows)
            forms = [date_form(cells) for cells in zip(*sample, strict=True)] or [""] * len(columns)
            columns = tuple(msgspec.structs.replace(one, form=form) for one, form in zip(columns, forms, strict=False))
            found.append(ScratchTable(str(name), str(ddl), columns, sample, parents))
    return tuple(found)


def _short(cell: Any) -> Any:
    """A cell of the real data, as text that any process can be sent, and not longer than a filling needs."""
    if isinstance(cell, bytes):
        return cell[:LONGEST]
    return cell[:LONGEST].encode("utf-8", "replace").decode() if isinstance(cell, str) else cell
