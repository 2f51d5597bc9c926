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
