"""One layout for every sheet, and nothing lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings

from karat.sheet.text.escapes import FORMULA_WORDS, KEYWORDS
from karat.sheet.text.formatter import _document, format_sheet
from karat.sheet.text.layout import Group, set_text
from karat.sheet.text.parser import parse
from karat.sheet.text.tree import (
    Binary,
    Call,
    Decorator,
    Expr,
    Field,
    FieldOf,
    Fields,
    Missing,
    Number,
    OwnField,
    Sheet,
    Table,
    TableName,
    Text,
    Total,
    Unary,
)
from tests.sheet.contract import contract_example
from tests.sheet.drawn_sheets import expressions, sheets

EXAMPLES = Path(__file__).parents[3] / "examples"

UNTIDY = """\
# first
## what it is
!manual()   # by hand
table 'my table'
  key [id],[n]=1+2*3   # why
  [long] = RETRIEVE(Ingredients[item], [question], EVALUATE_N(Ingredients[item])).intersection([truth]).count() / [truth].count()
  [sum] = ([id] + [n]) \\
     * (2)
apply
filter  not [n]=1
sort -[n],[id]
total
[n] = sum([n])
override
# typed in
[id],[n]
"it""s", 3
,.5
# the end
"""


def comments_of(sheet: Sheet) -> Iterator[str]:
    yield from sheet.comments
    for table in sheet.tables:
        yield from table.comments
        for lines in (table.fields, *(total.fields for total in table.totals)):
            for line in lines:
                for field in line.fields:
                    yield from field.comments
        for section in (table.apply, *table.totals, table.override):
            if section is not None:
                yield from section.comments


def test_the_layout() -> None:
    assert format_sheet(parse(UNTIDY)) == (
        "# first\n"
        "# by hand\n"
        "## what it is\n"
        "!manual()\n"
        "table 'my table'\n"
        "    # why\n"
        "    key [id], [n] = 1 + 2 * 3\n"
        "    [long] = (\n"
        "        RETRIEVE(\n"
        "            Ingredients[item],\n"
        "            [question],\n"
        "            EVALUATE_N(Ingredients[item])\n"
        "        ).INTERSECTION([truth]).COUNT()\n"
        "        / [truth].COUNT()\n"
        "    )\n"
        "    [sum] = ([id] + [n]) * 2\n"
        "apply\n"
        "    filter NOT [n] = 1\n"
        "    sort -[n], [id]\n"
        "total\n"
        "    [n] = SUM([n])\n"
        "# typed in\n"
        "override\n"
        "[id],[n]\n"
        '"it""s",3\n'
        ",0.5\n"
        "\n"
        "# the end\n"
    )


def test_the_example_is_laid_out_by_its_own_rules() -> None:
    text = (EXAMPLES / "retrieval" / "shop.sheet").read_text(encoding="utf-8")
    assert format_sheet(parse(text)) == text


@pytest.mark.shared_data
def test_the_contract_stays_as_it_is_printed(shared: Path) -> None:
    printed = contract_example(shared)
    expected = "\n".join(line.rstrip() for line in printed.split("\n")).replace("'[price_type']", "[price_type]")
    assert format_sheet(parse(printed)) == expected


@pytest.mark.parametrize(
    ("formula", "formatted"),
    [
        ("((1 + 2)) + 3", "1 + 2 + 3"),
        ("1 + (2 + 3)", "1 + (2 + 3)"),
        ("1-(2-3)", "1 - (2 - 3)"),
        ("(1 * 2) + 3", "1 * 2 + 3"),
        ("1 * (2 + 3)", "1 * (2 + 3)"),
        ("(2 ^ 3) ^ 4", "2 ^ 3 ^ 4"),
        ("2 ^ (3 ^ 4)", "2 ^ (3 ^ 4)"),
        ("-(2) ^ 2", "-2 ^ 2"),
        ("-(2 ^ 2)", "-(2 ^ 2)"),
        ("not ([a] = 1)", "NOT ([a] = 1)"),
        ("NOT NOT - - [a]", "NOT NOT --[a]"),
        ("([a] or [b]) and [c]", "([a] OR [b]) AND [c]"),
        ("(1 + 2).abs()", "(1 + 2).ABS()"),
        ("(-1).abs()", "(-1).ABS()"),
        ("(T)[x]", "T[x]"),
        ("(T.FIRST())[x]", "T.FIRST()[x]"),
        ("T[[a] , [b]]", "T[[a],[b]]"),
        ("{ 1,2 , {} }", "{1, 2, {}}"),
        ('10 mod 3 & "x"', '10 MOD 3 & "x"'),
        ("true<>FALSE", "TRUE <> FALSE"),
        ("1.50", "1.5"),
        ("'And'[x]", "'And'[x]"),
        ("'plain'[x]", "plain[x]"),
        ("\"What's '' '\" '[\"", "\"What's ' '\" [\""),
    ],
)
def test_parentheses_spaces_and_escapes(formula: str, formatted: str) -> None:
    sheet = parse(f"table T\n[x] = {formula}")
    assert format_sheet(sheet) == f"table T\n    [x] = {formatted}\n"


def test_long_sums_break_at_each_sign_of_the_chain_only() -> None:
    name = "a" * 30
    sheet = parse(f"table T\n[x] = [{name}] * 2 + [{name}] - [{name}]")
    assert format_sheet(sheet) == (
        f"table T\n    [x] = (\n        [{name}] * 2\n        + [{name}]\n        - [{name}]\n    )\n"
    )


def test_docs_of_a_later_field_of_a_line() -> None:
    text = "table T\n    [a], ## the second\n    !evaluation_question() key [b] = 1\n"
    sheet = parse(text)
    second = sheet.tables[0].fields[0].fields[1]
    assert (second.name, second.key, second.docs, second.decorators[0].name) == (
        "b",
        True,
        ("the second",),
        "evaluation_question",
    )
    assert format_sheet(sheet) == text


@pytest.mark.parametrize("word", [*KEYWORDS, *FORMULA_WORDS, "Total", "ors"])
def test_a_decorator_may_be_called_like_any_word_of_the_language(word: str) -> None:
    text = (
        f"!{word}()\ntable T\n    !{word}(1)\n    [a], !{word}() key [b] = 1\n"
        f"total\n    !{word}()\n    ! {word} (-2)\n    [a]\n\n!{word}()\ntable U\n    [x] = 1\n"
    )
    sheet = parse(text)
    decorator = Decorator(word.lower())
    total = sheet.tables[0].totals[0].fields[0].fields[0]
    assert [table.decorators for table in sheet.tables] == [(decorator,), (decorator,)]
    assert total.decorators == (decorator, Decorator(word.lower(), (-2,)))
    assert parse(format_sheet(sheet)) == sheet


def test_a_single_empty_cell_is_written_so_that_its_row_stays() -> None:
    sheet = parse('table T\n[a]\noverride\n[a]\n"x"\n\nNA\n""\n')
    assert sheet.tables[0].override is not None
    assert sheet.tables[0].override.rows == (("x",), (None,), (Missing(),), ("",))
    assert format_sheet(sheet).endswith('override\n[a]\n"x"\n\nNA\n""\n')


def format_expression(expression: Expr) -> str:
    """A formula on one line."""
    return set_text(Group((_document(expression),)), width=2**60)


def test_an_expression_is_on_one_line_however_long() -> None:
    formula: Expr = Binary(
        "=", Call("F", (FieldOf(TableName("my table"), "x"), Text("y" * 200)), dotted=True), Unary("-", OwnField("z"))
    )
    assert format_expression(formula) == f"'my table'[x].F(\"{'y' * 200}\") = -[z]"


def test_trees_too_deep_to_recurse_into() -> None:
    formula: Expr = Number(1)
    for _ in range(5_000):
        formula = Unary("-", Binary("+", Call("F", (formula,)), Number(1)))
    text = format_expression(formula)
    assert text.startswith("-(F(-(F(") and text.endswith(" + 1)")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sheets)
@example(Sheet((Table("T", (), totals=(Total((Fields((Field("a", decorators=(Decorator("or"),)),)),)),)),)))
def test_any_sheet_is_read_back_as_it_was(sheet: Sheet) -> None:
    text = format_sheet(sheet)
    again = parse(text)
    assert again == sheet
    assert format_sheet(again) == text
    assert Counter(comments_of(again)) == Counter(comments_of(sheet))


@settings(max_examples=150, deadline=None)
@given(expressions)
def test_any_formula_is_read_back_as_it_was(formula: Expr) -> None:
    text = format_expression(formula)
    read = parse(f"table T\n[x] = {text}").tables[0].fields[0].formula
    assert read is not None
    assert read == formula
    assert format_expression(read) == text


@settings(max_examples=50, deadline=None)
@given(expressions, expressions)
def test_a_call_means_the_same_with_and_without_the_dot(first: Expr, second: Expr) -> None:
    before, inside = format_expression(first), format_expression(second)
    assert parse(f"table T\n[x] = ({before}).F({inside})") == parse(f"table T\n[x] = F({before}, {inside})")
