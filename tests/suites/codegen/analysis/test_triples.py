"""One query in pandas, polars and SQL: the same result, and the same understanding and coverage to the last digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any  # Any: results of three libraries, compared as plain values

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import polars.selectors as cs
import pytest
import yaml

from karat.suites.codegen.analysis.facts import read as analyse
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.analysis.sql_facts import sql_facts
from karat.suites.codegen.metrics.coverage import coverage_of
from karat.suites.codegen.metrics.understanding import understanding_of
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.records import Schema

TRIPLES = yaml.safe_load(Path(__file__).with_name("triples.yaml").read_text())
TABLES: dict[str, dict[str, dict[str, list[Any]]]] = {
    "people": {
        "people": {
            "name": ["Ann", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gus"],
            "age": [25, 31, 39, 47, 52, 33, 28],
            "salary": [3100, 4200, 3900, 5200, 6100, 4700, 2500],
            "city": ["Oslo", "Oslo", "Rome", "Rome", "Bonn", "Bonn", "Oslo"],
            "dept": ["IT", "IT", "HR", "IT", "HR", "HR", "IT"],
            "hired": ["2010-01-01", "2016-02-01", "2017-01-01", "2012-01-01", "2019-05-01", "2015-07-01", "2021-01-01"],
        }
    },
    "shop": {
        "orders": {
            "id": [1, 2, 3, 4, 5, 6],
            "customer": ["a", "a", "b", "c", "b", "c"],
            "amount": [10, 25, 40, 15, 60, 35],
            "day": [1, 2, 3, 4, 5, 6],
        },
        "customers": {"customer": ["a", "b", "c"], "country": ["NO", "SE", "NO"]},
    },
}
VALUES = {"city": ("Oslo", "Rome", "Bonn"), "dept": ("IT", "HR"), "country": ("NO", "SE")}
POLARS = "import polars as pl\nimport polars.selectors as cs\n"


def test_there_are_sixty() -> None:
    assert len(TRIPLES) >= 60


def of_tables(triple: dict[str, str]) -> dict[str, dict[str, list[Any]]]:
    return TABLES[triple.get("tables", "people")]


def code(text: str) -> str:
    return text if "result = " in text else f"result = {text}"


@pytest.mark.parametrize("triple", TRIPLES, ids=lambda one: one["question"])
def test_scores_are_equal(triple: dict[str, str]) -> None:
    schema = Schema({name: tuple(table) for name, table in of_tables(triple).items()})
    asked = read_question(triple["question"], schema, values=VALUES)
    found = {
        "pandas": analyse(code(triple["pandas"]), schema),
        "polars": analyse(POLARS + code(triple["polars"]), schema),
        "sql": sql_facts(triple["sql"], schema),
        "sql in Python": analyse(f"import duckdb\nresult = duckdb.sql({triple['sql']!r}).df()", schema),
    }
    assert not any(facts.syntax_error for facts in found.values())
    scores = {name: _scores(asked, facts) for name, facts in found.items()}
    assert len(set(scores.values())) == 1, "\n".join(f"{name}: {scores[name]} {found[name]}" for name in found)
    for reference in found.values():
        assert {_scores(asked, facts, reference) for facts in found.values()} == {(1.0, 1.0)}


def _scores(asked: Any, facts: CodeFacts, reference: CodeFacts | None = None) -> tuple[float, float]:
    understood = understanding_of(asked, facts, reference).understanding_score
    return round(understood, 12), round(coverage_of(asked, facts, reference).coverage_score, 12)


@pytest.mark.parametrize("triple", TRIPLES, ids=lambda one: one["question"])
def test_results_are_equal(triple: dict[str, str]) -> None:
    tables = of_tables(triple)
    frames = {name: pd.DataFrame(table) for name, table in tables.items()}
    in_pandas = _run(code(triple["pandas"]), {"pd": pd, "np": np, **frames})
    in_polars = _run(
        code(triple["polars"]), {"pl": pl, "cs": cs, **{name: pl.DataFrame(table) for name, table in tables.items()}}
    )
    with duckdb.connect() as engine:
        for name, frame in {name: pd.DataFrame(table) for name, table in tables.items()}.items():
            engine.register(name, frame)
        in_sql = engine.execute(triple["sql"]).fetchall()
    assert cells(in_polars) == cells(in_sql)
    missing = [cell for cell in cells(in_pandas) if cell not in cells(in_sql)]
    assert not missing  # labels of rows are no cells in pandas


def _run(text: str, names: dict[str, Any]) -> Any:
    exec(text, names)  # the triples of this folder
    return names["result"]


def cells(result: Any) -> list[str]:
    """All cells, in no order: 3 and 3.0 are one."""
    if isinstance(result, pd.DataFrame | pd.Series):
        result = result.to_numpy().ravel().tolist()
    elif isinstance(result, pl.DataFrame):
        result = [cell for row in result.rows() for cell in row]
    elif isinstance(result, pl.Series):
        result = result.to_list()
    elif isinstance(result, list) and result and isinstance(result[0], tuple):
        result = [cell for row in result for cell in row]
    items = list(result) if hasattr(result, "__iter__") and not isinstance(result, str) else [result]
    return sorted(str(item) if isinstance(item, str) else f"{float(item):.6g}" for item in items if item is not None)
