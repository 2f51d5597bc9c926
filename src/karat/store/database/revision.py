"""Which version of the tables a store has, and bringing it to ours.

Loading Alembic takes a noticeable time, so it is done only when a store must be upgraded. New stores are made straight
from :mod:`karat.store.schema`; a test holds the two ways against each other.
"""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any  # Any: the raw connection of SQLite, and a Config of Alembic, which is imported when needed

from sqlalchemy import Connection, Engine, select

from karat.core.problems import UserError
from karat.store import schema
from karat.store.database.address import Address, SqliteAddress
from karat.store.database.failures import damage_explained
from karat.store.database.sqlite import rewrite_file, use_write_ahead_log

MIGRATIONS = Path(__file__).parent.parent / "migrations"

_ONE_AT_A_TIME = 0x6B61726174  # "karat": the number of the lock under which PostgreSQL stores are made and upgraded
_TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
}


def bring_up_to_date(engine: Engine, address: Address, *, create: bool, read_only: bool) -> None:
    """Make the tables of a new store, upgrade those of an old one, refuse what is not ours or too new."""
    with engine.connect() as connection:
        with damage_explained(address):
            found = stored_revision(connection, address)
        connection.rollback()
        if found is None and not (create and not read_only):
            raise missing(address)
        if found != schema.HEAD and read_only:
            hint = "Open it once where it can be written, for example with karat runs list."
            raise UserError(
                f"the store {address.shown} was written by an older karat and must be upgraded first", hint=hint
            )
        if read_only:
            return
        if isinstance(address, SqliteAddress):
            use_write_ahead_log(connection)
    if found != schema.HEAD:
        _change(engine, address)


def missing(address: Address) -> UserError:
    """There is no store at this address."""
    hint = "Nothing has been run here yet, or it was stored elsewhere: check store in karat.yaml, or give --store."
    return UserError(f"there is no store at {address.shown}", hint=hint)


def stored_revision(connection: Connection, address: Address) -> str | None:
    """The revision of a store; None where there is no store yet. Refuses other programs' tables and newer stores."""
    names = set(connection.exec_driver_sql(_TABLES[connection.dialect.name]).scalars())
    foreign = UserError(
        f"the database {address.shown} contains tables of another program",
        hint="Give karat a separate database or schema.",
    )
    revision = None
    if schema.alembic_version.name in names:
        revision = connection.execute(select(schema.alembic_version.c.version_num)).scalars().first()
    if revision is None:
        ours = set(schema.metadata.tables)
        others = names - {schema.alembic_version.name}
        if {"runs", "predictions", "scorings"} <= others:
            raise UserError(
                f"the store {address.shown} is damaged: its version (table alembic_version) is missing",
                hint="Nothing was changed. Restore it from a backup; the other tables can be read with any SQL client.",
            )
        # A server's database may be shared, a file with other things in it was named by mistake.
        if others if isinstance(address, SqliteAddress) else others & ours:
            raise foreign
        return None
    if not isinstance(revision, str) or not re.fullmatch(r"[0-9]{4}", revision):  # a damaged page holds anything
        raise foreign
    if revision > schema.HEAD:
        raise UserError(
            f"the store {address.shown} was written by a newer karat (its tables have version {revision}, this one "
            f"supports {schema.HEAD})",
            hint="Update karat: pip install --upgrade karat",
        )
    if isinstance(address, SqliteAddress):
        _refuse_programs(connection, address)
    return str(revision)


def _refuse_programs(connection: Connection, address: Address) -> None:
    """Raise for a trigger or a view, which a store never has: it would run with every change, or read as a table."""
    query = "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')"
    if (found := connection.exec_driver_sql(query).first()) is not None:
        kind, name = found
        raise UserError(
            f"the store {address.shown} has a {kind} named {str(name)[:80]}, which karat did not make",
            hint=f"It could change what is stored. If it is yours, remove it with an SQL client: DROP {kind.upper()}.",
        )


def _change(engine: Engine, address: Address) -> None:
    """Create or upgrade, in one transaction, while every other process that wants the same waits."""
    with engine.connect().execution_options(writes=True) as connection:
        raw: Any = connection.connection.dbapi_connection
        if isinstance(raw, sqlite3.Connection):
            # A migration rebuilds tables. With the keys on, dropping the old one would delete all that hangs on it.
            raw.execute("PRAGMA foreign_keys=OFF")
        try:
            with connection.begin():
                if connection.dialect.name == "postgresql":
                    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ONE_AT_A_TIME})")
                found = stored_revision(connection, address)
                if found is None:
                    create_tables(connection)
                elif found != schema.HEAD:
                    upgrade(connection)
            if isinstance(raw, sqlite3.Connection) and found is not None:
                rewrite_file(raw)
        finally:
            if isinstance(raw, sqlite3.Connection):
                raw.execute("PRAGMA foreign_keys=ON")


def create_tables(connection: Connection) -> None:
    """All tables as they are now, marked with ``HEAD``."""
    schema.metadata.create_all(connection, checkfirst=False)
    schema.version_metadata.create_all(connection)
    connection.execute(schema.alembic_version.insert(), {"version_num": schema.HEAD})


def upgrade(connection: Connection) -> None:
    """Run the migrations that are missing, in the connection's open transaction."""
    from alembic import command

    command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: Connection | None = None) -> Any:
    """Alembic's configuration without a file: where the migrations lie, and the connection."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
