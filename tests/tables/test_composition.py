"""Normalisation is the standard's for real text, and takes no long time for any other."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.tables.options import CompareOptions
from karat.tables.values.cells import folded, parse
from karat.tables.values.unicode import MARKS, normalised

MARK = "\u0315\u0300\u05ae"
"""Three marks in the reverse of their order."""


@given(
    st.lists(st.sampled_from(["a", "é", "e\u0301", "가", "\u1112\u1161\u11a8", "ﬁ", MARK, "\u0344", " "]), max_size=900)
)
def test_real_text_is_normalised_as_ever(parts: list[str]) -> None:
    text = "".join(parts)
    if max((len(run) for run in text.split() for run in _runs(run)), default=0) <= MARKS:
        assert normalised("NFC", text) == unicodedata.normalize("NFC", text)
        assert normalised("NFKC", text) == unicodedata.normalize("NFKC", text)


def _runs(text: str) -> list[str]:
    return "".join(letter if unicodedata.combining(letter) else " " for letter in text).split()


def test_a_letter_with_very_many_marks_ends() -> None:
    """By insertion this takes hours."""
    text = "a" + MARK * 200_000
    assert len(normalised("NFC", text)) == len(text)
    assert folded(text) == folded(text)


@pytest.mark.parametrize("text", ["1e-" + "9" * 5_000, "0e" + "9" * 5_000, "1e-" + "9" * 400, "$1e-" + "9" * 5_000])
def test_an_exponent_that_no_number_has_is_a_text(text: str) -> None:
    assert parse(text, CompareOptions()).kind == "text"


def test_a_long_exponent_of_a_number_is_still_one() -> None:
    assert parse("1e-999999", CompareOptions()).number == 0.0
    assert parse("1e3", CompareOptions()).number == 1000.0
