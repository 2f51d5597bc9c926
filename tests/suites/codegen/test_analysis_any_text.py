"""Any text at all is read or refused with a line; nothing raises, and nothing takes forever."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.suites.codegen.analysis.facts import LONGEST
from karat.suites.codegen.analysis.facts import read as analyse
from karat.suites.codegen.records import Schema

SCHEMA = Schema({"people": ("name", "age", "salary", "city")})

PARTS = (
    "df", "people", "result", "x", "row", "age", "'age'", "\"city\"", "[", "]", "(", ")", "{", "}", ".", ",", ":", "=",
    "+=", "==", ">", "&", "|", "~", "-", "+", "/", "lambda", "def f", "return", "for", "in", "if", "else", "while",
    "with", "as", "import", "not", "and", "1", "-1", "0.5", "None", "True", "groupby", "agg", "merge", "query", "loc",
    "iloc", "sort_values", "head", "mean", "len", "f'{x}'", "\n", "\n    ", "yield", "*", "**", "try", "except", "del",
    "match", "case", "@", "`", "\\", "\x00",
)  # fmt: skip


METHODS = (
    "mean", "groupby", "agg", "merge", "sort_values", "head", "nlargest", "query", "apply", "isin", "assign",
    "pivot_table", "value_counts", "rename", "drop", "map", "where", "append", "items", "reset_index", "set_index",
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
            st.sampled_from(["df", "x", "df.age", "df['city']", "3", "'age'", "['age', 'city']", "None", "{}", "[]"])
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
