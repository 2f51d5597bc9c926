"""Where the SQL of one case runs, and what is known to run there before anything is compared."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import NamedTuple

import msgspec

from karat.core.json_types import JsonObject
from karat.suites.answers.options import Options
from karat.suites.answers.records import Answer, Queries
from karat.suites.answers.text_to_sql.figures import Match, spider_match
from karat.suites.answers.text_to_sql.official import spider
from karat.suites.answers.text_to_sql.queries.dialects import as_it_runs, translation_note
from karat.suites.answers.text_to_sql.running.databases import engine_settings, suite_files
from karat.suites.answers.text_to_sql.running.execution import Databases, Place, Ran, databases_for, reversed_settings
from karat.suites.answers.text_to_sql.running.runners import Asked, Runner
from karat.suites.answers.text_to_sql.strict.moments import at_date
from karat.suites.answers.text_to_sql.strict.reversed_rows import ROW_COLUMNS, reversed_rows


class Bench(msgspec.Struct, frozen=True):
    """Where the SQL of one case runs."""

    databases: Databases
    settings: dict[str, object]
    dialect: str
    run: Runner
    backwards: Runner | None
    """The same database with unordered rows the other way round, where the engine has a setting for that."""
    suite: tuple[Runner, ...] = ()
    translation: Callable[[str], str] = lambda _: ""
    """What is said of a text that was translated before it ran."""
    same: dict[Match, bool | None] = msgspec.field(default_factory=dict)
    """Which pairs of Spider's texts have been compared on which database, and whether they match."""

    def second_run(self, sql: str) -> Asked | None:
        """What shows whether a gold has one result: the query with unordered rows the other way round. None where the
        engine offers no such thing."""
        if self.backwards is not None:
            return self.backwards, sql
        text = reversed_rows(sql, self.dialect) if self.dialect in ROW_COLUMNS else ""
        return (self.run, text) if text else None

    def again(self, sql: str) -> Ran | None:
        """What became of the second run."""
        asked = self.second_run(sql)
        return asked[0](asked[1]) if asked is not None else None


class _Places(NamedTuple):
    """The open databases of one question: its own, that with unordered rows the other way round, its test suite."""

    settings: JsonObject
    own: Place
    backwards: Place | None
    suite: tuple[Place, ...]


@lru_cache(maxsize=1024)
def _places(opened: Databases, databases: str, test_suite: str, name: str, _folder: str) -> _Places:
    """``_folder``: the working folder, which a relative path is relative to."""
    settings = engine_settings(databases, name)
    files = suite_files(test_suite, name) if test_suite else ()
    suite = tuple(opened.place(engine_settings(file, name)) for file in files)
    other = reversed_settings(settings)
    backwards = opened.place(other) if other is not None else None
    return _Places(settings, opened.place(settings), backwards, suite)


class _Ready(threading.local):
    """What was made for the cases that this thread judges next: the gold, the options, its bench; each is used once."""

    def __init__(self) -> None:
        self.benches: list[tuple[Queries, Options, Bench]] = []


_ready = _Ready()


def keep_ready(benches: Iterable[tuple[Queries, Options, Bench]]) -> None:
    """In the order in which the cases are judged."""
    _ready.benches = list(benches)[::-1]


def ready_bench(queries: Queries, options: Options) -> Bench | None:
    """The bench that was made for this gold, if any; what was made for those before it is let go."""
    while _ready.benches:
        gold, settings, bench = _ready.benches.pop()
        if gold is queries and settings is options:
            return bench
    return None


def bench_for(queries: Queries, options: Options, looked: set[Place] | None = None) -> Bench:
    """The open database of a question. UserError when there is none. ``looked``: databases whose content has been
    looked at just now; those that are looked at here are added."""
    opened = databases_for(options.query_timeout, options.row_limit)
    folder = os.getcwd()  # noqa: PTH109 (for every answer; a Path costs more)
    places = _places(opened, options.databases, options.test_suite, queries.database, folder)
    looked = set() if looked is None else looked
    for place in (places.own, places.backwards, *places.suite):
        if place is not None and place not in looked:
            place.look()
            looked.add(place)
    run = _runner(opened, places.own, queries, options)
    backwards = _runner(opened, places.backwards, queries, options) if places.backwards is not None else None
    # A suite most often holds the database itself: what ran there is known.
    suite = tuple(
        run if place.identity == places.own.identity else _runner(opened, place, queries, options)
        for place in places.suite
    )
    dialect = run.dialect
    if not options.transpile:
        return Bench(opened, places.settings, dialect, run, backwards, suite)
    kind = queries.kind if options.transpile == "auto" else options.transpile
    note = partial(translation_note, dialect=dialect, kind=kind, run=run.as_written)
    return Bench(opened, places.settings, dialect, run, backwards, suite, note)


def _runner(opened: Databases, place: Place, queries: Queries, options: Options) -> Runner:
    """What runs queries on one database, with the translation in the place of a text that fails where that is asked
    for."""
    if not options.transpile:
        return Runner(opened, place)
    kind = queries.kind if options.transpile == "auto" else options.transpile
    return Runner(opened, place, partial(as_it_runs, dialect=place.engine.dialect, kind=kind))


def first_queries(queries: Queries, answer: Answer, bench: Bench, date: str) -> list[Asked]:
    """What every answer needs on the question's own database."""
    first, text = queries.sql[0], answer.raw or answer.text
    dialect = bench.dialect
    asked = [(bench.run, at_date(sql, date, dialect)) for sql in queries.sql] + [
        (bench.run, sql) for sql in queries.sql
    ]
    second = bench.second_run(at_date(first, date, dialect))
    asked += [second] if second is not None else []
    if answer.problem:
        return asked
    texts = (spider.gold_text(first), text, at_date(answer.text, date, dialect), spider.prediction_text(text))
    return [*asked, *((bench.run, sql) for sql in texts)]


def suite_queries(queries: Queries, answer: Answer, bench: Bench) -> list[Asked]:
    """What it needs on the files of a test suite; nothing where the answer does not run on the question's own database,
    or fails on the first file, which is known by now where that is the same database."""
    gold, given = spider.gold_text(queries.sql[0]), spider.prediction_text(answer.raw or answer.text)
    if answer.problem or not bench.suite or bench.run(given).result is None:
        return []
    if bench.suite[0] is bench.run and not spider_match(bench.run, gold, given, bench.same):
        return []
    return [(run, sql) for run in bench.suite for sql in (gold, given)]


def prepare(queries: Queries, answer: Answer, bench: Bench, date: str) -> None:
    """Run what an answer needs, in as few messages as can be."""
    Runner.prepare(first_queries(queries, answer, bench, date))
    Runner.prepare(suite_queries(queries, answer, bench))
