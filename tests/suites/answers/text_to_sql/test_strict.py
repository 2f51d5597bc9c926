"""What strict says of a prediction against gold SQL: rows, columns, order, ties, empty and moving gold."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.suite import NotApplicable, Unreadable
from karat.suites.answers.text_to_sql.strict.asks_order import asks_order
from karat.suites.answers.text_to_sql.strict.gold_query import read_gold
from karat.suites.answers.text_to_sql.strict.gold_status import same_text
from karat.suites.answers.text_to_sql.strict.moments import at_date
from karat.tables.explain.cells import cells_of
from tests.suites.answers.text_to_sql.making import compared, database

NAMES = "select name from customer"
TOP = "select id from sale order by amount desc limit 1"
SECOND = f"{TOP} offset 1"
SORTED = "select id from sale order by amount"
BY_AMOUNT = "Sales sorted by amount"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


VERSIONS = """
CREATE TABLE release(id INTEGER PRIMARY KEY, version TEXT, code TEXT, price TEXT);
INSERT INTO release VALUES (1,'1.10','1E5','12.50'),(2,'1.1','100000','12.5');
"""


@pytest.mark.parametrize(
    ("gold", "sql", "state"),
    [
        ("select version from release where id = 1", "select version from release where id = 2", "wrong"),
        ("select max(version) from release", "select min(version) from release", "wrong"),
        ("select code from release where id = 1", "select r.code from release r where r.id = 2", "wrong"),
        ("select * from release where id = 1", "select 1, version, code, price from release where id = 2", "wrong"),
        ("select version from release", "select version from release order by 1", "right"),
        # a query that formats its result may write a number in another way
        ("select price from release where id = 1", "select printf('%.1f', price) from release where id = 1", "right"),
        ("select price from release where id = 1", "select cast(price as real) from release where id = 1", "right"),
        ("select printf('%.2f', 12.5)", "select price from release where id = 2", "right"),
    ],
)
def test_texts_that_look_like_numbers_are_other_entries(tmp_path: Path, gold: str, sql: str, state: str) -> None:
    database(tmp_path, script=VERSIONS)
    found = compared(tmp_path, gold, sql)
    assert found.strict.state == state
    if state == "wrong":
        assert "keeps both as texts" in found.strict.evidence["problem"]


@pytest.mark.parametrize(
    ("gold", "sql", "question", "state", "reason"),
    [
        (NAMES, "select distinct name from customer", "", "wrong", "duplicates"),
        (NAMES, "select name from customer, sale", "", "wrong", "duplicates"),
        ("select country, name from customer", "select name, country from customer", "", "right", ""),
        ("select max(amount) from sale", "select amount from sale where amount = 20", "", "wrong", "row_count"),
        ("select born from customer where id = 3", "select 0", "", "wrong", "null_vs_zero"),
        ("select count(*) from sale", "select '4'", "", "right", ""),
        ("select country from customer where id = 1", "select 'fr'", "", "wrong", "case_or_space"),
        (NAMES, "select name from customer; select 1", "", "wrong", "sql_error"),
        (NAMES, "create temp view customer as select 1 as name where 0", "", "wrong", "sql_error"),
        (f"{NAMES} order by id", f"{NAMES} order by id desc", "Names by id.", "wrong", "order_differs"),
        (f"{NAMES} order by id", f"{NAMES} order by id desc", "Names.", "right", ""),
        (f"{NAMES} where id > 9", "select day from sale where id > 9", "", "needs_review", "empty_gold"),
        (f"{NAMES} where id > 9", f"{NAMES} where id > 8", "", "needs_review", "empty_gold"),
        (f"{NAMES} where id > 9", f"{NAMES.upper()} where id>9;", "", "right", ""),
        ("select count(*) from sale where amount > 99", "select 0", "", "needs_review", "empty_gold"),
        # Two sales of 20: either may be the largest, both are for a person, a smaller one is wrong.
        (TOP, "select 3", "", "right", ""),
        (TOP, "select id from sale where amount = 20", "", "needs_review", "ties_all"),
        (TOP, "select 1", "", "wrong", "values_differ"),
        # The same where OFFSET cuts among them, and where the order of the rest matters.
        (SECOND, "select 2", "", "right", ""),
        (SECOND, "select 3", "", "right", ""),
        (SECOND, "select 1", "", "wrong", "values_differ"),
        (f"{SORTED} limit 2 offset 1", "values (3), (1)", "Two ids of the middle.", "right", ""),
        (f"{SORTED} limit 2 offset 1", "values (2), (3)", "", "wrong", "values_differ"),
        (f"{SORTED} limit 2 offset 1", "values (1), (3)", BY_AMOUNT, "right", ""),
        (f"{SORTED} limit 2 offset 1", "values (3), (1)", BY_AMOUNT, "wrong", "values_differ"),
        (f"{SORTED} limit 3", "values (4), (1), (3)", BY_AMOUNT, "right", ""),
        (f"{SORTED} limit 3", "values (3), (1), (4)", BY_AMOUNT, "wrong", "values_differ"),
        (SORTED, f"{SORTED}, id desc", BY_AMOUNT, "right", ""),
        (SORTED, "select id from sale order by id", BY_AMOUNT, "wrong", "order_differs"),
    ],
)  # fmt: skip
def test_verdicts(gold: str, sql: str, question: str, state: str, reason: str, tmp_path: Path) -> None:
    verdict = compared(tmp_path, gold, sql, question).strict
    assert (verdict.state, verdict.reason) == (state, reason)


def test_what_a_pass_needed_is_said(tmp_path: Path) -> None:
    assert "extra_columns" in compared(tmp_path, NAMES, "select id, name from customer").strict.normalised
    assert "number_as_text" in compared(tmp_path, "select count(*) from sale", "select '4'").strict.normalised
    assert (
        "ties" in compared(tmp_path, "select id from sale order by amount desc limit 1", "select 3").strict.normalised
    )
    other = compared(tmp_path, f"{NAMES} order by id", f"{NAMES} order by id desc", "Names.")
    assert "order_not_asked" in other.strict.normalised


@pytest.mark.parametrize(
    ("gold", "given", "state"),
    [
        (f"{NAMES} order by id", f"{NAMES} order by id desc", "needs_review"),
        (f"{NAMES} order by id", f"{NAMES} order by id", "right"),
        ("select amount from sale order by amount desc", "select amount from sale order by amount desc, id", "right"),
        ("select id from sale order by amount", "select id from sale order by amount, id desc", "right"),  # ties
        (f"{NAMES} order by id", f"{NAMES} where id > 1 order by id desc", "wrong"),
        (f"{NAMES} order by id limit 1", "select 'Ada'", "right"),
        (f"{NAMES} order by random()", NAMES, "right"),
        (NAMES, f"{NAMES} order by id desc", "right"),
    ],
)
def test_without_a_question_nobody_knows_whether_the_order_of_gold_counts(
    tmp_path: Path, gold: str, given: str, state: str
) -> None:
    """As in a file of gold SQL alone: an answer in the other order must not pass unseen."""
    found = compared(tmp_path, gold, given).strict
    assert found.state == state
    if state == "needs_review":
        assert found.reason == "order_differs" and "no question" in str(found.evidence["problem"])
        assert compared(tmp_path, gold, given, order="no").strict.state == "right"
        assert compared(tmp_path, gold, given, order="yes").strict.state == "wrong"


def test_order_of_the_case_wins_over_the_question(tmp_path: Path) -> None:
    sql = f"{NAMES} order by id desc"
    assert compared(tmp_path, f"{NAMES} order by id", sql, "Names.", order="yes").strict.reason == "order_differs"
    assert compared(tmp_path, f"{NAMES} order by id", sql, "Names sorted by id", order="no").strict.state == "right"


def test_options_refuse_extra_columns_and_ignore_repeats(tmp_path: Path) -> None:
    extra = compared(tmp_path, NAMES, "select id, name from customer", options={"extra_columns": "deny"})
    assert extra.strict.reason == "extra_columns"
    fewer = compared(tmp_path, NAMES, "select distinct name from customer", options={"duplicates": "ignore"})
    assert fewer.strict.state == "right"


def test_any_of_several_golds_passes_and_is_named(tmp_path: Path) -> None:
    found = compared(tmp_path, ["select id from customer", NAMES], NAMES)
    assert found.strict.state == "right"
    assert found.strict.evidence["gold"] == NAMES
    assert found.queries is not None
    assert found.queries.figures.bird_ex == 0  # the public figure has the first gold alone


def test_gold_that_moves_leaves_the_denominator_of_strict_alone(tmp_path: Path) -> None:
    found = compared(tmp_path, "select id from customer limit 1", "select 1")
    assert (found.strict.state, found.strict.reason) == ("gold_error", "gold_unstable")
    assert found.queries is not None
    assert (found.queries.gold_status, found.queries.figures.bird_ex) == ("unstable", 1)


def test_gold_that_fails_is_no_wrong_answer(tmp_path: Path) -> None:
    with pytest.raises(NotApplicable, match="gold_error: sql_error: no such table: nowhere"):
        compared(tmp_path, "select * from nowhere", "select 1")


def test_a_missing_database_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r'no database "shap".*Did you mean "shop"'):
        compared(tmp_path, "select 1", "select 1", db="shap")


def test_a_git_lfs_pointer_is_told(tmp_path: Path) -> None:
    pointer = tmp_path / "big" / "big.sqlite"
    pointer.parent.mkdir()
    pointer.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n")
    with pytest.raises(Unreadable, match=r"Git LFS pointer of .* bytes, run git lfs pull"):
        compared(tmp_path, "select 1", "select 1", db="big")


def test_an_order_that_is_asked_for_and_not_in_gold_makes_gold_suspect(tmp_path: Path) -> None:
    found = compared(tmp_path, NAMES, NAMES, "Names sorted by age")
    assert found.queries is not None
    assert found.queries.gold_status == "suspect"


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("List the names in alphabetical order.", True),
        ("Show name and age from the oldest to the youngest.", True),
        ("What are the top 3 products?", True),
        ("Names by salary, highest first.", True),
        ("Rank the airports.", True),
        ("Show them in descending order of age", True),
        ("What is the first name of every student?", False),
        ("Which customers placed an order in May?", False),
        ("What must one do in order to enrol?", False),
        ("The two best paid, in any order.", False),
        ("How many singers do we have?", False),
    ],
)
def test_questions_that_ask_for_an_order(question: str, asked: bool) -> None:
    assert asks_order(question) is asked


def test_by_names_a_sort_key_and_never_a_grouping() -> None:
    ordered = read_gold("select name from emp order by sal", "sqlite")
    grouped = read_gold("select dept, count(*) from emp group by dept order by dept", "sqlite")
    assert asks_order("Names by salary.", ordered.free_keys)
    assert not asks_order("Employees by department.", grouped.free_keys)


@pytest.mark.parametrize(
    ("cut", "limit", "offset"),
    [
        ("LIMIT 3 OFFSET 2", 3, 2),
        ("OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY", 3, 2),
        ("FETCH FIRST ROW ONLY", 1, 0),
        ("FETCH FIRST 3 ROWS WITH TIES", None, 0),
    ],
)
def test_how_a_gold_is_cut(cut: str, limit: int | None, offset: int) -> None:
    found = read_gold(f"SELECT a FROM t ORDER BY b {cut}", "postgres")
    assert (found.limit, found.offset) == (limit, offset)


def test_texts_that_are_the_same() -> None:
    assert same_text("select  A from t where x='a  B';", "SELECT a FROM t WHERE x = 'a  B' -- all")
    assert same_text("select a -- it's\nfrom t /* 'x */ where x='B'", "select a from t where x='B' -- it's")
    assert not same_text("select a -- it's\nfrom t where x='B'", "select a -- it's\nfrom t where x='b'")
    assert not same_text("select a from t where x='--b'", "select a from t where x='--c'")
    assert not same_text("select a from t where x='a b'", "select a from t where x='A b'")
    assert not same_text("select a from t where x='a  b'", "select a from t where x='a b'")


def test_a_fixed_date_stands_for_now() -> None:
    assert at_date("select date('now'), current_date", "2024-06-15") == "select date('2024-06-15'), '2024-06-15'"
    assert at_date("select date('now')", "x'; drop") == "select date('now')"


@pytest.mark.parametrize(
    ("gold", "answer", "reason", "given"),
    [
        ("count(distinct customer_id)", "count(customer_id) as orders", "values_differ", ["4"]),
        ("max(amount), min(id)", "min(id) as first, max(day) as last", "missing_column", ["2024-02-01", "1"]),
    ],
)
def test_a_value_that_was_given_is_shown_under_whatever_header(
    gold: str, answer: str, reason: str, given: list[str], tmp_path: Path
) -> None:
    strict = compared(tmp_path, f"select {gold} from sale", f"select {answer} from sale").strict
    assert (strict.state, strict.reason) == ("wrong", reason)
    (row,) = strict.evidence["rows"]
    assert row["pred"] == given
    assert all("nearest" in column for column in strict.evidence["columns"])


def test_a_column_without_a_partner_is_missing_and_not_null(tmp_path: Path) -> None:
    sql = "select id, name from customer where id = 1"
    shown = cells_of(compared(tmp_path, sql, "select id from customer where id = 1").strict.evidence)
    assert shown is not None
    assert [(cell.expected, cell.given, cell.mark) for cell in shown.rows[0].cells] == [
        ("1", "1", "same"),
        ("Ada", "", "missing"),
    ]
