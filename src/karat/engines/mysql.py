"""MySQL and MariaDB, in read-only transactions.

::

    shop: {engine: mysql, url: "mysql://reader:${SHOP_PASSWORD}@localhost:3306/shop"}

A socket is named by an option: ``mysql://reader@/shop?unix_socket=/run/mysqld/mysqld.sock``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from karat.core.json_types import JsonObject
from karat.core.problems import UserError, did_you_mean
from karat.engines.drivers import driver
from karat.engines.protocol import EngineConfig, EngineError, EngineType, ResultRows, ResultTable
from karat.engines.query.deadline import within
from karat.engines.query.fetching import as_rows, as_table, fetched
from karat.engines.query.fingerprints import server_fingerprint
from karat.engines.query.guard import check
from karat.engines.secrets import shown_settings
from karat.engines.server_url import ServerUrl

if TYPE_CHECKING:
    from pymysql.connections import Connection

MARGIN = 1.0
"""Seconds after which the server stops the query by itself, should our own KILL not reach it."""
OPTIONS = ("unix_socket", "charset", "ssl_ca", "ssl_verify_identity")

_STOPPED = {1317, 1969, 3024}  # interrupted, max_statement_time, max_execution_time
_READ_ONLY = {1044, 1045, 1142, 1143, 1227, 1290, 1792}  # refused by rights or by the transaction
_LOST = {2006, 2013, 2055, 1053, 1927, 4031}


class MysqlConfig(EngineConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A database on a server. ``${NAME}`` in the URL is filled in from the environment."""

    url: str
    connect_timeout: int = 10

    def __repr__(self) -> str:
        return f"MysqlConfig({shown_settings({'url': self.url})})"


Result = TypeVar("Result", ResultTable, ResultRows)


class MysqlEngine:
    """A connection that is made when it is first needed, and made again when it was lost."""

    name = "mysql"
    dialect = "mysql"

    def __init__(self, config: MysqlConfig) -> None:
        self._pymysql = driver("pymysql", "sql")
        self._url = ServerUrl(config.url, ("mysql", "mariadb"), "the mysql engine")
        self._arguments = _arguments(self._url.text("mysql")) | {"connect_timeout": config.connect_timeout}
        self._connection: Connection | None = None
        self._version = ""

    def run(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        return self.unguarded(check(sql, self.dialect), timeout=timeout, row_limit=row_limit)

    def rows(self, sql: str, *, timeout: float, row_limit: int) -> ResultRows:
        return self._result(check(sql, self.dialect), timeout, row_limit, as_rows)

    def unguarded(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        """Run without the first look at the SQL; the transaction still refuses what writes."""
        return self._result(sql, timeout, row_limit, as_table)

    def _result(self, sql: str, timeout: float, row_limit: int, made: Callable[..., Result]) -> Result:
        connection = self._connected()
        begun = time.monotonic()

        def work() -> Result:
            with connection.cursor() as setting:
                setting.execute(self._time_limit(timeout + MARGIN))
                setting.execute("START TRANSACTION READ ONLY")
            cursor = connection.cursor(self._pymysql.cursors.SSCursor)  # rows are fetched as they are wanted
            cursor.execute(sql)
            names = [column[0] for column in cursor.description or ()]
            rows, truncated = fetched(cursor.fetchmany if names else lambda _: (), row_limit)
            if truncated:
                with suppress(EngineError, self._pymysql.MySQLError):
                    self._kill(connection)  # closing the cursor reads all that is on its way: let that be little
                    cursor.close()
                self._drop()
            else:
                cursor.close()
                connection.rollback()
            return made(names, rows, truncated, time.monotonic() - begun)

        try:
            found = within(work, timeout, lambda: self._kill(connection))
            if "@" in sql:  # a variable of the session may be set: no other query may see it
                self._drop()
            return found
        except self._pymysql.MySQLError as error:
            self._drop()
            raise self._failure(error, timeout) from None
        except BaseException:  # rows may still be on their way: the next query would read them
            self._drop()
            raise

    def _time_limit(self, seconds: float) -> str:
        if "MariaDB" in self._version:
            return f"SET SESSION max_statement_time = {seconds:.3f}"
        return f"SET SESSION max_execution_time = {round(seconds * 1000)}"

    def _failure(self, error: Exception, timeout: float) -> EngineError:
        number = error.args[0] if error.args else 0
        if number in _STOPPED:
            return EngineError("timeout", f"the query was stopped after {timeout:g} s")
        text = self._said(error)
        if number in _READ_ONLY:
            return EngineError("refused", text)
        return EngineError("connection" if number in _LOST else "sql_error", text)

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._new_connection()
            self._version = str(self._connection.get_server_info())
            with self._connection.cursor() as cursor:
                cursor.execute("SET SESSION TRANSACTION READ ONLY")
                # With this mode set, a string would end elsewhere than the guard thinks.
                cursor.execute("SET SESSION sql_mode = REPLACE(@@sql_mode, 'NO_BACKSLASH_ESCAPES', '')")
        return self._connection

    def _new_connection(self) -> Connection:
        try:
            return self._pymysql.connect(**self._arguments, local_infile=False, autocommit=False)
        except (self._pymysql.MySQLError, OSError, RuntimeError) as error:
            raise EngineError("connection", f"{self._url.shown}: {self._said(error)}") from None

    def _kill(self, connection: Connection) -> None:
        other = self._new_connection()
        try:
            with other.cursor() as cursor:
                cursor.execute(f"KILL QUERY {int(connection.thread_id())}")
        finally:
            other.close()

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection._force_close()  # a polite close would wait for the query
            with suppress(Exception):
                self._connection._result.unbuffered_active = False  # else its end would read on, from nothing
        self._connection = None

    def _said(self, error: Exception) -> str:
        text = str(error.args[1]) if len(error.args) > 1 else str(error)
        return self._url.secrets.text(text).strip()

    def fingerprint(self) -> str:
        self._connected()
        parts = (self._arguments.get(key) for key in ("host", "port", "unix_socket", "database", "user"))
        return server_fingerprint("mysql", *parts, self._version)

    def close(self) -> None:
        self._drop()


def _arguments(url: str) -> JsonObject:
    parts = urlsplit(url)
    found: JsonObject = {"host": parts.hostname or "localhost", "port": parts.port or 3306, "charset": "utf8mb4"}
    # Bytes: of a text the driver would make Latin-1, which is not what the server has.
    found |= {"user": unquote(parts.username or ""), "password": unquote(parts.password or "").encode()}
    found |= {"database": unquote(parts.path.lstrip("/")) or None}
    for name, values in parse_qs(parts.query).items():
        if name not in OPTIONS:
            raise UserError(
                f'the url of the mysql engine has no option "{name[:30]}"', hint=did_you_mean(name[:30], OPTIONS)
            )
        found[name] = values[-1]
    return found


def _open(config: MysqlConfig, _: Path) -> MysqlEngine:
    try:
        return MysqlEngine(config)
    except ValueError:  # a port that is not a number; the message would quote the URL
        raise UserError(
            "the url of the mysql engine cannot be read", hint="Write mysql://USER:${PASSWORD}@HOST:PORT/DATABASE."
        ) from None


engine = EngineType("mysql", "MySQL and MariaDB servers", MysqlConfig, _open)
