"""What a cell means, and which cells are equal: one line for each rule."""

from __future__ import annotations

import pytest

from karat.tables.cells import as_gold, as_prediction, equal, names_needed, parse
from karat.tables.options import CompareOptions

DEFAULT = CompareOptions()


@pytest.mark.parametrize(
    ("text", "number", "decimals"),
    [
        ("12", 12, 0),
        ("-3.50", -3.5, 2),
        ("+7", 7, 0),
        (".5", 0.5, 1),
        ("5.", 5, 0),
        ("1e3", 1000, 0),
        ("1.7e-05", 0.000017, 6),
        ("1,234", 1234, 0),
        ("1,234,567.89", 1234567.89, 2),
        ("$1,234.50", 1234.5, 2),
        ("-€5", -5, 0),
        ("5 €", 5, 0),
        ("12.5%", 0.125, 4),
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
    ("$5", "5", ["separators"]),
    ("12.5%", "0.125", ["separators"]),
    ("true", "1", ["boolean"]),
    ("true", "True", ["boolean"]),
    ("false", "0", ["boolean"]),
    ("0.1234", "0.12", ["rounding"]),
    ("0.1250", "0.12", ["rounding"]),
    ("0.1250", "0.13", ["rounding"]),
    ("10000", "10001", ["tolerance"]),
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
    ("0.1234", "0.1"),
    ("12.4", "12"),
    ("0.12", "0.13"),
    ("10000", "10002"),
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
    assert equal(parse("100", loose), parse("109", loose), loose)


def test_whole_numbers_that_gold_tells_apart_are_compared_exactly() -> None:
    """20001 and 20002 are within the tolerance of each other: as ids in one column they are two things."""
    gold = as_gold([parse(text, DEFAULT) for text in ("20001", "20002")], DEFAULT)
    whole = as_prediction([parse(text, DEFAULT) for text in ("20,002", "20001.0")])
    assert not equal(gold[0], whole[0], DEFAULT)
    assert equal(gold[0], whole[1], DEFAULT)
    measured = as_prediction([parse(text, DEFAULT) for text in ("20000.6", "20001.9")])
    assert equal(gold[0], measured[0], DEFAULT)


def test_whole_numbers_far_apart_keep_the_tolerance() -> None:
    gold = as_gold([parse(text, DEFAULT) for text in ("1000000", "5")], DEFAULT)
    assert equal(gold[0], as_prediction([parse("1000050", DEFAULT)])[0], DEFAULT)


def test_ids_longer_than_a_float_holds_are_told_apart() -> None:
    gold = as_gold(
        [parse(text, DEFAULT) for text in ("12345678901234567", "22345678901234567", "22345678901234999")], DEFAULT
    )
    pred = as_prediction([parse(text, DEFAULT) for text in ("12345678901234568", "12,345,678,901,234,567")])
    assert not equal(gold[0], pred[0], DEFAULT)
    assert equal(gold[0], pred[1], DEFAULT)
