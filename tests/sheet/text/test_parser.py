"""What the text of a sheet means, and what is said when it means nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.problems import Problem, UserError, problem_text
from karat.sheet.text.parser import LARGEST_FILE, parse
from karat.sheet.text.scanner import DEEPEST, MOST_TOKENS
from karat.sheet.text.tree import (
    Array,
    At,
    Binary,
    Boolean,
    Call,
    Decorator,
    Element,
    Expr,
    FieldOf,
    FieldsOf,
    Missing,
    Number,
    Override,
    OwnField,
    Sheet,
    TableName,
    Text,
    Unary,
)
from karat.sheet.truths import split_truths
from tests.sheet.contract import contract_example

A, B, C = OwnField("a"), OwnField("b"), OwnField("c")


def formula(text: str) -> Expr | None:
    return parse(f"table T\n    [x] = {text}").tables[0].fields[0].formula


def mistakes(text: str | bytes) -> tuple[Problem, ...]:
    with pytest.raises(UserError) as caught:
        parse(text, "f.sheet")
    assert caught.value.problems
    return caught.value.problems


def mistake(text: str | bytes) -> tuple[int, int, int, str, str]:
    (found,) = mistakes(text)
    return found.line, found.column, found.width, found.message, found.hint


def override(text: str) -> Override:
    found = parse(text).tables[0].override
    assert found is not None
    return found


# -- the contract -----------------------------------------------------------------------------------------------------


@pytest.mark.shared_data
def test_the_contract_as_it_is_printed(shared: Path) -> None:
    evaluation, result = parse(contract_example(shared)).tables
    assert evaluation.name == "Evaluation"
    assert [decorator.name for decorator in evaluation.decorators] == ["evaluation", "manual"]
    names = [field.name for line in evaluation.fields for field in line.fields]
    assert names == ["Passed", "Avg Recall", "Question", "Ground truth for items", "Ground truth for types"]
    passed, recall, question, items, types = evaluation.fields
    assert passed.formula == Binary("=", OwnField("Avg Recall"), Number(1))
    assert isinstance(recall.formula, Call) and recall.formula.name == "AVERAGE" and len(recall.formula.arguments) == 2
    assert question.formula == Missing()
    assert items.formula is None and types.formula is None
    assert question.fields[0].decorators == (Decorator("evaluation_question"),)
    assert items.fields[0].decorators == (Decorator("evaluation_field", ("Ingredients[item]",)),)
    assert types.fields[0].decorators == (Decorator("evaluation_field", ("Ingredients[price_type]",)),)
    assert evaluation.override == Override(
        ("Question", "Ground truth for items", "Ground truth for types"),
        (("What cheap vegetables do I have?", "Carrots;Potatoes;Onions;Garlic", "Cheap"),),
    )
    assert result.fields[0].formula == Call(
        "COUNT", (Call("FILTER", (FieldOf(TableName("Evaluation"), "Passed"), Binary("=", Element(), Number(1)))),)
    )


# -- formulas ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1", Number(1)),
        (".5", Number(0.5)),
        ("1.5e-3", Number(0.0015)),
        ('"a"', Text("a")),
        ("na", Missing()),
        ("True", Boolean(True)),
        ("FALSE", Boolean(False)),
        ("$", Element()),
        ("[a]", A),
        ("T[a]", FieldOf(TableName("T"), "a")),
        ("'My table'[a]", FieldOf(TableName("My table"), "a")),
        ("'it''s'", TableName("it's")),
        ("größe_1[a]", FieldOf(TableName("größe_1"), "a")),
        ("filter[a]", FieldOf(TableName("filter"), "a")),
        ("[r][a]", FieldOf(OwnField("r"), "a")),
        ("T[[a],[b]]", FieldsOf(TableName("T"), ("a", "b"))),
        ("{}", Array(())),
        ("{1, [a]}", Array((Number(1), A))),
        ("f()", Call("F", ())),
        ("Filter(T, $ = 1)", Call("FILTER", (TableName("T"), Binary("=", Element(), Number(1))))),
        ("T.filter($ = 1)", Call("FILTER", (TableName("T"), Binary("=", Element(), Number(1))))),
        ("1.ABS()", Call("ABS", (Number(1),))),
        ("(\n 1\n +\n 2\n)", Binary("+", Number(1), Number(2))),
        ("F(\n  1,\n\n  2\n )", Call("F", (Number(1), Number(2)))),
        ("{1,\n2}", Array((Number(1), Number(2)))),
        ("1 + \\\n 2", Binary("+", Number(1), Number(2))),
    ],
)
def test_values_names_and_calls(text: str, meant: Expr) -> None:
    assert formula(text) == meant


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[a''b]", "a'b"),
        ("[a'[b']]", "a[b]"),
        ("[it's]", "it's"),
        ("[ a ]", " a "),
        ('["]', '"'),
        ("[#1, (x)]", "#1, (x)"),
    ],
)
def test_escapes_in_a_field(text: str, name: str) -> None:
    assert formula(text) == OwnField(name)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("\"a''b\"", "a'b"),
        ('"say \'"hi\'""', 'say "hi"'),
        ("\"T'[f']\"", "T[f]"),
        ('"T[f]"', "T[f]"),
        ('"What\'s that? # no comment"', "What's that? # no comment"),
        ('"a\';b"', "a';b"),
        ('""', ""),
    ],
)
def test_escapes_in_a_text(text: str, value: str) -> None:
    assert formula(text) == Text(value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("[a] = [b] = [c]", Binary("=", Binary("=", A, B), C)),
        ("[a] - [b] - [c]", Binary("-", Binary("-", A, B), C)),
        ("[a] ^ [b] ^ [c]", Binary("^", Binary("^", A, B), C)),
        ("-[a] ^ [b]", Binary("^", Unary("-", A), B)),
        ("[a] ^ -[b]", Binary("^", A, Unary("-", B))),
        ("NOT [a] = [b]", Binary("=", Unary("NOT", A), B)),
        ("[a] * [b] ^ [c]", Binary("*", A, Binary("^", B, C))),
        ("[a] + [b] mod [c]", Binary("+", A, Binary("MOD", B, C))),
        ("[a] & [b] + [c]", Binary("&", A, Binary("+", B, C))),
        ("[a] <= [b] & [c]", Binary("<=", A, Binary("&", B, C))),
        ("[a] and [b] <> [c]", Binary("AND", A, Binary("<>", B, C))),
        ("[a] OR [b] AND [c]", Binary("OR", A, Binary("AND", B, C))),
        ("([a] OR [b]) AND [c]", Binary("AND", Binary("OR", A, B), C)),
        ("-[a].F()", Unary("-", Call("F", (A,)))),
        ("[a]-1", Binary("-", A, Number(1))),
    ],
)
def test_operators_from_tight_to_loose_all_from_left_to_right(text: str, meant: Expr) -> None:
    assert formula(text) == meant


def test_a_call_knows_how_it_was_written_but_means_the_same() -> None:
    plain, dotted = formula("F([a], [b])"), formula("[a].F([b])")
    assert plain == dotted and hash(plain) == hash(dotted)
    assert isinstance(plain, Call) and isinstance(dotted, Call)
    assert (plain.dotted, dotted.dotted) == (False, True)


def test_every_part_knows_its_place() -> None:
    sheet = parse("table T\n    [x] = [a] +\\\n  F(T[b])\n")
    line = sheet.tables[0].fields[0]
    found = line.formula
    assert isinstance(found, Binary) and isinstance(found.right, Call)
    assert sheet.tables[0].at == At(1, 7, 1)
    assert line.fields[0].at == At(2, 5, 3)
    assert found.at == At(2, 15, 1)
    assert found.right.at == At(3, 3, 1)
    assert found.right.arguments[0].at == At(3, 6, 3)


# -- tables -----------------------------------------------------------------------------------------------------------

WHOLE = """\
## one
## two
!manual()
!style("a", -2) table 'My table' # three
    # four
    ## five
    key dim [k], [v] = F(1, # six
        2) ## seven
    [free]
apply # eight
    filter [v] > 1
    sort -[v], [k]
total
    [v] = SUM([v])
total
override
# nine
[k],[v]
1,2
# ten
3,4

# eleven
table Next
# twelve"""


def test_a_table_with_everything() -> None:
    sheet = parse(WHOLE)
    table, following = sheet.tables
    assert table.name == "My table" and table.docs == ("one", "two")
    assert table.decorators == (Decorator("manual"), Decorator("style", ("a", -2)))
    first, second = table.fields[0].fields
    assert (first.name, first.key, first.dim, first.docs) == ("k", True, True, ("five",))
    assert (second.name, second.key, second.dim) == ("v", False, False)
    assert table.fields[1].formula is None
    assert table.apply is not None
    assert table.apply.filter == Binary(">", OwnField("v"), Number(1))
    assert table.apply.sort == (Unary("-", OwnField("v")), OwnField("k"))
    assert [len(total.fields) for total in table.totals] == [1, 0]
    assert table.override is not None
    assert table.override == Override(("k", "v"), ((1, 2), (3, 4)))
    assert table.override.lines == (19, 21)
    assert table.override.places == (At(18, 1, 3), At(18, 5, 3))
    assert (table.comments, first.comments, table.apply.comments) == (("three",), ("four", "six", "seven"), ("eight",))
    assert (table.override.comments, following.comments, sheet.comments) == (("nine", "ten"), ("eleven",), ("twelve",))


def test_keywords_in_any_case_and_as_names() -> None:
    sheet = parse("TABLE table\n  KEY DIM [a] = key[b] + TOTAL[c]\nApply\n  Filter 1\nOVERRIDE\n[a]\n1")
    assert sheet.tables[0].name == "table"
    assert sheet.tables[0].fields[0].formula == Binary(
        "+", FieldOf(TableName("key"), "b"), FieldOf(TableName("TOTAL"), "c")
    )
    assert sheet.tables[0].apply is not None and sheet.tables[0].override is not None


def test_line_ends_a_mark_at_the_start_tabs_and_no_newline_at_the_end() -> None:
    plain = 'table T\n    [a]\noverride\n[a]\n"x\ny"\n'
    assert parse("\ufeff" + plain.replace("\n", "\r\n").replace("    ", "\t")) == parse(plain)
    assert parse(plain.encode("utf-8-sig")) == parse(plain)
    assert parse(plain.replace("\n", "\r")) == parse(plain.rstrip("\n")) == parse(plain)
    assert parse("") == parse("\n\n") == parse("# only words") == Sheet(())


# -- overrides --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('"a, b"', "a, b"),
        ('"say ""hi"""', 'say "hi"'),
        ('"say \'"hi\'""', 'say "hi"'),
        ('"two\nlines"', "two\nlines"),
        ("\"T'[f']\"", "T[f]"),
        ('"a\';b"', "a';b"),
        ('"1"', "1"),
        ('""', ""),
        ("1", 1),
        ("-0.5", -0.5),
        ("1e3", 1000.0),
        ("007", "007"),
        ("1.2.3", "1.2.3"),
        ("  plain text ", "plain text"),
        ("", None),
        ("  ", None),
        ("NA", Missing()),
        ("true", True),
        ("FALSE", False),
        ("table salt", "table salt"),
        ("{1, 2}", "1;2"),
    ],
)
def test_cells(cell: str, value: object) -> None:
    (row,) = override(f"table T\n[a]\n[b]\noverride\n[a],[b]\n{cell},9\n").rows
    assert row == (value, 9) and type(row[0]) is type(value)


def test_truths_in_braces() -> None:
    cell = override('table T\n[a]\noverride\n[a]\n{"a;b", c, "d\'\'", "e"}\n').rows[0][0]
    assert isinstance(cell, str)
    assert split_truths(cell) == ("a;b", "c", "d'", "e")


@pytest.mark.parametrize(
    "after", ["table U", "\ntable U", "!manual()\ntable U", "## doc\ntable U", "# note\n\ntable U", "TABLE 'U'  # x"]
)
def test_where_an_override_ends(after: str) -> None:
    sheet = parse(f'table T\n[a]\noverride\n[a]\n"x"\n\n"y"\n{after}\n')
    assert [table.name for table in sheet.tables] == ["T", "U"]
    assert sheet.tables[0].override is not None
    assert sheet.tables[0].override.rows == (("x",), (None,), ("y",)), "a blank line before a row is an empty cell"


def test_rows_that_look_like_something_else() -> None:
    rows = override('table T\n[a]\noverride\n[a]\n"table U"\n"# x"\ntable U of U\ntable U,\n total\n').rows
    assert rows == (("table U",), ("# x",), ("table U of U",), ("table U", None), ("total",))


def test_a_hundred_thousand_rows() -> None:
    rows = "".join(f'"question {number}, with ""quotes""","a;b",{number}\n' for number in range(100_000))
    text = f"table T\n[q]\n[t]\n[n]\noverride\n[q],[t],[n]\n{rows}\ntable U\n"
    sheet = parse(text)
    typed = sheet.tables[0].override
    assert typed is not None and len(typed.rows) == 100_000
    assert typed.rows[-1] == ('question 99999, with "quotes"', "a;b", 99_999)
    assert typed.lines[-1] == 100_006 and sheet.tables[1].at.line == 100_008


# -- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "column", "width", "message", "hint"),
    [
        ("[x] =", 6, 1, "expected a formula after =", ""),
        ("[x] = 1 +", 10, 1, "expected a value after +", ""),
        ("[x] = 1 + * 2", 11, 1, 'expected a value after +, but there is "*"', ""),
        ("[x] = 1 == 2", 10, 1, "expected a value after =", "Equality is written with one =."),
        ("dim !hidden() [x]", 5, 1, "a decorator goes before dim", "Such as: !hidden() dim [name] = formula."),
        ("[x] = 1 != 2", 9, 1, "! is not allowed in a formula", "Not equal is written <>, and the opposite NOT."),
        ("[x] = (1", 7, 1, "this ( is never closed", ""),
        ("[x] = 1)", 8, 1, "no ( is open that this ) could close", ""),
        ("[x] = {1)", 9, 1, "this ) does not close the {", ""),
        ("[x] = AND(1, 2)", 7, 3, 'expected a formula after =, but there is "AND"', "AND goes between"),
        ("[x] = T.COUNT", 9, 5, "expected a function after ., but there is the name COUNT", "Write COUNT()."),
        ("[x] = My table[y]", 10, 5, "expected an operator or a comma before the name table", "'My table'"),
        ('[x] = "abc', 7, 4, "this text is not closed on its line", ""),
        ('[x] = "abc\'"', 7, 6, "this text is not closed on its line", "write ''\"."),
        ("[x] = 'abc", 7, 4, "this name is not closed on its line", "a text in double quotes"),
        ("[x = 1", 1, 6, "this field is not closed on its line", "'[ or ']"),
        ("[] = 1", 1, 2, "a field needs a name between its brackets", ""),
        ("[x] = 5 % 2", 9, 1, '"%" has no meaning here', "MOD"),
        ("[x] = “a”", 7, 1, "“ is not a quote of the language", "straight quotes"),
        ("[x] = 12abc", 7, 5, '"12abc" is neither a number nor a name', ""),
        ("[x] = 1e999", 7, 5, "this number is too large", ""),
        ("[x] = " + "9" * 301, 7, 301, "this number is too large", ""),
        ("x = 1", 1, 1, '"x" is not the name of a field', "[x]"),
        ("totl", 1, 4, 'unknown word "totl"', 'Did you mean "total"?'),
        ("!manual", 2, 6, "expected ( after the decorator manual", "Write !manual()."),
        ("!manual([x])", 9, 3, "the field [x] cannot be an argument of a decorator", "texts and numbers"),
        ("!manual()", 10, 1, "nothing follows this doc or decorator", ""),
        ("filter [x]", 1, 6, '"filter" is not allowed here', "apply"),
        ("override", 9, 1, "expected the columns of the override", "[a],[b]"),
        ("5", 1, 1, "a line cannot begin with the number 5", "[name] = formula"),
    ],
)
def test_mistakes_in_words(line: str, column: int, width: int, message: str, hint: str) -> None:
    found = mistake(f"table T\n{line}\n")
    assert found[1:4] == (column, width, message)
    assert hint in found[4]
    assert found[0] in (2, 3)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("tabel T\n", (1, 1), 'unknown word "tabel"'),
        ("[x] = 1\n", (1, 1), "the field [x] is outside any table"),
        ("!manual()\n", (1, 1), "no table follows this doc or decorator"),
        ("table\n", (1, 6), "expected a name after table"),
        ("table [x]\n", (1, 7), "expected a name after table"),
        (
            "table My table\n",
            (1, 10),
            "expected the end of the line after the table's name, but there is the name table",
        ),
        ("table T\napply\nsort 1\nsort 2\n", (4, 1), '"sort" appears twice: here and in line 3'),
        (
            "table T\napply\nfilter 1\napply\nsort 2\n",
            (4, 1),
            "a table can have only one apply; this one already has one in line 2",
        ),
        ("table T\n[x]\noverride\n1,2\n", (4, 1), "expected the columns of the override before its rows"),
        ('table T\n[x]\noverride\n[x]\n"a"b\n', (5, 4), 'expected a comma or the end of the row after the closing "'),
        ('table T\n[x]\noverride\n[x]\n1\n"a\nb\n', (6, 1), 'this text is not closed: there is no " after it'),
        ('table T\n[x]\noverride\n[x]\n5" pipe\n', (5, 2), "a quote inside a cell that does not begin with one"),
        ("table T\n[x]\noverride\n[x]\n1\n[y] = 2\n", (6, 1), "a field is not allowed among the rows of an override"),
        (
            "table T\n[x],[y]\noverride\n[x],[y]\n1,2\ntotal\n",
            (6, 1),
            '"total" is not allowed among the rows of an override',
        ),
    ],
)
def test_mistakes_of_whole_lines(text: str, place: tuple[int, int], message: str) -> None:
    found = mistake(text)
    assert (found[:2], found[3]) == (place, message)


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file() -> None:
    text = 'table T\n[a] =\n!manual(\n[b] = 1\n[c] = 1 2\ntable U\n[d] = (1\ntable V\n[e] = "x\noverride\n[e]\n5"\n'
    assert [(found.line, found.message) for found in mistakes(text)] == [
        (2, "expected a formula after ="),
        (3, "this ( is never closed"),
        (7, "this ( is never closed"),
        (9, "this text is not closed on its line"),
        (12, "a quote inside a cell that does not begin with one"),
    ]


def test_a_mistake_is_shown_with_its_line_and_a_caret() -> None:
    text = "table T\n\t[x] = 1 2"
    (found,) = mistakes(text)
    assert problem_text(found, source=text) == (
        "f.sheet:2:10: expected an operator or a comma before the number 2\n    2 |  [x] = 1 2\n      |          ^"
    )


def test_bytes_that_are_no_text() -> None:
    assert mistake(b'table T\r\n[x] = "\xff"')[:4] == (2, 8, 1, "the byte 0xff is not UTF-8")
    assert "UTF-16" in mistake("table T".encode("utf-16"))[4]


def test_what_is_too_large_or_too_deep_is_said_at_once() -> None:
    assert "64 MiB" in mistake(" " * (LARGEST_FILE + 1))[3]
    assert (
        mistake("table T\n[x] = " + "1 " * MOST_TOKENS)[3] == "more than 200,000 words and signs outside of overrides"
    )
    for formula in ("(" * 5_000 + "1" + ")" * 5_000, "F(" * 5_000, "{" * 5_000):
        assert mistake(f"table T\n[x] = {formula}")[3] == f"brackets are nested more than {DEEPEST} deep"
    for formula in ("1" + " + 1" * 3_000, "NOT " * 3_000 + "1", "T" + "[x]" * 3_000, "T" + ".F()" * 3_000):
        assert "more than 200 operations" in mistake(f"table T\n[x] = {formula}")[3]


def test_the_deepest_formula_that_is_allowed_can_be_compared_and_hashed() -> None:
    for text in ("(" * 199 + "1" + ")" * 199, "F(" * 199 + "1" + ")" * 199, "1" + " + 1" * 199, "NOT " * 199 + "1"):
        assert hash(formula(text)) == hash(formula(text)) and formula(text) == formula(text)
        assert repr(formula(text))
