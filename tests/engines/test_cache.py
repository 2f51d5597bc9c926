"""A result is kept for its engine, database and SQL, and for nothing else."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from karat.engines.protocol import EngineError, ResultTable
from karat.engines.query.cache import CacheKey, ResultCache, cached_run

TABLE = ResultTable(("a",), (("1", None, "3"),), seconds=0.5)
KEY = CacheKey("sqlite", "f" * 64, "SELECT a FROM t")


class Counting:
    """An engine that counts its queries."""

    name = "sqlite"
    dialect = "sqlite"

    def __init__(self) -> None:
        self.queries = 0
        self.version = "1"

    def run(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        self.queries += 1
        if "broken" in sql:
            raise EngineError("sql_error", "broken")
        return ResultTable(("a",), (("1", "2", "3")[:row_limit],), truncated=row_limit < 3)

    def fingerprint(self) -> str:
        return self.version

    def close(self) -> None:
        """Nothing to give back."""


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path)
    assert cache.get(KEY, 10) is None
    cache.put(KEY, TABLE)
    assert cache.get(KEY, 10) == TABLE
    for other in (
        CacheKey("duckdb", KEY.fingerprint, KEY.sql),
        CacheKey("sqlite", "0", KEY.sql),
        CacheKey("sqlite", "f" * 64, "x"),
    ):
        assert cache.get(other, 10) is None


@pytest.mark.parametrize("damage", ["empty", "cut", "noise", "json", "other"])
def test_a_damaged_entry_is_ignored_and_written_anew(tmp_path: Path, damage: str) -> None:
    cache, engine = ResultCache(tmp_path), Counting()
    cached_run(engine, KEY.sql, cache, timeout=1, row_limit=10)
    (file,) = tmp_path.rglob("*.z")
    whole = file.read_bytes()
    other = zlib.compress(zlib.decompress(whole).replace(b"FROM t", b"FROM u"))
    file.write_bytes(
        {"empty": b"", "cut": whole[:-9], "noise": b"\x00\xff" * 50, "json": zlib.compress(b"[1]"), "other": other}[
            damage
        ]
    )
    table, kept = cached_run(engine, KEY.sql, cache, timeout=1, row_limit=10)
    assert (table.columns, kept, engine.queries) == ((("1", "2", "3"),), False, 2)
    assert cached_run(engine, KEY.sql, cache, timeout=1, row_limit=10)[1]
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_limit_is_kept_to_whatever_was_kept(tmp_path: Path) -> None:
    cache, engine = ResultCache(tmp_path), Counting()
    short, _ = cached_run(engine, KEY.sql, cache, timeout=1, row_limit=2)
    assert (short.columns, short.truncated) == ((("1", "2"),), True)
    whole, kept = cached_run(engine, KEY.sql, cache, timeout=1, row_limit=10)
    assert (whole.height, whole.truncated, kept) == (3, False, False)
    cut, kept = cached_run(engine, KEY.sql, cache, timeout=1, row_limit=1)
    assert (cut.columns, cut.truncated, kept) == ((("1",),), True, True)


def test_errors_and_what_may_change_are_not_kept(tmp_path: Path) -> None:
    cache, engine = ResultCache(tmp_path), Counting()
    for _ in range(2):
        with pytest.raises(EngineError):
            cached_run(engine, "SELECT broken", cache, timeout=1, row_limit=10)
        cached_run(engine, "SELECT date('now')", cache, timeout=1, row_limit=10)
    assert engine.queries == 4
    assert not list(tmp_path.rglob("*.z"))


def test_a_cache_that_cannot_be_written_costs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    engine = Counting()
    table, kept = cached_run(engine, KEY.sql, ResultCache(tmp_path / "file"), timeout=1, row_limit=10)
    assert (table.height, kept) == (3, False)


def test_another_state_of_the_database_is_another_result(tmp_path: Path) -> None:
    cache, engine = ResultCache(tmp_path), Counting()
    cached_run(engine, KEY.sql, cache, timeout=1, row_limit=10)
    engine.version = "2"
    assert not cached_run(engine, KEY.sql, cache, timeout=1, row_limit=10)[1]
