"""Numbers as few bytes come back to the last bit, and a column of blocks is that of its numbers, whatever form each
block has."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.results.columns.figures import FigureBuilder, Figures
from karat.core.results.columns.packed_numbers import (
    MOST,
    Coded,
    float_values,
    pack_floats,
    pack_whole,
    unpack_floats,
    unpack_whole,
)

FEW = st.sampled_from((0.0, -0.0, 0.5, 1.0, 1 / 3, float("nan"), 1e300, 5e-324))
VALUES = st.lists(FEW, max_size=40) | st.lists(st.floats(allow_nan=False), max_size=300)


@given(VALUES)
def test_floats_come_back_to_the_last_bit(values: list[float]) -> None:
    found = float_values(pack_floats(np.array(values, np.float64)))
    assert found.tobytes() == struct.pack(f"<{len(values)}d", *values)


def test_few_values_take_a_byte_each() -> None:
    packed = pack_floats(np.tile([0.0, 0.5, 1.0], 300))
    assert len(packed) == 3 * 8 + 900 + 1 and isinstance(unpack_floats(packed), Coded)
    assert isinstance(unpack_floats(pack_floats(np.arange(MOST, dtype=float))), Coded)
    assert not isinstance(unpack_floats(pack_floats(np.arange(MOST + 1, dtype=float))), Coded)


@pytest.mark.parametrize(("most", "width"), [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4), (2**32 - 1, 4)])
def test_whole_numbers_take_as_many_bytes_as_the_largest(most: int, width: int) -> None:
    numbers = np.array([0, most, 1], np.int64)
    packed = pack_whole(numbers)
    assert len(packed) == 3 * width + 1 and unpack_whole(packed).tolist() == numbers.tolist()
    assert unpack_whole(pack_whole(np.zeros(0, np.int64))).tolist() == []


def test_bytes_of_another_width_are_refused() -> None:
    with pytest.raises(ValueError, match="whole numbers of 3 bytes"):
        unpack_whole(b"\x01\x02\x03\x03")


@given(st.lists(st.none() | VALUES.filter(bool), max_size=6), st.booleans())
def test_a_column_is_that_of_its_blocks(blocks: list[list[float] | None], plain: bool) -> None:
    rows = [3 if block is None else len(block) for block in blocks]
    builder, begin = FigureBuilder(sum(rows)), 0
    for block, count in zip(blocks, rows, strict=True):
        values = None if block is None else np.array(block, np.float64)
        if values is not None and plain:
            builder.fill_plain(begin, begin + count, values)
        else:
            builder.fill(begin, begin + count, None if values is None else pack_floats(values))
        begin += count
    wanted = np.concatenate([np.zeros(0), *([np.nan] * 3 if block is None else block for block in blocks)])
    figures = Figures([builder.built()], len(wanted))
    np.testing.assert_array_equal(figures[0], wanted)
    np.testing.assert_array_equal(np.signbit(figures[0]), np.signbit(wanted))
    places = np.arange(len(wanted))[::-2]
    np.testing.assert_array_equal(figures.take(places)[0], wanted[places])
    for place, value in enumerate(wanted.tolist()):
        np.testing.assert_array_equal(figures.at(place), [value])


@pytest.mark.parametrize(
    ("data", "said"), [(bytes(8) + b"\0\0\1", "2 codes for 3"), (bytes(8) + b"\0\3\0\1", "no value")]
)
def test_codes_that_are_not_those_of_the_cases_are_refused(data: bytes, said: str) -> None:
    builder = FigureBuilder(3)
    with pytest.raises(ValueError, match=said):
        builder.fill(0, 3, data)
        builder.built()
