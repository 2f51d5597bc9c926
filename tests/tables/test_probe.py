"""DuckDB and Parquet files made to harm who opens them: refused with the reason, and this process goes on."""

from __future__ import annotations

import gc
import os
import struct
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from karat.core.files.reading import FileRefused
from karat.sheet.compute.input_files import read_table
from karat.sheet.values import Wrong
from karat.suites.answers.spider2.duckdb_files import duckdb_match as spider2_match
from karat.suites.answers.strict.duckdb_files import duckdb_match as strict_match
from karat.suites.codegen.benchmarks.published_sets import rows_of
from karat.suites.codegen.records import TableSource
from karat.suites.codegen.results.tables import file_table
from karat.suites.codegen.tasks.schemas import first_rows
from karat.tables.files.duckdb import duckdb_tables, read_duckdb
from karat.tables.files.probe import duckdb_copy
from karat.tables.table import TableError


def database(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return database(tmp_path / "gold.duckdb", "CREATE TABLE t AS SELECT 1 AS a")


def test_a_small_file_of_endless_rows_is_refused_by_every_reader(
    tmp_path: Path, gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of one value takes next to no room: the size of the file tells nothing."""
    monkeypatch.setenv("KARAT_MAX_CELLS", "50_000")
    bomb = database(tmp_path / "bomb.duckdb", "CREATE TABLE t AS SELECT 7 AS a, 8 AS b FROM range(30_000)")
    for read in (lambda: duckdb_tables(bomb), lambda: read_duckdb(bomb, "t"), lambda: read_table(bomb, "t")):
        with pytest.raises((TableError, Wrong), match="60,000 cells; at most 50,000"):
            read()
    for match in (spider2_match, strict_match):
        assert not match(str(bomb), str(gold))
        assert "60,000 cells" in str(match(str(bomb), str(gold)).evidence)
    monkeypatch.setenv("KARAT_MAX_CELLS", "60_000")
    assert read_duckdb(bomb, "t").height == 30_000


def test_a_view_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_MAX_READ_SECONDS", "1")
    rows = "range(10_000_000_000)"
    view = f"CREATE VIEW v AS SELECT a.i AS x FROM {rows} a(i), {rows} b(j) WHERE a.i % 7 = b.j % 5"
    endless = database(tmp_path / "endless.duckdb", view)
    with pytest.raises(TableError, match="takes longer than 1 s"):
        duckdb_tables(endless)


def test_a_parquet_bomb_is_refused_by_every_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_MAX_CELLS", "1_000")
    file = tmp_path / "bomb.parquet"
    parquet.write_table(pyarrow.table({"a": np.zeros(2_000, dtype=np.int8)}), file)
    for read in (lambda: file_table(str(file)), lambda: read_table(file)):
        with pytest.raises((TableError, Wrong), match="2,000 cells"):
            read()


def checksum(data: bytes) -> int:
    """As DuckDB computes it for whole words; its blocks are such."""
    words = np.frombuffer(data, dtype="<u8") * np.uint64(0xBF58476D1CE4E5B9)
    return 5381 ^ int(np.bitwise_xor.reduce(words))


HEADERS, BLOCK = 3 * 4096, 256 * 1024


def test_a_stranger_s_file_is_never_opened_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One query may see damage that another did not see: a file that was only looked through can still crash."""
    file = database(
        tmp_path / "odd name's.duckdb",
        "CREATE TABLE t AS SELECT i AS a, [i, NULL] AS c, 1.50::DECIMAL(9, 2) AS d FROM range(9) r(i) ORDER BY -i",
        "CREATE TYPE mood AS ENUM ('ok', 'sad')",
        'CREATE SCHEMA other; CREATE TABLE other."of ""it" AS SELECT \'sad\'::mood AS m',
        "CREATE VIEW twice AS SELECT a * 2 AS b FROM t",
        "CREATE VIEW outside AS SELECT * FROM read_csv('/etc/passwd')" if Path("/etc/passwd").exists() else "SELECT 1",
    )
    opened: list[str] = []
    connect = duckdb.connect

    def watched(database: str = ":memory:", *args: object, **more: object) -> duckdb.DuckDBPyConnection:
        opened.append(str(database))
        return connect(database, *args, **more)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(duckdb, "connect", watched)
    assert "t" in duckdb_tables(file)
    table = read_duckdb(file, "t")
    assert [column[0] for column in table.columns] == ["8", "[8, NULL]", "1.50"]
    assert list(read_duckdb(file, "twice").columns[0])[:2] == ["16", "14"]
    with pytest.raises(TableError, match="outside"):
        read_duckdb(file, "outside")
    assert read_table(file, "t").columns["a"][:2] == [8, 7]
    assert spider2_match(str(file), str(file), ["twice", 'other."of ""it"'])
    assert opened and str(file) not in opened


def test_a_stranger_s_parquet_file_is_never_opened_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "odd name's.parquet"
    columns = {"a": [3, None, 1], "b": ["x", "ü", None], "c": [1.5, 0.1, None], "d": [["p"], [], None]}
    parquet.write_table(pyarrow.table(columns), file, row_group_size=2)
    own = file.resolve()
    opened = []
    read_table_of, file_of, connect = parquet.read_table, parquet.ParquetFile, duckdb.connect

    def watched(function: Any) -> Any:
        def read(source: Any, *args: Any, **more: Any) -> Any:
            opened.append(str(source))
            return function(source, *args, **more)

        return read

    class Watched:
        """A connection that notes the files its queries name."""

        def __init__(self, *args: Any, **more: Any) -> None:
            self.connection = connect(*args, **more)

        def execute(self, query: str, values: list[Any] | None = None) -> Any:
            opened.extend(map(str, values or []))
            return self.connection.execute(query, values)

        def close(self) -> None:
            self.connection.close()

        def __enter__(self) -> Watched:
            return self

        def __exit__(self, *_: object) -> None:
            self.close()

    monkeypatch.setattr(parquet, "read_table", watched(read_table_of))
    monkeypatch.setattr(parquet, "ParquetFile", watched(file_of))
    monkeypatch.setattr(duckdb, "connect", Watched)
    assert list(file_table(str(file)).columns[0]) == ["3", None, "1"]
    assert read_table(file).columns["b"][:2] == ["x", "ü"]
    assert first_rows(TableSource(str(file)), 1)[0][0] == 3
    assert next(row for _, row in rows_of(file)) == {"a": 3, "b": "x", "c": 1.5, "d": ["p"]}
    assert len(opened) >= 4 and str(own) not in [str(Path(one).resolve()) for one in opened if "/" in one]


def test_a_damaged_parquet_file_costs_a_child_at_the_most(tmp_path: Path) -> None:
    columns = {"a": list(range(500)), "b": [f"x{row % 7}" for row in range(500)], "c": [[row] for row in range(500)]}
    good = tmp_path / "good.parquet"
    parquet.write_table(pyarrow.table(columns), good, row_group_size=100, compression="none")
    draw, data = np.random.default_rng(12), good.read_bytes()
    refused = 0
    for number in range(25):
        bad = bytearray(data)
        places = draw.integers(4, len(bad) - 8, size=4) if number % 2 else len(bad) - draw.integers(9, 900, size=4)
        for place in places:
            bad[place] = int(draw.choice([0, 1, 127, 128, 255]))
        damaged = tmp_path / f"damaged{number}.parquet"
        damaged.write_bytes(bad)
        for read in (lambda: file_table(str(damaged)), lambda: read_table(damaged), lambda: list(rows_of(damaged))):  # noqa: B023 (called at once)
            try:
                read()
            except (TableError, Wrong, FileRefused):
                refused += 1
    assert refused
    assert file_table(str(good)).height == 500


def test_damage_under_a_right_checksum_costs_a_child_at_the_most(tmp_path: Path, gold: Path) -> None:
    """Some of these crash DuckDB itself. Which do depends on its version, so what is tested is that this process reads
    on."""
    good = database(
        tmp_path / "good.duckdb", "CREATE TABLE t AS SELECT i AS a, 'x' || i AS b, [i, i] AS c FROM range(3_000) r(i)"
    ).read_bytes()
    words = (BLOCK - 8) // 8 * 8
    assert words == BLOCK - 8
    assert struct.unpack_from("<Q", good, HEADERS)[0] == checksum(good[HEADERS + 8 : HEADERS + BLOCK])
    draw = np.random.default_rng(15)
    told = set()
    for number in range(12):
        data = bytearray(good)
        start = HEADERS + BLOCK * int(draw.integers((len(good) - HEADERS) // BLOCK))
        filled = [place for place in range(start + 8, start + BLOCK) if data[place]]
        for place in draw.choice(filled, size=4):
            data[place] = int(draw.choice([0, 1, 127, 128, 255]))
        struct.pack_into("<Q", data, start, checksum(bytes(data[start + 8 : start + BLOCK])))
        damaged = tmp_path / f"damaged{number}.duckdb"
        damaged.write_bytes(data)
        try:
            for name in duckdb_tables(damaged):
                read_duckdb(damaged, name)
        except TableError as error:
            told.add(error.kind)
        assert strict_match(str(damaged), str(gold)).evidence is not None
    assert told
    assert duckdb_copy(gold).is_file()
    assert read_duckdb(gold, "t").height == 1


def test_a_crash_is_told_and_the_next_file_is_read(tmp_path: Path, gold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crashing = tmp_path / "worker.py"
    crashing.write_text("import os\ninput()\nos.abort()\n")
    from karat.tables.files import probe as module

    module._PROBE.end()
    with monkeypatch.context() as patched:
        patched.setattr(module, "_WORKER", crashing)
        with pytest.raises(TableError, match="is damaged: it crashes the library that reads it"):
            duckdb_tables(gold)
    module._COPIES.clear()
    assert duckdb_tables(gold) == ("t",)


def test_a_forked_process_leaves_the_copies_to_its_parent(gold: Path) -> None:
    copy = duckdb_copy(gold)
    child = os.fork()
    if not child:
        gc.collect()
        os._exit(0 if read_duckdb(gold, "t").height == 1 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert copy.is_file() and read_duckdb(gold, "t").height == 1
