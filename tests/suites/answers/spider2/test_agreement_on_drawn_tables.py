"""Agreement with the literal algorithm on drawn tables: all that pandas' inference treats in a way of its own."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from karat.suites.answers.spider2 import tables_match, texts
from karat.suites.answers.spider2.text_order import by_text
from tests.suites.answers.spider2 import literal
from tests.suites.answers.spider2.agreeing import assert_tables_agree, literally
from tests.suites.answers.spider2.perturbing import write_rows

WORDS = (
    "", "NA", "null", "nan", "None", "-", "0", "1", "2", "10", "1.0", "1.5", "01", "+1", "-1", "-0", "-0.0", " 1", "1 ",
    "0.001", "1.005", "1.009", "9.995", "10.004", "1e5", "100000", "1E-5", "0.00001", "0.00002", "0x1", "inf", "-inf",
    "Infinity", "True", "False", "true", "FALSE", "yes", "a", "A", "a b", "a,b", 'a"b', "a\nb", " a", "#a", "é",
    "2020-01-01", "2020-01-01 00:00:00", "1,234", "9007199254740993", "10000000000000001", "10000000000000000",
    "20000000000000000", "1e16", "9223372036854775808", "18446744073709551615", "18446744073709551616",
    "99999999999999999999999", "123456789012345678", "1.", ".5", "1_000",
)  # fmt: skip
NUMBERS = (
    "",
    "0",
    "1",
    "2",
    "10",
    "100",
    "-1",
    "0.5",
    "1.5",
    "1.505",
    "99.999",
    "100.001",
    "1e5",
    "1e-5",
    "1e20",
    "2.0",
    "10.0",
)
INTEGERS = ("1", "10", "2", "-3", "10000000000000001", "3000000000000000000", "20000000000000000", "100000000000000000")
BOOLEANS = ("True", "False", "true", "")

a_column = st.sampled_from((WORDS, NUMBERS, NUMBERS, INTEGERS, BOOLEANS))


@st.composite
def a_pair(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str]]]:
    """Columns of gold, and those of an answer made from them: moved, replaced, with cells changed."""
    rows = draw(st.integers(0, 6))
    gold = [
        draw(st.lists(st.sampled_from(draw(a_column)), min_size=rows, max_size=rows))
        for _ in range(draw(st.integers(1, 3)))
    ]
    found = [list(column) for column in gold]
    for column in found:
        if rows and draw(st.booleans()):
            column[draw(st.integers(0, rows - 1))] = draw(st.sampled_from(draw(a_column)))
    if draw(st.booleans()):
        order = draw(st.permutations(range(rows)))
        found = [[column[place] for place in order] for column in found]
    for _ in range(draw(st.integers(0, 1))):
        found.append(draw(st.lists(st.sampled_from(draw(a_column)), min_size=rows, max_size=rows)))
    return gold, draw(st.permutations(found))


def table(columns: list[list[str]]) -> list[list[str]]:
    return [[f"c{at}" for at in range(len(columns))], *map(list, zip(*columns, strict=True))]


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=a_pair(), ignore_order=st.booleans(), nulls=st.sampled_from(["equal", "zero"]), first=st.booleans())
@example(([["1", "2"]], [["True", "2"]]), True, "equal", False)
@example(([["10000000000000001", "2"], ["0.5", "1"]], [["10000000000000001", "2"]]), True, "equal", True)
@example(([["-0.0", "-5.0"]], [["0.0", "-5.0"]]), True, "equal", False)
def test_drawn_tables(
    tmp_path: Path, pair: tuple[list[list[str]], list[list[str]]], ignore_order: bool, nulls: str, first: bool
) -> None:
    gold = write_rows(tmp_path / "gold.csv", table(pair[0]))
    result = write_rows(tmp_path / "result.csv", table(pair[1]))
    assert_tables_agree(result, gold, [0] if first else [], ignore_order, nulls=nulls)


PIECES = (
    "a",
    "1",
    "2.5",
    ",",
    ",",
    "\n",
    "\n",
    "\r\n",
    "\r",
    '"',
    '""',
    " ",
    "\t",
    "\ufeff",
    "#",
    "'",
    "é",
    "\0",
    "x,y\n",
    "1,2\n",
    '"q",',
)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.integers(0, 2),
    st.booleans(),
)
@example("a,b\n1,2,\n3,4,\n", "a,b\n1,2,\n3,4,\n", 0, True)
@example('a\n"1\n', 'a\n"1\n', 0, False)
@example("a\n \n1\n", "a\n1\n", 0, False)
def test_drawn_files(tmp_path: Path, gold: str, other: str, same: int, ignore_order: bool) -> None:
    """Any bytes: where the small reader and pandas could split a file in different ways."""
    (tmp_path / "gold.csv").write_bytes(gold.encode())
    (tmp_path / "result.csv").write_bytes((gold if same else other).encode())
    assert_tables_agree(str(tmp_path / "result.csv"), str(tmp_path / "gold.csv"), [], ignore_order)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.floats(allow_nan=True)
        | st.floats(0, 200).map(lambda x: round(x, 2))
        | st.integers(0, 3000).map(float)
        | st.floats(1e-6, 1e-3)
        | st.floats(1e15, 1e17)
    )
)
def test_floats_in_the_order_of_their_texts(values: list[float]) -> None:
    expected = sorted(values, key=lambda value: (value != value, str(value)))
    assert list(map(str, by_text(np.array(values, dtype=np.float64)).tolist())) == list(map(str, expected))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-2000, 2000)))
def test_integers_in_the_order_of_their_texts(values: list[int]) -> None:
    expected = [float(value) for value in sorted(values, key=str)]
    assert by_text(np.array(values, dtype=np.int64)).tolist() == expected


def test_integers_that_need_all_bits_in_the_order_of_their_texts() -> None:
    values = [2**64 - 1, 2, 10**19, 11, 2**63]
    assert by_text(np.array(values, dtype=np.uint64)).tolist() == [float(value) for value in sorted(values, key=str)]


@pytest.mark.parametrize("width", [1, 2, 5, 100, 3000])
def test_how_many_rows_pandas_takes_types_from(width: int, tmp_path: Path) -> None:
    """One row more, and the first rows are numbers of their own, whatever comes after them."""
    rows = texts.rows_in_a_piece(width)
    for count, kind in ((rows, str), (rows + 1, int)):
        line = ",".join("1" * width)
        (tmp_path / "a.csv").write_text("\n".join([line, *[line] * (count - 1), ",".join("x" * width)]))
        with pytest.warns(pd.errors.DtypeWarning) if kind is int else _nothing():
            assert type(pd.read_csv(tmp_path / "a.csv").iloc[0, 0]) is kind


def _nothing() -> Any:
    from contextlib import nullcontext

    return nullcontext()


WIDTH = 256
PIECE = texts.rows_in_a_piece(WIDTH)


def write_wide(path: Path, cells: list[str]) -> str:
    """A file with these cells in its first column and ones in 255 more, so that a piece has few rows."""
    path.write_text("\n".join([",".join(["a"] + ["b"] * (WIDTH - 1)), *(cell + ",1" * (WIDTH - 1) for cell in cells)]))
    assert path.stat().st_size < texts.SMALL
    return str(path)


def test_a_long_file_whose_types_hang_on_the_place(tmp_path: Path) -> None:
    """The same texts in another order are other values when pandas reads them in pieces."""
    cells = ["7"] * (PIECE + 10) + ["x"] * 10
    paths = (
        write_wide(tmp_path / "result.csv", random.Random(1).sample(cells, len(cells))),
        write_wide(tmp_path / "gold.csv", cells),
    )
    assert not assert_tables_agree(*paths, [0], True, family="flat")
    assert literally(literal.tables_match, paths[:1], paths[1:], [[0]], [True]) is False
    assert not tables_match(paths[:1], paths[1:], [[0]], [True])
    assert assert_tables_agree(*paths, [0], True)  # the contract's table_match infers types from whole columns


def test_a_column_of_numbers_and_then_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read whole, all its cells are texts, and "7" is not "7.0"; in pieces the first are numbers, and equal."""
    monkeypatch.setattr("karat.suites.answers.spider2.csv_files.SMALL", -1)
    paths = (
        write_wide(tmp_path / "result.csv", ["7.0"] * PIECE + ["x"] * 20),
        write_wide(tmp_path / "gold.csv", ["7"] * PIECE + ["x"] * 20),
    )
    assert not assert_tables_agree(*paths, [0], False)
    assert assert_tables_agree(*paths, [0], False, family="flat")
    assert tables_match(paths[:1], paths[1:], [[0]])


@pytest.mark.parametrize("nulls", ["equal", "zero"])
@pytest.mark.parametrize("seed", range(6))
def test_tables_that_go_to_pandas(seed: int, nulls: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The large files' way, on small files that the literal side can follow."""
    monkeypatch.setattr("karat.suites.answers.spider2.csv_files.SMALL", -1)
    chance = random.Random(seed)
    pool = [WORDS, NUMBERS, NUMBERS, INTEGERS, BOOLEANS]
    gold = [[chance.choice(words) for _ in range(30)] for words in chance.choices(pool, k=6)]
    found = [chance.sample(column, 30) for column in gold]
    for ignore_order in (True, False):
        for position in range(6):
            for answer in (found, [gold[position], found[0]], found[:position] + found[position + 1 :]):
                paths = write_rows(tmp_path / "r.csv", table(answer)), write_rows(tmp_path / "g.csv", table(gold))
                assert_tables_agree(*paths, [position], ignore_order, nulls=nulls)
