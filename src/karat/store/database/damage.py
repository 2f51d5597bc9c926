"""What is wrong with a damaged store, and what of it can still be read.

Only called when something could not be read: it goes through every row of every table, which takes a while for a large
store.
"""

from __future__ import annotations

import sqlite3
import typing
import zlib
from collections import Counter
from typing import Any  # Any: rows and packed values of a store that may be damaged, and annotations that are read

import msgspec
from sqlalchemy import BigInteger, Connection, Double, Engine, Integer, LargeBinary, Table, inspect
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from karat.core.json_types import JsonObject
from karat.core.problems import UserError, count_of
from karat.core.results.result import RunInfo
from karat.store import schema
from karat.store.blocks.kinds import fault_of
from karat.store.cases.cases import CASES
from karat.store.codec import RAW, ZLIB, unpack
from karat.store.database.failures import unreadable
from karat.store.predictions.answer_blocks import KEYS, RESPONSES
from karat.store.records import Status
from karat.store.verdicts.reviews import WORDS

RECOVER = (
    "karat store check lists what is wrong, and karat store repair saves what can be saved. Where neither can open the "
    'file: sqlite3 OLD ".recover" | sqlite3 NEW.'
)
BACKUP = "Restore the database from a backup."

_COUNTED = {"runs": "run", "predictions": "answer", "scorings": "scoring", "reviews": "review"}
_SCORES = {"scorings", "summaries", "scoring_blocks"}
_JSON: dict[str, JsonObject] = {
    "runs": {"options": JsonObject, "config": JsonObject, "tags": list[str]},
    "scorings": {"options": JsonObject, "info": RunInfo},
}
_PACKED: dict[str, tuple[str, Any]] = {
    "predictions": ("response", None),
    "notes": ("data", Any),
}
_UNREADABLE = (zlib.error, msgspec.DecodeError, UnicodeDecodeError, TypeError, ValueError)


class Found(msgspec.Struct):
    """One table: its rows, how many of them cannot be read, and where the first of those is."""

    rows: int = 0
    bad: int = 0
    first: str = ""
    fault: str = ""
    """What is wrong with the table as a whole."""
    held: Counter[str] = msgspec.field(default_factory=Counter)
    """Of tables of blocks: the rows in whole ones, by their kind."""
    bad_kinds: set[str] = msgspec.field(default_factory=set)


def damage(engine: Engine, shown: str) -> UserError | None:
    """What is wrong with a store, said with what can be saved; None when every row can be read."""
    try:
        with engine.connect().execution_options(stream_results=True) as connection:  # a table may be larger than memory
            found = {table.name: _look(connection, table) for table in schema.metadata.sorted_tables}
            sqlite = connection.dialect.name == "sqlite"
    except (DBAPIError, sqlite3.Error) as error:
        return unreadable(shown, error)
    except SQLAlchemyError:
        return None
    faults = [_fault(name, item) for name, item in found.items() if item.fault or item.bad]
    if not faults:
        return None
    more = f" and {len(faults) - 4} more tables" if len(faults) > 4 else ""
    return UserError(f"the store {shown} is damaged: {'; '.join(faults[:4])}{more}", hint=_saved(found, sqlite))


def _fault(name: str, found: Found) -> str:
    if found.fault:
        return f"the table {name} {found.fault}"
    return (
        f"a stored value cannot be read in {found.bad:,} of {count_of(found.rows, 'row')} of {name} "
        f"(the first: {found.first})"
    )


def _saved(found: dict[str, Found], sqlite: bool) -> str:
    blocks = found["run_blocks"]
    rows = {noun: found[name].rows - found[name].bad for name, noun in _COUNTED.items()}
    rows |= {"case": blocks.held[CASES], "answer": rows["answer"] + blocks.held[RESPONSES]}
    whole = [count_of(rows[noun], noun) for noun in ("run", "case", "answer", "scoring", "review")]
    words = [f"Can be saved: {', '.join(whole)}."]
    wrong = {name for name, item in found.items() if item.fault or item.bad}
    if not wrong & {"runs", "predictions", "leases"} and not blocks.fault and not blocks.bad_kinds & {RESPONSES, KEYS}:
        words.append("The answers are intact: karat export RUN --predictions FILE writes them.")
    if wrong <= _SCORES and not any(found[name].fault for name in wrong):
        words.append("Scores can be computed again: karat score RUN.")
    words.append(RECOVER if sqlite else BACKUP)
    return " ".join(words)


def _look(connection: Connection, table: Table) -> Found:
    found = Found()
    there = inspect(connection)
    if not there.has_table(table.name):
        found.fault = "is missing"
        return found
    lost = [
        column.name
        for column in table.columns
        if column.name not in {one["name"] for one in there.get_columns(table.name)}
    ]
    if lost:
        found.fault = f"has no column {lost[0]}"
        return found
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    try:
        rows = connection.exec_driver_sql(f'SELECT {names} FROM "{table.name}"')  # noqa: S608 (names of our own)
        for row in rows.mappings():
            found.rows += 1
            fault, kind = row_fault(table, row), row.get("kind", "")
            if not fault and kind:
                found.held[kind] += row["rows"]
            if fault:
                found.bad += 1
                found.bad_kinds.add(kind)
                found.first = found.first or ", ".join(f"{key.name} {row[key.name]}" for key in table.primary_key)
    except (SQLAlchemyError, sqlite3.Error):
        found.fault = f"cannot be read after {count_of(found.rows, 'row')}"
    return found


def row_fault(table: Table, row: Any) -> str:
    """What is wrong with a row as the driver gives it; empty when every value can be read."""
    for column in table.columns:
        value = row[column.name]
        if value is None:
            if not column.nullable:
                return f"{column.name} is empty"
        elif not isinstance(value, _kinds(column.type)):
            return f"{column.name} is of the wrong kind"
    if "kind" in row:
        return fault_of(row["kind"], row["rows"], row["checksum"], bytes(row["data"]))
    if table.name == "runs" and row["status"] not in typing.get_args(Status):
        return "status is unknown"
    if table.name == "reviews" and row["verdict"] not in WORDS:
        return "verdict is unknown"
    for name, kind in _JSON.get(table.name, {}).items():
        try:
            msgspec.json.decode(row[name], type=kind)
        except _UNREADABLE:
            return f"{name} cannot be read"
    if table.name in _PACKED:
        name, kind = _PACKED[table.name]
        if row["codec"] not in (RAW, ZLIB):
            return "codec is unknown"
        try:
            data = unpack(row["codec"], bytes(row[name]))
            if kind is not None:
                msgspec.json.decode(data, type=kind)
        except _UNREADABLE:
            return f"{name} cannot be read"
    return ""


def _kinds(declared: Any) -> tuple[type, ...]:
    if isinstance(declared, BigInteger | Integer):
        return (int,)
    if isinstance(declared, Double):
        return (float, int)
    return (bytes, memoryview) if isinstance(declared, LargeBinary) else (str,)
