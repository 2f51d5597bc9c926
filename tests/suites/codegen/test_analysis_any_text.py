"""Any text at all is read or refused with a line; nothing raises, and nothing takes forever."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.suites.codegen.analysis.facts import LONGEST
from karat.suites.codegen.analysis.facts import read as analyse
from karat.suites.codegen.analysis.sql_facts import sql_facts
from karat.suites.codegen.records import Schema

SCHEMA = Schema({"people": ("name", "age", "salary", "city")})

PARTS = (
    "df", "people", "result", "x", "row", "age", "'age'", "\"city\"", "[", "]", "(", ")", "{", "}", ".", ",", ":", "=",
    "+=", "==", ">", "&", "|", "~", "-", "+", "/", "lambda", "def f", "return", "for", "in", "if", "else", "while",
    "with", "as", "import", "not", "and", "1", "-1", "0.5", "None", "True", "groupby", "agg", "merge", "query", "loc",
    "iloc", "sort_values", "head", "mean", "len", "f'{x}'", "\n", "\n    ", "yield", "*", "**", "try", "except", "del",
    "match", "case", "@", "`", "\\", "\x00",
)  # fmt: skip


SQL_PARTS = (
    "SELECT", "FROM", "people", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "age", "city", "*", ",", "(", ")", "1", "'x'",
    "AND", "OR", "NOT", "IN", "LIKE", "BETWEEN", "avg(age)", "count(*)", "OVER", "PARTITION BY", "JOIN", "USING", "ON",
    "p.age", "=", ">", "AS", "x", "CASE WHEN", "THEN", "END", "WITH", "UNION", "DISTINCT", "HAVING", "QUALIFY", "ALL",
)  # fmt: skip
METHODS = (
    "mean", "groupby", "agg", "merge", "sort_values", "head", "nlargest", "query", "apply", "isin", "assign",
    "pivot_table", "value_counts", "rename", "drop", "map", "where", "append", "items", "reset_index", "set_index",
    "group_by", "with_columns", "select", "top_k", "over", "alias", "is_in", "sql", "getattr",
    "transform", "join", "between", "contains", "iterrows", "to_dict", "get", "update", "sort", "filter",
)  # fmt: skip


@given(st.text(max_size=200))
def test_any_text(code: str) -> None:
    found = analyse(code, SCHEMA)
    assert set(found.columns) <= set(SCHEMA.columns)


@given(st.lists(st.sampled_from(PARTS), max_size=30))
def test_any_pieces_of_code(parts: list[str]) -> None:
    analyse(" ".join(parts), SCHEMA)


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    """Expressions that parse, of tables' and Python's own values, however little sense they make."""
    if depth == 0:
        return draw(
            st.sampled_from(
                [
                    "df",
                    "x",
                    "df.age",
                    "df['city']",
                    "3",
                    "'age'",
                    "pl.col('age')",
                    "['age', 'city']",
                    "None",
                    "{}",
                    "[]",
                ]
            )
        )
    one = expressions(depth=depth - 1)
    form = draw(st.integers(0, 11))
    a, b = draw(one), draw(one)
    name = draw(st.sampled_from(METHODS))
    return [
        f"({a}).{name}({b})",
        f"({a}).{name}()",
        f"({a})[{b}]",
        f"({a}).loc[{b}, {a}]",
        f"({a}) > ({b})",
        f"~({a})",
        f"({a}) & ({b})",
        f"[y for y in {a} if {b}]",
        f"(lambda z: {a})({b})",
        f"{{'k': {a}, **({b})}}",
        f"({a} if {b} else {a})",
        f"({a}).{name}(lambda g: {b}, key={b})",
    ][form]


@given(expressions(), expressions())
def test_any_expressions(first: str, second: str) -> None:
    code = f"x = {first}\nfor y in x:\n    x[y] = {second}\n    x += y\nresult = x"
    ast.parse(code)
    found = analyse(code, SCHEMA)
    assert not found.syntax_error


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("result = 1\nresult = (", 2),
        ("x = 1\n  y = 2", 2),
        ("result = 'a", 1),
        ("x\x00y", 1),
        ("\ud800", 1),
        ("(" * 5000, 1),
        ("-" * 20000 + "1", 1),
        ("x = " + "[" * 90 + "]" * 90, 0),
        ("result = " + " + ".join(["df.age"] * 5000), 1),
        ("x" * (LONGEST + 1), 1),
    ],
)
def test_what_cannot_be_read_has_a_line(code: str, line: int) -> None:
    found = analyse(code, SCHEMA)
    assert found.error_line == line
    assert found.syntax_error.startswith(f"line {line}: ") if line else not found.syntax_error
    assert not line or (found.columns, found.operations, found.filters) == ((), (), ())


def test_what_unfolds_without_end_comes_to_one() -> None:
    again = "def f(d):\n    return f(f(f(d))) if len(d) else d\nresult = f(df)"
    assert analyse(again, SCHEMA).tables == ("people",)
    nested = (
        "\n".join(f"{'    ' * depth}for a{depth} in df.age:" for depth in range(18))
        + "\n"
        + "    " * 18
        + "x = 1\nresult = x"
    )
    assert analyse(nested, SCHEMA).syntax_error in ("",)
    doubled = "x = [df.age]\n" + "x = [x, x]\n" * 200 + "result = x"
    assert analyse(doubled, SCHEMA).columns == ("age",)
    itself = "x = [df.age]\nx.append(x)\nresult = df.groupby(x)"
    analyse(itself, SCHEMA)


@pytest.mark.parametrize(
    "code",
    [
        "m = df.age > 1\n" + "m = m & m\n" * 60 + "result = df[m]",
        "m = pl.col('age') > 1\n" + "m = m | m\n" * 40 + "result = df.filter(m)",
        "x = ['age']\n" + "x = x + x\n" * 60 + "result = df.age",
        "x = ['age']\n" + "x.extend(x)\n" * 60 + "result = df.age",
        "s = 'x = 1;'\n" + "s = s + s\n" * 60 + "exec(s)\nresult = df.age",
        "s = 'exec(s)'\nexec(s)\nresult = df.age",
        "import duckdb\n" + "df = duckdb.sql('SELECT * FROM df a JOIN df b USING (age)')\n" * 60 + "result = df.age",
        "df = df.copy()\n" + "df = df.merge(df, on='age')\n" * 60 + "result = df.age",
        "class A:\n    def __init__(self):\n        self.a = A()\n        self.b = A()\nx = A()\nresult = df.age",
        "for a in 'xyz':\n    pass\n" + "result = df.age",
        "".join(f"{'    ' * n}for a{n} in ['x', 'y', 'z']:\n" for n in range(15)) + " " * 60 + "x = 1\nresult = df.age",
    ],
)
def test_what_doubles_is_read_in_no_time(code: str) -> None:
    assert analyse("import polars as pl\n" + code, SCHEMA).columns == ("age",)


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(.*)*x$", "^([a-z]+)*_$", "^(", "^" + "(" * 200 + "$"])
def test_any_pattern_of_column_names(pattern: str) -> None:
    wide = Schema({"people": ("a" * 300, "age")})
    analyse(f"import polars as pl\nresult = df.select(pl.col({pattern!r})).filter(pl.col('age') > 1)", wide)
    analyse(f"result = df.filter(regex={pattern!r})", wide)


@given(st.lists(st.sampled_from(SQL_PARTS), max_size=25))
def test_any_pieces_of_sql(parts: list[str]) -> None:
    query = " ".join(parts)
    assert set(sql_facts(query, SCHEMA).columns) <= set(SCHEMA.columns)
    analyse(f"import duckdb\nresult = duckdb.sql({query!r})", SCHEMA)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT " + "(" * 5000 + "1" + ")" * 5000,
        "SELECT age FROM people WHERE " + " AND ".join(f"age > {n}" for n in range(2000)),
        "WITH t0 AS (SELECT * FROM people)"
        + "".join(f", t{n + 1} AS (SELECT a.age FROM t{n} a, t{n} b)" for n in range(60))
        + " SELECT * FROM t60",
        "WITH RECURSIVE t AS (SELECT age FROM people UNION ALL SELECT t.age FROM t) SELECT * FROM t",
        "",
        ";;",
    ],
)
def test_any_query_is_read_or_refused(query: str) -> None:
    facts = sql_facts(query, SCHEMA)
    assert facts.syntax_error or facts.tables == ("people",)
