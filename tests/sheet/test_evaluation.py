from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.sheet.evaluation import evaluate
from karat.sheet.functions import EXAMPLE_TABLE, FUNCTIONS
from karat.sheet.plan.planner import make_plan
from karat.sheet.plan.render import plan_text
from karat.sheet.text.parser import parse
from karat.sheet.text.tree import (
    Apply,
    Binary,
    Boolean,
    Call,
    Decorator,
    Element,
    Expr,
    Field,
    FieldOf,
    Fields,
    FieldsOf,
    Missing,
    Number,
    Override,
    OwnField,
    Sheet,
    Table,
    TableName,
    Text,
    Total,
    Unary,
)
from karat.sheet.text.tree import Array as ArrayNode
from karat.sheet.values import plain
from tests.sheet.evaluated import column, evaluated


def rows(text: str, table: str, folder: Path = Path(), **options: Any) -> list[tuple[Any, ...]]:
    book = evaluated(text, folder, **options)
    assert book.problems == ()
    return [tuple(map(plain, row)) for row in book.table(table).rows()]


# -- rows
# ---------------------------------------------------------------------------------------------------------------


def test_a_table_without_dims_has_one_row() -> None:
    assert rows("table T\n    [a] = 1\n    [b] = [a] + 1\n", "T") == [(1, 2)]


def test_two_dims_make_every_pair() -> None:
    assert rows('table T\n    dim [a] = RANGE(2)\n    dim [b] = {"x", "y"}\n', "T") == [
        (1, "x"),
        (1, "y"),
        (2, "x"),
        (2, "y"),
    ]


def test_a_dim_may_depend_on_the_dim_before_it() -> None:
    assert rows("table T\n    dim [a] = RANGE(3)\n    dim [b] = RANGE([a])\n", "T") == [
        (1, 1),
        (2, 1),
        (2, 2),
        (3, 1),
        (3, 2),
        (3, 3),
    ]


def test_a_dim_of_a_table_has_its_rows() -> None:
    text = (
        f"{EXAMPLE_TABLE}\ntable T\n    dim [r] = Fruit.FILTER($[price] > 2)\n    [n] = [r][name]\n"
        "    [p] = [r][price] * 2\n"
    )
    book = evaluated(text)
    assert book.table("T").shown_columns() == ["n", "p"], "whole rows are for other fields, not to be looked at"
    assert list(book.column("T", "n")) == ["Apple", "Pear"]
    assert list(book.column("T", "p")) == [6, 8]


def test_several_fields_with_one_formula_share_its_columns() -> None:
    text = (
        f"{EXAMPLE_TABLE}\ntable T\n    dim [a], [b] = Fruit[[name],[price]]\n"
        "    [c], [d] = Fruit.FIND([a])[[kind],[price]]\n"
    )
    assert rows(text, "T")[0] == ("Apple", 3, "sweet", 3)


def test_a_dim_of_nothing_makes_no_rows() -> None:
    assert rows("table T\n    dim [a] = {1}.FILTER($ > 1)\n    [b] = 1\n", "T") == []


# -- override
# ---------------------------------------------------------------------------------------------------------------


def test_a_manual_table_has_the_rows_of_its_override() -> None:
    text = "!manual()\ntable T\n    [a]\n    [b] = [a] * 2\noverride\n[a],[b]\n1,\n2,99\n"
    assert rows(text, "T") == [(1, 2), (2, 99)]


def test_an_override_finds_its_rows_by_key() -> None:
    text = 'table T\n    key [k] = [n] * 10\n    dim [n] = RANGE(3)\n    [v] = [n]\noverride\n[k],[v]\n30,"three"\n'
    assert rows(text, "T") == [(10, 1, 1), (20, 2, 2), (30, 3, "three")]


def test_an_override_without_a_key_goes_by_position() -> None:
    text = "table T\n    dim [n] = RANGE(3)\n    [v] = [n]\n    [w] = 0\noverride\n[v],[w]\n,\n7,\n"
    assert rows(text, "T") == [(1, 1, 0), (2, 7, 0), (3, 3, 0)]


def test_a_row_of_an_override_that_belongs_nowhere_is_told_with_its_line() -> None:
    book = evaluated("table T\n    dim [n] = RANGE(2)\n    key [k] = [n]\n    [v] = 0\noverride\n[k],[v]\n9,1\n")
    assert [(problem.message, problem.line) for problem in book.problems] == [("T has no row with the key 9", 7)]
    book = evaluated("table T\n    dim [n] = RANGE(1)\n    [v] = 0\noverride\n[v]\n1\n2\n")
    assert [(problem.message, problem.line) for problem in book.problems] == [("T has only 1 row to override", 7)]


# -- own rows and own columns
# ---------------------------------------------------------------------------------------------


def test_a_formula_with_the_layout_of_the_rows_fills_the_column_row_by_row() -> None:
    assert column("table T\n    dim [n] = RANGE(3)\n    [double] = T[n] * 2\n", "T", "double") == [2, 4, 6]


def test_the_own_column_is_whole_for_a_function_of_arrays_and_in_step_beside_the_current_row() -> None:
    text = """table T
    dim [n] = RANGE(3)
    [share] = [n] / T[n].SUM()
    [zero] = [n] - T[n]
    [above] = T[n].FILTER($ > [n])
    [among] = [n].IN(T[n])
    [chosen] = IF([n] > 1, T[n], 0)
"""
    assert column(text, "T", "share") == pytest.approx([1 / 6, 2 / 6, 3 / 6])
    assert column(text, "T", "zero") == [0, 0, 0]
    assert column(text, "T", "above") == [[2, 3], [3], []]
    assert column(text, "T", "among") == [1, 1, 1]
    assert column(text, "T", "chosen") == [0, 2, 3]


def test_columns_of_tables_of_different_lengths_do_not_mix() -> None:
    text = "table A\n    dim [n] = RANGE(2)\ntable B\n    dim [n] = RANGE(3)\ntable C\n    [x] = A[n] + B[n]\n"
    (problem,) = evaluated(text).problems
    assert "columns of A and B cannot be combined row by row" in problem.message


def test_the_column_of_another_table_is_whole_in_every_row() -> None:
    text = (
        "table A\n    dim [n] = RANGE(2)\ntable B\n    dim [m] = RANGE(2)\n    [all] = A[n]\n    [plus] = A[n] + [m]\n"
    )
    assert column(text, "B", "all") == [[1, 2], [1, 2]]
    assert column(text, "B", "plus") == [[2, 3], [3, 4]]


def test_a_table_may_look_into_itself() -> None:
    text = """table T
    dim [n] = RANGE(3)
    [half] = [n] / 2
    [big] = T.FILTER($[n] > 1)[half].SUM()
    [before] = T.FIND($[n] = [n] - 1)[half]
"""
    assert column(text, "T", "big") == [2.5, 2.5, 2.5]
    assert column(text, "T", "before") == [None, 0.5, 1]


def test_the_number_of_the_row() -> None:
    assert column("table T\n    dim [n] = {5, 6}\n    [i] = ROW()\n", "T", "i") == [1, 2]


# -- apply and total
# ------------------------------------------------------------------------------------------------------


APPLIED = f"""{EXAMPLE_TABLE}
table T
    dim [r] = Fruit
    [name] = [r][name]
    [price] = [r][price]
    [all] = T[price].SUM()
apply
filter [price] > 2
sort -[price]
total
[price] = [price].SUM()
[name] = T[name].COUNT() & " kinds"

table U
    [names] = T[name]
"""


def test_apply_filters_and_sorts_after_computing() -> None:
    book = evaluated(APPLIED)
    assert book.problems == ()
    assert list(book.column("T", "name")) == ["Pear", "Apple"]
    assert list(book.column("T", "all")) == [9, 9], "the own column is the one before anything is applied"
    assert [plain(cell) for cell in book.column("U", "names")] == [["Pear", "Apple"]]
    assert dict(book.table("T").totals[0]) == {"price": 7, "name": "2 kinds"}


def test_texts_sort_downwards_too() -> None:
    text = f"{EXAMPLE_TABLE}\ntable T\n    dim [n] = Fruit[name]\napply\nsort -[n]\n"
    assert column(text, "T", "n") == ["Pear", "Lemon", "Apple"]


# -- mistakes
# ---------------------------------------------------------------------------------------------------------------


def test_one_bad_field_does_not_end_everything_and_is_told_once_where_it_began() -> None:
    text = (
        'table T\n    dim [n] = RANGE(3)\n    [bad] = IF([n] = 2, "x", 1) / ([n] - 2)\n    [worse] = [bad] + 1\n'
        "    [good] = [n]\ntable U\n    [s] = T[bad].SUM()\n    [x] = 1\n"
    )
    book = evaluated(text)
    (problem,) = book.problems
    said = '/ needs a number, but was given the text "x"'
    assert problem.message == f"T[bad], row 2: {said}"
    assert (problem.line, problem.column, problem.file) == (3, 33, "test.sheet")
    assert [plain(cell) for cell in book.column("T", "worse")] == [0, {"error": said}, 2]
    assert list(book.column("T", "good")) == [1, 2, 3]
    assert list(book.column("U", "x")) == [1]


def test_many_rows_with_the_same_mistake_are_one_problem() -> None:
    (problem,) = evaluated('table T\n    dim [n] = RANGE(5)\n    [bad] = [n] + ("x" & [n])\n').problems
    assert problem.message.startswith("T[bad], row 1 and 4 more rows: + needs a number")


def test_what_is_not_chosen_may_fail() -> None:
    text = "table T\n    dim [n] = RANGE(2)\n    [safe] = IF([n] = 1, NA, 1 / ([n] - 1))\n"
    assert column(text, "T", "safe") == [None, 1]


def test_a_sheet_that_was_not_checked_still_fails_cell_by_cell() -> None:
    text = (
        "table R\n    dim [r] = R.FILTER(1)\ntable T\n    [x] = [y] + 1\n    [y] = [x]\n    [u] = Nowhere[a]\n"
        "    [v] = T[nope]\n    [w] = FRIST({1})\n    [z] = $\n    [n] = ABS()\n    [k] = 1\n"
    )
    book = evaluated(text, checked=False)
    said = "\n".join(problem.message for problem in book.problems)
    for part in (
        "R → R",
        "T[x] → T[y] → T[x]",
        "no table Nowhere",
        "no field [nope]",
        "no function FRIST",
        "outside a query",
        "ABS does not take 0",
    ):
        assert part in said
    assert list(book.column("T", "k")) == [1]


def test_a_failed_dim_leaves_the_table_empty_and_is_told() -> None:
    text = 'table T\n    dim [n] = RANGE("x" / 1)\n    [a] = 1\ntable U\n    [s] = T[a].SUM()\n    [x] = 2\n'
    book = evaluated(text)
    assert [problem.message for problem in book.problems] == ['T[n]: / needs a number, but was given the text "x"']
    assert list(book.table("T").rows()) == []
    assert list(book.column("U", "x")) == [2]


def test_a_query_over_too_many_pairs_is_refused_with_what_to_do() -> None:
    text = "table T\n    dim [n] = RANGE(4000)\n    [rank] = T[n].FILTER($ > [n]).COUNT()\n"
    (problem,) = evaluated(text).problems
    assert "16,000,000 pairs" in problem.message
    assert "looked up" in problem.hint


# -- files
# ------------------------------------------------------------------------------------------------------------------


def test_a_csv_file(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text('id,n,x,note\n001,1,1.5,"a, ""b"""\n002,2,,\n', encoding="utf-8-sig")
    text = (
        'table T\n    dim [r] = INPUT("f.csv")\n    [id] = [r][id]\n    [n] = [r][n] + 1\n    [x] = [r][x]\n'
        "    [note] = [r][note]\n"
    )
    assert [row[1:] for row in rows(text, "T", tmp_path)] == [("001", 2, 1.5, 'a, "b"'), ("002", 3, None, None)]


def test_a_column_is_numbers_only_when_all_of_it_is(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("code,big,e\n12,123456789012345678901234,1e3\n001,1,-0.5\n")
    text = 'table T\n    [code] = INPUT("f.csv")[code]\n    [big] = INPUT("f.csv")[big]\n    [e] = INPUT("f.csv")[e]\n'
    assert rows(text, "T", tmp_path) == [(["12", "001"], ["123456789012345678901234", "1"], [1000.0, -0.5])]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("f.csv", "a,b\n1,2,3\n", "f.csv:2: 3 cells under 2 headings"),
        ("f.csv", "a,a\n", 'two columns named "a"'),
        ("f.csv", "", "empty"),
        ("f.csv", 'a\n"b', "cannot be read as CSV"),
        ("fruits.csv", "a\n", 'Did you mean "fruits.csv"?'),
        ("f.json", "{}", 'no file "f.csv"'),
    ],
)
def test_what_is_wrong_with_a_file(name: str, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    asked = "fruit.csv" if name == "fruits.csv" else "f.csv"
    (problem,) = evaluated(f'table T\n    [a] = INPUT("{asked}")[a]\n', tmp_path).problems
    assert said in f"{problem.message} {problem.hint}"
    assert str(tmp_path) not in problem.message


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/hostname", "link.csv"])
def test_a_sheet_reads_nothing_outside_its_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    folder = tmp_path / "sheets"
    folder.mkdir()
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    (problem,) = evaluated(f'table T\n    [a] = INPUT("{name}")[a]\n', folder).problems
    assert "outside the folder of the sheet" in problem.message
    assert "--table" in problem.hint


def test_parquet_and_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "d.duckdb")) as base:
        base.execute(
            "CREATE TABLE fruit AS SELECT * FROM (VALUES ('Apple', 3, DATE '2024-01-31', true), ('Fig', NULL, NULL, "
            "false)) t(name, price, day, fresh)"
        )
        base.execute("CREATE TABLE other AS SELECT 1 AS a")
        base.execute(f"COPY fruit TO '{tmp_path / 'f.parquet'}' (FORMAT parquet)")
    for source in ('"f.parquet"', '"d.duckdb", "fruit"'):
        text = (
            f"table T\n    dim [r] = INPUT({source})\n    [n] = [r][name]\n    [p] = [r][price]\n"
            "    [d] = [r][day]\n    [f] = [r][fresh]\n"
        )
        assert [row[1:] for row in rows(text, "T", tmp_path)] == [("Apple", 3, "2024-01-31", 1), ("Fig", None, None, 0)]
    (problem,) = evaluated('table T\n    [a] = INPUT("d.duckdb", "fruits")[a]\n', tmp_path).problems
    assert 'no table "fruits"' in problem.message
    assert "fruit" in problem.hint
    (problem,) = evaluated('table T\n    [a] = INPUT("d.duckdb")[a]\n', tmp_path).problems
    assert "has 2 tables" in problem.message


def test_a_bound_table_stands_for_one_of_the_sheet_and_may_lie_anywhere(tmp_path: Path) -> None:
    file = tmp_path / "elsewhere.csv"
    file.write_text("name,price\nApple,3\nFig,9\n")
    text = "table T\n    [n] = Fruit[name]\n    [cheap] = Fruit.FILTER($[price] < 5)[name].SINGLE()\n"
    for sheet in (text, EXAMPLE_TABLE + "\n" + text):
        book = evaluate(parse(sheet), folder=tmp_path / "sheets", tables={"Fruit": file})
        assert [plain(cell) for cell in book.column("T", "n")] == [["Apple", "Fig"]]
        assert list(book.column("T", "cheap")) == ["Apple"]
        assert list(book.column("Fruit", "price")) == [3, 9]
    with pytest.raises(UserError, match="there is no such file"):
        evaluate(parse(text), folder=tmp_path, tables={"Fruit": tmp_path / "nothing.csv"})


# -- size
# -------------------------------------------------------------------------------------------------------------------


def test_a_large_table_is_computed_column_by_column() -> None:
    """A lookup for each of many rows in as many: only possible because equal keys are looked up, not tried."""
    text = """table T
    dim [n] = RANGE(30000)
    [half] = ROUND([n] / 2)
    [found] = T.FIND($[n] = [half])[n]
    [twice] = T.FILTER($[half] = [n] AND $[n] > 10).COUNT()
    [name] = "row " & [n]
table S
    [same] = T[found].SUM() - T[half].SUM()
    [pairs] = T[twice].SUM()
"""
    book = evaluated(text)
    assert book.problems == ()
    assert list(book.table("S").rows()) == [(0, 29990)]


# -- anything at all
# --------------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["T", "U"])
FIELDS = st.sampled_from(["a", "b", "c", "d"])
LEAVES: st.SearchStrategy[Expr] = st.one_of(
    st.builds(Number, st.integers(0, 4) | st.floats(0, 9, allow_nan=False)),
    st.builds(Text, st.sampled_from(["", "a", "b;c", "1"])),
    st.builds(Boolean, st.booleans()),
    st.just(Missing()),
    st.just(Element()),
    st.builds(TableName, NAMES),
    st.builds(OwnField, FIELDS),
    st.builds(FieldOf, st.builds(TableName, NAMES), FIELDS),
)
CALLED = st.sampled_from(
    sorted(set(FUNCTIONS) - {"RETRIEVE", "RETRIEVE_SCORES", "RECALL", "EVALUATE_N", "EVALUATE_MODEL"})
)
SIGNS = st.sampled_from(["^", "*", "/", "MOD", "+", "-", "&", "<", ">", "=", "<=", ">=", "<>", "AND", "OR"])


def _larger(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    some = st.lists(inner, max_size=3).map(tuple)
    queries = st.tuples(st.one_of(st.builds(TableName, NAMES), inner), inner)
    return st.one_of(
        st.builds(FieldOf, inner, FIELDS),
        st.builds(FieldsOf, inner, st.lists(FIELDS, min_size=1, max_size=2, unique=True).map(tuple)),
        st.builds(Call, CALLED, some),
        st.builds(Call, st.sampled_from(["FILTER", "FIND", "SORTBY", "UNIQUEBY"]), queries),
        st.builds(Binary, SIGNS, inner, inner),
        st.builds(Unary, st.sampled_from(["NOT", "-"]), inner),
        st.builds(ArrayNode, some),
    )


FORMULAS = st.recursive(LEAVES, _larger, max_leaves=8)


@st.composite
def sheets(draw: st.DrawFn) -> Sheet:
    tables = []
    for name in ("T", "U"):
        lines = []
        for field in ("a", "b", "c", "d"):
            key, dim = draw(st.booleans()), draw(st.integers(0, 3)) == 0
            formula = draw(st.none() | FORMULAS)
            lines.append(Fields((Field(field, key, dim),), formula))
        cells = st.sampled_from([None, 1, 2.5, "a"])
        typed = draw(st.none() | st.lists(st.tuples(cells, cells), max_size=3))
        override = Override(("a", "c"), tuple(typed)) if typed is not None else None
        apply = Apply(draw(st.none() | FORMULAS), (draw(FORMULAS),)) if draw(st.booleans()) else None
        total = (Total((Fields((Field("a"),), draw(FORMULAS)),)),)
        manual = (Decorator("manual"),) if draw(st.integers(0, 3)) == 0 else ()
        tables.append(Table(name, tuple(lines), (), manual, apply, total, override))
    return Sheet(tuple(tables))


@hypothesis.settings(max_examples=80, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
@given(sheets())
def test_any_sheet_gives_tables_and_problems_and_never_breaks(sheet: Sheet) -> None:
    book = evaluate(sheet, folder=Path("no-such-folder"))
    assert [table.name for table in book.tables] == ["T", "U"]
    assert json.loads(json.dumps(book.plain()))["tables"]
    assert plan_text(make_plan(sheet))
