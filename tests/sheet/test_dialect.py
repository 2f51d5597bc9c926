"""Small sheets in the style of dial-xl: what each must give, and what must be refused with a line."""

from __future__ import annotations

import pytest

from karat.sheet.values import Failure
from tests.sheet.evaluated import column, evaluated, value_of

SALES = """!manual()
table Sale
  [shop]
  [amount]
  [day]
override
  [shop], [amount], [day]
  "north", 10, 1
  "south", 40, 2
  "north", 30, 3
  "east", 30, 4

"""


@pytest.mark.parametrize(
    ("formula", "given"),
    [
        # Inside a query over Sale, Sale[x] is the element's x, but the whole column where an array is wanted.
        ("Sale.FILTER(Sale[amount] = MAX(Sale[amount]))[day].SUM()", 2),
        ("Sale.FILTER($[amount] = Sale[amount].MIN())[day].SUM()", 1),
        ("FILTER(Sale, Sale[amount] > AVERAGE(Sale[amount])).COUNT()", 3),
        ("Sale.FILTER(Sale[amount] * 2 > SUM(Sale[amount] / 2)).COUNT()", 3),
        ("Sale.FILTER(Sale[day] + 1 < Sale[day].COUNT()).COUNT()", 2),
        ("Sale.FILTER(Sale[day] = INDEX(Sale[day], 3))[amount].SUM()", 30),
        ("Sale.FILTER(IN(Sale[shop], FIRST(Sale[shop], 1))).COUNT()", 2),
        ("Sale.FILTER(MAX(Sale[amount], 35) = 35).COUNT()", 3),  # several arguments: of the element
        ('Sale.FILTER(Sale[amount] = Sale.FILTER(Sale[shop] = "north")[amount].MAX())[day].SUM()', 7),
        ("Sale.SORTBY(-Sale[amount])[day].FIRST()", 2),
        # An array with one value for each element goes along with them.
        ("MAXBY(Sale[day], Sale[amount])", 2),
        ("MINBY(Sale.FILTER($[day] > 1)[shop], Sale.FILTER($[day] > 1)[amount])", "north"),
        ("FILTER({5, 6, 7}, {1, 0, 1}).SUM()", 12),
        ("SORTBY({5, 6, 7}, {3, 1, 2})", [6, 7, 5]),
        ("UNIQUEBY({5, 6, 7}, {1, 1, 2})", [5, 7]),
        # NA goes through what is computed of an array; an empty cell is left out.
        ("SUM({1, NA})", None),
        ("AVERAGE({1, NA})", None),
        ('AVERAGE({1, "", 3})', 2),
        ("MIN({NA})", None),
        ("MEDIAN({1, NA, 3})", None),
        ("STDEVS({1, NA})", None),
        ("CORREL({1, 2, NA}, {1, 2, 3})", None),
        ("PERCENTILE({1, NA}, 0)", None),
        ("COUNT({1, NA})", 2),
        ('COUNT({1, ""})', 1),
        ("SUM({})", 0),
        ("MAX({})", None),
        ('PERCENTILE({1, 2}, "")', None),
        ('PERCENTILE_EXC({1, 2, 3}, "")', None),
        ("PERCENTILE({4, 1, 3}, 0)", 1),
        ("PERCENTILE({4, 1, 3}, 1)", 4),
        # The rest.
        ('MIN({"pear", "fig"})', "fig"),
        ('MAX({"pear", "fig", ""})', "pear"),
        ("MODE({3, 1, 2})", None),
        ('MODE({"a", "b", "a"})', "a"),
        ("GEOMEAN({0, 4})", 0),
        ("GEOMEAN({-1, 4})", None),
        ("DATE(2020, 13, 1)", "2021-01-01"),
        ("DATE(2020, 0, 15)", "2019-12-15"),
        ("DATE(2020, 3, 0)", "2020-02-29"),
        ("DATE(2020, -10, -50)", "2018-12-12"),
        ("DATE(1899, 12, 29)", None),
        ('DATE("", 12, 30)', "1899-12-30"),
        ("YEAR(0 - 1)", None),
        ("WORKDAY(0, 0.1)", "1899-12-30"),
        ("WORKDAY(0, 0 - 1)", None),
        ("YEAR(DATE(2020, 1, 1) + 400)", 2021),
        ('TEXTBEFORE("a-b-c", "-", 2)', "a-b"),
        ('TEXTAFTER("a-b-c", "-", 0 - 1)', "c"),
        ('TEXTAFTER("a-b-c", "-", 3)', None),
        ('TEXTBEFORE("abc", "")', ""),
        ('TEXTAFTER("abc", "", 0 - 1)', ""),
        ('SPLIT("a-b", "")', ["a-b"]),
        ('CONCATENATE("a", 1, TRUE)', "a1TRUE"),
        ("ROUND(PI(), 4)", 3.1416),
    ],
)
def test_a_formula(formula: str, given: object) -> None:
    assert value_of(formula, sheet=SALES) == given


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("MAXBY({1, 2, 3}, {1, 2})", "MAXBY needs one value, or one for each of 3 elements, but was given"),
        ("UNIQUEBY({1, 2, 3}, {1, 2})", "UNIQUEBY needs one value, or one for each"),
        ("Sale.FILTER(RANGE(2)).COUNT()", "FILTER needs one value, or one for each of 4 elements"),
        ("Sale(RANGE(2))[day]", "a key of Sale is a text or a number, but was an array of 2"),
        ("Sale.FIND({1, 2})", "a key of Sale is a text or a number"),
        ('MIN({"a", 1})', 'MIN needs a number, but was given the text "a"'),
    ],
)
def test_what_cannot_be_computed_says_so(formula: str, said: str) -> None:
    found = evaluated(f"{SALES}table R\n  [x] = {formula}\n")
    (cell,) = found.column("R", "x")
    assert isinstance(cell, Failure) and said in cell.message
    assert found.problems[0].line == len(SALES.splitlines()) + 2


def test_a_query_over_the_own_table_compares_with_the_whole_column() -> None:
    text = "table A\n  dim [i] = RANGE(4)\n      [above] = A.FILTER(A[i] > [i] AND A[i] < A[i].MAX()).COUNT()\n"
    assert column(text, "A", "above") == [2, 1, 0, 0]


def test_an_array_of_a_row_goes_along_with_the_rows_it_was_made_of() -> None:
    text = """table A
  dim [a] = RANGE(3)

table B
  dim [c] = RANGE(2)
      [d] = A[a] - [c]
      [rest] = FILTER(A, [d])[a].SUM()
"""
    assert column(text, "B", "rest") == [5, 4]


def test_one_key_in_two_rows_is_no_key() -> None:
    made = 'table A\n  dim key [k] = {"x", "y", "x"}\n      [n] = ROW()\n'
    text = made + '\ntable B\n  [y] = A("y")[n]\n  [x] = A("x")[n]\n'
    book = evaluated(text)
    assert list(book.column("B", "y")) == [2]
    assert book.column("B", "x")[0].message == "A has several rows with the key x"


@pytest.mark.parametrize("applied", ["filter A[a]", "sort A[a]"])
def test_what_is_applied_is_one_value_for_each_row(applied: str) -> None:
    text = f"table A\n  dim [a] = RANGE(4)\n\ntable B\n  dim [b] = RANGE(2)\napply\n  {applied}\n"
    book = evaluated(text)
    assert all(isinstance(cell, Failure) for cell in book.column("B", "b")) and book.problems


@pytest.mark.parametrize("formula", ["A", "A[a]", "A[[a], [b], [c]]"])
def test_fields_with_one_formula_need_as_many_columns(formula: str) -> None:
    text = f"table A\n  dim [a] = RANGE(2)\n      [b] = 2\n      [c] = 3\n\ntable G\n  dim [x], [y] = {formula}\n"
    book = evaluated(text)
    assert all("2 fields share this formula" in cell.message for cell in book.column("G", "x"))


def test_a_list_of_fields_may_go_on_in_the_next_line() -> None:
    text = """table A
  dim [a] = RANGE(2)
      [b] = [a] + 10

table B
  dim [x],
    !format("general")
    [y] = A[[a], [b]]

table C
  dim [x]
    , [y] = A[[a], [b]]
"""
    assert column(text, "B", "y") == [11, 12] and column(text, "C", "y") == [11, 12]
