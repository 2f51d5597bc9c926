"""Checking a store: the file itself, every stored value, and what must hold between rows. Nothing is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any  # Any: values of a row that may be damaged

from sqlalchemy import Connection, Engine, Table
from sqlalchemy.exc import DBAPIError

from karat.core.problems import UserError
from karat.store import schema
from karat.store.database.address import Address, SqliteAddress, parse_address
from karat.store.database.damage import row_fault
from karat.store.database.failures import damage_explained
from karat.store.database.revision import missing, stored_revision
from karat.store.upkeep.contents import contents_of
from karat.store.upkeep.findings import Checked, Finding, Findings, TableCount, Watch
from karat.store.upkeep.reading import Unread, missing_in, read_rows
from karat.store.upkeep.rules import RULES

_SHOWN_PAGES = 20


def check_store(url: str, watch: Watch = lambda _table, _rows: None) -> Checked:
    """Everything that is wrong with a store. UserError where there is none, or none of this version."""
    address = parse_address(url)
    with reading_engine(address) as engine, damage_explained(address), engine.connect() as connection:
        findings = Findings()
        for fault in file_faults(connection):
            findings.add(Finding("", fault))
        require_head(connection, address)
        tables = {
            str(table.name): _check_table(connection, table, findings, watch) for table in schema.metadata.sorted_tables
        }
        _check_rules(connection, findings)
        contents = contents_of(connection)
    return Checked(address.shown, tables, contents, tuple(findings.listed), findings.count)


@contextmanager
def reading_engine(address: Address) -> Iterator[Engine]:
    """Connections that change nothing, to a store that need not be whole."""
    if isinstance(address, SqliteAddress):
        from karat.store.database.sqlite import sqlite_engine

        if not address.path.is_file():
            raise missing(address)
        engine = sqlite_engine(address.path, read_only=True)
    else:
        from karat.store.database.postgres import postgres_engine

        engine = postgres_engine(address, read_only=True)
    try:
        yield engine
    finally:
        engine.dispose()


def require_head(connection: Connection, address: Address) -> None:
    """UserError unless the tables have the version of this karat."""
    found = stored_revision(connection, address)
    if found is None:
        raise missing(address)
    if found != schema.HEAD:
        hint = "Open it once where it can be written, for example with karat runs list; that upgrades it."
        raise UserError(
            f"the store {address.shown} was written by an older karat and must be upgraded first", hint=hint
        )


def file_faults(connection: Connection) -> list[str]:
    """What SQLite itself finds wrong with its file. A server looks after its files."""
    if connection.dialect.name != "sqlite":
        return []
    try:
        found = connection.exec_driver_sql(f"PRAGMA integrity_check({_SHOWN_PAGES})").scalars().all()
    except (DBAPIError, sqlite3.Error) as error:
        found = [str(error.orig if isinstance(error, DBAPIError) else error)]
    return [line for text in found if text != "ok" for line in str(text).splitlines()]


def key_of(table: Table, row: dict[str, Any]) -> str:
    """A row for people: ``run_id 1, position 4``."""
    return ", ".join(f"{key.name} {row[key.name]}" for key in table.primary_key)


def _check_table(connection: Connection, table: Table, findings: Findings, watch: Watch) -> TableCount:
    found = TableCount()
    if fault := missing_in(connection, table):
        findings.add(Finding(str(table.name), fault))
        return found
    for row in read_rows(connection, table):
        if isinstance(row, Unread):
            found.bad += row.last - row.first + 1
            findings.add(Finding(str(table.name), "cannot be read", row.where))
            continue
        found.rows += 1
        if found.rows % 1000 == 0:
            watch(table.name, found.rows)
        if fault := row_fault(table, row):
            found.bad += 1
            findings.add(Finding(str(table.name), fault, key_of(table, row)))
    watch(table.name, found.rows)
    return found


def _check_rules(connection: Connection, findings: Findings) -> None:
    for rule in RULES:
        try:
            for broken in rule.find(connection):
                findings.add(Finding(rule.table, broken.what, broken.where))
        except (DBAPIError, sqlite3.Error, TypeError, ValueError):  # what cannot be read is a finding already
            if not findings.count:
                raise
