"""What is wrong in a sheet that can be read: names, arguments, decorators, overrides, circles."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from karat.core.problems import Problem
from karat.sheet.check.checker import check_sheet
from karat.sheet.check.findings import MOST_PROBLEMS
from karat.sheet.functions import FUNCTIONS, example_sheet
from karat.sheet.text.parser import parse
from tests.sheet.contract import contract_example

GOODS = "table Goods\n    key [name]\n    [price]\n    [kind]\n"
ASKED = """\
!evaluation()
!manual()
table Asked
    !evaluation_question()
    [question]
    !evaluation_field("Goods[name]")
    [names]
"""


def found(text: str, known: Mapping[str, Collection[str]] | None = None) -> list[Problem]:
    return list(check_sheet(parse(text, "f.sheet"), "f.sheet", FUNCTIONS, known or {}))


def said(text: str, known: Mapping[str, Collection[str]] | None = None) -> list[tuple[int, int, int, str]]:
    return [(one.line, one.column, one.width, one.message) for one in found(text, known)]


def in_formula(formula: str) -> list[tuple[int, int, str, str]]:
    """What is said of a formula after ``[x] = `` in a table that also has ``[own]``; columns are those of the
    formula."""
    text = f"{GOODS}{ASKED}table T\n    [own]\n[x] = {formula}\n"
    line = text.count("\n")
    return [(one.column - 6, one.width, one.message, one.hint) for one in found(text) if one.line == line]


@pytest.mark.shared_data
def test_the_contract_is_right_when_its_table_is_there(shared: Path) -> None:
    text = contract_example(shared)
    assert said(text, {"Ingredients": ["item", "price_type"]}) == []
    assert said(text, {"Ingredients": []}) == []
    assert {message for *_, message in said(text)} == {"there is no table Ingredients"}
    assert {message for *_, message in said(text, {"Ingredients": ["item"]})} == {
        "Ingredients has no field [price_type]"
    }


@pytest.mark.parametrize(
    ("formula", "column", "width", "message", "hint"),
    [
        ("1 + Godos[name]", 5, 5, "there is no table Godos", 'Did you mean "Goods"?'),
        ("Weather[day]", 1, 7, "there is no table Weather", "Bind it with --table Weather=FILE"),
        ("'The weather'[day]", 1, 13, "there is no table The weather", '--table "The weather=FILE"'),
        ("Goods[nam]", 6, 5, "Goods has no field [nam]", 'Did you mean "name"?'),
        ("Goods[[name],[pric]]", 14, 6, "Goods has no field [pric]", 'Did you mean "price"?'),
        ("Goods.FIRST()[nam]", 14, 5, "it has no field [nam]", 'Did you mean "name"?'),
        ("Goods.FILTER($[pric] > 1)", 15, 6, "it has no field [pric]", 'Did you mean "price"?'),
        ("[onw] * 2", 1, 5, "the table T has no field [onw]", 'Did you mean "own"?'),
        ("Goods.FILTER([price] > 1)", 14, 7, "the table T has no field [price]", "$[price]"),
        ("SUMM(1)", 1, 4, "unknown function SUMM", 'Did you mean "SUM"?'),
        ("COUNT", 1, 5, "there is no table COUNT", "COUNT is a function: write COUNT()."),
        ("INDEX({1})", 1, 5, 'INDEX takes 2 arguments, but was given 1: "place" is missing', "Write INDEX("),
        (
            "{1}.INDEX(1, 2)",
            5,
            5,
            "INDEX takes 2 arguments, but was given 3, including the value before the dot",
            "Write INDEX(",
        ),
        ("AVERAGE()", 1, 7, "AVERAGE takes at least 1 argument, but was given 0", ""),
        ("$ + 1", 1, 1, "$ cannot be used outside a query", "FILTER"),
        ("$.FILTER(1)", 1, 1, "$ cannot be used outside a query", "FILTER"),
        ("EVALUATE_N(Goods[kind])", 17, 6, "Asked has no truths for Goods[kind]", "Goods[name]"),
        ('EVALUATE_N("Goods")', 12, 7, "this text does not name a field", '"Table[field]"'),
        ("Goods.EVALUATE_MODEL(Goods[name])", 1, 5, "Goods is not an evaluation table", "!evaluation()"),
    ],
)
def test_formulas(formula: str, column: int, width: int, message: str, hint: str) -> None:
    ((at, wide, words, help_),) = in_formula(formula)
    assert (at, wide, words) == (column, width, message)
    assert hint in help_


@pytest.mark.parametrize(
    "formula",
    [
        "Goods.FILTER($[price] > 1)[name].FIRST()",
        "Goods.SORTBY(-$[price]).FIRST()[kind]",
        "Goods[price].FILTER($ > [own]).COUNT()",
        "Goods.FILTER(Goods[price].FILTER($ > 1).COUNT() > $[price]).COUNT()",
        'INPUT("goods.csv")[whatever].SUM()',
        "AVERAGE(1, 2, 3)",
        "Asked.EVALUATE_N(Goods[name])",
        'EVALUATE_MODEL("Goods[name]")',
        "Goods[[name],[price]].FIRST()[price]",
    ],
)
def test_formulas_that_are_right(formula: str) -> None:
    assert in_formula(formula) == []


def test_rows_of_a_file_have_fields_that_nobody_knows_yet_but_rows_of_a_table_do_not() -> None:
    file = 'table T\n    dim [r] = INPUT("f.csv")\n    [x] = [r][anything]\n'
    assert said(file) == []
    rows = f"{GOODS}table T\n    dim [r] = Goods.FILTER($[price] > 1)\n    [x] = [r][pric]\n"
    assert said(rows) == [(7, 14, 6, "it has no field [pric]")]


def test_a_dim_can_only_use_the_dims_before_it() -> None:
    text = "table T\n    dim [i] = RANGE(3)\n    dim [j] = RANGE([i])\n    [x] = [j]\n    dim [k] = RANGE([x])\n"
    assert said(text) == [(5, 21, 3, "the formula of a dim cannot use [x]")]


def test_what_stands_twice() -> None:
    text = "table T\n    [a] = 1\n    [b], [a] = 2\ntotal\n    [a] = 1\n    [a] = 2\ntable T\n"
    assert said(text) == [
        (3, 10, 3, "the table T has two fields [a]: the other is in line 2"),
        (6, 5, 3, "this total of T has two fields [a]: the other is in line 5"),
        (7, 7, 1, "the table T is defined twice: also in line 1"),
    ]


def test_overrides() -> None:
    text = 'table T\n    [a]\n    [b]\noverride\n[a],[c],[a]\n1,2,3\n"x\ny",2\n1,2,3,4\n'
    assert said(text) == [
        (5, 5, 3, "the override has a column [c], but T has no such field"),
        (5, 9, 3, "the override has the column [a] twice"),
        (7, 1, 1, "this row has 2 cells, but the override has 3 columns"),
        (9, 1, 1, "this row has 4 cells, but the override has 3 columns"),
    ]


@pytest.mark.parametrize(
    ("above_table", "above_field", "message", "hint"),
    [
        ("!manul()", "", "unknown decorator !manul", "Did you mean !manual()?"),
        ("!evaluaton()", "", "unknown decorator !evaluaton", "Did you mean !evaluation()?"),
        ("!colour(1)", "", "Karat does not know the decorator !colour", "It is kept and changes no value."),
        ("!manual(1)", "", "!manual takes no arguments, but was given 1 argument", "Write !manual()."),
        ("!manual()!manual()", "", "!manual appears here twice", ""),
        ("!evaluation_question()", "", "!evaluation_question belongs above a field, not above a table", ""),
        ("", "!manual()", "!manual belongs above a table, not above a field", ""),
        (
            "",
            "!evaluation_question()",
            "!evaluation_question in a table that is not an evaluation table",
            "!evaluation()",
        ),
        ("!evaluation()", "", "the evaluation table T has no question field", "!evaluation_question()"),
        (
            "!evaluation()",
            "!evaluation_question() [q]\n!evaluation_question()",
            "a second question field: the first is marked in line 6",
            "",
        ),
        (
            "!evaluation()",
            "!evaluation_question() [q]\n!evaluation_field()",
            "!evaluation_field takes one or two texts, but was given 0 arguments",
            "",
        ),
        ("!evaluation()", "!evaluation_question() [q]\n!evaluation_field(1)", "!evaluation_field takes texts", ""),
        (
            "!evaluation()",
            '!evaluation_question() [q]\n!evaluation_field("Goods")',
            '"Goods" does not name a field',
            "",
        ),
        (
            "!evaluation()",
            '!evaluation_question() [q]\n!evaluation_field("God[name]")',
            "there is no table God",
            'Did you mean "Goods"?',
        ),
        (
            "!evaluation()",
            '!evaluation_question() [q]\n!evaluation_field("Goods", "nam")',
            "Goods has no field [nam]",
            'Did you mean "name"?',
        ),
    ],
)
def test_decorators(above_table: str, above_field: str, message: str, hint: str) -> None:
    (one,) = found(f"{GOODS}{above_table} table T\n{above_field} [x]\n")
    assert one.message == message
    assert hint in one.hint


def test_decorators_that_are_right() -> None:
    assert said(GOODS + ASKED) == []
    assert said(GOODS + ASKED.replace('"Goods[name]"', '"Goods", "name"')) == []
    assert said(GOODS + ASKED.replace('"Goods[name]"', "\"Goods'[name']\"")) == []


def test_the_one_evaluation_table_must_be_one() -> None:
    asks = "table T\n    [n] = EVALUATE_N(Goods[name])\n"
    assert [one.message for one in found(GOODS + asks)] == [
        "EVALUATE_N needs an evaluation table, but no table is marked !evaluation()"
    ]
    second = ASKED.replace("table Asked", "table Asked2")
    assert [one.message for one in found(GOODS + ASKED + second + asks)] == [
        "EVALUATE_N needs an evaluation table, but 2 tables are marked !evaluation()"
    ]


# -- circles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("table T\n[a] = [a] + 1", (2, 1, 3), "T[a] depends on itself"),
        ("table T\n[a] = [b]\n[b] = T[c]\n[c] = [a]", (2, 1, 3), "T[a] depends on itself: T[a] → T[b] → T[c] → T[a]"),
        ("table T\n[a] = U[b]\ntable U\n[b] = T[a]", (2, 1, 3), "T[a] depends on itself: T[a] → U[b] → T[a]"),
        (
            "table T\n[a] = U.SORT()[b]\ntable U\n[b] = 1\n[c] = T[a]",
            (2, 1, 3),
            "T[a] depends on itself: T[a] → U[c] → T[a]",
        ),
        ("table T\n[a] = 1\n[b] = T.COUNT()", None, ""),
        ("table T\n[a] = 1\n[b] = T.LAST()[b]", (3, 1, 3), "T[b] depends on itself"),
        ("table T\n[a] = 1\n[b] = T.FILTER($[a] = [a])[a].SUM()", None, ""),
        ("table T\n[a] = 1\n[b] = T.FILTER($[b] = [a])[a].SUM()", (3, 1, 3), "T[b] depends on itself"),
        (
            "table T\ndim [r] = RANGE(U[n])\n[x] = 1\ntable U\n[n] = T[x].COUNT()",
            (2, 5, 3),
            "the rows of T depend on themselves: the rows of T → U[n] → T[x] → the rows of T",
        ),
        ("table T\n[x] = 1\n[y] = T[x].SUM()\napply\nfilter [y] > 1", None, ""),
        (
            "table T\n[x] = 1\napply\nfilter U[n] > 1\ntable U\n[n] = T[x].SUM()",
            (3, 1, 5),
            "what is applied to T depends on itself: what is applied to T → U[n] → what is applied to T",
        ),
    ],
)
def test_circles(text: str, place: tuple[int, int, int] | None, message: str) -> None:
    assert [one for one in said(text) if "itself" in one[3] or "themselves" in one[3]] == (
        [(*place, message)] if place else []
    )


def test_choosing_n_inside_the_evaluation_table_is_no_circle_unless_it_decides_what_is_searched() -> None:
    inside = f'{ASKED}    [n] = EVALUATE_N(Goods[name])\n    [m] = Asked.EVALUATE_MODEL("Goods[name]") & [n]\n'
    assert said(GOODS + inside) == []
    searched = GOODS.replace("[name]", "[name] = Asked[n].SUM()")
    (one,) = found(searched + inside)
    assert one.message == "Goods[name] depends on itself: Goods[name] → Asked[n] → Goods[name]"
    truths = inside.replace("    [names]\n", "    [names] = [n]\n")
    (one,) = found(GOODS + truths)
    assert one.message == "Asked[names] depends on itself: Asked[names] → Asked[n] → Asked[names]"


def test_each_knot_is_told_once_and_long_circles_are_no_trouble() -> None:
    fields = "".join(f"    [f{number}] = [f{number + 1}]\n" for number in range(3_000))
    text = f"table T\n{fields}    [f3000] = [f0]\n    [g] = [h]\n    [h] = [g]\n"
    first, second = found(text)
    assert first.message == (
        "T[f0] depends on itself: T[f0] → T[f1] → T[f2] → T[f3] → T[f4] → … 2994 more … → T[f2999] → T[f3000] → T[f0]"
    )
    assert second.message == "T[g] depends on itself: T[g] → T[h] → T[g]"


# -- the rest ---------------------------------------------------------------------------------------------------------


def test_a_table_bound_from_outside_takes_the_place_of_the_sheets_own() -> None:
    text = "table Goods\n    [x] = Nothing[y]\ntable T\n    [p] = Goods[price].SUM()\n"
    assert said(text, {"Goods": ["price"]}) == []
    assert said(text, {"Goods": ["cost"]}) == [(4, 16, 7, "Goods has no field [price]")]


@dataclass(frozen=True)
class Signature:
    """As little as must be known of a function."""

    least: int
    most: int | None


def test_functions_of_which_only_the_number_of_arguments_is_known() -> None:
    sheet = parse("table T\n[x] = {1}.FILTER($ = 1).ODD(2)\n")
    problems = check_sheet(sheet, "f", {"FILTER": Signature(2, 2), "ODD": Signature(0, 1)})
    assert [one.message for one in problems] == [
        "ODD takes 0 to 1 argument, but was given 2, including the value before the dot"
    ]


def test_the_first_hundred_are_enough_and_in_order() -> None:
    lines = "".join(f"    [f{number}] = Unknown{number}[x]\n" for number in range(5_000))
    problems = found(f"table T\n{lines}")
    assert len(problems) == MOST_PROBLEMS
    assert [one.line for one in problems] == list(range(2, MOST_PROBLEMS + 2))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_the_examples_of_the_functions_are_right(name: str) -> None:
    assert said(example_sheet(FUNCTIONS[name].example)) == []


def test_a_dim_without_a_formula_makes_no_rows() -> None:
    """Its override could hold any number of rows: there would be none to take them."""
    message = "the dim [a] has no formula, so T has no rows"
    assert said("table T\n  dim [a]\n  [b] = 1\noverride\n[a]\n1\n2\n") == [(2, 7, 3, message)]
    assert said("table T\n  key dim [a]\n") == [(2, 11, 3, message)]
    assert said("!manual()\ntable T\n  dim [a]\noverride\n[a]\n1\n") == []
    assert said("table T\n  dim [a]\n", {"T": ("a",)}) == []
