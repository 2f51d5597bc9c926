"""The first rows of both tables are kept with every verdict, right or wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.suites.answers.strict.tables import table_match, tables_match

GOLD = "a,b\nx,1\ny,2\n"


@pytest.fixture
def gold(tmp_path: Path) -> str:
    return written(tmp_path, "gold.csv", GOLD)


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    "given", [GOLD, "a,b\ny,2\nx,1\n", "a,b\nx,1\ny,3\n", "b\n1\n"], ids=["right", "order", "wrong", "column"]
)
def test_whatever_the_verdict_both_are_there_as_they_are_in_the_files(tmp_path: Path, gold: str, given: str) -> None:
    (pair,) = table_match(written(tmp_path, "given.csv", given), gold).tables
    assert pair.gold.columns == ("a", "b") and pair.gold.rows == (("x", "1"), ("y", "2"))
    header, *rows = given.splitlines()
    assert pair.answer.columns == tuple(header.split(","))
    assert pair.answer.rows == tuple(tuple(row.split(",")) for row in rows)
    assert (pair.compared_columns, pair.rows_in_any_order, pair.gold_tables) == ((), False, 1)


def test_what_a_person_must_know_to_compare_them(tmp_path: Path, gold: str) -> None:
    given = written(tmp_path, "given.csv", GOLD)
    other = written(tmp_path, "other.csv", "a,b\nq,7\n")
    (pair,) = table_match(given, [other, gold], [0], True).tables
    assert pair.gold.rows[0] == ("x", "1"), "the accepted table that was met"
    assert pair.compared_columns == ("a",) and pair.rows_in_any_order and pair.gold_tables == 2
    assert table_match(given, gold, [0, 1]).tables[0].compared_columns == (), "all columns are compared"


def test_of_a_large_table_only_the_beginning(tmp_path: Path) -> None:
    rows = "\n".join(",".join([f"{row}"] * 30 + ["t" * 500]) for row in range(5_000))
    header = ",".join(f"c{place}" for place in range(31))
    path = written(tmp_path, "wide.csv", f"{header}\n{rows}\n")
    (pair,) = table_match(path, path).tables
    for one in (pair.gold, pair.answer):
        assert len(one.rows) == 20 and len(one.columns) == 12 and one.full_size == (5_000, 31)


def test_each_of_several_tables_under_its_name(tmp_path: Path, gold: str) -> None:
    second = written(tmp_path, "second.csv", "c\n1\n")
    found = tables_match([written(tmp_path, "g1.csv", GOLD), written(tmp_path, "g2.csv", "c\n2\n")], [gold, second])
    assert found.state == "wrong" and [pair.table for pair in found.tables] == ["gold.csv", "second.csv"]
    assert found.tables[1].answer.rows == (("2",),)


def test_an_answer_that_cannot_be_read_has_none(tmp_path: Path, gold: str) -> None:
    assert table_match(written(tmp_path, "given.csv", "a,b\nx\n"), gold).tables == ()
