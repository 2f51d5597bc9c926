"""CSV and DuckDB files, as they should be and as they should not."""

from __future__ import annotations

import struct
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.tables.files import reading
from karat.tables.files.reading import duckdb_tables, read_csv, read_duckdb
from karat.tables.table import LARGE, Limits, Table, TableError


def written(folder: Path, content: bytes, name: str = "result.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def columns(table: Table) -> list[list[str | None]]:
    return [table.texts(index) for index in range(table.width)]


def refused(path: Path, limits: Limits | None = None) -> TableError:
    with pytest.raises(TableError) as caught:
        read_csv(path, limits=limits)
    return caught.value


def test_texts_stay_as_they_are_and_empty_fields_are_null(tmp_path: Path) -> None:
    table = read_csv(written(tmp_path, b'a,b,a\r\n001,,"x,\n""y"""\n\nNO,"",1e3\n'))
    assert table.names == ("a", "b", "a")
    assert columns(table) == [["001", "NO"], [None, None], ['x,\n"y"', "1e3"]]
    assert (table.height, table.width, table.large) == (2, 3, False)


def test_a_byte_order_mark_is_skipped_and_a_header_is_enough(tmp_path: Path) -> None:
    table = read_csv(written(tmp_path, b"\xef\xbb\xbfa,b\n"))
    assert (table.names, table.height, columns(table)) == (("a", "b"), 0, [[], []])


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.csv").kind == "missing"
    assert refused(tmp_path).kind == "missing"


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf  \n"])
def test_an_empty_file(tmp_path: Path, content: bytes) -> None:
    assert refused(written(tmp_path, content)).kind == "empty"


def test_a_file_past_the_limit_is_not_read(tmp_path: Path) -> None:
    """A sparse file of more than 2 GiB: refused by its size alone."""
    path = tmp_path / "result.csv"
    with path.open("wb") as file:
        file.truncate(2 * 1024**3 + 1)
    error = refused(path)
    assert error.kind == "too_large"
    assert error.reason == "result.csv has 2,147,483,649 bytes; at most 2,147,483,648 are read"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a,b\n\x00\x01,2\n", "contains binary data, not text"),
        (b"PK\x03\x04abc", "is a zip archive; a CSV file is expected"),
        (b"PAR1xx", "is a Parquet file; a CSV file is expected"),
        (b"\x1f\x8babc", "is a gzip file; a CSV file is expected"),
    ],
)
def test_binary_content(tmp_path: Path, content: bytes, said: str) -> None:
    error = refused(written(tmp_path, content))
    assert (error.kind, error.reason) == ("binary", f"result.csv {said}")


def test_too_many_columns(tmp_path: Path) -> None:
    header = ",".join(f"c{index}" for index in range(10_000)).encode()
    error = refused(written(tmp_path, header + b"\n"))
    assert (error.kind, error.reason) == ("columns", "result.csv has 10,000 columns; at most 4,096 are read")


def test_ragged_rows_with_their_line(tmp_path: Path) -> None:
    short = refused(written(tmp_path, b'a,b,c\n1,2,"x\ny"\n\n1,2\n'))
    assert (short.kind, short.reason) == ("ragged", "result.csv, line 5: 2 fields where the header has 3")
    long = refused(written(tmp_path, b"a\n1\n```,2\n"))
    assert long.reason == "result.csv, line 3: 2 fields where the header has 1"


def test_a_wrong_encoding_with_byte_and_line(tmp_path: Path) -> None:
    error = refused(written(tmp_path, "a,b\nx,1\nMünchen,2\n".encode("latin-1")))
    assert error.kind == "encoding"
    assert error.reason == "result.csv is not UTF-8: byte 0xfc in line 3 (byte 9 of the file)"
    assert refused(written(tmp_path, "a,b\n1,2\n".encode("utf-16"))).kind == "encoding"


def test_messages_name_no_folder(tmp_path: Path) -> None:
    assert str(tmp_path) not in refused(written(tmp_path, b"")).reason


CELLS = st.one_of(
    st.none(),
    st.sampled_from(["x", "1.5", "a,b", 'say "hi"', "two\nlines", "ü", " ", "\r\n"]),
    st.text('ab,"\n é', max_size=4),
)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS), max_size=6), quote_all=st.booleans(), ending=st.sampled_from(["\n", "\r\n"])
)
def test_the_quick_reader_reads_what_the_plain_one_reads(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str | None, str | None]], quote_all: bool, ending: str
) -> None:
    def field(text: str | None) -> str:
        text = text or ""
        quoted = quote_all or any(letter in text for letter in ',"\r\n')
        return '"' + text.replace('"', '""') + '"' if quoted else text

    lines = ["a,b", *(f"{field(first)},{field(second)}" for first, second in rows)]
    data = (ending.join(lines) + ending).encode()
    plain = reading._read_plainly("x.csv", data, Limits())
    quick = reading._read_quickly(data, Limits())
    if quick is not None:
        assert (quick.names, columns(quick)) == (plain.names, columns(plain))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_the_quick_reader_is_used_for_large_files(ending: str) -> None:
    lines = ["id,name", *(f"{row},name {row}" for row in range(LARGE))]
    data = (ending.join(lines) + ending).encode()
    table = reading._read_quickly(data, Limits())
    assert table is not None
    assert (table.large, table.height) == (True, LARGE)
    assert table.texts(1)[-1] == f"name {LARGE - 1}"
    quoted = reading._read_quickly(
        data.replace(b"name 7,", b'"name 7",').replace(b"name 3" + ending.encode(), b'""\n'), Limits()
    )
    assert quoted is not None
    assert quoted.texts(1)[3] is None


@pytest.mark.parametrize("bad", [b"7\n", b"1,2,3\n", b"\xff,1\n", b"1,2\r3,4\n"])
def test_the_quick_reader_leaves_what_is_odd_to_the_plain_one(bad: bytes) -> None:
    data = b"a,b\n" + b"1,2\n" * 50 + bad + b"3,4\n" * 50
    assert reading._read_quickly(data, Limits()) is None


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(("header", "row"), [("a", "1"), ("a,b", "1,2"), ("a,b", "1,"), ("a,b", ",")])
def test_the_quick_reader_skips_blank_lines_too(header: str, row: str, ending: str) -> None:
    for lines in ([header, row, "", row, ""], [header, "", row], [header, row, row, "", ""]):
        data = (ending.join(lines) + ending).encode()
        plain, quick = reading._read_plainly("x.csv", data, Limits()), reading._read_quickly(data, Limits())
        assert quick is not None
        assert columns(quick) == columns(plain)


def test_large_files_have_the_same_errors(tmp_path: Path) -> None:
    path = written(tmp_path, b"a,b\n" + b"1,2\n" * 600_000 + b"7\n")
    assert refused(path).reason == "result.csv, line 600,002: 1 field where the header has 2"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "result.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE orders AS SELECT 1 AS id, DATE '2020-01-01' AS day, NULL AS note, true AS paid"
        )
        connection.execute('CREATE TABLE "odd ""name" AS SELECT range AS n FROM range(30000)')
        connection.execute("CREATE VIEW peek AS SELECT 1 AS x")
    return path


def test_duckdb_tables_as_texts(database: Path) -> None:
    assert duckdb_tables(database) == ('odd "name', "orders", "peek")
    table = read_duckdb(database, "ORDERS")
    assert (table.names, columns(table)) == (("id", "day", "note", "paid"), [["1"], ["2020-01-01"], [None], ["true"]])
    large = read_duckdb(database, 'odd "name')
    assert (large.large, large.height, large.texts(0)[:2]) == (True, 30_000, ["0", "1"])


def refused_database(path: Path, table: str = "orders") -> TableError:
    with pytest.raises(TableError) as caught:
        read_duckdb(path, table)
    return caught.value


def test_a_table_that_is_not_there(database: Path) -> None:
    error = refused_database(database, "order")
    assert (error.kind, error.reason) == ("no_table", 'result.duckdb has no table "order". Did you mean "orders"?')


def checksum(block: bytes) -> int:
    """The sum by which DuckDB tells whether a block of its file is whole."""
    found = 5381
    for (word,) in struct.iter_unpack("<Q", block):
        found ^= word * 0xBF58476D1CE4E5B9 % 2**64
    return found


def test_a_duckdb_file_of_another_version(database: Path) -> None:
    """The number of a version to come in a header that is whole otherwise."""
    data = bytearray(database.read_bytes())
    data[12:20] = struct.pack("<Q", 9_999)
    data[:8] = struct.pack("<Q", checksum(bytes(data[8:4096])))
    database.write_bytes(bytes(data))
    error = refused_database(database)
    assert error.kind == "version", error.reason
    assert "another version of DuckDB" in error.reason
    assert str(database.parent) not in error.reason


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    assert refused_database(written(tmp_path, b"a,b\n1,2\n" * 100, "x.duckdb")).kind == "binary"
    assert refused_database(written(tmp_path, b"", "y.duckdb")).kind == "empty"
    assert refused_database(tmp_path / "z.duckdb").kind == "missing"


def test_a_view_cannot_read_other_files(tmp_path: Path) -> None:
    secret = written(tmp_path, b"a\nsecret\n", "secret.csv")
    path = tmp_path / "sly.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE VIEW orders AS SELECT * FROM read_csv('{secret}')")
    error = refused_database(path)
    assert error.kind == "unreadable"
    assert "secret\n" not in error.reason


def test_reading_changes_nothing(database: Path) -> None:
    before = database.read_bytes()
    read_duckdb(database, "orders")
    assert database.read_bytes() == before
    assert sorted(path.name for path in database.parent.iterdir()) == ["result.duckdb"]


@pytest.mark.parametrize("piece", [1, 3, 1000])
def test_letters_are_counted_across_pieces(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_PIECE", piece)
    assert reading._letters(b"a,b,c\n1,2,3\n") == (4, False, False)
    assert reading._letters(b'a,b\r\n1,"2"\r\n') == (2, True, True)
    assert reading._letters(b"") == (0, False, False)


def test_a_git_lfs_pointer_is_no_table_with_one_column(tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 134\n"
    error = refused(written(tmp_path, pointer))
    assert "is a Git LFS pointer" in str(error) and "git lfs pull" in str(error)
