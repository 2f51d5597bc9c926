"""The texts of cells are those that pandas writes, and a CSV is byte for byte pandas' own."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.engines.protocol import ResultTable
from karat.engines.query.cell_text import column_text
from karat.engines.query.result_csv import csv_text

MOMENTS = st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2200, 1, 1))
COLUMNS: list[st.SearchStrategy[Any]] = [
    st.integers(min_value=-(2**62), max_value=2**62),
    st.floats(allow_nan=False),
    st.one_of(st.floats(), st.none()),
    st.booleans(),
    st.one_of(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00"), max_size=8), st.none()),
    st.one_of(st.dates(), st.none()),
    MOMENTS,
    MOMENTS.map(lambda moment: moment.replace(microsecond=0)),
    MOMENTS.map(lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)),
    MOMENTS.map(lambda moment: moment.replace(hour=0, minute=0, second=0, microsecond=0)),
    MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC)),
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.timedeltas(min_value=timedelta(days=-1000), max_value=timedelta(days=1000)),
    st.times(),
]


@given(st.sampled_from(COLUMNS).flatmap(lambda column: st.lists(column, min_size=1, max_size=6)), st.booleans())
def test_a_column_is_written_as_pandas_writes_it(values: list[Any], alone: bool) -> None:
    kind = (
        object
        if any(isinstance(value, date | Decimal | time) and not isinstance(value, datetime) for value in values)
        else None
    )
    column = pd.Series(values, dtype=kind)
    if all(isinstance(value, datetime) for value in values):
        column = column.astype("datetime64[us]" if values[0].tzinfo is None else "datetime64[us, UTC]")
    frame = pd.DataFrame({"a": column}) if alone else pd.DataFrame({"a": column, "b": "x"})
    columns = (column_text(values),) if alone else (column_text(values), ("x",) * len(values))
    assert csv_text(ResultTable(tuple(frame.columns), columns)) == frame.to_csv(index=False, lineterminator="\n")


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1, 2.0, 1e-05, 1e16], ("1", "2.0", "1e-05", "1e+16")),
        ([True, None, False], ("True", None, "False")),
        ([float("nan"), None, Decimal("NaN"), float("inf")], (None, None, None, "inf")),
        ([9007199254740993, None], ("9007199254740993", None)),
        ([datetime(2024, 1, 31), None, datetime(2024, 2, 29)], ("2024-01-31", None, "2024-02-29")),
        ([datetime(2024, 1, 31), datetime(2024, 2, 29, 12)], ("2024-01-31 00:00:00", "2024-02-29 12:00:00")),
        ([date(2024, 1, 31)], ("2024-01-31",)),
        ([b"ab", bytearray(b"c")], ("b'ab'", "b'c'")),
        ([[1, 2], {"a": None}], ("[1, 2]", "{'a': None}")),
        ([], ()),
    ],
)
def test_texts_by_hand(values: list[Any], texts: tuple[str | None, ...]) -> None:
    assert column_text(values) == texts


def test_a_csv_quotes_what_needs_it() -> None:
    table = ResultTable(("a,b", "c"), (('say "hi"', "line\nbreak"), (None, "")))
    assert csv_text(table) == '"a,b",c\n"say ""hi""",\n"line\nbreak",\n'
