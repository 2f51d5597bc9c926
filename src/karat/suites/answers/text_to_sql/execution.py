"""Running queries: each distinct text once on each database, kept in memory and on disk for the next time."""

from __future__ import annotations

import atexit
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar  # Any: cells of a result, and schemas as the engine gives them

import msgspec

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import UserError
from karat.engines.embedded.values import pack
from karat.engines.opening import open_engine
from karat.engines.protocol import Engine, EngineError, ResultRows, ResultTable, RowsEngine
from karat.engines.query.rows_cache import RowsCache
from karat.engines.table_names import TableColumns, tables_of

CACHE = Path(".karat/cache/queries.sqlite")
MOST_KEPT = 4_096
"""Results that are kept in memory."""
MOST_CELLS = 200_000
"""Of a result that is kept there."""

_VOLATILE = re.compile(
    r"\b(now|today|current_\w+|localtime\w*|sysdate|curdate|random\w*|rand|uuid\w*|gen_random_\w+|julianday|unixepoch)\b",
    re.IGNORECASE,
)


Schema = TypeVar("Schema")


class Ran(msgspec.Struct, frozen=True):
    """What became of a query: rows, or the kind of failure and what was said."""

    result: ResultRows | None = None
    kind: str = ""
    """``sql_error``, ``timeout``, ``too_large`` or ``connection``."""
    message: str = ""

    @property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        return self.result.rows if self.result is not None else ()

    @property
    def names(self) -> tuple[str, ...]:
        return self.result.names if self.result is not None else ()

    @property
    def problem(self) -> str:
        return f"{self.kind}: {self.message}" if self.kind else ""

    @property
    def seconds(self) -> float:
        return self.result.seconds if self.result is not None else 0.0

    @property
    def size(self) -> int:
        """Bytes of the result, as it is sent from process to process."""
        return len(pack(self.result)) if self.result is not None else 0


class Databases:
    """The open databases of a process, and the results of what ran on them."""

    def __init__(self, timeout: float, row_limit: int, cache_file: Path | None = CACHE) -> None:
        self._timeout, self._row_limit = timeout, row_limit
        self._engines: dict[bytes, tuple[RowsEngine, threading.Lock]] = {}
        self._schemas: dict[bytes, Any] = {}
        self._fingerprints: dict[str, tuple[Any, str]] = {}
        self._tables: dict[bytes, tuple[TableColumns, ...]] = {}
        self._kept: OrderedDict[tuple[bytes, str, str], Ran] = OrderedDict()
        self._cache = RowsCache(Path.cwd() / cache_file) if cache_file else None
        self._lock = threading.Lock()

    def run(self, settings: JsonMapping, sql: str) -> Ran:
        """The rows of a query. Raises UserError when the database cannot be opened."""
        return self.runner(settings)(sql)

    def runner(self, settings: JsonMapping) -> Callable[[str], Ran]:
        """``run`` for one database, whose content is looked at once, now: for all the queries of one case."""
        engine, one_at_a_time, key = self._engine(settings)
        try:
            content = self._fingerprint(engine, settings)
        except EngineError as error:
            failed = Ran(kind="connection", message=error.message)
            return lambda _: failed
        backwards = str(settings.get("reverse_unordered", ""))
        return lambda sql: self._run(engine, one_at_a_time, key, content, backwards, sql)

    def _run(
        self, engine: RowsEngine, one_at_a_time: threading.Lock, key: bytes, content: str, backwards: str, sql: str
    ) -> Ran:
        known = (key, content, sql)
        with self._lock:
            if known in self._kept:
                self._kept.move_to_end(known)
                return self._kept[known]
        volatile = _VOLATILE.search(sql) is not None
        # The order of rows is part of a result, so the settings are part of its name.
        name = (engine.name, content, backwards, sql, str(self._row_limit))
        # A server does not say when its data changed: what it answers is kept for this process only.
        disk = self._cache if engine.name in ("sqlite", "duckdb") and not volatile else None
        stored = disk.get(name) if disk is not None else None
        ran = Ran(stored) if stored is not None else None
        if ran is None:
            with one_at_a_time:
                ran = self._ran(engine, sql)
            if ran.result is not None and disk is not None:
                disk.put(name, ran.result)
        if ran.kind not in ("timeout", "connection") and len(ran.rows) * len(ran.names) <= MOST_CELLS and not volatile:
            with self._lock:
                self._kept[known] = ran
                if len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
        return ran

    def _fingerprint(self, engine: RowsEngine, settings: JsonMapping) -> str:
        """Asked for again only when the size or time of the file has changed."""
        path = settings.get("path")
        if path is None:
            return engine.fingerprint()
        state = tuple(_state(f"{path}{ending}") for ending in ("", "-wal", ".wal"))
        known = self._fingerprints.get(path)
        if known is None or known[0] != state:
            known = self._fingerprints[path] = (state, engine.fingerprint())
        return known[1]

    def dialect(self, settings: JsonMapping) -> str:
        """The dialect of a database, as sqlglot names it."""
        return self._engine(settings)[0].dialect

    def tables(self, settings: JsonMapping) -> tuple[TableColumns, ...]:
        """The tables of a database. Raises EngineError."""
        engine, one_at_a_time, key = self._engine(settings)
        with one_at_a_time:
            if key not in self._tables:
                self._tables[key] = tables_of(engine, timeout=self._timeout)
        return self._tables[key]

    def timed(self, settings: JsonMapping, sql: str) -> float:
        """Seconds of one more run of a query, on a new connection. Raises EngineError."""
        engine, one_at_a_time, _ = self._engine(settings)
        with one_at_a_time:
            engine.close()
            return engine.rows(sql, timeout=self._timeout, row_limit=self._row_limit).seconds

    def explained(self, settings: JsonMapping, sql: str) -> str:
        """What EXPLAIN says of a query that has run before; empty where it fails."""
        engine, one_at_a_time, _ = self._engine(settings)
        run = getattr(engine, "unguarded", engine.run)
        with one_at_a_time, suppress(EngineError):
            found: ResultTable = run(sql, timeout=self._timeout, row_limit=10)
            return str(found.columns[-1][0]) if found.height else ""
        return ""

    def kept_schema(self, settings: JsonMapping, read: Callable[[Callable[[str], Ran]], Schema]) -> Schema:
        """What ``read`` finds out about a database, found out once."""
        key = msgspec.json.encode(settings, order="sorted")
        if key not in self._schemas:
            self._schemas[key] = read(partial(self.run, settings))
        found: Schema = self._schemas[key]
        return found

    def close(self) -> None:
        for engine, _ in self._engines.values():
            engine.close()
        self._engines.clear()
        if self._cache is not None:
            self._cache.close()

    def _engine(self, settings: JsonMapping) -> tuple[RowsEngine, threading.Lock, bytes]:
        key = msgspec.json.encode(settings, order="sorted")
        with self._lock:
            if key not in self._engines:
                opened: Engine = open_engine(settings, Path.cwd(), "the database")
                if not isinstance(opened, RowsEngine):
                    name = settings.get("engine")
                    hint = "Use SQLite, DuckDB or PostgreSQL, or score result files: karat answers --result_dir."
                    raise UserError(f"the engine {name} does not give typed rows, which gold SQL needs", hint=hint)
                self._engines[key] = (opened, threading.Lock())
            engine, lock = self._engines[key]
        return engine, lock, key

    def _ran(self, engine: RowsEngine, sql: str) -> Ran:
        try:
            result = engine.rows(sql, timeout=self._timeout, row_limit=self._row_limit)
        except EngineError as error:
            return _failed(error)
        if result.truncated:
            return Ran(kind="too_large", message=f"the result has more than {self._row_limit:,} rows")
        return Ran(result)


def _state(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)  # noqa: PTH116 (for every query; a Path costs more than the look itself)
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _failed(error: EngineError) -> Ran:
    if error.kind == "refused":
        return Ran(kind="sql_error", message=f"not a query: {error.message.removeprefix('the query was not run: ')}")
    if error.kind in ("memory", "row_limit"):
        return Ran(kind="too_large", message=error.message)
    return Ran(kind=error.kind, message=error.message)


@cache
def databases_for(timeout: float, row_limit: int) -> Databases:
    """One set of open databases in a process for the same limits."""
    found = Databases(timeout, row_limit)
    atexit.register(found.close)
    return found


def reversed_settings(settings: JsonMapping) -> JsonObject | None:
    """The same database with unordered rows the other way round; None where the engine cannot do that."""
    return {**settings, "reverse_unordered": True} if settings.get("engine") in ("sqlite", "duckdb") else None
