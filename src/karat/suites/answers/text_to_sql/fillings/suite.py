"""A lasting test suite for a database: made fillings, each kept because it tells a mutant of a gold query from it."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec

from karat.core.files.atomic import write_atomically
from karat.core.json_types import JsonObject
from karat.core.problems import UserError
from karat.suites.answers.text_to_sql.fillings.child_process import ChildLost, guarded_telling
from karat.suites.answers.text_to_sql.fillings.detected_changes import Told
from karat.suites.answers.text_to_sql.fillings.generate_rows import Hints, hints_of, made_filling
from karat.suites.answers.text_to_sql.fillings.mutants import mutants
from karat.suites.answers.text_to_sql.fillings.schema import read_schema
from karat.suites.answers.text_to_sql.fillings.scratch import QUERY_SECONDS, Filling, ScratchTable
from karat.suites.answers.text_to_sql.running.databases import engine_settings
from karat.suites.answers.text_to_sql.running.execution import Databases

CANDIDATES = 30
"""Fillings that are tried for each file: the one that tells most mutants is kept."""
USELESS = 10
"""Times that none of them tells any, after which the suite is done."""
MOST_SOURCES = 4
"""Queries whose literals go into one filling."""
MOST_LOST = 3
"""Processes that a filling may cost before no suite is made."""


class MadeSuite(msgspec.Struct, frozen=True):
    """The files of a suite, and how many mutants of the gold queries they tell apart."""

    files: tuple[str, ...]
    told: int
    mutants: int


def make_suite(database: Path, golds: Sequence[str], out: Path, *, count: int, seed: int) -> MadeSuite:
    """Up to ``count`` fillings of a SQLite database. The same seed makes the same files."""
    settings = sqlite_file(database)
    with closing(Databases(30.0, 100_000, None)) as opened:
        tables = read_schema(partial(opened.run, settings))
    if not tables:
        raise UserError(f"there are no tables in {database}")
    chance = random.Random(seed)  # noqa: S311 (made rows, no secret)
    values = _texts_of(tables)
    pairs = [(gold, mutant) for gold in dict.fromkeys(golds) for mutant in mutants(gold, values)]
    left = list(dict.fromkeys(pairs))
    whole = len(left)
    kept: list[Filling] = []
    lost = useless = 0
    while len(kept) < count and (left or not whole) and useless < USELESS:  # not by time: a seed makes the same files
        best = Told((), {})
        for _ in range(CANDIDATES if whole else 1):
            hints = _hints(left, golds, chance)
            filling = made_filling(tables, hints, chance)
            try:
                told = guarded_telling(tables, filling, left, 2 * QUERY_SECONDS * len(left))
            except ChildLost:
                lost += 1
                if lost == MOST_LOST:
                    hint = "Look for a query that takes all memory, or does not end, on rows other than the real ones."
                    what = f"the gold queries on {database.name} cannot be run on generated rows"
                    raise UserError(what, hint=hint) from None
                continue
            best = max(best, told, key=lambda one: (len(one.places), len(one.rows)))
        useless = 0 if best.places or (not whole and best.rows) else useless + 1
        if not useless:
            kept.append(best.rows)
            left = [pair for place, pair in enumerate(left) if place not in set(best.places)]
    folder = out / database.stem
    files = [folder / f"{database.stem}_v{number}.sqlite" for number in range(1, len(kept) + 1)]
    for file, rows in zip(files, kept, strict=True):
        write_atomically(file, partial(_write, tables=tables, rows=rows))
    return MadeSuite(tuple(map(str, files)), whole - len(left), whole)


def _hints(left: Sequence[tuple[str, str]], golds: Sequence[str], chance: random.Random) -> Hints:
    """Values from some queries, first of all those with mutants that nothing tells yet, for all tables."""
    texts = list(dict.fromkeys(gold for gold, _ in left)) or list(dict.fromkeys(golds))
    hints = hints_of(*chance.sample(texts, min(len(texts), MOST_SOURCES)))
    return msgspec.structs.replace(hints, tables=frozenset())


def _texts_of(tables: Sequence[ScratchTable]) -> dict[str, list[str]]:
    """Column → the texts that the real rows have there."""
    found: dict[str, dict[str, None]] = {}
    for table in tables:
        for place, column in enumerate(table.columns):
            texts = (row[place] for row in table.sample)
            found.setdefault(column.name.lower(), {}).update((one, None) for one in texts if isinstance(one, str))
    return {name: list(texts) for name, texts in found.items()}


def sqlite_file(database: Path) -> JsonObject:
    """The settings of the engine for a SQLite file. UserError where it is none."""
    settings = engine_settings(str(database), database.stem)
    if settings["engine"] != "sqlite":
        raise UserError(f"{database} is not a SQLite file", hint="Test suites are made for SQLite databases.")
    return settings


def _write(file: Path, *, tables: Sequence[ScratchTable], rows: Filling) -> None:
    with closing(sqlite3.connect(file)) as connection:
        for table in tables:
            connection.execute(table.ddl)
            connection.executemany(table.insert, rows.get(table.name, ()))
        connection.commit()
