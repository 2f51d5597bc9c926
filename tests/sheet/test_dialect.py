"""Small sheets in the style of dial-xl: what each must give, and what must be refused with a line."""

from __future__ import annotations

import pytest

from karat.core.problems import UserError
from karat.sheet.check.checker import check_sheet
from karat.sheet.functions import FUNCTIONS
from karat.sheet.text.parser import parse
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
        # An empty place takes its usual value.
        ("Sale.SORTBY($[amount], , $[day], -1)[day]", [1, 4, 3, 2]),
        ("Sale.SORTBY(-$[amount], )[day].FIRST()", 2),
        ('RECALL({"Milk", "Leek"}, "leek", "Leek", , "bm25")', 1),
        # Large and tiny numbers.
        ("TEXT(0.00000009)", "9E-8"),
        ("TEXT(-1.0e-8)", "-1E-8"),
        ("TEXT(0.00000012345678912345678)", "0.0000001234567891"),
        ("TEXT(0.00001)", "0.00001"),
        ("TEXT(1e20)", "1E20"),
        ("TEXT(1e15 + 0.5)", "1E15"),
        ("TEXT(1234567890.123)", "1234567890"),
        ('1e-8 & ""', "1E-8"),
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
        ("Sale.SORTBY($[day], IF(1 > 0, -1, 1))[day].FIRST()", "an order must be written as 1 or -1"),
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


@pytest.mark.parametrize(
    ("sorted_by", "rows"),
    [
        ("sort [i], -1", [3, 2, 1]),
        ("sort -[i], -1", [1, 2, 3]),
        ("sort [i] MOD 2, -1, [i]", [1, 3, 2]),
        ("sort [i] MOD 2, 1, [i], -1", [2, 3, 1]),
        ("sort [i] MOD 2, -[i]", [2, 3, 1]),
    ],
)
def test_an_order_stands_after_its_key(sorted_by: str, rows: list[int]) -> None:
    assert column(f"table A\n  dim [i] = RANGE(3)\napply\n  {sorted_by}\n", "A", "i") == rows
    assert value_of(f"A.SORTBY({sorted_by[5:].replace('[i]', '$[i]')})[i]", "table A\n  dim [i] = RANGE(3)\n") == rows


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("$[i], 2", "must be 1 or -1"),
        ("$[i], TRUE", "must be 1 or -1"),
        ("$[i], -1, -1", '"key" of SORTBY is missing'),
        ("$[i], 1, , 1", '"key" of SORTBY is missing'),
    ],
)
def test_what_is_no_order_is_refused(keys: str, said: str) -> None:
    sheet = parse(f"table A\n  dim [i] = RANGE(3)\ntable B\n  [x] = A.SORTBY({keys})[i]\n", "a.sheet")
    (problem,) = check_sheet(sheet, "a.sheet", FUNCTIONS)
    assert said in problem.message and problem.line == 4
    applied = parse("table A\n  dim [i] = RANGE(3)\napply\n  sort [i], 5\n", "a.sheet")
    (problem,) = check_sheet(applied, "a.sheet", FUNCTIONS)
    assert problem.message == "the order of sort must be 1 or -1" and problem.line == 4


def test_an_argument_that_is_missing_is_named() -> None:
    sheet = parse('table A\n  [x] = FILTER({1, 2}, )\n  [y] = SUBSTITUTE("a", , "b")\n', "a.sheet")
    first, second = check_sheet(sheet, "a.sheet", FUNCTIONS)
    assert '"condition" is missing' in first.message
    assert 'the argument "old" of SUBSTITUTE is left empty' in second.message


@pytest.mark.parametrize(
    ("formula", "named"),
    [
        ("CONCAT(1, )", "part"),
        ("MAX(1, )", "more"),
        ("UNIQUEBY({1}, $, )", "key"),
        ("{1}.UNION({2}, )", "other"),
        ("SORTBY({1}, $, 1, )", "key"),
    ],
)
def test_what_may_come_any_number_of_times_has_no_usual_value(formula: str, named: str) -> None:
    (problem,) = check_sheet(parse(f"table A\n  [x] = {formula}\n", "a.sheet"), "a.sheet", FUNCTIONS)
    assert problem.line == 2 and f'the argument "{named}" of' in problem.message


@pytest.mark.parametrize(
    "cell", ["[i] *", "A[i].SUM(", "A(1)[i", "A.COUNT() x", "SUM(1 2)", "5+", "=1+2", "[i] & Pears", "1 + * 2"]
)
def test_a_cell_that_only_a_formula_can_mean_is_no_text(cell: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(f"table A\n  dim [i] = RANGE(2)\n  [x] = 0\noverride\nrow, [x]\n2, {cell}\n", "a.sheet")
    (problem,) = refused.value.problems
    assert problem.message == f"this cell reads like a formula, but is none: {cell}" and problem.line == 6


def test_a_dim_from_which_others_make_rows_is_not_overridden() -> None:
    text = "table B\n  dim key [x] = RANGE(2)\n  dim [y] = RANGE([x])\n  [z] = [x] + [y]\noverride\n"
    (problem,) = check_sheet(parse(f"{text}row, [x]\n1, 2\n", "a.sheet"), "a.sheet", FUNCTIONS)
    assert problem.message == "[x] cannot be overridden: the dim [y] needs it" and problem.line == 6
    assert column(f"{text}[x], [z]\n2, 0\n", "B", "z") == [2, 0, 0]  # a key says which row is meant, and stays


@pytest.mark.parametrize("call", ["A.TOTAL(1)", "DATERANGE(1, 2)", "DROPDOWN(A, A[x], 1)", "PIVOT(A, A, A)"])
def test_what_only_dial_xl_has_is_refused_by_name(call: str) -> None:
    found = check_sheet(parse(f"table A\n  [x] = 1\n  [y] = {call}\n", "a.sheet"), "a.sheet", FUNCTIONS)
    assert [one.message.partition(" ")[2] for one in found if one.line == 3] == ["is not part of Karat's sheets"]


def test_rows_whose_keys_come_from_the_override_are_found() -> None:
    text = (
        'table A\n  dim key [x] = RANGE(3)\n  key [y]\n  [z]\noverride\n[x], [y], [z]\n2, "", 10\n3, "", A(2, "")[z]\n'
    )
    assert column(text, "A", "z") == ["", 10, 10]  # without a word about rows that are not there


def test_a_time_of_day_has_twelve_hours() -> None:
    for seconds, shown in ((1, "12:00:01 AM"), (43_200, "12:00:00 PM"), (79_140, "09:59:00 PM")):
        written = f"TEXT(DATE(2024, 3, 1) + {seconds} / 86400)"
        assert value_of(written) == f"3/1/2024 {shown}"
        assert value_of(f"TEXT(VALUE({written}))") == f"3/1/2024 {shown}"


NUMBERED = """table P
  dim [i] = RANGE(4)
  [v] = [i] * 10
  [above] = P(ROW() - 1)[v]
  [second] = P.FILTER($[i] < 4).FIND(2)[i]
  [seen] = P(1)[v]
apply
  filter [i] <> 2 AND [seen] = 10
  sort -[i]
"""


def test_a_row_number_counts_what_filter_and_sort_leave_also_in_the_own_table() -> None:
    assert column(NUMBERED, "P", "i") == [4, 3, 1]
    assert column(NUMBERED, "P", "above") == [None, 40, 30]
    assert column(NUMBERED, "P", "second") == [3, 3, 3]
    assert column(NUMBERED, "P", "seen") == [10, 10, 10]  # filter looks at it: counted before
    assert value_of("P(1)[i] + P(3)[i]", NUMBERED) == 5


def test_a_query_may_look_at_a_field_that_holds_rows_of_the_own_table() -> None:
    sheet = (
        "table A\n  dim key [a] = RANGE(3)\n  [b] = A.FILTER($[a] <= [a])\n  [c] = A.FILTER($[b].COUNT() > 1).COUNT()\n"
    )
    assert column(sheet, "A", "c") == [2, 2, 2]


@pytest.mark.parametrize("before", ["", "!manual()\ntable P\n  [a]\noverride\n[a]\n1\n"])
def test_a_python_block_is_refused_by_name(before: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(f"{before}```python\ndef f():\n    return '(['\n```\ntable Q\n  [x] = 1 +\n", "a.sheet")
    first, second = refused.value.problems
    assert first.message == "Python blocks are not part of Karat's sheets"
    assert (first.line, second.line) == (before.count("\n") + 1, before.count("\n") + 6)
