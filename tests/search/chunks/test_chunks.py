"""Chunks and spans: the spec's example by hand, cutting, reading truths, and covers against a slow reading."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.search.chunks.chunk import Chunk, Cutting, Document
from karat.search.chunks.cover import cover_rank, places_of, touching
from karat.search.chunks.cut import chunk_spans, token_ranges
from karat.search.chunks.rank import chosen_chunks, split_label
from karat.search.chunks.spans import SpanTruth, read_span
from karat.search.ranks.ranking import rank_field
from karat.search.records import DEEPER, NOT_A_VALUE, Model
from karat.search.tokens import count_tokens

TEN = "one two three four five six seven eight nine ten"
WORDS = TEN.split()
STARTS = [TEN.index(f" {word}") if number else 0 for number, word in enumerate(WORDS)]
ENDS = [*STARTS[1:], len(TEN)]


def test_the_example_of_the_spec() -> None:
    """10 tokens, size 4, overlap 1: tokens 0-4, 3-7, 6-10. A span over tokens 2-5, chunks in the order 2, 3, 1."""
    assert count_tokens([TEN]).tolist() == [10]
    assert token_ranges(10, 4, 1) == [(0, 4), (3, 7), (6, 10)]
    spans = chunk_spans(TEN, 4, 1)
    assert spans == [(STARTS[0], ENDS[3]), (STARTS[3], ENDS[6]), (STARTS[6], ENDS[9])]
    document, cutting = Document("guide.md", TEN), Cutting(4, 1)
    chunks = [Chunk(document, start, end, cutting) for start, end in spans]
    truth = SpanTruth("guide.md", STARTS[2], ENDS[4])
    near = touching(truth, chunks, places_of(chunks))
    assert near == [0, 1]
    assert cover_rank(truth, chunks, {0: 3, 1: 1}, Fraction(1)) == 3
    order = Model("order", "1", score=lambda qs, vs: np.array([[1, 3, 2]] * len(qs), np.float32))
    found = rank_field("f", chunks, ["?"], [[f"guide.md#{STARTS[2]}-{ENDS[4]}"]], [order], depth=3)
    assert found.models[0].ranks[0].tolist() == [3]
    paid = count_tokens([str(chunk) for chunk in chunks])
    assert found.models[0].tokens.tolist() == [np.cumsum(paid[[1, 2, 0]]).tolist()]  # the shared words are paid twice


@pytest.mark.parametrize(
    ("count", "size", "overlap", "expected"),
    [
        (0, 4, 1, []),
        (3, 4, 1, [(0, 3)]),
        (4, 4, 3, [(0, 4)]),
        (5, 4, 3, [(0, 4), (1, 5)]),
        (9, 4, 0, [(0, 4), (4, 8), (8, 9)]),
    ],
)
def test_the_last_chunk_may_be_shorter_and_adds_something_new(
    count: int, size: int, overlap: int, expected: list[tuple[int, int]]
) -> None:
    assert token_ranges(count, size, overlap) == expected


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (4, 4), (4, -1), (4, 9)])
def test_sizes_that_make_no_sense(size: int, overlap: int) -> None:
    with pytest.raises(UserError, match="must be"):
        token_ranges(5, size, overlap)


@settings(max_examples=60)
@given(st.text(alphabet="ab é日🤖\n", max_size=40), st.integers(1, 5), st.integers(0, 4))
def test_chunks_hold_every_character_in_order(text: str, size: int, overlap: int) -> None:
    spans = chunk_spans(text, size, min(overlap, size - 1))
    assert [char for start, end in spans for char in range(start, end) if char >= 0] or not text
    covered = sorted({place for start, end in spans for place in range(start, end)})
    assert covered == list(range(len(text)))
    assert spans == sorted(spans) and all(start < end for start, end in spans)


def test_a_special_token_is_a_text_like_any_other() -> None:
    text = "a <|endoftext|> b"
    assert chunk_spans(text, 100, 0) == [(0, len(text))]


DOCUMENTS = {
    name: Document(name, text)
    for name, text in {"docs/guide.md": "Press the red button.", "docs/a.md": "x x", "old/a.md": "y"}.items()
}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("guide.md#6-9", ("docs/guide.md", 6, 9)),
        ("docs/guide.md#0-21", ("docs/guide.md", 0, 21)),
        ('guide.md "red button"', ("docs/guide.md", 10, 20)),
        ('docs/a.md"x x"', ("docs/a.md", 0, 3)),
    ],
)
def test_truths_as_spans(written: str, expected: tuple[str, int, int]) -> None:
    found = read_span(written, DOCUMENTS)
    assert (found.document, found.start, found.end) == expected


@pytest.mark.parametrize(
    ("written", "message", "hint"),
    [
        ("guide.md#6-99", "docs/guide.md has 21 characters", "START < END"),
        ("guide.md#6-6", "has 21 characters", ""),
        ("guid.md#1-2", 'no document "guid.md"', "guide.md"),
        ("a.md#0-1", "a.md may be docs/a.md, old/a.md", "Give more"),
        ('guide.md "blue"', '"blue" does not occur', "Case"),
        ('docs/a.md "x"', "occurs more than once", "Quote more"),
        ("Lamp", "is not a span", "guide.md#120-180"),
    ],
)
def test_what_is_no_span(written: str, message: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        read_span(written, DOCUMENTS)
    assert message in caught.value.message and hint in caught.value.hint


def test_equal_words_in_two_places_are_two_chunks() -> None:
    way = Cutting(4, 0)
    one, other = (Chunk(Document(name, "salt"), 0, 4, way) for name in ("a.md", "b.md"))
    assert one != other and one == "salt" and len({one, other}) == 2 and str(one) == "salt"
    score = Model("m", "1", score=lambda qs, vs: np.ones((len(qs), len(vs)), np.float32))
    found = rank_field("f", [one, other], ["?"], [["a.md#0-4", "b.md#1-2"]], [score], depth=2)
    assert found.models[0].ranks[0].tolist() == [2, 2]  # they tie
    with pytest.raises(UserError, match="both chunks and other texts"):
        rank_field("f", [one, "pepper"], ["?"], [[]], [score], depth=2)


def test_ways_to_cut_are_options_that_can_be_named() -> None:
    document = Document("guide.md", TEN)
    chunks = [
        Chunk(document, start, end, Cutting(size, 0)) for size in (2, 5) for start, end in chunk_spans(TEN, size, 0)
    ]
    ranker = Model("m", "1", score=lambda qs, vs: -np.arange(len(vs), dtype=np.float32)[None].repeat(len(qs), 0))
    found = rank_field("f", chunks, ["?"], [[f"guide.md#{STARTS[3]}-{ENDS[3]}"]], [ranker], depth=9)
    assert [(option.model, option.ranks[0].tolist()) for option in found.models] == [("m @ 2/0", [2]), ("m @ 5/0", [1])]
    assert [option.tokens.shape[1] for option in found.models] == [5, 2]
    assert split_label("rrf(a, b; k=60) @ 200/50") == ("rrf(a, b; k=60)", "200/50")
    name, own = chosen_chunks("m @ 5/0", chunks)
    assert name == "m" and len(own) == 2
    with pytest.raises(UserError, match="cut in 2 ways: 2/0, 5/0") as caught:
        chosen_chunks("m", chunks)
    assert 'm @ 2/0"' in caught.value.hint
    with pytest.raises(UserError, match='no chunks are cut as "7/0"'):
        chosen_chunks("m @ 7/0", chunks)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5), st.integers(1, 6)), min_size=1, max_size=6),
    st.integers(0, 8),
    st.integers(1, 6),
    st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 10)]),
)
def test_the_rank_of_a_span_is_the_least_n_that_covers_it(
    drawn: list[tuple[int, int, int]], start: int, length: int, cover: Fraction
) -> None:
    document = Document("d", "0123456789abcdef")
    chunks = [Chunk(document, low, low + wide, Cutting(9, 0, cover)) for low, wide, _ in drawn]
    ranks = dict(enumerate(rank for *_, rank in drawn))
    span = SpanTruth("d", start, start + length)
    wanted = set(range(start, start + length))
    expected = NOT_A_VALUE
    for n in range(1, 7):
        held = {c for place, rank in ranks.items() if rank <= n for c in range(chunks[place].start, chunks[place].end)}
        if len(wanted & held) >= cover * length:
            expected = n
            break
    near = touching(span, chunks, places_of(chunks))
    assert cover_rank(span, chunks, {place: ranks[place] for place in near}, cover) == expected


def test_ranks_that_are_not_known_are_not_failed() -> None:
    chunks = [Chunk(Document("d", "abcd"), 0, 2, Cutting(2, 0)), Chunk(Document("d", "abcd"), 2, 4, Cutting(2, 0))]
    assert cover_rank(SpanTruth("d", 0, 4), chunks, {0: 1, 1: DEEPER}, Fraction(1)) == DEEPER
    assert cover_rank(SpanTruth("d", 0, 4), chunks, {0: 1, 1: DEEPER}, Fraction(1, 2)) == 1
    assert cover_rank(SpanTruth("d", 0, 4), chunks, {0: 1}, Fraction(1)) == NOT_A_VALUE
