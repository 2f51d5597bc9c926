"""DuckDB files: which tables count, types that CSV files do not have, and files that are none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from karat.suites.answers.records import Answer, Entry, Gold
from karat.suites.answers.spider2 import duckdb_match, judge
from tests.suites.answers.spider2.agreeing import assert_duckdb_agrees

Make = Callable[..., str]

PEOPLE = (
    "CREATE TABLE people AS SELECT * FROM (VALUES (1, 'Ann', 1.5::DOUBLE, DATE '2020-01-01', true, 1.25::DECIMAL(9,2), "
    "2::FLOAT),"
    " (2, 'Bob', NULL, DATE '2021-01-01', NULL, 3.5, 0.1::FLOAT), (10, NULL, 2.5, NULL, false, 4.5, 7))"
    " t(id, name, score, born, member, paid, rate)"
)
TOWNS = "CREATE TABLE towns AS SELECT 'Rome' AS town"


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(name: str, *statements: str) -> str:
        with duckdb.connect(str(tmp_path / name)) as connection:
            for statement in statements:
                connection.execute(statement)
        return str(tmp_path / name)

    return made


def test_all_tables_of_gold_count_unless_some_are_named(make: Make) -> None:
    gold, found = make("gold.duckdb", PEOPLE, TOWNS), make("found.duckdb", PEOPLE)
    verdict = duckdb_match(found, gold)
    assert (verdict.reason, verdict.evidence.get("table")) == ("missing_prediction", "towns"), verdict
    assert duckdb_match(found, gold, ["people"])
    assert duckdb_match(gold, found)  # more tables are free
    assert duckdb_match(gold, gold, ["people", "towns"], [[0], []], [True, False])
    assert duckdb_match(found, gold, ["nobody"]).reason == "gold_error"  # gold is read first
    assert duckdb_match(gold, found, ["towns"]).reason == "gold_error"


@pytest.mark.parametrize("ignore", [True, False])
@pytest.mark.parametrize("nulls", ["equal", "zero"])
def test_every_type_agrees_with_the_literal_algorithm(make: Make, nulls: str, ignore: bool) -> None:
    gold = make("gold.duckdb", PEOPLE)
    turned = make(
        "turned.duckdb",
        PEOPLE.replace("people", "old"),
        "CREATE TABLE people AS SELECT rate, paid, member, born, score, coalesce(name, '0') AS name, id FROM old ORDER "
        "BY id DESC",
    )
    results = [
        assert_duckdb_agrees(found, gold, ["people"], [[column]], [ignore], nulls=nulls)
        for column in range(7)
        for found in (gold, turned)
    ]
    assert True in results
    assert_duckdb_agrees(turned, gold, ["people"], None, [ignore], nulls=nulls)
    assert_duckdb_agrees(gold, turned, ["people"], [[]], [ignore], nulls=nulls)
    assert_duckdb_agrees(gold, turned, ["people"], [[9]], [ignore], nulls=nulls)


def test_names_of_tables_go_into_the_query_as_they_are(make: Make) -> None:
    gold, found = make("gold.duckdb", PEOPLE), make("found.duckdb", PEOPLE.replace("people", "PEOPLE"))
    assert assert_duckdb_agrees(found, gold)  # case does not count
    assert assert_duckdb_agrees(found, gold, ["People"])
    assert assert_duckdb_agrees(found, gold, ["main.people"])
    spaced = make("spaced.duckdb", 'CREATE TABLE "my towns" AS SELECT 1 AS a')
    assert not assert_duckdb_agrees(spaced, spaced)  # a name that needs quotes
    assert "Table with name my does not exist" in duckdb_match(spaced, spaced).evidence["error"]


@pytest.mark.parametrize(
    ("tabs", "columns", "ignore", "passes"),
    [
        (None, None, None, True),
        (None, [], None, False),  # an empty list is a list of the wrong length
        (None, None, [], False),
        (None, [[], []], [True, False], True),
        (["towns"], [[]], [1], True),
        (["towns"], [[0], [0]], None, False),
        (["towns"], None, [True, True], False),
        (["towns"], [None], None, False),
        (["towns"], [0], None, False),
        (["towns"], None, True, False),
        ("towns", None, None, False),  # a text names a table with each of its letters
    ],
)
def test_lists_must_have_as_many_entries_as_there_are_tables(
    make: Make, tabs: Any, columns: Any, ignore: Any, passes: bool
) -> None:
    gold = make("gold.duckdb", TOWNS, TOWNS.replace("towns", "cities"))
    assert assert_duckdb_agrees(gold, gold, tabs, columns, ignore) is passes


def test_a_list_of_the_wrong_length_is_named(make: Make) -> None:
    gold = make("gold.duckdb", TOWNS)
    verdict = duckdb_match(gold, gold, ["towns"], [[0], [0]])
    assert verdict.evidence["error"] == "ValueError: condition_cols has 2 entries for 1 table: it must have as many"


def test_no_tables_named_is_nothing_to_compare(make: Make, tmp_path: Path) -> None:
    gold, other = make("gold.duckdb", PEOPLE), make("other.duckdb", TOWNS)
    assert assert_duckdb_agrees(other, gold, [])
    assert assert_duckdb_agrees(str(tmp_path / "gone.duckdb"), gold, [])
    assert not assert_duckdb_agrees(other, gold, [], [[0]])


LISTS = "CREATE TABLE t AS SELECT * FROM (VALUES ({}, 'x'), ({}, 'y')) v(l, s)"


@pytest.mark.parametrize("ignore", [True, False])
@pytest.mark.parametrize(
    "one", ["[1, 2]", "[1]", "['x']", "[]::INT[]", "NULL", "{'a': 1}", "MAP {'k': 1}", "INTERVAL 1 DAY"]
)
def test_cells_that_cannot_be_compared_do_not_end_the_search(make: Make, one: str, ignore: bool) -> None:
    gold = make("gold.duckdb", "CREATE TABLE t AS SELECT * FROM (VALUES ('x'), ('y')) v(s)")
    lists = make("lists.duckdb", LISTS.format(one, one))
    assert assert_duckdb_agrees(lists, gold, None, None, [ignore])
    assert_duckdb_agrees(lists, lists, None, [[0]], [ignore])
    assert_duckdb_agrees(gold, lists, None, None, [ignore])


def test_nulls_of_other_types_sort_elsewhere(make: Make) -> None:
    """A null of an ENUM comes as NaN and sorts as the text "nan"; None sorts last."""
    gold = make("gold.duckdb", "CREATE TABLE t AS SELECT * FROM (VALUES ('zebra'), (NULL), ('ant')) v(s)")
    typed = make(
        "typed.duckdb",
        "CREATE TYPE animal AS ENUM ('ant', 'zebra')",
        "CREATE TABLE t AS SELECT * FROM (VALUES ('zebra'::animal), (NULL), ('ant'::animal)) v(s)",
    )
    for ignore in (True, False):
        assert_duckdb_agrees(typed, gold, None, None, [ignore])
        assert_duckdb_agrees(gold, typed, None, None, [ignore])


def test_a_table_that_differs(make: Make) -> None:
    gold = make("gold.duckdb", TOWNS)
    verdict = duckdb_match(make("found.duckdb", TOWNS.replace("Rome", "Oslo")), gold)
    assert (verdict.reason, verdict.evidence["table"]) == ("values_differ", "towns")


def test_files_that_are_no_duckdb(make: Make, tmp_path: Path) -> None:
    gold = make("gold.duckdb", TOWNS)
    (tmp_path / "text.duckdb").write_text("town\nRome\n")
    header = bytearray(Path(gold).read_bytes())
    header[12] = 250  # the version of the format
    (tmp_path / "newer.duckdb").write_bytes(header)
    for name in ("text.duckdb", "newer.duckdb", "gone.duckdb"):
        verdict = duckdb_match(str(tmp_path / name), gold)
        assert verdict.reason == "unreadable_prediction", verdict
        assert verdict.evidence["error"].startswith(name)
        assert str(tmp_path) not in verdict.evidence["error"]


def test_a_view_cannot_read_other_files(make: Make, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("town\nRome\n")
    gold = make("gold.duckdb", TOWNS)
    found = make("found.duckdb", f"CREATE VIEW towns AS SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')")
    verdict = duckdb_match(found, gold)
    assert verdict.reason == "unreadable_prediction"


def test_nothing_is_written_and_a_judge_takes_it(make: Make, tmp_path: Path) -> None:
    gold = make("gold.duckdb", TOWNS)
    (tmp_path / "sub").mkdir()
    found = make("sub/found.duckdb", TOWNS)
    entry = Entry(
        "duckdb_match", {"gold": "gold.duckdb", "condition_tabs": ["towns"], "ignore_orders": [True]}, (gold,)
    )
    assert judge(Gold("one", (entry,)), Answer("one", "file", paths=(found,)))
    assert [path.name for path in (tmp_path / "sub").iterdir()] == ["found.duckdb"]
