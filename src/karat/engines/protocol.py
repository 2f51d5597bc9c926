"""What an engine is: something that runs one read-only query, within a time and up to a number of rows.

Adding one is a module with an :class:`EngineType` and an entry point in the group ``karat.engines``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable  # Any: each type of engine has settings of its own class

import msgspec

ErrorKind = Literal["sql_error", "timeout", "memory", "refused", "row_limit", "connection"]


class EngineError(Exception):
    """A query that gave no table. The message must hold no secret: the code that raises it takes secrets out.

    >>> import sqlite3, karat
    >>> with sqlite3.connect("doctest_error.sqlite") as database:
    ...     _ = database.execute("CREATE TABLE IF NOT EXISTS ships (name)")
    >>> engine = karat.engines.open_engine({"engine": "sqlite", "path": "doctest_error.sqlite"})
    >>> try:
    ...     engine.run("DELETE FROM ships", timeout=10, row_limit=10)
    ... except karat.EngineError as error:
    ...     print(error.kind)
    refused
    >>> engine.close()
    """

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message


class ResultTable(msgspec.Struct, frozen=True):
    """The answer to a query, column by column, each cell as its text in a CSV file, ``None`` for a null.

    >>> import karat
    >>> table = karat.result_table(["name", "seats"], [("Aurora", 120)], False, 0.1)
    >>> table.names, list(table.rows())
    (('name', 'seats'), [('Aurora', '120')])
    """

    names: tuple[str, ...]
    """The column names."""
    columns: tuple[tuple[str | None, ...], ...]
    """The cells, column by column; None is a null."""
    truncated: bool = False
    """Whether the query had more rows than were requested."""
    seconds: float = 0.0
    """How long the engine took. A cached table keeps the time of the query that made it."""

    @property
    def height(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def rows(self) -> Iterator[tuple[str | None, ...]]:
        return zip(*self.columns, strict=True)


class ResultRows(msgspec.Struct, frozen=True):
    """The answer to a query, row by row, each cell as the Python value that the driver gives.

    A text that is not UTF-8 keeps its bytes as surrogates, as ``surrogateescape`` has it.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    seconds: float = 0.0


class Engine(Protocol):
    """An open database. One query at a time.

    >>> import sqlite3, karat
    >>> with sqlite3.connect("doctest_engine.sqlite") as database:
    ...     _ = database.execute("CREATE TABLE IF NOT EXISTS ships (name)")
    >>> engine = karat.engines.open_engine({"engine": "sqlite", "path": "doctest_engine.sqlite"})
    >>> engine.run("SELECT count(*) AS n FROM ships", timeout=10, row_limit=10).names
    ('n',)
    >>> engine.close()
    """

    @property
    def name(self) -> str:
        """The name of its type: ``sqlite``, ``postgresql``, …"""

    @property
    def dialect(self) -> str:
        """The dialect of SQL, as sqlglot names it."""

    def run(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        """The query's table, cut after ``row_limit`` rows. Raises EngineError, also for what may not be run."""

    def fingerprint(self) -> str:
        """A text that changes when it is another database, or (for a file) when its content has changed."""

    def close(self) -> None:
        """Give back connections and temporary files."""


@runtime_checkable
class RowsEngine(Engine, Protocol):
    """An engine that also gives the values as they are, which the public evaluators of text-to-SQL compare."""

    def rows(self, sql: str, *, timeout: float, row_limit: int) -> ResultRows:
        """As ``run``, with Python values in place of texts."""


@runtime_checkable
class UnguardedEngine(Engine, Protocol):
    """An engine that runs a text of Karat's own (EXPLAIN, PRAGMA) without the check that answers go through."""

    def unguarded(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        """As ``run``, without the check."""


class EngineConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every engine takes. An engine's own settings extend this struct.

    >>> import karat
    >>> class Config(karat.EngineConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    ...     path: str
    >>> Config(engine="mine", path="ships.db").path
    'ships.db'
    """

    engine: str
    """The name of the engine."""
    timeout: float = 60.0
    """Seconds that one query may take, including fetching its rows."""
    row_limit: int = 1_000_000
    """The most rows of a result that can be compared."""
    cache: bool = True
    """Whether results may be kept. Switch it off if the data changes: a server does not say when it did."""

    def __post_init__(self) -> None:
        if self.timeout <= 0:
            raise ValueError("timeout must be above 0")
        if self.row_limit < 1:
            raise ValueError("row_limit must be at least 1")


@dataclass(frozen=True)
class EngineType:
    """A kind of engine: its name, its settings, how to open one.

    >>> import karat
    >>> from karat.core import plugins
    >>> kind: karat.EngineType = plugins.load("karat.engines", "sqlite")
    >>> kind.name
    'sqlite'
    """

    name: str
    summary: str
    config: type[EngineConfig]
    open: Callable[[Any, Path], Engine]
    """(settings, working folder) → an open engine. Raises UserError for what the user must fix."""
