"""Results that are kept for the next run: written together, found at once, and never wrong."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from karat.engines.embedded.values import pack
from karat.engines.protocol import ResultRows
from karat.engines.query.rows_cache import TOGETHER, RowsCache

SMALL = ResultRows(("n",), ((1,), (None,), ("é",)))
LARGE = ResultRows(("n", "text"), tuple((number, "words " * 20) for number in range(200)))


def test_what_waits_is_found_before_it_is_written(tmp_path: Path) -> None:
    cache = RowsCache(tmp_path / "kept.sqlite")
    cache.put(("sqlite", "a"), pack(SMALL))
    assert cache.get([("sqlite", "a"), ("sqlite", "b")]) == [SMALL, None]


def test_another_process_finds_what_was_written(tmp_path: Path) -> None:
    first = RowsCache(tmp_path / "kept.sqlite")
    for number in range(TOGETHER + 3):
        first.put(("sqlite", str(number)), pack(LARGE if number % 100 == 0 else SMALL))
    other = RowsCache(tmp_path / "kept.sqlite")
    assert other.get([("sqlite", "0"), ("sqlite", "1")]) == [LARGE, SMALL]
    first.close()
    names = [("sqlite", str(number)) for number in range(TOGETHER + 4)]
    found = RowsCache(tmp_path / "kept.sqlite").get(names)
    assert [rows is not None for rows in found] == [True] * (TOGETHER + 3) + [False]


def test_an_entry_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    cache = RowsCache(tmp_path / "kept.sqlite")
    cache.put(("sqlite", "a"), pack(LARGE))
    cache.close()
    with sqlite3.connect(tmp_path / "kept.sqlite") as connection:
        connection.execute("UPDATE kept SET rows = substr(rows, 1, 20)")
    connection.close()
    assert RowsCache(tmp_path / "kept.sqlite").get([("sqlite", "a")]) == [None]


def test_a_file_that_is_no_cache_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "kept.sqlite").write_bytes(b"no database" * 100)
    cache = RowsCache(tmp_path / "kept.sqlite")
    cache.put(("sqlite", "a"), pack(SMALL))
    cache.close()
    assert RowsCache(tmp_path / "kept.sqlite").get([("sqlite", "a")]) == [None]
