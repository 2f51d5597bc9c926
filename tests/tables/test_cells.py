"""What a cell means, and which cells are equal: one line for each rule."""

from __future__ import annotations

import pytest

from karat.tables.options import CompareOptions
from karat.tables.values.cells import as_gold, equal, names_needed, parse

DEFAULT = CompareOptions()


@pytest.mark.parametrize(
    ("text", "number", "decimals"),
    [
        ("12", 12, 0),
        ("-3.50", -3.5, 2),
        ("+7", 7, 0),
        (".5", 0.5, 1),
        ("5.", 5, 0),
        ("1e3", 1000, -3),
        ("1.7e-05", 0.000017, 6),
        ("1,234", 1234, 0),
        ("1,234,567.89", 1234567.89, 2),
        ("$1,234.50", 1234.5, 2),
        ("-€5", -5, 0),
        ("5 €", 5, 0),
        ("12.5%", 0.125, 3),
        ("true", 1, 0),
        ("False", 0, 0),
        ("\u221212", -12, 0),
    ],
)
def test_numbers(text: str, number: float, decimals: int) -> None:
    cell = parse(text, DEFAULT)
    assert (cell.kind, cell.decimals) == ("number", decimals)
    assert cell.number == pytest.approx(number, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["12 km", "1,23", "1,2345", "1e", "--5", "-$-5", "1e999", "2-20", "1p36", "5% to 10%", "."]
)
def test_what_is_no_number(text: str) -> None:
    assert parse(text, DEFAULT).kind == "text"


@pytest.mark.parametrize("text", ["null", "NULL", "NaN", "None", "N/A", "<NA>", "nat"])
def test_words_for_null(text: str) -> None:
    assert parse(text, DEFAULT).kind == "null"
    assert parse(text, CompareOptions(null_word=False)).kind == "text"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2020-01-01", "2020-01-01 00:00:00"),
        ("2020/1/1", "2020-01-01 00:00:00"),
        ("2020-01-01 00:00:00", "2020-01-01 00:00:00"),
        ("2020-01-01T00:00:00Z", "2020-01-01 00:00:00"),
        ("2020-01-01 00:00:00 UTC", "2020-01-01 00:00:00"),
        ("2020-01-01 01:00:00+01:00", "2020-01-01 00:00:00"),
        ("2021-09-05T23:59:59.566070431Z", "2021-09-05 23:59:59.56607"),
        ("2021-09-05 23:59:59.566070+00:00", "2021-09-05 23:59:59.56607"),
    ],
)
def test_moments(text: str, moment: str) -> None:
    cell = parse(text, DEFAULT)
    assert (cell.kind, cell.key) == ("moment", moment)


@pytest.mark.parametrize("text", ["2020-13-01", "2020-02-30", "2020-01-01 25:00", "2020-01"])
def test_what_is_no_moment(text: str) -> None:
    assert parse(text, DEFAULT).kind == "text"


EQUAL = [
    ("5", "5.0", []),
    ("2020-01-01", "2020-01-01 00:00:00", ["date_format"]),
    ("2020-01-01", "2020-01-01T00:00:00Z", ["date_format"]),
    ("1,234", "1234", ["separators"]),
    ("12 480", "12480", ["separators"]),
    ("12\u00a0480", "12480", ["separators"]),
    ("12\u202f480\u202f311", "12480311", ["separators"]),
    ("1\u2009234.5", "1234.5", ["separators"]),
    ("12'480", "12,480", []),
    ("12\u2019480", "12480", ["separators"]),
    ("$5", "5", ["currency"]),
    ("1,234,567.89 EUR", "1234567.89", ["currency", "separators"]),
    ("EUR 5", "5", ["currency"]),
    ("CHF 12'480", "12480 CHF", ["separators"]),
    ("$5", "USD 5.00", []),
    ("$5", "A$5", []),
    ("5 JPY", "¥5", []),
    ("12,34,567", "1234567", ["separators"]),
    ("₹ 1,23,456.50", "123456.5", ["currency", "separators"]),
    ("minus 5.2", "-5.2", ["negative"]),
    ("Negative 5.2", "-5.2", ["negative"]),
    ("(5.2)", "-5.2", ["negative"]),
    ("($1,234)", "-1234", ["currency", "negative", "separators"]),
    ("\u22125.2", "-5.2", ["negative"]),
    ("12.5%", "0.125", ["percent"]),
    ("57.4 pct", "0.574", ["percent"]),
    ("57.4 percent", "0.574", ["percent"]),
    ("57.4 per cent", "57.4%", []),
    ("(5%)", "-0.05", ["negative", "percent"]),
    ("true", "1", ["boolean"]),
    ("true", "True", ["boolean"]),
    ("false", "0", ["boolean"]),
    ("0.1234", "0.12", ["rounding"]),
    ("0.1250", "0.12", ["rounding"]),
    ("0.1250", "0.13", ["rounding"]),
    ("10000.5", "10001", ["tolerance"]),
    ("1e5", "100001", ["tolerance"]),
    ("30000", "30000.0000001", ["tolerance"]),
    ("1234.56", "1235", ["rounding"]),
    ("12.4", "12", ["rounding"]),
    ("0.66123", "0.66", ["rounding"]),
    ("0.4951", "0.50", ["rounding"]),
    ("-0.1234", "-0.12", ["rounding"]),
    ("43%", "0.4335", ["percent", "rounding"]),
    ("33.33333", "33.3333333", ["tolerance"]),
    ("0.0000000001", "0", ["tolerance"]),
    ("00501", "501", ["leading_zeros"]),
    (None, "NULL", ["null_word"]),
    (None, None, []),
]


@pytest.mark.parametrize(("a", "b", "names"), EQUAL)
def test_equal_cells_and_what_they_needed(a: str | None, b: str | None, names: list[str]) -> None:
    first, second = parse(a, DEFAULT), parse(b, DEFAULT)
    assert equal(first, second, DEFAULT)
    assert equal(second, first, DEFAULT)
    assert names_needed(first, second, DEFAULT) == set(names)


DIFFERENT = [
    ("12 48", "1248"),
    ("12 4801", "124801"),
    ("1234 567", "1234567"),
    ("1,234 567", "1234567"),
    ("012 480", "12480"),
    ("0,123", "123"),
    ("000,123", "123"),
    ("-0,123", "-123"),
    ("1,23,4", "1234"),
    ("1,23,45", "12345"),
    ("123,45,678", "12345678"),
    ("$5", "€5"),
    ("5 EUR", "5 USD"),
    ("R$5", "$5"),
    ("A$5", "US$5"),
    ("$5.12", "£5.12"),
    ("$5 EUR", "5"),
    ("12 480", "480"),
    ("(5.2)", "5.2"),
    ("(5.2", "-5.2"),
    ("(-5.2)", "5.2"),
    ("minus", "-1"),
    ("5 ABC", "5"),
    ("5 eur", "5"),
    ("5 metres", "5"),
    ("0.1234", "0.1"),
    ("12.6", "12"),
    ("0.0049", "0.0"),
    ("0.0049", "0"),
    ("0.0149", "0.01"),
    ("0.4951", "0.5"),
    ("4.6", "5"),
    ("9.6", "1e1"),
    ("123456.7", "1.2e5"),
    ("0.12", "0.13"),
    ("10000", "10001"),
    ("0.4335", "0.4335%"),
    ("1", "-1"),
    ("Paris", "paris"),
    ("a  b", "a b"),
    (None, "0"),
    (None, ""),
    ("00501", "0501"),
    ("00501", "501.01"),
    ("2020-01-01", "2020-01-02"),
    ("01/02/2020", "2020-02-01"),
    ("12.5%", "12.5"),
    ("true", "yes"),
]


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_different_cells(a: str | None, b: str | None) -> None:
    assert not equal(parse(a, DEFAULT), parse(b, DEFAULT), DEFAULT)
    assert not equal(parse(b, DEFAULT), parse(a, DEFAULT), DEFAULT)


@pytest.mark.parametrize(
    ("a", "b", "switch"),
    [
        ("2020-01-01", "2020-01-01 00:00:00", "date_format"),
        ("1,234", "1234", "separators"),
        ("true", "1", "boolean"),
        ("0.1234", "0.12", "rounding"),
        (None, "NULL", "null_word"),
        ("00501", "501", "leading_zeros"),
    ],
)
def test_every_normalisation_has_its_switch(a: str | None, b: str | None, switch: str) -> None:
    off = DEFAULT.switched({switch: False})
    assert not equal(parse(a, off), parse(b, off), off)
    assert equal(parse(b, off), parse(b, off), off)


def test_case_and_space_count_only_when_switched_on() -> None:
    on = CompareOptions(case_or_space=True)
    first, second = parse("New  York", on), parse("ｎew york ", on)
    assert equal(first, second, on)
    assert names_needed(first, second, on) == {"case_or_space"}


def test_tolerances_are_options() -> None:
    exact = CompareOptions(rel_tol=0, abs_tol=0, rounding=False)
    assert not equal(parse("10000", exact), parse("10000.5", exact), exact)
    assert equal(parse("10000", exact), parse("1e4", exact), exact)
    loose = CompareOptions(rel_tol=0.1)
    assert equal(parse("100.5", loose), parse("109", loose), loose)
    assert not equal(parse("100", loose), parse("109", loose), loose)
    loose = CompareOptions(rel_tol=0.1, whole_numbers="tolerance")
    assert equal(parse("100", loose), parse("109", loose), loose)


WHOLE = [
    ("12212", "12213"),
    ("729980", "729999"),
    ("9007199254740993", "9007199254740992"),
    ("9007199254740993.0", "9007199254740992"),
    ("9,007,199,254,740,993", "9007199254740992.0"),
    ("123456789012345678901234567890", "123456789012345678901234567891"),
    ("20240101", "20240128"),
    ("-100001", "-100002"),
    ("$30,000", "30001.0"),
]


@pytest.mark.parametrize(("a", "b"), WHOLE)
def test_whole_numbers_are_compared_exactly(a: str, b: str) -> None:
    first, second = parse(a, DEFAULT), parse(b, DEFAULT)
    assert not equal(first, second, DEFAULT)
    assert not equal(second, first, DEFAULT)
    assert equal(first, first, DEFAULT)
    loose = CompareOptions(whole_numbers="tolerance")
    assert equal(first, second, loose)


@pytest.mark.parametrize(
    "text", ["30000.0", "30,000", "30000.", "+30000", "30000.00", "$30,000", "3e4", "30000.0000001"]
)
def test_other_ways_to_write_a_whole_number(text: str) -> None:
    assert equal(parse("30000", DEFAULT), parse(text, DEFAULT), DEFAULT)


def test_codes_longer_than_a_float_holds() -> None:
    code = parse("009007199254740993", DEFAULT)
    assert equal(code, parse("9007199254740993", DEFAULT), DEFAULT)
    assert not equal(code, parse("9007199254740992", DEFAULT), DEFAULT)


def test_small_numbers_of_gold_have_a_small_tolerance() -> None:
    gold = as_gold([parse(text, DEFAULT) for text in ("1.5e-20", "3e-20")])
    assert not equal(gold[0], parse("7.5e-20", DEFAULT), DEFAULT)
    assert not equal(gold[0], parse("0", DEFAULT), DEFAULT)
    assert equal(as_gold([parse("0", DEFAULT)])[0], parse("5.5e-17", DEFAULT), DEFAULT)


def test_accents_are_written_in_one_way() -> None:
    first, second = parse("Zu\u0308rich", DEFAULT), parse("Z\u00fcrich", DEFAULT)
    assert equal(first, second, DEFAULT)
    assert names_needed(first, second, DEFAULT) == set()
    assert not equal(parse("\uff30aris", DEFAULT), parse("Paris", DEFAULT), DEFAULT)  # width is case_or_space


NESTED = CompareOptions(nested=True)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("[1, 2.5]", "[1.0, 2.50000001]", True),
        ("[0.1234]", "[0.12]", True),
        ("[0.0049]", "[0.0]", False),
        ('{"id": 9007199254740993}', '{"id": 9007199254740992}', False),
        ('{"id": 100001, "x": [true, null]}', '{"x": [true, null], "id": 100001}', True),
        ("[1, 2]", "[2, 1]", False),
        ("[1, 2]", "[1, 2, 2]", False),
        ('["Zu\u0308rich"]', '["Z\u00fcrich"]', True),
        ('["a"]', '["b"]', False),
        ("[1", "[1", True),
    ],
)
def test_nested_cells_are_compared_part_by_part(a: str, b: str, same: bool) -> None:
    assert equal(parse(a, NESTED), parse(b, NESTED), NESTED) is same
    assert equal(parse(b, NESTED), parse(a, NESTED), NESTED) is same
