"""What a large column means is what its cells mean one by one, and two large columns compare as their cells do."""

from __future__ import annotations

from unittest.mock import patch

import numpy
import polars
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.tables.large import columns as large_columns
from karat.tables.large.columns import LargeColumn
from karat.tables.large.meaning import Meanings, PlainNumbers, meaning_of, one_meaning_each
from karat.tables.options import CompareOptions
from karat.tables.small.compare import Side
from karat.tables.values.cells import Cell, as_gold, as_shown, equal, parse

SEED = 7
NUMBERS = [
    "1",
    "-1",
    "+7",
    "20001",
    "20002",
    "20001.0",
    "0.12",
    "0.1234",
    "0.125",
    ".5",
    "5.",
    "1e3",
    "1.7e-05",
    "0",
    "-0",
]
CODES = ["007", "07", "0", "00.5", "7", "00"]
MOMENTS = ["2020-01-01", "2020/1/1", "2020-01-01 00:00:00", "2020-01-01T00:00:00Z", "2020-13-01"]
DECORATED = [
    "1,234",
    "$5",
    "US$5",
    "u",
    "Ukraine",
    "12.5%",
    "5 €",
    "-€5",
    "€5",
    "A$5",
    "\u221212",
    "1e999",
    "inf",
    "-Infinity",
    "INF",
    "nan",
]
WORDS = [
    "NULL",
    "null ",
    " NaN",
    "n/a",
    "N/A\t",
    "None",
    "none\x1f",
    "nat",
    "nation",
    "true",
    "False ",
    "truest",
    "<NA>",
]
TEXTS = ["a", "A", "Zoe", "naïve", "Ünal", "", " ", "x 5%", "moment:2020-01-01 00:00:00", "K", "two\nlines", "null\nx"]

OPTIONS = st.sampled_from(
    [
        CompareOptions(),
        CompareOptions(case_or_space=True),
        CompareOptions(rounding=False, rel_tol=0.05),
        CompareOptions(separators=False, boolean=False, leading_zeros=False),
        CompareOptions(date_format=False, null_word=False),
    ]
)


@st.composite
def columns(draw: st.DrawFn) -> list[str | None]:
    pool: list[str | None] = [None]
    for kind in draw(st.lists(st.sampled_from([NUMBERS, CODES, MOMENTS, DECORATED, WORDS, TEXTS]), min_size=1)):
        pool += kind
    cells = st.one_of(st.sampled_from(pool), st.sampled_from(pool), st.text("aAnNtTuU01.,-%$ ", max_size=5))
    return draw(st.lists(cells, min_size=1, max_size=12))


def read(texts: list[str | None], options: CompareOptions, *, shown: bool = False) -> PlainNumbers | Meanings:
    return meaning_of(polars.Series(texts, dtype=polars.String), options, SEED, shown=shown)


@settings(max_examples=500, deadline=None)
@given(texts=columns(), other=columns(), options=OPTIONS, shown=st.booleans())
def test_a_column_means_what_its_cells_mean(
    texts: list[str | None], other: list[str | None], options: CompareOptions, shown: bool
) -> None:
    cells = [parse(text, options) for text in texts]
    if shown:
        cells = [as_shown(cell) for cell in cells]
    numeric = [cell for cell in cells if cell.numeric]
    found = read(texts, options, shown=shown)
    assert found.numbers.tolist() == [cell.number for cell in cells]
    assert [key == 0 for key in found.keys] == [cell.numeric for cell in cells]
    assert [key == 1 for key in found.keys] == [cell.kind == "null" for cell in cells]
    assert found.sorted_numbers.tolist() == sorted(cell.number for cell in numeric)
    assert [int(d) for d, cell in zip(found.decimals, cells, strict=True) if cell.numeric] == [
        c.decimals for c in numeric
    ]
    assert found.percent == (bool(numeric) and all(cell.percent for cell in numeric))
    coded = numpy.zeros(len(cells), bool) if found.codes is None else found.codes
    assert coded.tolist() == [cell.kind == "code" for cell in cells]
    if found.only_numbers:
        assert all(cell.kind == "number" for cell in cells)
    if numeric:
        assert found.least_decimals == min(cell.decimals for cell in numeric)
    # Keys are the same for the same meaning only, also in another column; so are the sums.
    beside = read(other, options, shown=shown)
    others = [as_shown(parse(text, options)) if shown else parse(text, options) for text in other]
    for key, cell in zip(found.keys, cells, strict=True):
        assert [key == one for one in beside.keys] == [_meant(cell) == _meant(one) for one in others]
    assert (found.others == beside.others) == (_counted(cells) == _counted(others))


def _meant(cell: Cell) -> tuple[str, str]:
    return ("number", "") if cell.numeric else (cell.kind, cell.key)


def _counted(cells: list[Cell]) -> list[tuple[str, str]]:
    return sorted(_meant(cell) for cell in cells if not cell.numeric)


@settings(max_examples=500, deadline=None)
@given(gold=columns(), pred=columns(), options=OPTIONS)
def test_two_columns_compare_as_their_cells(
    gold: list[str | None], pred: list[str | None], options: CompareOptions
) -> None:
    height = min(len(gold), len(pred))
    gold, pred = gold[:height], pred[:height]
    gold_cells = as_gold([parse(text, options) for text in gold])
    pred_cells = [parse(text, options) for text in pred]
    # Pieces of three rows and a sample of four, so that even these columns have several.
    with patch.object(large_columns, "_PIECE", 3), patch.object(large_columns, "_SAMPLE", 4):
        one = LargeColumn(polars.Series(gold, dtype=polars.String), options, SEED, gold=True)
        two = LargeColumn(polars.Series(pred, dtype=polars.String), options, SEED, gold=False)
        expected = [equal(a, b, options) for a, b in zip(gold_cells, pred_cells, strict=True)]
        assert one.equal_to(two, slice(None), slice(None)).tolist() == expected
        backwards = numpy.arange(height)[::-1]
        assert one.equal_to(two, backwards, backwards).tolist() == expected[::-1]
        assert one.could_equal(two) == Side(gold_cells).could_equal(Side(pred_cells), options)


@settings(max_examples=200, deadline=None)
@given(
    gold=st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=12),
    changes=st.lists(st.sampled_from([1.0, 1.00005, 0.99995, 1.001]), min_size=12, max_size=12),
    options=OPTIONS,
)
def test_columns_that_are_nearly_the_same(gold: list[str], changes: list[float], options: CompareOptions) -> None:
    pred = [repr(float(text) * change) for text, change in zip(gold, changes, strict=False)]
    gold_side = Side(as_gold([parse(text, options) for text in gold]))
    pred_side = Side([parse(text, options) for text in pred])
    with patch.object(large_columns, "_PIECE", 3), patch.object(large_columns, "_SAMPLE", 4):
        one = LargeColumn(polars.Series(gold, dtype=polars.String), options, SEED, gold=True)
        two = LargeColumn(polars.Series(pred[::-1], dtype=polars.String), options, SEED, gold=False)
        assert one.could_equal(two) == gold_side.could_equal(pred_side, options)


def test_whole_numbers_and_how_they_are_shown() -> None:
    default = CompareOptions()
    for texts, whole in (
        (["1", "-20", None], True),
        (["1", "2.0"], True),
        (["1,234", "5"], True),
        (["1e3"], False),
        (["1.5"], False),
        (["9" * 25], True),
        (["1000000000000000.0"], True),
        (["9007199254740993.0"], True),
        (["9007199254740993.5"], False),
    ):
        assert read(list(texts), default).all_whole is whole, texts


@settings(max_examples=200, deadline=None)
@given(
    texts=st.lists(st.sampled_from([*MOMENTS, *DECORATED, *WORDS, *TEXTS, *CODES, None]), max_size=8), options=OPTIONS
)
def test_texts_that_have_one_meaning_each(texts: list[str | None], options: CompareOptions) -> None:
    if one_meaning_each(polars.Series(texts, dtype=polars.String), options):
        cells = [parse(text, options) for text in set(texts)]
        assert not any(equal(a, b, options) for place, a in enumerate(cells) for b in cells[:place])
        assert not any(cell.numeric for cell in cells)


def test_names_and_days_have_one_meaning_each() -> None:
    days = [f"2024-01-{day:02d}" for day in range(1, 29)] * 300
    assert one_meaning_each(polars.Series(days), CompareOptions())
    assert not one_meaning_each(polars.Series([*days, "2024/01/01"]), CompareOptions())
    assert one_meaning_each(polars.Series([f"name {row}" for row in range(9_000)]), CompareOptions())
    assert not one_meaning_each(polars.Series([f"{row} Main Street" for row in range(9_000)]), CompareOptions())
