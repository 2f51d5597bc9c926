"""Running queries: each distinct text once on each database, kept in memory and on disk for the next time."""

from __future__ import annotations

import atexit
import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar  # Any: cells of a result, and schemas as the engine gives them

import msgspec

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import UserError
from karat.engines.embedded.values import pack, unpack
from karat.engines.embedded_file import EmbeddedEngine, packed_rows
from karat.engines.opening import open_engine
from karat.engines.protocol import Engine, EngineError, ResultRows, ResultTable, RowsEngine, UnguardedEngine
from karat.engines.query.rows_cache import RowsCache
from karat.engines.table_names import TableColumns, tables_of
from karat.suites.answers.text_to_sql.official.bird import has_broken_text

CACHE = Path(".karat/cache/queries.sqlite")
MOST_KEPT = 8_192
"""Results that are kept in memory."""
MOST_CELLS = 200_000
"""Of a result that is kept there."""

MOST_KEPT_CELLS = 4_000_000
"""Of all results that are kept there."""
FEWEST_AHEAD, MOST_AHEAD = 4, 256
"""Queries that are sent in one message before somebody asks for them: few at first, and again after slow ones."""
SLOW_AHEAD = 0.25
"""Seconds of such a message after which the next one is a short one."""
LONGEST_AHEAD = 2.0
"""Seconds after which no more are sent."""

_VOLATILE = re.compile(
    r"\b(now|today|current_\w+|localtime\w*|sysdate|curdate|random\w*|rand|uuid\w*|gen_random_\w+|julianday|unixepoch)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def _volatile(sql: str) -> bool:
    return _VOLATILE.search(sql) is not None


OF_ANY_FILE = {"engine", "path", "memory_limit", "reverse_unordered"}
"""Settings under which two files with the same content give the same results."""
Schema = TypeVar("Schema")
Key = tuple[tuple[object, ...], str]
"""The content of a database (:attr:`Place.identity`), SQL."""


class Ran(msgspec.Struct, frozen=True, dict=True):
    """What became of a query: rows, or the kind of failure and what was said."""

    result: ResultRows | None = None
    kind: str = ""
    """``sql_error``, ``timeout``, ``too_large`` or ``connection``."""
    message: str = ""

    @cached_property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        return self.result.rows if self.result is not None else ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self.result.names if self.result is not None else ()

    @property
    def problem(self) -> str:
        return f"{self.kind}: {self.message}" if self.kind else ""

    @property
    def seconds(self) -> float:
        return self.result.seconds if self.result is not None else 0.0

    @cached_property
    def cells(self) -> int:
        return len(self.rows) * len(self.names)

    @cached_property
    def broken(self) -> bool:
        """Whether a text in it is not UTF-8."""
        return has_broken_text(self.rows)

    @cached_property
    def size(self) -> int:
        """Bytes of the result, as it is sent from process to process."""
        return len(pack(self.result)) if self.result is not None else 0


class Place:
    """An open database."""

    def __init__(self, engine: RowsEngine, settings: JsonMapping, key: bytes) -> None:
        self.engine, self.key = engine, key
        self.content = ""
        """The fingerprint of what is in it, as it was looked at last."""
        self.failed: Ran | None = None
        """Why nothing can run on it now."""
        self.one_at_a_time = threading.Lock()
        self.backwards = str(settings.get("reverse_unordered", ""))
        # A server does not say when its data changed: what it answers is kept for this process only.
        self.lasting = engine.name in ("sqlite", "duckdb")
        self._path = settings.get("path")
        self._state: tuple[object, ...] | None = None
        opened = tuple((name, str(value)) for name, value in sorted(settings.items()) if name != "path")
        self._opened = opened if self.lasting and settings.keys() <= OF_ANY_FILE else (key,)
        self.identity: tuple[object, ...] = (key, "")
        """What a result depends on beside the SQL: files with the same content, opened in the same way, share it."""

    def look(self) -> None:
        """Find out what is in it, unless size and time of the file are those of the last look."""
        state = None
        if self._path is not None:
            ending = ".wal" if self.engine.name == "duckdb" else "-wal"
            state = (_state(self._path), _state(f"{self._path}{ending}"))
            if state == self._state:
                return
        self.failed = None
        try:
            self.content = self.engine.fingerprint()
        except EngineError as error:
            self.failed = Ran(kind="connection", message=error.message)
            state = None
        self._state = state
        self.identity = (*self._opened, self.content)


class Databases:
    """The open databases of a process, and the results of what ran on them."""

    def __init__(self, timeout: float, row_limit: int, cache_file: Path | None = CACHE) -> None:
        self._timeout, self._row_limit = timeout, row_limit
        self._places: dict[bytes, Place] = {}
        self._schemas: dict[bytes, Any] = {}
        self._tables: dict[bytes, tuple[TableColumns, ...]] = {}
        self._kept: OrderedDict[Key, Ran] = OrderedDict()
        self._kept_cells = 0
        self._together = FEWEST_AHEAD
        self._cache = RowsCache(Path.cwd() / cache_file) if cache_file else None
        self._lock = threading.Lock()

    def place(self, settings: JsonMapping) -> Place:
        """An open database, whose content is looked at now. Raises UserError when it cannot be opened."""
        place = self._place(settings)
        place.look()
        return place

    def run(self, settings: JsonMapping, sql: str) -> Ran:
        """The rows of a query. Raises UserError when the database cannot be opened."""
        return self.ran([(self.place(settings), sql)])[0]

    def ran(self, asked: Sequence[tuple[Place, str]]) -> list[Ran]:
        """What became of each query, in their order. Those that nobody has run before run together."""
        found: dict[tuple[Place, str], Ran] = {}
        missing: list[tuple[Place, str]] = []
        with self._lock:
            for one in dict.fromkeys(asked):
                place, sql = one
                key = (place.identity, sql)
                if place.failed is not None:
                    found[one] = place.failed
                elif key in self._kept:
                    self._kept.move_to_end(key)
                    found[one] = self._kept[key]
                else:
                    missing.append(one)
        if missing:
            found |= self._found(missing)
        return [found[one] for one in asked]

    def run_ahead(self, asked: Sequence[tuple[Place, str]]) -> dict[tuple[Place, str], Ran]:
        """Run queries that are soon asked for, many in one message. It ends early where they take long or give much:
        those that are left then run when they are asked for."""
        wanted = [one for one in asked if one[0].lasting and one[0].failed is None and not _volatile(one[1])]
        done: dict[tuple[Place, str], Ran] = {}
        begun = now = time.monotonic()
        cells = 0
        while wanted and cells < MOST_CELLS and now - begun < LONGEST_AHEAD:
            some, wanted = wanted[: self._together], wanted[self._together :]
            found = dict(zip(some, self.ran(some), strict=True))
            cells += sum(ran.cells for ran in found.values())
            done |= found
            before, now = now, time.monotonic()
            self._together = min(2 * self._together, MOST_AHEAD) if now - before < SLOW_AHEAD else FEWEST_AHEAD
        return done

    def _found(self, missing: Sequence[tuple[Place, str]]) -> dict[tuple[Place, str], Ran]:
        """From the disk, or else by running them."""
        volatile = {one for one in missing if _volatile(one[1])}
        names = {one: self._name(*one) for one in missing if one[0].lasting and one not in volatile}
        stored = self._cache.get(list(names.values())) if self._cache is not None and names else ()
        found = {one: Ran(rows) for one, rows in zip(names, stored, strict=False) if rows is not None}
        left = [one for one in missing if one not in found]
        embedded = [(one, engine) for one in left if isinstance(engine := one[0].engine, EmbeddedEngine)]
        together = [(engine, sql) for (_, sql), engine in embedded]
        outcomes = packed_rows(together, timeout=self._timeout, row_limit=self._row_limit) if together else []
        for (one, _), outcome in zip(embedded, outcomes, strict=True):
            if isinstance(outcome, UserError):
                raise outcome
            found[one] = ran = self._outcome(outcome)
            if self._cache is not None and one in names and ran.result is not None and isinstance(outcome, bytes):
                self._cache.put(names[one], outcome)
        for one in left:
            if one not in found:
                found[one] = self._run_alone(*one)
        with self._lock:
            for (place, sql), ran in found.items():
                key = (place.identity, sql)
                if self._worth_keeping(ran) and (place, sql) not in volatile and key not in self._kept:
                    self._kept[key] = ran
                    self._kept_cells += ran.cells
            while len(self._kept) > MOST_KEPT or self._kept_cells > MOST_KEPT_CELLS:
                self._kept_cells -= self._kept.popitem(last=False)[1].cells
        return found

    def _name(self, place: Place, sql: str) -> tuple[str, ...]:
        # The order of rows is part of a result, so the settings are part of its name.
        return place.engine.name, place.content, place.backwards, sql, str(self._row_limit)

    def _worth_keeping(self, ran: Ran) -> bool:
        return ran.kind not in ("timeout", "connection") and ran.cells <= MOST_CELLS

    def _run_alone(self, place: Place, sql: str) -> Ran:
        try:
            with place.one_at_a_time:
                return self._outcome(place.engine.rows(sql, timeout=self._timeout, row_limit=self._row_limit))
        except EngineError as error:
            return _failed(error)

    def _outcome(self, outcome: bytes | ResultRows | EngineError) -> Ran:
        if isinstance(outcome, EngineError):
            return _failed(outcome)
        result = unpack(outcome) if isinstance(outcome, bytes) else outcome
        if result.truncated:
            return Ran(kind="too_large", message=f"the result has more than {self._row_limit:,} rows")
        return Ran(result)

    def tables(self, settings: JsonMapping) -> tuple[TableColumns, ...]:
        """The tables of a database. Raises EngineError."""
        place = self._place(settings)
        with place.one_at_a_time:
            if place.key not in self._tables:
                self._tables[place.key] = tables_of(place.engine, timeout=self._timeout)
        return self._tables[place.key]

    def timed(self, settings: JsonMapping, sql: str) -> float:
        """Seconds of one more run of a query, on a new connection. Raises EngineError."""
        place = self._place(settings)
        with place.one_at_a_time:
            place.engine.close()
            return place.engine.rows(sql, timeout=self._timeout, row_limit=self._row_limit).seconds

    def explained(self, settings: JsonMapping, sql: str) -> str:
        """What EXPLAIN says of a query that has run before; empty where it fails."""
        place = self._place(settings)
        engine: Engine = place.engine
        run = engine.unguarded if isinstance(engine, UnguardedEngine) else engine.run
        with place.one_at_a_time, suppress(EngineError):
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
        for place in self._places.values():
            place.engine.close()
        self._places.clear()
        if self._cache is not None:
            self._cache.close()

    def _place(self, settings: JsonMapping) -> Place:
        key = msgspec.json.encode(settings, order="sorted")
        with self._lock:
            if key not in self._places:
                opened: Engine = open_engine(settings, Path.cwd(), "the database")
                if not isinstance(opened, RowsEngine):
                    name = settings.get("engine")
                    hint = "Use SQLite, DuckDB, PostgreSQL or MySQL, or score result files: karat answers --result_dir."
                    raise UserError(f"the engine {name} does not give typed rows, which gold SQL needs", hint=hint)
                self._places[key] = Place(opened, settings, key)
            return self._places[key]


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
    """The same database with unordered rows the other way round; None where the engine has no setting for that."""
    return {**settings, "reverse_unordered": True} if settings.get("engine") == "sqlite" else None
