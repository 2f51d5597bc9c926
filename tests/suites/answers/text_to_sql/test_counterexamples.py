"""Made rows that tell two queries apart, and none for a query in other words."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.core.results.result import CaseResult, RunInfo, RunResult
from karat.suites.answers.text_to_sql.components.difference import difference
from karat.suites.answers.text_to_sql.fillings.child_process import guarded_search
from karat.suites.answers.text_to_sql.fillings.mutants import mutants
from karat.suites.answers.text_to_sql.fillings.schema import read_schema
from karat.suites.answers.text_to_sql.fillings.scratch import ScratchTable
from karat.suites.answers.text_to_sql.fillings.search import search
from karat.suites.answers.text_to_sql.fillings.suite import make_suite
from karat.suites.answers.text_to_sql.running.execution import Databases
from karat.suites.answers.text_to_sql.strict.judge import Asked
from karat.verbs.answers.questions import fill_suite, write_examples
from tests.suites.answers.text_to_sql.making import compared, database, question_file


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[ScratchTable, ...]:
    monkeypatch.chdir(tmp_path)
    databases = Databases(5.0, 1000, None)
    found = read_schema(partial(databases.run, {"engine": "sqlite", "path": str(database(tmp_path))}))
    databases.close()
    return found


JOINED = "select c.name, count(*) from customer c join sale s on s.customer_id = c.id"


@pytest.mark.parametrize(
    ("gold", "sql"),
    [
        (f"{JOINED} group by c.id", f"{JOINED} group by c.name"),
        ("select name from customer where country = 'FR'", "select name from customer where id in (1, 2)"),
        ("select count(*) from sale where amount > 10", "select count(*) from sale where amount >= 10"),
        ("select count(*) from customer", "select count(born) from customer"),
        ("select c.name from customer c left join sale s on s.customer_id = c.id",
         "select c.name from customer c join sale s on s.customer_id = c.id"),
        ("select country from customer", "select distinct country from customer"),
        ("select max(amount) from sale", "select amount from sale order by id desc limit 1"),
        ("select customer_id from sale group by customer_id having count(*) > 3",
         "select customer_id from sale group by customer_id having count(*) > 4"),
    ],
)  # fmt: skip
def test_queries_that_differ_are_told_apart_by_a_few_rows(
    gold: str, sql: str, tables: tuple[ScratchTable, ...]
) -> None:
    found = search(gold, sql, tables, Asked("")).found
    assert found is not None
    assert all(len(rows) <= 5 for rows in found.made_rows.values())
    script, _, queries = found.rebuild_script.partition("-- gold")
    again = sqlite3.connect(":memory:")
    again.executescript(script)
    ours, theirs = (text.strip().rstrip(";") for text in queries.split("-- answer"))
    assert [list(row) for row in again.execute(ours)] == found.gold_result
    assert [list(row) for row in again.execute(theirs)] == found.answer_result


@pytest.mark.parametrize(
    ("gold", "sql"),
    [
        (f"{JOINED} group by c.id",
         "SELECT T1.name, COUNT(*) FROM sale T2 JOIN customer T1 ON T1.id = T2.customer_id GROUP BY T1.id"),
        ("select name, country from customer", "select country as c, name as n from customer order by id desc"),
        ("select id from sale order by amount desc limit 1",
         "select s.id from sale s order by s.amount desc, s.id desc limit 1"),
        ("select id from sale where amount between 5 and 20",
         "select id from sale where not (amount < 5 or amount > 20)"),
    ],
)  # fmt: skip
def test_none_for_the_same_query_in_other_words(gold: str, sql: str, tables: tuple[ScratchTable, ...]) -> None:
    assert search(gold, sql, tables, Asked(""), seconds=0.7).found is None


def test_days_stay_days(tables: tuple[ScratchTable, ...]) -> None:
    """Two ways to ask for a month agree on every day, and made texts that are no days prove nothing."""
    month = "select id from sale where day between '2024-01-01' and '2024-01-31'"
    same = "select id from sale where strftime('%Y-%m', day) = '2024-01'"
    assert search(month, same, tables, Asked(""), seconds=0.7).found is None
    cut = "select id from sale where day between '2024-01-01' and '2024-01-30'"
    found = search(month, cut, tables, Asked("")).found
    assert found is not None
    assert [row[3] for row in found.made_rows["sale"]] == ["2024-01-31"]


def test_a_key_of_several_columns_may_hold_nulls_and_one_that_is_declared_not_null_may_not(tmp_path: Path) -> None:
    """As the engine has it. A key of one column stays without: nobody means that."""
    gold, sql = (f"select a from t group by a having {one} > 1" for one in ("count(*)", "count(b)"))
    for key, told in (("b text, primary key (a, b)", True), ("b text not null, primary key (a, b)", False),
                      ("b text primary key", False)):  # fmt: skip
        file = database(
            tmp_path / str(len(key)), "t", f"create table t(a text, {key}); insert into t values ('x', 'y')"
        )
        databases = Databases(5.0, 1000, None)
        tables = read_schema(partial(databases.run, {"engine": "sqlite", "path": str(file)}))
        databases.close()
        assert (search(gold, sql, tables, Asked(""), seconds=1.0).found is not None) is told, key


COMPUTED = """
CREATE TABLE emp(twice REAL GENERATED ALWAYS AS (pay * 2) VIRTUAL, id INTEGER PRIMARY KEY, name TEXT, pay REAL,
    more REAL AS (pay + 1) STORED);
INSERT INTO emp(id, name, pay) VALUES (1, 'Ann', 10), (2, 'Bob', 20), (3, 'Cid', 5);
"""


@pytest.mark.parametrize(
    ("gold", "sql"),
    [
        ("select name from emp where pay > 8", "select name from emp where pay >= 8"),
        ("select count(*) from emp", "select count(name) from emp"),
        ("select twice from emp where more > 1", "select pay * 2 from emp"),
        ("select name from emp", "select name from emp where id is not null and name <> ''"),
    ],
)
def test_columns_that_the_engine_computes_are_not_filled(tmp_path: Path, gold: str, sql: str) -> None:
    """Rows with a value for them go into no table, and what is shown then is two results that do not differ."""
    databases = Databases(5.0, 1000, None)
    tables = read_schema(partial(databases.run, {"engine": "sqlite", "path": str(database(tmp_path, script=COMPUTED))}))
    databases.close()
    example = search(gold, sql, tables, Asked("q"), seconds=60).found
    assert example is not None
    assert example.reason and example.gold_result != example.answer_result
    script, _, queries = example.rebuild_script.partition("-- gold")
    again = sqlite3.connect(":memory:")
    again.executescript(script)
    results = [[list(row) for row in again.execute(text.strip().rstrip(";"))] for text in queries.split("-- answer")]
    assert results == [example.gold_result, example.answer_result]


def test_a_suite_for_a_table_with_a_computed_column(tmp_path: Path) -> None:
    file = database(tmp_path, script=COMPUTED)
    made = make_suite(file, ["select name from emp where twice > 10"], tmp_path / "suite", count=2, seed=1)
    assert made.told
    with sqlite3.connect(made.files[0]) as connection:
        rows = connection.execute("select twice, pay * 2 from emp").fetchall()
    assert rows and all(ours == theirs for ours, theirs in rows)


def test_the_questions_of_a_suite_name_their_database_in_any_case(tmp_path: Path) -> None:
    file = database(tmp_path)
    rows = [{"id": "q", "db": "Shop", "question": "Who?", "sql": "select name from customer where country = 'FR'"}]
    questions = question_file(tmp_path, rows)
    assert fill_suite(file, questions, tmp_path / "suite", count=2).mutants
    with pytest.raises(UserError, match=r"missing\.sqlite cannot be read"):  # not: no question is about it
        fill_suite(tmp_path / "missing.sqlite", questions, tmp_path / "suite", count=2)


def test_a_pass_that_is_refuted_is_lucky_and_may_count_as_a_failure(tmp_path: Path) -> None:
    gold, sql = "select name from customer where country = 'FR'", "select name from customer where id in (1, 2)"
    lucky = compared(tmp_path, gold, sql, options={"counterexamples": True})
    assert lucky.strict.state == "right"
    assert "lucky" in lucky.strict.normalised
    assert lucky.queries is not None
    assert lucky.queries.counterexample is not None
    failed = compared(tmp_path, gold, sql, options={"counterexamples": True, "lucky": "fail"})
    assert (failed.strict.state, failed.strict.reason) == ("wrong", "lucky")


@pytest.mark.parametrize(
    "trap",
    [
        "(select count(*) from t a, t b, t c, t d) > 0",
        "hex(zeroblob(400000)) like '%' || hex(zeroblob(20000)) || '1'",
        "(select length(group_concat(hex(zeroblob(400000)))) from t) > 0",
        "(select count(*) from (select distinct n, hex(zeroblob(2000)) from t)) > 0",
    ],
)
def test_a_query_that_explodes_on_made_rows_finds_nothing_and_ends(trap: str, tables: tuple[ScratchTable, ...]) -> None:
    """It is quick on the real rows, where there are four customers, and a trap on any others."""
    endless = "with recursive t(n) as (select 1 union all select n + 1 from t)"
    armed = f"case when (select count(*) from customer) = 4 then 1 else {trap} end"
    sql = f"{endless} select name from customer where {armed}"
    assert guarded_search("select name from customer", sql, tables, Asked(""), seconds=0.5).found is None
    differing = guarded_search("select name from customer", "select country from customer", tables, Asked(""))
    assert differing.found is not None


def test_empty_gold_passes_where_fillings_agree(tmp_path: Path) -> None:
    gold = "select name from customer where id > 900"
    agreed = compared(
        tmp_path, gold, "select c.name from customer c where 900 < c.id", options={"counterexamples": True}
    )
    assert agreed.strict.state == "right"
    assert "fillings" in agreed.strict.normalised
    other = compared(tmp_path, gold, "select name from customer where id > 901", options={"counterexamples": True})
    assert other.strict.reason == "empty_gold"
    assert other.queries is not None
    assert other.queries.counterexample is not None


def test_every_counterexample_has_a_file_of_its_own(tmp_path: Path) -> None:
    cases = tuple(
        CaseResult(name, "scored", {}, {"sql": {"counterexample": {"rebuild_script": f"-- {name}"}}})
        for name in ("a/b", "a_b", "a b", "c")
    )
    files = write_examples(RunResult(RunInfo("answers", "r-0001", "team", "recorded", len(cases)), (), cases), tmp_path)
    assert [Path(file).name for file in files] == ["a_b.sql", "a_b-2.sql", "a_b-3.sql", "c.sql"]
    assert [Path(file).read_text() for file in files] == ["-- a/b", "-- a_b", "-- a b", "-- c"]


def test_a_suite_tells_changed_gold_queries_apart_and_is_the_same_again(tmp_path: Path) -> None:
    file = database(tmp_path)
    golds = ["select name from customer where country = 'FR'", "select count(*) from sale where amount > 10"]
    made = make_suite(file, golds, tmp_path / "one", count=6, seed=3)
    again = make_suite(file, golds, tmp_path / "two", count=6, seed=3)
    assert made.mutants >= 5
    assert made.told >= made.mutants - 1
    assert 0 < len(made.files) <= 6
    rows = [
        [sqlite3.connect(one).execute("select * from customer").fetchall() for one in suite.files]
        for suite in (made, again)
    ]
    assert rows[0] == rows[1]


def test_mutants_change_one_thing_each() -> None:
    found = mutants("select max(id) from sale where amount > 10")
    assert "SELECT MIN(id) FROM sale WHERE amount > 10" in found
    assert "SELECT MAX(id) FROM sale" in found
    assert "SELECT MAX(id) FROM sale WHERE amount > 11" in found
    assert "SELECT MAX(id) FROM sale WHERE amount > 9" in found
    assert "SELECT MAX(id) FROM sale WHERE amount >= 10" in found


@pytest.mark.parametrize(
    ("gold", "changed"),
    [
        ("SELECT COUNT(DISTINCT a) FROM t", {"SELECT COUNT(a) FROM t"}),
        ("SELECT COUNT(a) FROM t", {"SELECT COUNT(DISTINCT a) FROM t", "SELECT COUNT(*) FROM t"}),
        ("SELECT a FROM t WHERE b <= 1", {"SELECT a FROM t WHERE b < 1", "SELECT a FROM t WHERE b <= 2"}),
        ("SELECT a FROM t WHERE b BETWEEN 1 AND 5", {"SELECT a FROM t WHERE (b > 1 AND b <= 5)"}),
        ("SELECT a FROM t WHERE day > '2024-02-29'", {"SELECT a FROM t WHERE day > '2024-03-01'"}),
        (
            "SELECT a FROM t WHERE b = 'Red'",
            {
                "SELECT a FROM t WHERE LOWER(b) = 'red'",
                "SELECT a FROM t WHERE SUBSTR(b, 1, 3) = 'Red'",
                "SELECT a FROM t WHERE SUBSTR(b, -3) = 'Red'",
                "SELECT a FROM t WHERE b = 'Blue'",
                "SELECT a FROM t WHERE b <> 'Blue'",
            },
        ),
        ("SELECT a FROM t WHERE b IN ('Red', 'Blue')", {"SELECT a FROM t WHERE b IN ('Red')"}),
        ("SELECT a FROM t WHERE b IN ('Red')", {"SELECT a FROM t WHERE b IN ('Red', 'Blue')"}),
        ("SELECT a FROM t WHERE b LIKE 'R%'", {"SELECT a FROM t WHERE b LIKE '%R%'"}),
        ("SELECT b, SUM(a) FROM t GROUP BY id", {"SELECT b, SUM(a) FROM t GROUP BY b"}),
        ("SELECT a FROM t ORDER BY b LIMIT 1", {"SELECT a FROM t ORDER BY b DESC LIMIT 1"}),
    ],
)
def test_what_a_mutant_changes(gold: str, changed: set[str]) -> None:
    assert changed <= set(mutants(gold, {"b": ["Red", "Blue"]}))


def test_a_query_with_too_many_mutants_keeps_some_of_each_kind() -> None:
    many = " OR ".join(f"amount = {number}" for number in range(100, 160))
    found = mutants(f"select count(distinct name) from sale where name = 'Ann' and ({many})")
    assert len(found) == 40
    assert any("COUNT(name)" in one for one in found)
    assert any("LOWER(name)" in one for one in found)


LUCKY = [
    ("select count(distinct customer_id) from sale", "select count(customer_id) from sale"),
    ("select name from customer where country = 'FR'", "select name from customer where country like 'fr%'"),
    ("select id from sale where amount > 10", "select id from sale where amount >= 10"),
    ("select id from customer where country <> 'FR'", "select id from customer where country = 'DE'"),
]


def test_a_suite_of_few_files_refutes_answers_that_were_lucky_on_the_real_rows(tmp_path: Path) -> None:
    made = make_suite(database(tmp_path), [gold for gold, _ in LUCKY], tmp_path / "suite", count=6, seed=1)
    files = [sqlite3.connect(one) for one in made.files]
    for gold, lucky in LUCKY:
        results = [[sorted(one.execute(sql).fetchall()) for sql in (gold, lucky)] for one in files]
        assert any(ours != theirs for ours, theirs in results), lucky


KEYS = """
CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT, town TEXT NOT NULL, chief INT REFERENCES team(id));
CREATE TABLE player(id INTEGER PRIMARY KEY, team_id INT REFERENCES team(id), name TEXT, age INT);
INSERT INTO team VALUES (1,'Lions','Lyon',NULL),(2,'Owls','Nice',1);
INSERT INTO player VALUES (1,1,'A',20),(2,2,'B',25);
"""


@pytest.mark.parametrize(
    ("gold", "sql", "cause"),
    [
        ("select count(*) from player", "select count(age) from player", "nulls"),
        ("select max(age) from player", "select age from player order by age desc limit 1", "nulls"),
        ("select name from player where age > 29", "select name from player where age >= 29", "boundary"),
        (
            "select sum(age) from player where name like 'A%'",
            "select sum(age) from player where name = 'A'",
            "boundary",
        ),
        (
            "select t.name from team t join player p on p.team_id = t.id",
            "select t.name from team t left join player p on p.team_id = t.id",
            "join_kind",
        ),
    ],
)
def test_under_declared_foreign_keys_the_shown_rows_really_tell_the_queries_apart(
    gold: str, sql: str, cause: str, tmp_path: Path
) -> None:
    """A filling that the keys refuse was taken back, and the one before it was judged in its place."""
    file = database(tmp_path, "keys", KEYS)
    databases = Databases(5.0, 1000, None)
    tables = read_schema(partial(databases.run, {"engine": "sqlite", "path": str(file)}))
    databases.close()
    components = difference(gold, sql, "sqlite", ()).components
    found = search(gold, sql, tables, Asked("q"), components=components).found
    assert found is not None
    assert found.gold_result != found.answer_result
    assert found.made_cause == cause
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(found.rebuild_script.split("-- gold")[0])
        assert not connection.execute("PRAGMA foreign_key_check").fetchall()
        assert list(map(list, connection.execute(gold))) == found.gold_result
        assert list(map(list, connection.execute(sql))) == found.answer_result
