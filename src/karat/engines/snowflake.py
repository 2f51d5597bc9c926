"""Snowflake, through its official client, in a transaction that is always rolled back.

::

    sf: {engine: snowflake}                                   # snowflake_credential.json in the working folder
    sf: {engine: snowflake, account: ORG-NAME, user: reader, password: "${SNOWFLAKE_PASSWORD}", role: READER}

Without a credential file the variables SNOWFLAKE_ACCOUNT, SNOWFLAKE_USER, SNOWFLAKE_PASSWORD and so on are used, else
the client's own file of connections. Snowflake has no read-only session: give the role the right to SELECT and no
other.
"""

from __future__ import annotations

import math
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core.json_types import JsonObject
from karat.core.problems import UserError
from karat.core.secrets.masking import Secrets
from karat.engines.drivers import driver
from karat.engines.protocol import EngineConfig, EngineError, EngineType, ResultTable
from karat.engines.query.deadline import within
from karat.engines.query.fetching import as_table, fetched
from karat.engines.query.fingerprints import server_fingerprint
from karat.engines.query.guard import check
from karat.engines.secrets import credential_file, credential_secrets, filled, shown_settings

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection
    from snowflake.connector.cursor import SnowflakeCursor

USUAL_FILE = "snowflake_credential.json"
# fmt: off
KEYS = (
    "account", "user", "password", "role", "warehouse", "database", "schema", "host", "port", "protocol",
    "authenticator", "token", "passcode", "private_key_file", "private_key_file_pwd",
)
# fmt: on
"""What may come from a credential file or from a variable SNOWFLAKE_…; anything else there is not looked at."""
MARGIN = 1.0

_STOPPED = {604, 630, 57014}
_NO_RIGHT = {3001, 3540}


class SnowflakeConfig(EngineConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How to connect. What is left out comes from the credential file, then from the environment."""

    account: str = ""
    user: str = ""
    password: str = ""
    """``${NAME}``: the name of the variable that holds it."""
    role: str = ""
    warehouse: str = ""
    database: str = ""
    schema: str = ""
    host: str = ""
    port: int | None = None
    protocol: str = ""
    authenticator: str = ""
    credentials: str = ""
    """A credential file. Left out: snowflake_credential.json in the working folder, then the environment."""
    connection_name: str = ""
    """A connection in the client's own file of connections."""
    connect_timeout: int = 30

    def __repr__(self) -> str:
        return f"SnowflakeConfig({shown_settings(msgspec.to_builtins(self))})"


class SnowflakeEngine:
    """A connection that is made when it is first needed, and made again when it was lost."""

    name = "snowflake"
    dialect = "snowflake"

    def __init__(self, config: SnowflakeConfig, folder: Path) -> None:
        self._connector = driver("snowflake.connector", "snowflake")
        self._arguments = _arguments(config, folder)
        self._secrets = Secrets(credential_secrets(self._arguments))
        self._timeouts = {"login_timeout": config.connect_timeout, "timeout": math.ceil(config.timeout + MARGIN)}
        self._connection: SnowflakeConnection | None = None

    def run(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        return self.unguarded(check(sql, self.dialect), timeout=timeout, row_limit=row_limit)

    def unguarded(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        """Run without the first look at the SQL; what it wrote is rolled back."""
        connection = self._connected()
        cursor = connection.cursor()
        begun = time.monotonic()

        def work() -> ResultTable:
            # The client asks the service to abort the statement when its own timer runs out.
            cursor.execute(sql, timeout=max(1, math.ceil(timeout)))
            names = [column.name for column in cursor.description or ()]
            rows, truncated = fetched(cursor.fetchmany, row_limit)
            cursor.close()
            return as_table(names, rows, truncated, time.monotonic() - begun)

        try:
            table = within(work, timeout, lambda: self._cancel(cursor))
            connection.rollback()
            return table
        except self._connector.errors.Error as error:
            self._drop()
            raise self._failure(error, timeout) from None
        except BaseException:  # the cursor may be in the midst of its rows
            self._drop()
            raise

    def _cancel(self, cursor: SnowflakeCursor) -> None:
        if cursor.sfqid:
            cursor.abort_query(cursor.sfqid)

    def _failure(self, error: Exception, timeout: float) -> EngineError:
        number = getattr(error, "errno", None)
        if number in _STOPPED:
            return EngineError("timeout", f"the query was stopped after {timeout:g} s")
        if number in _NO_RIGHT:
            return EngineError("refused", self._said(error))
        kind = isinstance(error, self._connector.errors.ProgrammingError)
        return EngineError("sql_error" if kind else "connection", self._said(error))

    def _connected(self) -> SnowflakeConnection:
        if self._connection is None:
            try:
                self._connection = self._connector.connect(
                    **self._arguments,
                    autocommit=False,
                    login_timeout=self._timeouts["login_timeout"],
                    application="karat",
                    session_parameters={
                        "STATEMENT_TIMEOUT_IN_SECONDS": self._timeouts["timeout"],
                        "MULTI_STATEMENT_COUNT": 1,
                        "QUERY_TAG": "karat",
                    },
                )
            except (self._connector.errors.Error, OSError, TypeError, ValueError) as error:
                raise EngineError("connection", f"Snowflake: {self._said(error)}") from None
        return self._connection

    def _drop(self) -> None:
        """Let the connection go. Its end rolls back what was not committed; a busy one is not waited for."""
        connection, self._connection = self._connection, None
        if connection is not None:
            threading.Thread(target=_closed, args=(connection,), daemon=True).start()

    def _said(self, error: Exception) -> str:
        return self._secrets.text(str(getattr(error, "msg", "") or error)).strip()

    def fingerprint(self) -> str:
        keys = ("account", "host", "port", "user", "role", "warehouse", "database", "schema", "connection_name")
        return server_fingerprint("snowflake", *(self._arguments.get(key) for key in keys))

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            _closed(connection)


def _closed(connection: SnowflakeConnection) -> None:
    with suppress(Exception):
        connection.rollback()
    with suppress(Exception):
        connection.close()


def _arguments(config: SnowflakeConfig, folder: Path) -> JsonObject:
    """Settings first, then the credential file, then the environment; the first that names a thing decides it."""
    found, _ = credential_file(config.credentials, USUAL_FILE, folder)
    given = dict(found or {})
    given.setdefault("user", given.get("username"))
    arguments: JsonObject = {}
    for key in KEYS:
        own = getattr(config, key, None)
        value = filled(own, "the snowflake engine")[0] if isinstance(own, str) and own else own
        value = value or given.get(key) or (os.environ.get(f"SNOWFLAKE_{key.upper()}") if found is None else None)
        if value:
            arguments[key] = value
    if config.connection_name:
        arguments["connection_name"] = config.connection_name
    elif "account" not in arguments and "SNOWFLAKE_DEFAULT_CONNECTION_NAME" not in os.environ:
        raise UserError(
            "the snowflake engine has no account",
            hint=f"Put {USUAL_FILE} into the working folder, or set SNOWFLAKE_ACCOUNT, SNOWFLAKE_USER and "
            "SNOWFLAKE_PASSWORD.",
        )
    return arguments


def _open(config: SnowflakeConfig, folder: Path) -> SnowflakeEngine:
    return SnowflakeEngine(config, folder)


engine = EngineType("snowflake", "Snowflake", SnowflakeConfig, _open)
