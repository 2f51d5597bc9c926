"""An index of words finds what reading the texts finds."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.store.blocks.word_index import WordIndex, is_indexed, pack_word_index

LETTERS = "aBc_1 .\n-ÄäÖé\u00df\u0130ΣσςЖ東\u0301"
LONG = " ".join("aBcÄé" for _ in range(100))
"""So much text that an index of it pays."""


@given(
    st.lists(st.text(LETTERS, max_size=12), min_size=1, max_size=8),
    st.text([one for one in LETTERS if not one.isspace()], min_size=1, max_size=3),
)
def test_a_word_is_found_where_it_is(texts: list[str], text: str) -> None:
    texts, word = [LONG, *texts], text.casefold()
    packed = pack_word_index(texts)
    assert packed is not None
    if is_indexed(word):
        found = WordIndex(packed).holding(word.encode())
        assert found.tolist() == [word in one.casefold() for one in texts]


def test_any_number_of_texts_up_to_a_block() -> None:
    texts = [f"the same words in every text, and number {n}" for n in range(1000)]
    index = WordIndex(pack_word_index(texts) or b"")
    assert index.holding(b"every").all() and index.holding(b"99").sum() == 19
    assert index.holding(b"999").nonzero()[0].tolist() == [999]
    assert not index.holding(b"thesame").any()


def test_a_word_with_other_characters_is_not_indexed() -> None:
    assert [is_indexed(word) for word in ("typ_201", "3.5", "fra", "a-b", "→")] == [True, False, True, False, False]


@pytest.mark.parametrize("texts", [["a b c d"], ["" for _ in range(9)], []])
def test_no_index_where_it_does_not_pay(texts: list[str]) -> None:
    packed = pack_word_index(texts)
    assert packed is None or WordIndex(packed).size < 40


def test_a_damaged_index_is_noticed() -> None:
    packed = pack_word_index([LONG])
    assert packed is not None
    parts = msgspec.msgpack.decode(packed)
    with pytest.raises(ValueError, match="an index of words"):
        WordIndex(msgspec.msgpack.encode([*parts[:3], parts[3][:-2]]))
