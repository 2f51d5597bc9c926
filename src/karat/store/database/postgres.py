"""Connections to a PostgreSQL server, through psycopg 3."""

from __future__ import annotations

from typing import Any  # Any: the raw connection and its record, as SQLAlchemy hands them to a listener

from sqlalchemy import Engine, ExceptionContext, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from karat.core.installed.extras import install_command
from karat.core.json_types import JsonObject
from karat.core.problems import UserError
from karat.store.database.address import PostgresAddress
from karat.store.database.failures import is_nonsense

CONNECT_SECONDS = 10
LOCK_SECONDS = 30
SILENCE: JsonObject = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}
"""After 30 s without a sign from the server's machine the connection is lost. By default that takes two hours."""


def postgres_engine(address: PostgresAddress, *, read_only: bool) -> Engine:
    """An engine over the server's database."""
    try:
        import psycopg  # noqa: F401 (only whether it is installed)
    except ImportError:
        hint = install_command("postgres")
        raise UserError("a PostgreSQL store needs the package psycopg, which is not installed", hint=hint) from None
    try:
        url = make_url(address.url)
    except (ArgumentError, ValueError):  # their texts quote parts of the URL
        hint = "Write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password as %XX."
        raise UserError("the store's PostgreSQL URL cannot be read", hint=hint) from None
    defaults = {"application_name": "karat", "connect_timeout": CONNECT_SECONDS, **SILENCE}
    arguments = {name: value for name, value in defaults.items() if name not in url.query}
    engine = create_engine(url, connect_args=arguments, pool_pre_ping=True, hide_parameters=True)

    def prepare(connection: Any, _record: Any) -> None:
        connection.execute(f"SET lock_timeout = '{LOCK_SECONDS}s'")
        if read_only:
            connection.execute("SET default_transaction_read_only = on")
        connection.commit()

    event.listen(engine, "connect", prepare)
    event.listen(engine, "handle_error", _notice_nonsense)
    return engine


def _notice_nonsense(context: ExceptionContext) -> None:
    """Such a connection is lost: nobody knows what the server did, and nothing more is sent over it."""
    if is_nonsense(context.original_exception):
        context.is_disconnect = True
