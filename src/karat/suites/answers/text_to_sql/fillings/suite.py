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
from karat.suites.answers.text_to_sql.fillings.generate_rows import hints_of, made_filling
from karat.suites.answers.text_to_sql.fillings.mutants import mutants
from karat.suites.answers.text_to_sql.fillings.schema import read_schema
from karat.suites.answers.text_to_sql.fillings.scratch import QUERY_SECONDS, Filling, ScratchTable
from karat.suites.answers.text_to_sql.running.databases import engine_settings
from karat.suites.answers.text_to_sql.running.execution import Databases

TRIES = 2_000
"""Fillings that are tried for a suite."""
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
    pairs = [(gold, mutant) for gold in dict.fromkeys(golds) for mutant in mutants(gold)]
    left = dict.fromkeys(pairs)
    kept: list[Filling] = []
    lost = 0
    texts = list(dict.fromkeys(golds))
    for _ in range(TRIES):  # not by time: the same seed makes the same files on any machine
        if len(kept) >= count or not (left or not pairs):
            break
        hints = hints_of(*chance.sample(texts, min(len(texts), 4)))
        filling = made_filling(tables, msgspec.structs.replace(hints, tables=frozenset()), chance)
        now = list(left)
        try:
            told = guarded_telling(tables, filling, now, 2 * QUERY_SECONDS * len(now))
        except ChildLost:
            lost += 1
            if lost == MOST_LOST:
                hint = "Look for a query that takes all memory, or does not end, on rows other than the real ones."
                what = f"the gold queries on {database.name} cannot be run on generated rows"
                raise UserError(what, hint=hint) from None
            continue
        if told.places or not pairs:
            kept.append(told.rows)
            for place in told.places:
                del left[now[place]]
    folder = out / database.stem
    files = [folder / f"{database.stem}_v{number}.sqlite" for number in range(1, len(kept) + 1)]
    for file, rows in zip(files, kept, strict=True):
        write_atomically(file, partial(_write, tables=tables, rows=rows))
    return MadeSuite(tuple(map(str, files)), len(pairs) - len(left), len(pairs))


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
