"""Typed cells that read other rows of their own column, and cells that need each other."""

from __future__ import annotations

import pytest

from karat.core.problems import UserError
from karat.sheet.check.checker import check_sheet
from karat.sheet.functions import FUNCTIONS
from karat.sheet.text.parser import parse
from tests.sheet.evaluated import column, evaluated

RUNNING = """table Account
  dim [m] = RANGE(4)
      [paid] = [m] * 10
      [balance] = 0
override
  row, [balance]
  1, [paid]
  2, Account(1)[balance] + [paid]
  3, Account(2)[balance] + [paid]
  4, Account(3)[balance] - Account(1)[balance]

table Report
  [last] = Account(4)[balance]
  [all] = Account[balance].SUM()
"""


def test_a_cell_reads_the_row_before_it() -> None:
    assert column(RUNNING, "Account", "balance") == [10, 30, 60, 50]
    assert column(RUNNING, "Report", "last") == [50]
    assert column(RUNNING, "Report", "all") == [150]


def test_the_order_of_the_rows_does_not_matter() -> None:
    text = """table A
  dim [i] = RANGE(3)
      [x] = 7
override
  row, [x]
  1, A(2)[x] * 2
  2, A(3)[x] + 1
"""
    assert column(text, "A", "x") == [16, 8, 7]


def test_two_fields_may_need_each_other_in_different_rows() -> None:
    text = """table A
  dim key [k] = {"a", "b", "c"}
      [x] = 1
      [y] = 2
override
  [k], [x], [y]
  "a", , A("b")[x]
  "b", A("c")[y], A("a")[y]
"""
    assert column(text, "A", "x") == [1, 2, 1]
    assert column(text, "A", "y") == [2, 2, 2]


def test_a_typed_cell_of_another_table_may_read_back() -> None:
    text = """table A
  dim [m] = RANGE(2)
      [c] = B(ROW())[x] + 1

table B
  dim [m] = RANGE(2)
      [x] = 5
override
  row, [x]
  2, A(1)[c] + 1
"""
    assert column(text, "A", "c") == [6, 8]
    assert column(text, "B", "x") == [5, 7]


def test_only_the_rows_that_a_query_keeps_are_read() -> None:
    text = """table A
  dim [m] = RANGE(4)
      [c] = [m]
override
  row, [c]
  1, A.FILTER($[m] > 3)[c].SUM()
"""
    assert column(text, "A", "c") == [4, 2, 3, 4]


def test_cells_that_need_each_other_are_named_and_the_others_computed() -> None:
    text = """table A
  dim [m] = RANGE(5)
      [c] = [m] * 10
      [d] = [c] + 1
override
  row, [c]
  2, A(3)[c] + 1
  3, A(2)[c] + 1
  4, A(3)[c]
  5, A(1)[c] + 5
"""
    book = evaluated(text)
    shown = [cell if isinstance(cell, int) else cell.message for cell in book.column("A", "c")]
    circle = "these cells depend on each other: A[c] in row 2 → A[c] in row 3 → A[c] in row 2"
    turned = "these cells depend on each other: A[c] in row 3 → A[c] in row 2 → A[c] in row 3"
    assert shown == [10, circle, turned, turned, 15]
    assert [cell for cell in book.column("A", "d") if isinstance(cell, int)] == [11, 16]
    assert len(book.problems) == 1 and "depend on each other" in book.problems[0].message


@pytest.mark.parametrize("cell", ["[c] + 1", "SUM(A[c])", "A(2)[c]"])
def test_a_cell_that_needs_itself(cell: str) -> None:
    text = f"table A\n  dim [m] = RANGE(2)\n      [c] = [m]\noverride\n  row, [c]\n  2, {cell}\n"
    first, second = evaluated(text).column("A", "c")
    assert first == 1 and second.message == "A[c] in row 2 depends on itself"


def test_a_long_chain() -> None:
    rows = "\n".join(f"  {row}, A({row - 1})[x] + 1" for row in range(2, 61))
    text = f"table A\n  dim [i] = RANGE(60)\n      [x] = 1\noverride\n  row, [x]\n{rows}\n"
    assert column(text, "A", "x") == list(range(1, 61))


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('"x" & 1', "x1"),
        ('"a,b" & "(" & [k]', "a,b(5"),
        ('"abc".LEN()', 3),
        ("{1, 2, 3}.MAX() + SUM({1, {2}.SUM()})", 6),
        ('IF(ABS(ROUND(SUM(FILTER(RANGE(MAX(1, 2)), $ > 1)), 0)) = 2, "y, z", "n")', "y, z"),
        ("'My, table'(1)[x] & [k]", "m5"),
        ("Soup (hot, spicy)", "Soup (hot, spicy)"),
        (":-) smile", ":-) smile"),
        ('"plain, text"', "plain, text"),
    ],
)
def test_a_cell_ends_at_a_comma_outside_of_brackets(cell: str, value: object) -> None:
    sheet = f"!manual()\ntable T\n  [c]\n  [k]\noverride\n[c], [k]\n{cell}, 5\n\ntable 'My, table'\n  [x] = \"m\"\n"
    assert column(sheet, "T", "c") == [value]
    assert column(sheet, "T", "k") == [5]


@pytest.mark.parametrize("cell", ['"x" & nothing', '"x" y', '"x" & (1'])
def test_a_text_with_something_behind_it_that_is_no_formula_is_refused(cell: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(f"!manual()\ntable T\n  [c]\noverride\n[c]\n{cell}\n", "a.sheet")
    (problem,) = refused.value.problems
    assert "expected a comma or the end of the row" in problem.message and problem.line == 6


def test_a_date_without_quotes_is_a_subtraction_and_noted() -> None:
    sheet = parse("!manual()\ntable T\n  [c]\noverride\n[c]\n2024-03-01\n10-3-1\n", "a.sheet")
    (problem,) = check_sheet(sheet, "a.sheet", FUNCTIONS)
    assert (problem.severity, problem.line) == ("warning", 6)
    assert "looks like a date" in problem.message
    sheet = parse("!manual()\ntable T\n  [c]\noverride\n[c]\n3/1/2024\n2024/12/31\n10/3/1\n2024/1\n", "a.sheet")
    problems = check_sheet(sheet, "a.sheet", FUNCTIONS)
    assert [problem.line for problem in problems] == [6, 7]
    assert problems[0].message == "this looks like a date, but is a division"
