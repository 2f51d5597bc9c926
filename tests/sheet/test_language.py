"""The language's second step: display decorators, overrides by row and by key, rows by key, names inside a query,
formulas in cells, dates."""

from __future__ import annotations

import pytest

from karat.sheet.check.checker import check_sheet
from karat.sheet.functions import FUNCTIONS
from karat.sheet.text.formatter import format_sheet
from karat.sheet.text.parser import parse
from tests.sheet.evaluated import column, evaluated, value_of

PLAN = """table Plan
  dim [m] = RANGE(4)
  [cost] = [m] * 10
override
  row, [cost]
  2, 99
  3,

table Rate
  dim key [code] = RANGE(3)
  [r] = [code] / 10
override
  key [code], [r]
  3, 7
"""
SALE = """table Sale
  dim [i] = RANGE(4)
  [shop] = [i] MOD 2
  [same] = SUM(FILTER(Sale, Sale[shop] = [shop])[i])
  [again] = Sale.FILTER($[shop] = [shop])[i].SUM()
  [rows] = Sale.FILTER($[i] > [i])
  [after] = [rows][i].SUM()
  [of column] = Sale[i].FILTER(Sale[shop] = [shop]).SUM()
"""


def test_display_decorators_are_kept_and_change_nothing() -> None:
    text = """!layout(3, 4, "headers")
table Stock
  !size(2) key dim [id] = RANGE(2)
  !format("currency", 2, ",", "EUR")
  [price] = [id] * 1500
  [a], !hidden() [b] = 1
"""
    assert column(text, "Stock", "price") == [1500, 3000]
    again = format_sheet(parse(text))
    assert '!layout(3, 4, "headers")' in again and '!format("currency", 2, ",", "EUR")' in again and "!size(2)" in again
    assert parse(again) == parse(text)


def test_an_unknown_decorator_is_a_note_unless_it_is_near_one_that_matters() -> None:
    def problems(name: str) -> list[tuple[str, str]]:
        found = check_sheet(parse(f"!{name}()\ntable T\n[x] = 1\n"), "t.sheet", FUNCTIONS)
        return [(one.severity, one.hint) for one in found]

    assert problems("colour") == [("warning", "It is kept and changes no value.")]
    assert problems("evaluaton") == [("error", "Did you mean !evaluation()?")]
    assert problems("selector") == []


def test_dim_key_in_either_order_is_written_in_one() -> None:
    assert "key dim [a]" in format_sheet(parse("table T\ndim key [a] = RANGE(2)\n"))
    assert parse("table T\ndim key [a] = RANGE(2)\n") == parse("table T\nkey dim [a] = RANGE(2)\n")


def test_overrides_by_row_and_by_key() -> None:
    assert column(PLAN, "Plan", "cost") == [10, 99, 30, 40]
    assert column(PLAN, "Rate", "r") == [0.1, 0.2, 7]


@pytest.mark.parametrize(
    ("formula", "value"),
    [("Plan(2)[cost]", 99), ("Plan(9)[cost]", None), ("Rate(3)[r]", 7), ('Rate("3")[r]', 7), ("Rate(3.0)[r]", 7)],
)
def test_a_row_by_its_key_or_its_number(formula: str, value: object) -> None:
    assert value_of(formula, PLAN) == value


def test_a_row_that_is_not_there_is_ignored_and_named() -> None:
    book = evaluated("table T\n  dim [n] = RANGE(2)\n  [x] = [n]\noverride\nrow, [x]\n3, 9\n")
    assert list(book.column("T", "x")) == [1, 2]
    (problem,) = book.problems
    assert (problem.severity, problem.line) == ("warning", 6) and "no row 3" in problem.message


def test_na_is_set_and_an_empty_cell_keeps_the_formula_also_of_a_dim() -> None:
    text = "table A\n  dim [a] = RANGE(3)\n  [x] = [a] + 10\noverride\nrow, key [a], [x]\n1, NA, \n2, 7, NA\n"
    assert column(text, "A", "a") == [None, 7, 3]
    assert column(text, "A", "x") == [None, None, 13]


def test_row_overrides_count_what_filter_and_sort_leave_and_key_overrides_come_before() -> None:
    by_row = "table T\n  dim [n] = RANGE(4)\n  [x] = [n]\n  [row] = ROW()\napply\n  sort -[x]\n  filter [n] > 1\n"
    by_row += "override\nrow, [x]\n1, 50\n"
    assert column(by_row, "T", "n") == [4, 3, 2]
    assert column(by_row, "T", "x") == [50, 3, 2]
    assert column(by_row, "T", "row") == [1, 2, 3]
    by_key = "table T\n  key dim [n] = RANGE(4)\n  [x] = [n]\napply\n  filter [x] < 4\n  sort -[x]\n"
    by_key += "override\n[n], [x]\n1, 50\n4, 0\n"
    assert column(by_key, "T", "n") == [3, 2, 4]


def test_a_cell_is_a_formula() -> None:
    text = """!manual()
table A
  [a] = ROW()
  [b]
override
  [a], [b]
  1 + 5, DATE(2024, 3, 1)
  , IF([a] = 2, "a, b", "c")
  "1 + 5", 7-Up
  A.COUNT(), Soup (hot, very)
  1 / 0, NA
"""
    assert column(text, "A", "a") == [6, 2, "1 + 5", 5, None]
    assert column(text, "A", "b") == ["2024-03-01", "a, b", "7-Up", "Soup (hot, very)", None]
    assert parse(format_sheet(parse(text))) == parse(text)


def test_names_inside_a_query_are_those_of_the_element() -> None:
    for field in ("same", "again", "of column"):
        assert column(SALE, "Sale", field) == [4, 6, 4, 6], field
    assert column(SALE, "Sale", "after") == [9, 7, 4, 0]


def test_the_innermost_query_over_a_table_counts() -> None:
    text = """table B
  dim [a] = RANGE(4)
table A
  dim [r] = RANGE(5)
  [x] = A.FILTER(A[r] = B.FILTER([r] = B[a])[a].SINGLE())[r].SINGLE()
  [y] = A.FILTER(B.FILTER(B[a] > A[r]).COUNT() > 1)[r]
"""
    assert column(text, "A", "x") == [1, 2, 3, 4, None]
    assert column(text, "A", "y") == [[1, 2]] * 5


def test_rows_of_a_query_keep_who_they_are() -> None:
    assert value_of("Sale.FILTER($[i] > 2).FIND(3)[i]", SALE) == 3
    assert value_of("Sale.FILTER($[i] > 2).FIND(1)", SALE) is None
    assert value_of("Sale.SORTBY(-$[i]).FIRST(2).FIND(4)[shop]", SALE) == 0


def test_the_first_few() -> None:
    assert value_of("Sale.FIRST(3)[i].SUM()", SALE) == 6
    assert value_of("FIRST(RANGE(0), 2).COUNT()", SALE) == 0
    assert column("table T\n  dim [n] = RANGE(3)\n  [x] = RANGE(9).LAST([n])\n", "T", "x") == [[9], [8, 9], [7, 8, 9]]


def test_sortby_takes_an_order_after_each_key() -> None:
    assert value_of("Sale.SORTBY($[shop], -1, $[i], 1)[i]", SALE) == [1, 3, 2, 4]


def test_an_empty_cell_is_empty_not_na() -> None:
    text = "!manual()\ntable A\n  [b]\n  [isna] = ISNA([b])\n  [plus] = [b] + 1\n  [if] = IF([b], 1, 2)\n"
    text += "override\n[b]\n\nNA\n3\n"
    assert column(text, "A", "b") == ["", None, 3]
    assert column(text, "A", "isna") == [0, 1, 0]
    assert column(text, "A", "plus") == [1, None, 4]
    assert column(text, "A", "if") == [2, None, 1]


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("TEXT(1 / 3)", "0.3333333333"),
        ("TEXT(2 > 1)", "TRUE"),
        ("TEXT(DATE(2024, 3, 1))", "3/1/2024"),
        ('"" & DATE(2024, 4, 5)', "4/5/2024"),
        ("DATE(2024, 3, 1) - DATE(2024, 2, 1)", 29),
        ("DATE(2024, 3, 1) + 1", "2024-03-02"),
        ("DATE(2024, 2, 30)", "2024-03-01"),
        ("WORKDAY(DATE(2024, 4, 11), -4)", "2024-04-05"),
        ("WORKDAY(DATE(2024, 4, 13), 5)", "2024-04-19"),
        ("HOUR(DATE(2024, 4, 13) + 0.5)", 12),
        ('VALUE("10.2B")', 10_200_000_000),
        ('VALUE("1.005M") = 1005000', 1),
        ('VALUE("1e308K")', None),
        ('VALUE("nothing")', None),
        ('VALUE("")', ""),
        ("LOG(0 - 1, 2)", None),
        ("QUARTILE({1, 2, 3, 4}, 2)", 2.5),
    ],
)
def test_dates_and_conversions(formula: str, value: object) -> None:
    assert value_of(formula) == value


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ('(1 = 1) = "TRUE"', 1),
        ('(1 = 1) = "1"', 0),
        ("(1 = 1) = 1", 1),
        ('DATE(2024, 3, 1) = "3/1/2024"', 1),
        ('"3/1/2024" <> DATE(2024, 3, 1)', 0),
        ('DATE(2024, 3, 1) = "45352"', 0),
        ("DATE(2024, 3, 1) = 45352", 1),
        ('"" = (1 = 2)', 0),
        ('DATE(2024, 3, 1).IN({"3/1/2024"})', 1),
        ('"TRUE".IN({NA, 1 = 1})', 1),
        ('"1".IN({1 = 1})', 0),
        ('MODE({"1", 1, 2})', "1"),
    ],
)
def test_a_date_and_a_truth_value_are_compared_with_a_text_as_texts(formula: str, value: object) -> None:
    assert value_of(formula) == value


def test_a_condition_that_compares_dates_with_texts_finds_what_equality_says() -> None:
    """Conditions that ask for equality are looked up; these are compared one by one."""
    text = "table A\n  dim [i] = RANGE(4)\n  [d] = DATE(2024, 3, [i])\n  [b] = [i] > 2\n"
    text += 'table B\n  dim [s] = {"3/2/2024", "TRUE", "x"}\n'
    text += "  [days] = A.FILTER($[d] = [s])[i]\n  [late] = A.FILTER($[b] = [s])[i]\n"
    assert column(text, "B", "days") == [[2], [], []]
    assert column(text, "B", "late") == [[], [3, 4], []]


@pytest.mark.parametrize("name", ["PIVOT", "UNPIVOT", "GROUPBY", "FIELDS", "PERIODSERIES"])
def test_pivots_are_refused_by_name(name: str) -> None:
    (problem,) = check_sheet(parse(f"table T\n[x] = {name}(1)\n"), "t.sheet", FUNCTIONS)
    assert problem.message == f"{name} is not part of Karat's sheets" and problem.line == 2


def test_an_argument_left_empty_in_the_middle_is_named() -> None:
    (problem,) = check_sheet(parse('table T\n[x] = SUBSTITUTE("a", , "b")\n'), "t.sheet", FUNCTIONS)
    assert problem.message == 'the argument "old" of SUBSTITUTE is left empty, and has no usual value'


def test_row_is_refused_where_the_rows_are_typed_in() -> None:
    (problem,) = check_sheet(parse("!manual()\ntable T\n[x]\noverride\nrow, [x]\n1, 2\n"), "t.sheet", FUNCTIONS)
    assert "row" in problem.message


ORDERS = """table O
  dim key [id] = {10, 11, 12, 13}
  [amt] = [id] MOD 11
  [n] = IF([id] = 10 OR [id] = 13, 1, 2)
table P
  dim key [k] = RANGE(2)
  [city] = IF([k] = 1, "Oslo", "Bergen")
"""


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("FIND(O, O[amt] > 5)[id]", 10),
        ("FILTER(O, O[id] > 10).FIND(O[amt] < 2)[id]", 11),
        ('FILTER(O, P.FIND(O[n])[city] = "Oslo")[id]', [10, 13]),
        ('FILTER(O, P(O[n])[city] = "Oslo")[id]', [10, 13]),
        ("SORTBY(O, P.FIND(O[n])[city])[id]", [11, 12, 10, 13]),
        ("{3, 1, 2}.SORTBY(-$, 1)", [3, 2, 1]),
        ("{3, 1, 2}.SORTBY(-$, -1)", [1, 2, 3]),
        ("TEXT(TRUE)", "TRUE"),
    ],
)
def test_conditions_and_keys_of_find_and_orders(formula: str, value: object) -> None:
    assert value_of(formula, ORDERS) == value


def test_columns_of_two_tables_are_nobodys_rows_in_either_order() -> None:
    text = "table A\n dim [v] = {3, 1}\ntable B\n dim [n] = {1, 2}\n [x] = B[n] + A[v]\n [y] = A[v] + B[n]\n"
    assert column(text, "B", "x") == column(text, "B", "y") == [[4, 3], [4, 3]]


def test_a_formula_that_begins_with_a_field_or_a_text_is_written_so_that_it_is_read_again() -> None:
    text = '!manual()\ntable T\n[m]\n[a]\noverride\n[m],[a]\n1,2\n([m] * 2),3\n("x" & 1),[m]\n'
    assert parse(format_sheet(parse(text))) == parse(text)
    alone = "table T\n dim [m] = RANGE(2)\n [a] = 1\noverride\n[a]\n[m] * 2\n"
    assert column(alone, "T", "a") == [2, 1]


def test_fields_that_are_defined_in_a_circle_are_refused() -> None:
    text = "table T\n  [x] = [y][a]\n  [y] = [x][b].FILTER(T[x] = 1)\n"
    problems = check_sheet(parse(text), "t.sheet", FUNCTIONS)
    assert any("depends on itself" in problem.message for problem in problems)
    assert evaluated(text, checked=False).problems
