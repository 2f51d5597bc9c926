"""Results as exact text: what tests may look at comes back as it was, and nothing that is sent runs anything."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import fractions
import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from karat.suites.codegen.harness.exact import Unknown, decode, encode

DAYS = pd.date_range("2024-01-01", periods=4, freq="D")
FRAME = pd.DataFrame(
    {"a": [1, 2, 3, 4], "b": [1.5, np.nan, 2.5, np.inf], "c": list("xyzx"), "d": [True, False, True, True]}
)


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns)


FRAMES = {
    "plain": FRAME,
    "empty": FRAME.iloc[:0],
    "no columns": pd.DataFrame(index=[3, 1]),
    "no rows, no columns": pd.DataFrame(),
    "objects": frame(a=pd.Series(["x", None, 3, (1, 2), [4], {"k": 5}], dtype=object)),
    "texts as objects": frame(a=pd.Series(["x", "y"], dtype=object)),
    "dates": frame(day=DAYS, zoned=DAYS.tz_localize("Europe/Berlin"), gap=DAYS - DAYS[0]),
    "regular index": FRAME.set_index(DAYS),
    "zoned index": FRAME.set_index(DAYS.tz_localize("UTC")),
    "seconds": frame(a=np.array(["2024-01-01"], dtype="M8[s]"), b=np.array([5], dtype="m8[ms]")),
    "periods": frame(a=pd.period_range("2024-01", periods=3, freq="M")),
    "categories": frame(a=pd.Categorical(["x", "y", None], categories=["y", "x"], ordered=True)),
    "cut": frame(a=pd.cut(pd.Series([1, 5, 9]), [0, 4, 10])),
    "nullable": frame(
        a=pd.array([1, None], "Int64"), b=pd.array([True, None], "boolean"), c=pd.array([0.5, None], "Float32")
    ),
    "string": frame(a=pd.array(["x", None], "string")),
    "sparse": frame(a=pd.arrays.SparseArray([0, 0, 1])),
    "small numbers": frame(a=np.array([1, 2], "int8"), b=np.array([1, 2], "uint64"), c=np.array([1, 2], "float32")),
    "two levels": FRAME.groupby(["c", "d"])[["a"]].agg(["sum", "mean"]),
    "levels with unused labels": FRAME.set_index(["c", "a"]).iloc[:2],
    "same names": pd.DataFrame([[1, 2]], columns=["a", "a"], index=[5]),
    "named columns": FRAME.rename_axis(columns="kind", index="row"),
    "mixed labels": pd.DataFrame([[1, 2, 3]], columns=["a", 0, ("t", 1)]),
    "number labels": pd.DataFrame([[1, 2]], columns=[2020, 2021], index=[1.5]),
    "repeated index": FRAME.set_axis([1, 1, 2, 2]),
    "interval index": FRAME.groupby(pd.cut(FRAME.a, 2), observed=False).sum(numeric_only=True),
    "category index": FRAME.groupby(FRAME.c.astype("category"), observed=False).a.sum().to_frame(),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_comes_back_exactly(name: str) -> None:
    given = FRAMES[name]
    found = decode(encode(given))
    pd.testing.assert_frame_equal(found, given, check_exact=True)
    assert [type(found.index), type(found.columns)] == [type(given.index), type(given.columns)]
    for place in range(given.shape[1]):
        column = given.iloc[:, place]
        again = decode(encode(column))
        pd.testing.assert_series_equal(again, column, check_exact=True)


VALUES = [
    None, True, 0, 2**80, -1.5, float("inf"), 0.1 + 0.2, 1 + 2j, "é\x00\ud800", b"\x00\xff",
    (1, [2, {3}], {"k": (None,)}), frozenset({1}),
    collections.OrderedDict(a=1), collections.Counter("aab"), range(1, 9, 2), slice(1, None, 2), dt.date(2024, 1, 2),
    dt.time(3, 4, 5), dt.datetime(2024, 1, 2, 3, tzinfo=dt.UTC), dt.timedelta(days=-1, microseconds=7),
    decimal.Decimal("1.10"), fractions.Fraction(1, 3),
    pd.Timestamp("2024-01-02 03:04:05.123456789"), pd.Timestamp("2024-01-02", tz="Asia/Tokyo"),
    pd.Timestamp("0001-01-01").as_unit("s"),
    pd.Timedelta("1 days 2 ns"), pd.Period("2024Q1"), pd.Interval(1, 2, closed="left"), np.float32(0.1), np.int8(-3),
    np.datetime64("2024-01-02"), np.bool_(True), np.str_("x"), np.dtype("int16"), pd.CategoricalDtype(), int,
    collections.deque([1, 2]),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_exactly(value: Any) -> None:
    found = decode(encode(value))
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    "array",
    [np.arange(6).reshape(2, 3), np.array(3.5), np.array([["x", None]], dtype=object), np.array([b"ab"]),
     np.zeros((0, 4)), np.array([1 + 2j]),
     np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")]), np.asfortranarray(np.arange(4).reshape(2, 2))],
    ids=repr,
)  # fmt: skip
def test_an_array_comes_back_exactly(array: Any) -> None:
    found = decode(encode(array))
    assert (type(found), found.dtype, found.shape) == (type(array), array.dtype, array.shape)
    np.testing.assert_array_equal(found, array)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_matrix_stays_one() -> None:
    found = decode(encode(np.matrix([[1, 2]])))
    assert (type(found), found.tolist()) == (np.matrix, [[1, 2]])


def test_missing_values_keep_their_kind() -> None:
    found = decode(encode([float("nan"), pd.NaT, pd.NA, None, np.ma.masked_array([1, 2], [False, True])]))
    assert found[0] != found[0]
    assert found[1] is pd.NaT
    assert found[2] is pd.NA
    assert found[3] is None
    assert found[4].tolist() == [1, None]


class _AlwaysEqual:
    __hash__ = None  # type: ignore[assignment]  # Python's own way to say so

    def __eq__(self, other: object) -> bool:
        return True


def test_an_object_with_its_own_idea_of_equality_equals_nothing() -> None:
    found = decode(encode([_AlwaysEqual()]))
    assert isinstance(found[0], Unknown)
    assert found != [1]
    assert decode(encode(lambda: 1)) != decode(encode(lambda: 1))


def test_a_subclass_counts_as_what_it_is_made_from() -> None:
    class Text(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = str.__hash__

    assert decode(encode([Text("x")])) == ["x"]
    assert decode(encode(pd.DataFrame({"a": pd.Series([Text("x")], dtype=object)}))).a.tolist() == ["x"]


@pytest.mark.parametrize(
    "text",
    ["", "{}x", '["eval", "1"]', '["type", "object"]', '["nullable", "BaseMaskedArray", 1, '
                                                       '2]', '["ndarray", "O", [1], "AAAAAAAAAAA=", false]',
     '["items", "map", []]', pickle.dumps(print).decode("latin-1"), json.dumps(["frame", ["index"], 3, []])],
)  # fmt: skip
def test_text_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        decode(text)
