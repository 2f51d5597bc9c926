"""Tasks with ``language: sql``: one query over the tables, run by DuckDB inside the sandbox."""

from __future__ import annotations

from pathlib import Path
from typing import Any  # Any: fields of a task, of every type

import pytest

from karat.core.suite import NotApplicable, Unreadable
from karat.suites.codegen.analysis.sql_facts import sql_facts
from karat.suites.codegen.comparison import Comparison
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Expected, Schema, TableSource, Task
from karat.suites.codegen.running.sql_responses import query_of
from tests.suites.codegen.tasks import judge_code
from tests.suites.codegen.test_cases import task_of, written

SALES: dict[str, list[Any]] = {
    "region": ["North", "South", "North", "East"],
    "qty": [12, 5, 7, 9],
    "price": [1.5, 2.0, 3.25, 4.0],
}
TABLES = {
    "sales": TableSource(columns=SALES),
    "My Regions": TableSource(columns={"region": ["North"], "boss": ["Ann"]}),
}
QUESTION = "What is the total qty by region?"
BY_REGION = {"North": 19, "South": 5, "East": 9}
FULL = Options(performance=False, perturb="quick")


def judged(query: str, question: str = QUESTION, **more: Any) -> Comparison:
    task = Task(**{"tables": TABLES, "expected": Expected(value=BY_REGION), "language": "sql", **more})
    return judge_code(query, question=question, task=task, options=FULL)


def test_a_right_query_passes_and_a_wrong_one_does_not() -> None:
    found = judged("SELECT region, sum(qty) AS total FROM sales GROUP BY region")
    assert found.correctness.passed and found.last.ran and found.last.code.startswith("SELECT")
    found = judged("SELECT region, max(qty) FROM sales GROUP BY 1")
    assert not found.correctness.passed and found.last.ran
    assert found.quality.score is None and "quality" not in found.overall.weights


@pytest.mark.parametrize(
    ("reference", "language"),
    [
        ("result = sales.groupby('region').qty.sum()", "python"),
        ("SELECT region, sum(qty) FROM sales GROUP BY region", "sql"),
        ("SELECT region, sum(qty) FROM sales GROUP BY region", None),
    ],
)
def test_the_reference_is_python_or_sql(reference: str, language: str | None) -> None:
    more: dict[str, Any] = {"expected": None, "reference": reference, "reference_language": language}
    right = judged("SELECT sum(qty) AS n, region FROM sales GROUP BY ALL;", **more)
    assert right.correctness.passed, right.correctness
    perturbed = right.correctness.perturbed
    assert perturbed is not None and perturbed.telling > 0
    assert right.task.reference == reference
    fixed = judged("SELECT * FROM (VALUES ('North', 19), ('South', 5), ('East', 9)) AS t(region, n)", **more)
    assert (fixed.correctness.passed, fixed.correctness.reason) == (False, "only_fits_this_data")


def test_a_python_answer_may_have_a_sql_reference() -> None:
    task = Task(tables=TABLES, reference="SELECT region, sum(qty) FROM sales GROUP BY region", reference_language="sql")
    assert judge_code("result = sales.groupby('region').qty.sum()", question=QUESTION, task=task).correctness.passed
    assert not judge_code("result = sales.groupby('region').qty.max()", question=QUESTION, task=task).correctness.passed


def test_order_counts_where_the_question_asks_for_one() -> None:
    asked = "List the regions sorted by qty"
    ascending, descending = (f"SELECT region FROM sales ORDER BY qty {way}" for way in ("", "DESC"))
    right = Expected(value=["South", "North", "East", "North"])
    assert judged(ascending, asked, expected=right).correctness.passed
    assert not judged(descending, asked, expected=right).correctness.passed
    assert judged(descending, "Which region does each sale have?", expected=right).correctness.passed


def test_order_counts_where_a_sql_reference_sets_one() -> None:
    ordered = "SELECT region, qty FROM sales ORDER BY qty"
    more: dict[str, Any] = {"expected": None, "reference": ordered}
    assert judged(ordered, "What are the sales?", **more).correctness.passed
    found = judged(f"{ordered} DESC", "What are the sales?", **more).correctness
    assert (found.passed, found.reason) == (False, "order_differs")
    inner = "SELECT region, qty FROM (SELECT * FROM sales ORDER BY qty) AS s"
    assert judged(f"{ordered} DESC", "What are the sales?", expected=None, reference=inner).correctness.passed


def test_tables_have_their_own_names_and_nothing_else_is_there() -> None:
    found = judged('SELECT boss FROM "My Regions"', expected=Expected(value="Ann"))
    assert found.correctness.passed
    for name in ("df", "tables", "pd", "_answer"):
        assert not judged(f"SELECT * FROM {name}").last.ran  # Python's variables are no tables


@pytest.mark.parametrize(
    ("query", "kind", "words"),
    [
        ("SELECT regio FROM sales", "column_error", 'Referenced column "regio" not found'),
        ("SELECT region\nFROM sale", "other_error", "Table with name sale does not exist"),
        ("SELEC region FROM sales", "syntax_error", ""),
        ("SELECT 'x'::INT FROM sales", "type_error", "Could not convert"),
    ],
)
def test_errors_are_those_of_the_query(query: str, kind: str, words: str) -> None:
    last = judged(query).last
    assert (last.ran, last.error_class) == (False, kind), last
    assert words in last.error
    assert last.code == query


HOSTILE = [
    "COPY sales TO '/tmp/out.csv'",
    "COPY (SELECT 1) TO 'out.csv'",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    'SELECT * FROM "/etc/passwd.csv"',
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM glob('/*')",
    "ATTACH '/tmp/other.db' AS other",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "PRAGMA database_list",
    "SELECT 1; DROP VIEW sales",
    "CREATE TABLE t AS SELECT 1",
    "SELECT getenv('HOME')",
    "SELECT * FROM query('SELECT 1')",
    "EXPORT DATABASE '/tmp/all'",
]


@pytest.mark.parametrize("query", HOSTILE)
def test_what_does_more_than_read_the_tables_is_refused(query: str) -> None:
    last = judged(query).last
    assert not last.ran and last.outcome == "refused" and last.error.startswith("refused: "), last


@pytest.mark.parametrize("query", HOSTILE)
def test_inside_the_sandbox_duckdb_refuses_it_too(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard is the first protection, not the only one."""
    monkeypatch.setattr("karat.suites.codegen.running.sql_programs.guarded", lambda text: text)
    found = judged(query)
    harmless = ("DROP VIEW", "CREATE TABLE", "getenv", "query(", "PRAGMA")
    assert not found.last.ran or any(word in query for word in harmless), found.last
    assert "root:" not in found.result


def test_a_query_without_end_or_measure_is_stopped() -> None:
    endless = "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t"
    last = judged(endless, timeout=1.0).last
    assert not last.ran and last.outcome in ("timeout", "memory"), last
    huge = "SELECT list(a.range || b.range) FROM range(30000) a, range(30000) b"
    last = judged(huge, timeout=8.0, memory_mb=64).last
    assert not last.ran and last.outcome in ("memory", "timeout", "killed"), last
    wide = "SELECT * FROM range(10000000)"
    assert judged(wide).last.error.startswith("result_too_large: ")


def test_a_reference_that_is_refused_makes_the_task_a_gold_error() -> None:
    with pytest.raises(NotApplicable, match=r"gold_error: the reference is not run: .*only SELECT is allowed"):
        judged("SELECT 1", expected=None, reference="DROP TABLE sales")


def test_a_rounding_reference_asks_for_its_digits() -> None:
    more: dict[str, Any] = {"expected": None, "reference": "SELECT round(avg(price), 1) FROM sales"}
    assert judged("SELECT round(avg(price), 1) FROM sales", "What is the price?", **more).correctness.passed
    assert not judged("SELECT avg(price) FROM sales", "What is the price?", **more).correctness.passed


# -- files and responses ----------------------------------------------------------------------------------------------


def test_a_task_file_says_the_language(tmp_path: Path) -> None:
    text = "- {id: a, question: q, tables: {t: {x: [1]}}, language: sql, reference: SELECT 1, reference_language: sql}"
    (case,) = written(tmp_path, text).cases
    assert (task_of(case).language, task_of(case).reference_language) == ("sql", "sql")
    assert "one SQL query" in case.conversation[0].content
    bad = written(tmp_path, "- {id: a, question: q, language: sqll, expected: 1}")
    assert not bad.cases and "sqll" in bad.problems[0].message


@pytest.mark.parametrize(
    "response",
    [
        "SELECT 1",
        "```sql\nSELECT 1\n```",
        "First:\n```sql\nSELECT 0\n```\nbetter:\n```sql\nSELECT 1\n```\nand Python:\n```python\nx\n```",
        '{"sql": "SELECT 1"}',
        '{"query": "SELECT 1"}',
        "```\nSELECT 1\n```",
    ],
)
def test_queries_in_responses(response: str) -> None:
    assert query_of(response.encode()) == "SELECT 1"


@pytest.mark.parametrize("response", ["I cannot answer this.", "", "```python\nresult = 1\n```"])
def test_responses_without_a_query(response: str) -> None:
    with pytest.raises(Unreadable):
        query_of(response.encode())


def test_the_facts_of_a_query() -> None:
    schema = Schema({"sales": ("region", "qty", "price"), "regions": ("region", "boss")})
    facts = sql_facts(
        "SELECT r.boss, avg(s.price) AS p FROM sales s JOIN regions r USING (region) "
        "WHERE s.qty > 5 AND (s.region = 'North' OR s.region = 'East') GROUP BY 1 ORDER BY p DESC LIMIT 3",
        schema,
    )
    assert set(facts.columns) == {"boss", "price", "region", "qty"}
    assert facts.tables == ("sales", "regions") and facts.group_keys == ("boss",)
    assert [(one.column, one.operator, one.value) for one in facts.filters] == [
        ("qty", ">", "5"),
        ("region", "==", "North"),
        ("region", "==", "East"),
    ]
    assert [link.word for link in facts.links] == ["and", "and", "or"]
    assert [(one.kind, one.columns, one.ascending, one.count) for one in facts.orders] == [
        ("sort", ("price",), False, None),
        ("largest", ("price",), False, 3),
    ]
    assert [(one.function, one.column) for one in facts.aggregations] == [("mean", "price")]
    assert [one.keys for one in facts.joins] == [("region",)]
    assert sql_facts("SELEC 1 FROM (", schema).syntax_error
