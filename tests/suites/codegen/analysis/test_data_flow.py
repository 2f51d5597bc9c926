"""Where values go: functions, closures, containers, unpacking, loops, ``match``, calls by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.suites.codegen.analysis.facts import read as analyse
from karat.suites.codegen.metrics.coverage import coverage_of
from karat.suites.codegen.metrics.understanding import understanding_of
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.records import Schema

PEOPLE = Schema({"people": ("name", "age", "salary", "city")})
CASES = [tuple(part.split("\n", 1)) for part in Path(__file__).with_name("data_flow.txt").read_text().split("### ")[1:]]
"""Each begins with the columns that reach the result, after ``###``."""


@pytest.mark.parametrize(("columns", "code"), CASES)
def test_columns_that_reach_the_result(columns: str, code: str) -> None:
    found = analyse(code, PEOPLE)
    assert not found.syntax_error
    assert found.columns == tuple(name for name in PEOPLE.columns if name in columns.split())


@pytest.mark.parametrize(
    "code",
    [
        "f = getattr(df['salary'], how)\nresult = f()",
        "exec(open('other.py').read())",
        "exec(text)\nresult = df.age.mean()",
        "result = eval(text)",
    ],
)
def test_a_text_that_is_not_known_lowers_nothing(code: str) -> None:
    facts = analyse(code, PEOPLE)
    asked = read_question("What is the average salary by city, sorted descending, of people older than 30?", PEOPLE)
    assert facts.unread
    assert coverage_of(asked, facts).coverage_score == 1
    assert understanding_of(asked, facts).details.nl_parsing_score == pytest.approx(0.3)


def test_a_text_that_is_known_is_read() -> None:
    facts = analyse("exec('result = df.age.mean()')\nresult = result", PEOPLE)
    assert not facts.unread and [one.function for one in facts.aggregations] == ["mean"]
    assert not analyse("exec(text) if False else None\nresult = df.age", PEOPLE).unread


@pytest.mark.parametrize(
    "code",
    [
        "result = df.iloc[df.salary.argsort()[::-1][:2]]",
        "result = df.iloc[np.argsort(-df.salary)[:2]]",
        "result = df.iloc[np.argsort(df.salary.to_numpy())[-2:][::-1]]",
        "result = df.assign(key=-df.salary).sort_values('key').head(2)",
        "result = sorted(df.to_dict('records'), key=lambda row: -row['salary'])[:2]",
        "result = sorted(zip(df.name, df.salary), key=lambda row: (-row[1], row[0]))[:2]",
        "import polars as pl\nresult = pl.from_pandas(df).sort(-pl.col('salary')).head(2)",
        "import duckdb\nresult = duckdb.sql('select * from people order by -salary limit 2')",
    ],
)
def test_an_order_by_the_other_sign_or_by_places(code: str) -> None:
    asked = read_question("Who are the 2 people with the highest salary? Sort by salary descending.", PEOPLE)
    assert coverage_of(asked, analyse(code, PEOPLE)).coverage_score == 1


def test_the_other_sign_turns_an_order_round() -> None:
    asked = read_question("Sort the people by salary, ascending.", PEOPLE)
    assert coverage_of(asked, analyse("result = df.sort_values('salary')", PEOPLE)).coverage_score == 1
    assert coverage_of(asked, analyse("result = df.iloc[np.argsort(-df.salary)]", PEOPLE)).coverage_score < 1


@pytest.mark.parametrize(
    "lookup", ["dict(zip(dept.id, dept.title))", "{row.id: row.title for row in dept.itertuples()}"]
)
def test_a_lookup_in_another_table_is_a_join(lookup: str) -> None:
    schema = Schema({"people": ("dept_id", "salary"), "dept": ("id", "title")})
    facts = analyse(f"names = {lookup}\nresult = people.salary.groupby(people.dept_id.map(names)).sum()", schema)
    assert facts.joins and "title" in facts.group_keys
