"""Every function by its own example, then the cases a reader would ask about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.sheet.evaluation import evaluate
from karat.sheet.functions import FUNCTIONS, example_sheet, reference
from karat.sheet.text.parser import parse
from karat.sheet.text.tree import Array as ArrayOf
from karat.sheet.text.tree import Call, Expr, Number, Sheet, Text
from karat.sheet.text.tree import Field as FieldNode
from karat.sheet.text.tree import Fields as FieldsNode
from karat.sheet.text.tree import Table as TableNode
from tests.sheet.evaluated import NO_FOLDER, column, mistake_of, value_of

CORE = [
    "RANGE",
    "CHUNKS",
    "INPUT",
    "FILTER",
    "SORT",
    "SORTBY",
    "UNIQUE",
    "UNIQUEBY",
    "FIND",
    "INDEX",
    "FIRST",
    "LAST",
    "SINGLE",
    "COUNT",
    "SUM",
    "AVERAGE",
    "MIN",
    "MAX",
    "MEDIAN",
    "STDEVS",
    "PERCENTILE",
    "TEXTJOIN",
    "IF",
    "IFNA",
    "ISNA",
    "BETWEEN",
    "IN",
    "UNION",
    "INTERSECT",
    "INTERSECTION",
    "SUBTRACT",
    "ABS",
    "ROUND",
    "LEN",
    "LOWER",
    "UPPER",
    "TRIM",
    "CONTAINS",
    "LEFT",
    "RIGHT",
    "SPLIT",
    "ROW",
    "RETRIEVE",
    "RETRIEVE_SCORES",
    "RECALL",
    "MISSING",
    "MRR",
    "RR",
    "TOKENS",
    "EVALUATE_N",
    "EVALUATE_MODEL",
    *[
        "MINBY",
        "MAXBY",
        "POW",
        "LOG",
        "LN",
        "LOG10",
        "EXP",
        "SQRT",
        "FLOOR",
        "CEIL",
        "SIN",
        "COS",
        "TAN",
        "ASIN",
        "ACOS",
        "ATAN",
        "STDEVP",
        "PI",
        "CONCATENATE",
        "GEOMEAN",
        "MODE",
        "CORREL",
    ],
    *[
        "PERCENTILE_EXC",
        "QUARTILE",
        "QUARTILE_EXC",
        "TEXT",
        "VALUE",
        "CONCAT",
        "MID",
        "SUBSTITUTE",
        "UNICHAR",
        "STRIP",
        "STRIP_START",
    ],
    *[
        "STRIP_END",
        "TEXTBEFORE",
        "TEXTAFTER",
        "TEXTSPLIT",
        "DATE",
        "YEAR",
        "MONTH",
        "DAY",
        "HOUR",
        "MINUTE",
        "SECOND",
        "WORKDAY",
    ],
]


def test_the_language_has_exactly_these_functions() -> None:
    assert sorted(FUNCTIONS) == sorted(CORE)


@pytest.mark.parametrize("name", CORE)
def test_the_example_of_every_function(name: str, tmp_path: Path) -> None:
    example = FUNCTIONS[name].example
    for file, text in example.files.items():
        (tmp_path / file).write_text(text)
    assert example.formula.count(f"{name}(") >= 1
    found = column(example_sheet(example), "Example", "value", tmp_path)
    assert found == [pytest.approx(example.value) if isinstance(example.value, float) else example.value]


def test_the_reference_has_every_function_with_its_arguments() -> None:
    text = reference()
    for function in FUNCTIONS.values():
        assert function.summary in text
        for call in function.signature():
            assert f"`{call}`" in text.replace("\\|", "|")


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1 + 2 * 3", 7),
        ("2 ^ 3 ^ 2", 64),  # all operators are left-associative
        ("7 MOD 3", 1),
        ("6 / 3", 2),
        ("1 / 4", 0.25),
        ("-3 + 1", -2),
        ('"a" & 1 & 2.5', "a12.5"),
        ("1 < 2 AND NOT 0", 1),
        ('"1" = 1', 1),
        ('"1.0" = 1', 0),
        ('"1" <> 1', 0),
        ('"12" + 1', 13),
        ('"" + 1', 1),
        ('"a" < 1', 0),
        ('"" < 1', 0),
        ('"" = ""', 1),
        ("1 / 0", None),
        ("1 MOD 0", None),
        ("0 ^ -1", None),
        ("(0 - 8) ^ 0.5", None),
        ("NA AND 0", None),
        ("NA OR 1", None),
        ('NOT ""', 0),
        ('"a" < "b"', 1),
        ("1 = 1.0", 1),
        ("TRUE + TRUE", 2),
        ("10 ^ 30", 1e30),
        ("9007199254740993 + 0", 9007199254740993),
    ],
)
def test_operators(formula: str, value: Any) -> None:
    assert value_of(formula) == value


@pytest.mark.parametrize(
    "formula", ["NA + 1", "NA = NA", "-NA", "NOT NA", 'NA & "a"', "1 AND NA", "0 OR NA", "ABS(NA)"]
)
def test_na_goes_through_operators_and_functions(formula: str) -> None:
    assert value_of(formula) is None


def test_a_decided_condition_needs_no_second_half() -> None:
    assert value_of('0 AND "a" + 1') == 0
    assert value_of('"a" + 1 > 1 OR 1') == 1


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ('"a" + 1', '+ needs a number, but was given the text "a"'),
        ('"a" * 3', '* needs a number, but was given the text "a"'),
        ("Fruit < 1", "< cannot compare"),
        ("10 ^ 400", "too large"),
        ("9 ^ 9 ^ 9 ^ 9 ^ 9", "too large"),
        ('IF("yes", 1, 2)', "IF needs a condition"),
        ("SORT({1}, 2)", "SORT needs 1 (smallest first) or -1 (largest first)"),
        ("INDEX({1}, 1.5)", "whole number"),
        ('SUM({1, "b"})', 'SUM needs a number, but was given the text "b"'),
        ("SUM(Fruit)", "Name one of its fields"),
        ("SORT(Fruit)", "SORTBY"),
        ("RANGE(100000000)", "at most 10,000,000"),
        ('LEFT("a", 0 - 1)', "length of 0 or more"),
        ("{1, 2} + {1, 2, 3}", "arrays of 2 and of 3 cannot be combined element by element"),
        ("5[price]", "only a table or a row has fields"),
        ('IFNA("a" + 0, 1)', "+ needs a number"),
        ("Fruit.FILTER($[price])[name].FIRST() + 1", "needs a number"),
        ('RETRIEVE(Fruit, "a", 1)', "Name the field"),
        ('RETRIEVE({"a"}, "a", 0 - 1)', "n to be 0 or more"),
        ('RECALL(Fruit, "a")', "RETRIEVE_SCORES(…)[value]"),
    ],
)
def test_mistakes_say_what_is_wrong_and_where(formula: str, said: str) -> None:
    assert said in mistake_of(formula)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("SUM({})", 0),
        ("AVERAGE({})", None),
        ("AVERAGE({NA})", None),
        ("AVERAGE(1, 2, 6)", 3),
        ("AVERAGE(NA, NA)", None),
        ("AVERAGE({1, 3}, {5, NA})", [3, None]),  # several arguments: element by element
        ("MIN({})", None),
        ("STDEVS({1})", 0),
        ("STDEVS({NA})", None),
        ("PERCENTILE({1}, 90)", None),
        ("{1, 2}.SINGLE()", None),
        ("INDEX({1}, 0)", None),
        ('SUM({1, "2", ""})', 3),
        ("IFNA(1 / 0, 1)", 1),
        ("COUNT(Fruit)", 3),
        ("COUNT({})", 0),
        ("SUM(0.1, 0.2)", 0.30000000000000004),
        ("ROUND(0 - 2.5)", -3),
        ("ROUND(1.5, 30)", 1.5),
        ("ROUND(1 = 1)", 1),
        ("ROUND(1500000000000000.0, 0 - 15)", 2e15),
        ("ROUND(1000000000000000.5)", 1000000000000001),
        ("ROUND(123456789012345678, 0 - 2)", 123456789012345700),
        ("ROUND(1e300, 300)", 1e300),
        ("ROUND(1234, 0 - 2)", 1200),
        ("RANGE(2, 4)", [2, 3, 4]),
        ("RANGE(0)", []),
        ("BETWEEN(5, 1, 4)", 0),
        ("FIRST({})", None),
        ("SINGLE({})", None),
        ("INDEX({1, 2}, 5)", None),
        ("INDEX({1, 2}, -1)", 2),
        ("SORT({2, NA, 1})", [1, 2, None]),
        ("SORT({2, NA, 1}, 1)", [1, 2, None]),
        ("SORT({2, 3, 1}, -1)", [3, 2, 1]),
        ('SORT({"b", "", 2, NA, "a", 1})', [1, 2, "a", "b", "", None]),
        ('SORT({"b", "", NA, "a"})', ["", "a", "b", None]),
        ("SORT({2, 1}, )", [1, 2]),
        ('SORT({"b", 1, "a"})', [1, "a", "b"]),
        ("UNIQUE({1, 1.0, 2})", [1, 2]),
        ("UNION({1, NA}, {2, 1}, {3})", [1, None, 2, 3]),
        ("INTERSECT({3, 1, 2, 1}, {1, 3})", [3, 1]),
        ("SUBTRACT({1, 2, NA}, {2})", [1, None]),
        ("{1, 2}.FILTER($ > 5)", []),
        ("{1, NA, 3}.FILTER($ > 1)", [3]),
        ("{5, 6}.FIND($ > 5)", 6),
        ("{5, 6}.FIND(7)", None),
        ("{5, 6}.FIND(6)", 6),
        ('Fruit.FIND("Kiwi")', None),
        ('Fruit.FIND("Kiwi")[price]', None),
        ('Fruit.FILTER($[kind] = "sweet")[price].SUM()', 7),
        ("Fruit.FILTER(1)[name].COUNT()", 3),
        ("Fruit.SORTBY($[kind], -$[price])[name]", ["Lemon", "Pear", "Apple"]),
        ("Fruit.SORTBY(-$[name]).FIRST()[name]", "Pear"),  # descending works for texts too
        ("Fruit.SORTBY($[price])[[name],[price]].FIRST()", {"name": "Lemon", "price": 2}),
        ("Fruit.UNIQUEBY($[kind]).COUNT()", 2),
        ("Fruit[[kind]].UNIQUE().COUNT()", 2),
        ("{1, 2}.FILTER({3, 4}.FILTER($ > 3).COUNT() = 1)", [1, 2]),  # $ of the inner query is its own
        ("3.IN({1, 2})", 0),
        ("{1, 5}.IN({1, 2})", [1, 0]),
        ("IF(NA, 1, 2)", None),
        ("IF(0, 1)", None),
        ('IF({1, 0}, "y", "n")', ["y", "n"]),
        ("ISNA({1, NA})", [0, 1]),
        ("IFNA({1, NA}, 0)", [1, 0]),
        ('LEFT("Pear")', "P"),
        ('RIGHT("Pear", 9)', "Pear"),
        ("LEN(12.0)", 2),
        ('TEXTJOIN({1, "b"})', "1, b"),
        ('TEXTJOIN({1, NA, "b"})', None),
        ('LOWER({"A", "B"})', ["a", "b"]),
        ('TOKENS({"hello world", "", NA})', [2, 0, None]),
        ('TOKENS("hello world", "cl100k_base")', 2),
        ('RECALL({"a", "b"}, {"a", "c"})', 0.5),
        ('RECALL({}, "a")', 0),
        ('RECALL({"a"}, "")', 1),
        ('RECALL({"a"}, NA)', 1),  # nothing was asked, nothing is missing
        ('RECALL(NA, "a")', None),
        ('RECALL({"a"}, "b", "", 1, "bm25")', 1),
        ('MISSING({"a"}, "")', []),
        ('MISSING(NA, "a")', None),
        ('MRR({"a"}, "")', None),
        ('RR({"a"}, "")', None),
        ('RETRIEVE({"a", "b"}, "a", 0, NA)', []),
        ('RETRIEVE({"a", "b"}, "a", 0, "bm25")', []),
        ('RETRIEVE({"a", "b"}, "a", 1, NA)', None),
        ('RETRIEVE({"a", "b"}, NA, 0, NA)', None),
        ('RETRIEVE_SCORES({"a", "b"}, "a", 0, NA).COUNT()', 0),
        ('RECALL(RETRIEVE({"a", "b"}, "a", 0, NA), "a")', 0),
        ('RECALL({"a;b"}, "a\';b")', 1),
        ('RECALL({1, 2}, "1;3")', 0.5),  # values are compared as texts
        ('MISSING({"a"}, "a")', []),
        ('MRR({"a", "b", "c"}, "c;a")', 4 / 3),
        ('RR({"a"}, "b")', 0),
    ],
)
def test_functions(formula: str, value: Any) -> None:
    found = value_of(formula)
    assert found == (pytest.approx(value) if isinstance(value, float) else value)


def test_a_column_of_arrays_is_worked_on_array_by_array() -> None:
    assert value_of("{{1, 2}, {3}}.COUNT()") == [2, 1]
    assert value_of("{{1, 2}, {3}}.FILTER($ > 1)") == [[2], [3]]
    assert value_of("{{1, 2}, {3}}.SUM() + {10, 20}") == [13, 23]
    assert value_of('{"a,b", "c"}.SPLIT(",").COUNT()') == [2, 1]


# -- a.F(b) is F(a, b)
# ---------------------------------------------------------------------------------------------------

LITERALS = st.one_of(
    st.integers(-20, 20).map(lambda value: str(value) if value >= 0 else f"(0 - {-value})"),
    st.sampled_from(['"a"', '"bc"', "NA", "{1, 2}", '{"a", "b"}', "{}", "Fruit[price]", "Fruit"]),
)
PURE = sorted(
    set(FUNCTIONS) - {"INPUT", "ROW", "RETRIEVE", "RETRIEVE_SCORES", "RECALL", "EVALUATE_N", "EVALUATE_MODEL"}
)


@given(st.data())
def test_a_dotted_call_is_the_plain_one(data: st.DataObject) -> None:
    function = FUNCTIONS[data.draw(st.sampled_from(PURE))]
    most = function.most or function.least + 1
    arguments = data.draw(st.lists(LITERALS, min_size=max(1, function.least), max_size=max(1, most)))
    first, rest = arguments[0], ", ".join(arguments[1:])
    texts = [f"{function.name}({', '.join(arguments)})", f"({first}).{function.name}({rest})"]
    results = []
    for text in texts:
        sheet = parse(example_sheet(type(function.example)(text, None, "Fruit")), "test.sheet")
        book = evaluate(sheet, folder=NO_FOLDER)
        results.append((book.plain()["tables"], [problem.message for problem in book.problems]))
    assert results[0] == results[1]


# -- what no parser would let through must still not break
# -----------------------------------------------------------------


def test_deep_formulas_do_not_exhaust_the_stack() -> None:
    deep: Expr = Number(1)
    for _ in range(5000):
        deep = Call("ABS", (deep,))
    wide: Expr = ArrayOf(tuple(Text(str(number)) for number in range(3000)))
    fields = (FieldsNode((FieldNode("deep"),), deep), FieldsNode((FieldNode("wide"),), Call("COUNT", (wide,))))
    book = evaluate(Sheet((TableNode("T", fields),)), folder=NO_FOLDER)
    assert list(book.table("T").rows()) == [(1, 3000)]
