"""Answers and golds that are SQL: run on the engine of the instance, and put on as the table that the matchers read.

A query that gives no table becomes ``Answer.problem``, beginning with a reason from the closed list: ``timeout: …`` or
``sql_error: …``. A server that cannot be reached is nobody's wrong answer: its problem begins with ``connection:``, and
``reason_of`` gives none for it.
"""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any  # Any: options of the suite, and settings of an engine as they are in the file

import msgspec

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.plugins import is_own
from karat.core.problems import UserError
from karat.engines.opening import open_engine, read_settings
from karat.engines.protocol import Engine, EngineConfig, EngineError, ResultTable
from karat.engines.query.cache import ResultCache, cached_run
from karat.engines.query.result_csv import write_csv
from karat.engines.routing import route
from karat.engines.table_names import TableColumns, tables_of
from karat.suites.answers.cases import gold_sql
from karat.suites.answers.records import Answer, Entry, Gold
from karat.suites.answers.sql.by_prefix import settings_by_prefix
from karat.suites.answers.sql.texts import sql_in

CACHE = Path(".karat/cache/sql")
"""Where results are kept, below the working folder."""
TEXT_FUNCTIONS = ("string_match", "number_match")


class SqlRunner:
    """The engines of a run, opened when first needed. Several threads may use one; a database runs one query at a
    time."""

    def __init__(
        self,
        rules: Mapping[str, JsonMapping],
        *,
        folder: Path | None = None,
        timeout: float | None = None,
        row_limit: int | None = None,
        cache: Path | None = CACHE,
        databases: str = "",
    ) -> None:
        """``databases``: where the databases are for instances that no rule is about."""
        self._rules = rules
        self._databases = databases
        self._folder = folder or Path.cwd()
        self._limits = {"timeout": timeout, "row_limit": row_limit}
        self._cache = ResultCache(self._folder / cache) if cache else None
        self._results = Path(tempfile.mkdtemp(prefix="karat-sql-"))
        self._engines: dict[bytes, tuple[Engine, threading.Lock]] = {}
        self._tables: dict[Engine, tuple[TableColumns, ...]] = {}
        self._lock = threading.Lock()

    def run(self, instance_id: str, sql: str, *, database: str = "", fresh: bool = False) -> ResultTable:
        """The table of a query on the instance's engine. ``fresh`` never takes it from the cache. Raises
        EngineError."""
        config, engine, one_at_a_time = self._opened(instance_id, database)
        kept = self._cache if config.cache and not fresh else None
        with one_at_a_time:
            table, _ = cached_run(engine, sql, kept, timeout=config.timeout, row_limit=config.row_limit)
        if table.truncated:
            raise EngineError("row_limit", f"the result has more than {config.row_limit:,} rows")
        return table

    def tables(self, instance_id: str, database: str = "") -> tuple[TableColumns, ...]:
        """The tables and columns of the instance's database, looked up once. Raises EngineError."""
        config, engine, one_at_a_time = self._opened(instance_id, database)
        with one_at_a_time:
            if engine not in self._tables:
                self._tables[engine] = tables_of(engine, timeout=config.timeout)
            return self._tables[engine]

    def csv_file(self, instance_id: str, sql: str, table: ResultTable) -> str:
        """The table as a CSV file in a folder of this run's own. The id is the user's text, so it names no file."""
        name = hashlib.sha256(f"{instance_id}\x00{sql}".encode(errors="replace")).hexdigest()[:24]
        path = self._results / f"{name}.csv"
        write_csv(table, path)
        return str(path)

    def close(self) -> None:
        for engine, _ in self._engines.values():
            engine.close()
        self._engines.clear()
        shutil.rmtree(self._results, ignore_errors=True)

    def _opened(self, instance_id: str, database: str = "") -> tuple[EngineConfig, Engine, threading.Lock]:
        """The engine of an instance, open, with the limits that hold for it."""
        settings = _routed(instance_id, self._rules, self._databases, database)
        limits = {key: value for key, value in self._limits.items() if value is not None and key not in settings}
        settings |= limits
        _, config = read_settings(settings, f'the engine of "{instance_id}"')
        return config, *self._engine(settings, instance_id)

    def _engine(self, settings: JsonMapping, instance_id: str) -> tuple[Engine, threading.Lock]:
        key = msgspec.json.encode(settings, order="sorted")
        with self._lock:
            if key not in self._engines:
                opened = open_engine(settings, self._folder, f'the engine of "{instance_id}"')
                self._engines[key] = (opened, threading.Lock())
            return self._engines[key]


def answer_from_sql(answer: Answer, gold: Gold, runner: SqlRunner, database: str = "") -> Answer:
    """The answer with its SQL replaced by the result: a CSV file, or the cells as text where gold asks for a text."""
    if answer.kind != "sql" or answer.problem:
        return answer
    sql = sql_in(answer.text)
    try:
        table = runner.run(answer.instance_id, sql, database=database, fresh=gold.temporal)
    except EngineError as error:
        return msgspec.structs.replace(answer, problem=problem_of(error))
    if gold.entries and all(entry.func in TEXT_FUNCTIONS for entry in gold.entries):
        lines = [", ".join("" if cell is None else cell for cell in row) for row in table.rows()]
        rows = tuple(dict.fromkeys(lines)) if any(line.strip(" ,") for line in lines) else ()
        return Answer(answer.instance_id, "answer", "\n".join(lines) if rows else "", rows=rows)
    return Answer(answer.instance_id, "file", sql, paths=(runner.csv_file(answer.instance_id, sql, table),), rows=())


def gold_from_sql(gold: Gold, runner: SqlRunner, database: str = "") -> Gold:
    """A ``temporal`` gold computed now, on the engine of its instance; ``as_of`` is the time at which that was done."""
    if not gold.temporal:
        return gold
    try:
        sql = sql_in(gold_sql(gold))
        if not sql:
            raise EngineError("sql_error", "it is temporal, but has no SQL to compute it")
        table = runner.run(gold.instance_id, sql, database=database, fresh=True)
    except (EngineError, OSError, UnicodeDecodeError) as error:
        said = problem_of(error) if isinstance(error, EngineError) else f"its SQL cannot be read: {error}"
        return msgspec.structs.replace(gold, status="unreadable", problem=said)
    path = runner.csv_file(f"gold {gold.instance_id}", sql, table)
    entries = tuple(_recomputed(entry, table, path) for entry in gold.entries or (Entry("table_match"),))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return msgspec.structs.replace(gold, entries=entries, as_of=now, status="good", problem="")


def _recomputed(entry: Entry, table: ResultTable, path: str) -> Entry:
    if entry.func not in TEXT_FUNCTIONS:
        parameters = entry.parameters | {"gold": Path(path).name}
        return msgspec.structs.replace(entry, parameters=parameters, gold_files=(path,))
    cells = [cell for row in table.rows() for cell in row if cell is not None]
    # One value is the answer; of several, all must be there unless the gold row says otherwise.
    conj = {"conj": entry.parameters.get("conj", "and")} if len(cells) > 1 else {}
    return msgspec.structs.replace(entry, parameters=entry.parameters | {"gold": cells} | conj)


def problem_of(error: EngineError) -> str:
    """What ``Answer.problem`` says of a failed query: the reason first."""
    if error.kind in ("timeout", "connection", "sql_error"):
        return f"{error.kind}: {error.message}"
    return f"sql_error: {error.kind}: {error.message}"


def reason_of(problem: str) -> str:
    """The reason, from the closed list, that a problem of a query stands for; empty when the query is not to blame."""
    kind = problem.partition(":")[0]
    return kind if kind in ("timeout", "sql_error") else ""


def run_sql(gold: Gold, answer: Answer, options: Any, database: str = "") -> tuple[Gold, Answer]:
    """Gold and answer with their SQL run, on the engines that the suite's options name. ``database``: the one the case
    is about."""
    if not options.runs_sql(answer.instance_id) and not options.engines:
        raise UserError(
            "no engine is configured to run the SQL of the answers",
            hint='Name one in the options of the suite in karat.yaml, such as engines: {"": {engine: sqlite, database: '
            "shop.sqlite}}; "
            "the key is what the instance ids begin with, and an empty one is for all.",
        )
    if not options.runs_sql(answer.instance_id):
        raise UserError(
            "no engine is configured for instance ids like this one",
            hint=f'There are engines for ids that begin with {", ".join(sorted(options.engines))}; the key "" is for '
            "all others.",
        )
    runner = runner_for(options)
    return gold_from_sql(gold, runner, database), answer_from_sql(answer, gold, runner, database)


def runner_for(options: Any) -> SqlRunner:
    """The engines that the suite's options name."""
    rules = {prefix: _settings(engine) for prefix, engine in options.engines.items()}
    return _shared_runner(msgspec.json.encode((rules, options.timeout, options.row_limit, options.databases)))


def _routed(instance_id: str, rules: Mapping[str, JsonMapping], databases: str, database: str) -> JsonObject:
    """By the rule for the instance; without one, by its prefix."""
    if databases and not any(instance_id.startswith(prefix) for prefix in rules):
        return dict(settings_by_prefix(instance_id, databases, database))
    return route(instance_id, rules, database)


def database_file(instance_id: str, options: Any, database: str = "") -> tuple[str, ...]:
    """The file that SQL for this instance runs on, where its engine is one over a file. Raises UserError."""
    rules = {prefix: _settings(engine) for prefix, engine in options.engines.items()}
    settings = _routed(instance_id, rules, options.databases, database)
    own = is_own("karat.engines", str(settings.get("engine")))
    return (str(settings["path"]),) if own and settings.get("path") else ()


@cache
def _shared_runner(encoded: bytes) -> SqlRunner:
    """One runner a process for the same settings, so that a connection serves many instances."""
    rules, timeout, row_limit, databases = msgspec.json.decode(encoded)
    runner = SqlRunner(rules, timeout=timeout, row_limit=row_limit, databases=databases)
    atexit.register(runner.close)
    return runner


def _settings(engine: Any) -> JsonObject:
    if isinstance(engine, Mapping):
        return dict(engine)
    return _from_option(msgspec.to_builtins(engine))


def _from_option(given: JsonObject) -> JsonObject:
    """The suite's short form of an engine, in the words of the engines. One of another package gets what is given as it
    is."""
    name, database = given["engine"], str(given.get("database", "")).replace("{id}", "{instance_id}")
    found: JsonObject = {"engine": name, **(given.pop("settings", None) or {})}
    if not is_own("karat.engines", name):
        return found | {key: value for key, value in given.items() if value}
    if name in ("sqlite", "duckdb"):
        return found | {"path": database}
    if name in ("postgresql", "mysql"):
        return found | {"url": "${" + str(given.get("url_env", "")) + "}"}
    more = {"credentials": given.get("credential", "")}
    if name == "bigquery":
        return found | more | {"dataset": database}
    return found | more | {"database": database, "schema": given.get("schema", "")}
