"""Gold whose result is chance, and ties in the partitions of a window function."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from karat.suites.answers.text_to_sql.compare import TODAY
from karat.suites.answers.text_to_sql.strict.gold_status import same_rows
from karat.suites.answers.text_to_sql.strict.moments import a_little_apart, at_date, depends_on_today
from karat.suites.answers.text_to_sql.strict.nondeterminism import Chance, chance_in
from karat.suites.answers.text_to_sql.strict.window_ties import window_cut
from tests.suites.answers.text_to_sql.making import compared

NUMBERED = "(select customer_id, id, row_number() over (partition by customer_id order by {key}) r from sale)"
BY_DAY = f"select customer_id, id from {NUMBERED.format(key='day < 0')} where r = 1"
"""Customer 1 has the sales 1 and 2, which are tied; customers 2 and 3 have one each."""
BY_AMOUNT = f"select customer_id, id from {NUMBERED.format(key='amount desc')} where r = 1"
"""Sale 2 is customer 1's largest, and nothing is tied."""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("gold", "status"),
    [
        ("select name from customer order by random() limit 1", "unstable"),
        ("select name from customer order by random()", "good"),
        ("select abs(random()) % 7 from sale", "unstable"),
        ("select country, name, count(*) from customer group by country", "unstable"),
        ("select country, upper(name) || '!', count(*) from customer group by country", "unstable"),
        ("select id, name, count(*) from customer group by id", "good"),
        ("select c.name, count(*) from customer c join sale s on s.customer_id = c.id group by s.customer_id", "good"),
        ("select customer_id, id, max(amount) from sale where customer_id > 1 group by customer_id", "good"),
        ("select id, max(amount) from sale", "unstable"),  # two sales have it
        ("select day, id, max(amount) from sale group by day", "unstable"),
        ("select id, min(amount) from sale", "good"),
        ("select id from sale order by amount desc limit 1", "good"),
        ("select name from (select * from customer limit 2) order by id limit 1", "unstable"),
        ("select substr(day, 1, 7) as month, count(*) from sale group by month", "good"),
        ("select country, group_concat(name) from customer group by country", "unstable"),
        ("select group_concat(name) from (select name from customer order by name)", "good"),
        ("select id, group_concat(name) from customer group by id", "good"),
        ("select name, rank() over (order by id) from customer", "good"),
        ("select id, row_number() over (order by amount desc) from sale", "unstable"),
        ("select id, row_number() over (order by amount desc, id) from sale", "good"),
        ("select id, lag(id) over (order by day) from sale", "unstable"),
        ("select id, rank() over (order by amount) r from sale order by r limit 3", "good"),  # a tie at the cut
        ("select date('now')", "good"),
    ],
)
def test_what_is_chance(tmp_path: Path, gold: str, status: str) -> None:
    found = compared(tmp_path, gold, gold).queries
    assert found is not None
    assert found.gold_status == status
    assert found.strict.state == ("gold_error" if status == "unstable" else "right")


def test_a_gold_of_today_says_so(tmp_path: Path) -> None:
    found = compared(tmp_path, "select date('now')", "select date('now')").queries
    assert found is not None
    assert found.gold_note == TODAY
    assert not depends_on_today("select known, nowhere from t where a = 'knows now'")


def test_a_fixed_day_holds_for_the_second_run_too(tmp_path: Path) -> None:
    found = compared(tmp_path, "select date('now')", "select '2024-06-15'", as_of="2024-06-15").queries
    assert found is not None
    assert (found.gold_status, found.gold_note, found.strict.state) == ("good", "", "right")


@pytest.mark.parametrize(
    ("gold", "given", "state"),
    [
        ("select datetime('now')", "select datetime('now') as n", "gold_error"),
        ("select strftime('%s', 'now')", "select 1", "gold_error"),
        ("select id, julianday('now') - julianday(day) + 9e9 from sale", "select 1", "wrong"),  # within the tolerance
        ("select current_timestamp, count(*) from sale", "select 1", "gold_error"),
        ("select unixepoch()", "select 1", "gold_error"),
        ("select current_date", "select date('now')", "right"),
        ("select count(*) from sale where day < datetime('now')", "select count(*) from sale", "right"),
        ("select id, (julianday('now') - julianday(born)) / 365 from customer where id = 1",
         "select id, (julianday('now') - julianday(born)) / 365.0 from customer where id = 1", "right"),
        ("select 'now', 'current_timestamp', \"now\"", "select 'now', 'current_timestamp', 'now'", "right"),
    ],
)  # fmt: skip
def test_a_gold_that_moves_within_a_day_is_out(tmp_path: Path, gold: str, given: str, state: str) -> None:
    found = compared(tmp_path, gold, given).queries
    assert found is not None
    assert found.strict.state == state
    fixed = compared(tmp_path, gold, gold + " ", as_of="2024-06-15").queries
    assert fixed is not None and fixed.gold_status == "good"


@pytest.mark.parametrize(
    ("dialect", "sql", "fixed"),
    [
        ("sqlite", "select strftime('%Y', 'now'), julianday('NOW'), date()",
         "select strftime('%Y', '2024-06-15'), julianday('2024-06-15'), date('2024-06-15')"),
        ("sqlite", "select current_timestamp, current_time", "select '2024-06-15 00:00:00', '00:00:00'"),
        ("sqlite", "select 'now', t.current_date, 'it is now', \"now\" -- now()",
         "select 'now', t.current_date, 'it is now', \"now\" -- now()"),
        ("postgres", "select now() - d, current_date - interval '1 day', localtimestamp",
         "select TIMESTAMPTZ '2024-06-15 00:00:00' - d, DATE '2024-06-15' - interval '1 day', "
         "TIMESTAMP '2024-06-15 00:00:00'"),
        ("postgres", "select 'now'::date, 'today' :: date, date 'now', cast('now' as timestamp)",
         "select '2024-06-15'::date, '2024-06-15' :: date, date '2024-06-15', cast('2024-06-15' as timestamp)"),
        ("duckdb", "select today(), current_timestamp", "select DATE '2024-06-15', TIMESTAMPTZ '2024-06-15 00:00:00'"),
        ("mysql", "select curdate(), current_timestamp(3), curtime(), 'now()'",
         "select DATE '2024-06-15', TIMESTAMP '2024-06-15 00:00:00', TIME '00:00:00', 'now()'"),
    ],
)  # fmt: skip
def test_a_fixed_day_in_each_dialect(dialect: str, sql: str, fixed: str) -> None:
    assert at_date(sql, "2024-06-15", dialect) == fixed


def test_the_other_moment_is_on_the_same_day() -> None:
    for second in (0, 10, 43_199, 43_200, 86_399):
        day, clock = a_little_apart(1_700_006_400 + second)
        assert day == "2023-11-15"
        assert clock != "00:00:00"


def test_what_mysql_takes_from_any_row() -> None:
    bare = chance_in("SELECT dept, name, MAX(pay) FROM emp GROUP BY dept", "mysql").bare
    assert bare is not None and "MIN(name)" in bare[0] and "MAX(name)" in bare[1]
    assert chance_in("SELECT dept, GROUP_CONCAT(name) FROM emp GROUP BY dept", "mysql").bare is not None
    assert chance_in("SELECT dept, GROUP_CONCAT(name ORDER BY name) FROM emp GROUP BY dept", "mysql").bare is None


def test_a_value_that_is_not_a_number_does_not_move() -> None:
    rows = [[(cls("nan"), 1)] for cls in (float, Decimal)]
    assert all(same_rows(one, [(type(one[0][0])("nan"), 1)]) for one in rows)
    assert not same_rows(rows[0], [(0.5, 1)])


def test_what_cannot_be_read_is_not_called_chance() -> None:
    assert chance_in("select (((", "sqlite") == Chance()


@pytest.mark.parametrize(
    ("gold", "sql", "state", "reason"),
    [
        (BY_DAY, "values (1, 1), (2, 3), (3, 4)", "right", ""),
        (BY_DAY, "values (1, 2), (2, 3), (3, 4)", "right", ""),
        (BY_DAY, "select id, customer_id from sale where id > 1", "right", ""),
        (BY_DAY, "values (1, 3), (2, 3), (3, 4)", "wrong", "values_differ"),
        (BY_DAY, "values (1, 2), (1, 1), (3, 4)", "wrong", None),
        (BY_DAY, "select customer_id, id from sale", "needs_review", "ties_all"),
        (BY_AMOUNT, "values (1, 1), (2, 3), (3, 4)", "wrong", "values_differ"),
        (BY_AMOUNT, "values (1, 2), (2, 3), (3, 4)", "right", ""),
        (
            f"with t as {NUMBERED.format(key='day < 0')} select customer_id, id from t where r <= 1",
            "values (1, 2), (2, 3), (3, 4)",
            "right",
            "",
        ),
        (
            f"select c.name, t.id from {NUMBERED.format(key='day < 0')} t join customer c on c.id = t.customer_id"
            " where t.r = 1",
            "values ('Ada', 2), ('Ben', 3), ('Cleo', 4)",
            "right",
            "",
        ),
    ],
)
def test_ties_in_a_partition(tmp_path: Path, gold: str, sql: str, state: str, reason: str | None) -> None:
    found = compared(tmp_path, gold, sql).strict
    assert found.state == state
    assert reason is None or found.reason == reason


def test_both_choices_among_tied_rows_are_noted_as_ties(tmp_path: Path) -> None:
    said = [compared(tmp_path, BY_DAY, f"values (1, {one}), (2, 3), (3, 4)").strict.normalised for one in (1, 2)]
    assert sorted(said) == [(), ("ties",)]


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) from (select row_number() over (order by id) r from sale) where r < 3",
        "select id, row_number() over (order by id) from sale",
        "select distinct id from (select id, row_number() over (order by id) r from sale) where r = 1",
        "select id from sale",
    ],
)
def test_what_is_no_cut_by_partition(sql: str) -> None:
    assert window_cut(sql, "sqlite") is None


def test_a_cut_by_qualify() -> None:
    sql = "SELECT id FROM sale QUALIFY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY day) = 1"
    cut = window_cut(sql, "duckdb")
    assert cut is not None
    assert cut.keys == 1
    assert "RANK() OVER (PARTITION BY customer_id ORDER BY day) = 1" in cut.ranked
