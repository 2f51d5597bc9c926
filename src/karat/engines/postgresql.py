"""PostgreSQL, in read-only transactions.

::

    shop: {engine: postgresql, url: "postgresql://reader:${SHOP_PASSWORD}@localhost/shop"}
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar  # Any: a loader is a class chosen at run time, a stream a generator

from karat.core.problems import UserError
from karat.engines.drivers import driver
from karat.engines.protocol import EngineConfig, EngineError, EngineType, ResultRows, ResultTable
from karat.engines.query.deadline import Abandoned, within
from karat.engines.query.fetching import Row, as_rows, as_table, batches, fetched, flat
from karat.engines.query.fingerprints import server_fingerprint
from karat.engines.query.guard import check
from karat.engines.secrets import shown_settings
from karat.engines.server_url import ServerUrl

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.adapt import Loader

MARGIN = 1.0
"""Seconds after which the server stops the query by itself, should our own cancelling not reach it."""
CANCEL_FOR = 2.0

_SESSION = "-c default_transaction_read_only=on -c standard_conforming_strings=on -c client_encoding=UTF8"


class PostgresqlConfig(EngineConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A database on a server. ``${NAME}`` in the URL is filled in from the environment."""

    url: str
    connect_timeout: int = 10

    def __repr__(self) -> str:
        return f"PostgresqlConfig({shown_settings({'url': self.url})})"


Result = TypeVar("Result", ResultTable, ResultRows)


class PostgresqlEngine:
    """A connection that is made when it is first needed, and made again when it was lost."""

    name = "postgresql"
    dialect = "postgres"

    def __init__(self, config: PostgresqlConfig) -> None:
        self._psycopg = driver("psycopg", "sql")
        self._url = ServerUrl(config.url, ("postgresql", "postgres"), "the postgresql engine")
        self._connect_timeout = config.connect_timeout
        self._connection: Connection | None = None

    def run(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        return self.unguarded(check(sql, self.dialect), timeout=timeout, row_limit=row_limit)

    def rows(self, sql: str, *, timeout: float, row_limit: int) -> ResultRows:
        return self._result(check(sql, self.dialect), timeout, row_limit, _flat_rows)

    def unguarded(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        """Run without the first look at the SQL; the transaction still refuses what writes."""
        return self._result(sql, timeout, row_limit, as_table)

    def _result(self, sql: str, timeout: float, row_limit: int, made: Callable[..., Result]) -> Result:
        connection = self._connected()
        begun = time.monotonic()

        def work() -> Result:
            with connection.cursor() as cursor:
                # The driver begins the transaction as read-only; both settings end with it.
                cursor.execute(f"SET LOCAL statement_timeout = {round((timeout + MARGIN) * 1000)}")
                # The extended protocol: one statement, whatever the text holds.
                rows_to_come: Any = cursor.stream(sql.encode())  # a generator, which psycopg types as an iterator
                with closing(rows_to_come) as stream:
                    first = next(stream, None)
                    names = (
                        _described(connection, sql)
                        if first is None
                        else [each.name for each in cursor.description or ()]
                    )
                    rows, truncated = fetched(batches(_with_first(first, stream)), row_limit)
                return made(names, rows, truncated, time.monotonic() - begun)

        try:
            return self._guarded_errors(
                lambda: within(work, timeout, lambda: connection.cancel_safe(timeout=CANCEL_FOR)), timeout
            )
        finally:
            self._end_transaction()

    def _guarded_errors(self, run: Callable[[], Result], timeout: float) -> Result:
        errors = self._psycopg.errors
        try:
            return run()
        except Abandoned:
            self._drop()
            raise
        except errors.QueryCanceled:
            raise EngineError("timeout", f"the query was stopped after {timeout:g} s") from None
        except (errors.ReadOnlySqlTransaction, errors.InsufficientPrivilege) as error:
            raise EngineError("refused", self._said(error)) from None
        except self._psycopg.Error as error:
            lost = self._connection is None or self._connection.closed
            raise EngineError("connection" if lost else "sql_error", self._said(error)) from None

    def _connected(self) -> Connection:
        if self._connection is None or self._connection.closed:
            try:
                self._connection = self._psycopg.connect(
                    self._url.text("postgresql"),
                    options=_SESSION,
                    connect_timeout=self._connect_timeout,
                    application_name="karat",
                )
            except self._psycopg.Error as error:
                raise EngineError("connection", f"{self._url.shown}: {self._said(error)}") from None
            self._connection.read_only = True
            self._connection.prepare_threshold = None
            _hold_any_time(self._psycopg, self._connection)
        return self._connection

    def _end_transaction(self) -> None:
        if self._connection is not None and not self._connection.closed:
            try:
                self._connection.rollback()
            except self._psycopg.Error:
                self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
        self._connection = None

    def _said(self, error: Exception) -> str:
        return self._url.secrets.text(str(error)).strip()

    def fingerprint(self) -> str:
        info = self._connected().info
        return server_fingerprint("postgresql", info.host, info.port, info.dbname, info.user, info.server_version)

    def close(self) -> None:
        self._drop()


def _flat_rows(names: Sequence[str], rows: Sequence[Row], truncated: bool, seconds: float) -> ResultRows:
    """An array or a document comes as a list or a dict."""
    return as_rows(names, flat(rows), truncated, seconds)


def _described(connection: Connection, sql: str) -> list[str]:
    """The columns of a query without rows: a stream that ends at once does not tell them."""
    connection.pgconn.prepare(b"", sql.encode())
    found = connection.pgconn.describe_prepared(b"")
    return [(found.fname(place) or b"").decode("utf-8", errors="replace") for place in range(found.nfields)]


def _hold_any_time(psycopg: ModuleType, connection: Connection) -> None:
    """Times that Python cannot hold (infinity, the year 20000) come as the text that the server sends."""
    kinds = psycopg.types.datetime
    for name, loader in (
        ("date", kinds.DateLoader),
        ("timestamp", kinds.TimestampLoader),
        ("timestamptz", kinds.TimestamptzLoader),
        ("time", kinds.TimeLoader),
        ("timetz", kinds.TimetzLoader),
        ("interval", kinds.IntervalLoader),
    ):
        connection.adapters.register_loader(name, _or_text(loader, psycopg.Error))


def _or_text(loader: Any, failure: type[Exception]) -> type[Loader]:
    class Load(loader):  # type: ignore[misc]  # a class of psycopg, chosen at run time
        def load(self, data: bytes | bytearray | memoryview) -> object:
            try:
                return super().load(data)
            except (failure, ValueError, ArithmeticError):
                return bytes(data).decode("utf-8", errors="replace")

    return Load


def _with_first(first: Row | None, rest: Iterator[Row]) -> Iterator[Row]:
    if first is not None:
        yield first
        yield from rest


def _open(config: PostgresqlConfig, _: Path) -> PostgresqlEngine:
    try:
        return PostgresqlEngine(config)
    except ValueError as error:  # a URL that cannot be taken apart; the message would quote it
        raise UserError("the url of the postgresql engine cannot be read", hint=type(error).__name__) from None


engine = EngineType("postgresql", "PostgreSQL servers", PostgresqlConfig, _open)
