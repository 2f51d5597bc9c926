"""Records that are too many to be held: the same items, in the same order, as if they were."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.bulk import cases as bulk_cases
from karat.core.bulk.answers import AnswerIndex
from karat.core.bulk.cases import held_answers, held_cases
from karat.core.bulk.sequence import LazySequence, in_chunks
from karat.core.bulk.sorted_parts import in_order
from karat.core.bulk.spool import Spool
from karat.core.files.lines import each_line
from karat.core.records import Case, Prediction, Turn, Where
from karat.suites.data_query.selection.selection import Target
from tests.suites.data_query.building import target


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=40)), st.integers(1, 64))
def test_a_spool_gives_back_what_it_was_given_from_memory_and_from_its_file(records: list[bytes], memory: int) -> None:
    spool = Spool(memory)
    for record in records[::2]:
        spool.add(record)
    spool.extend(records[1::2])
    expected = [*records[::2], *records[1::2]]
    assert (len(spool), spool.size) == (len(expected), sum(map(len, expected)))
    assert spool.read(0, len(expected) + 5) == expected
    assert [spool.read(at, at + 1) for at in range(len(expected))] == [[record] for record in expected]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=12)), st.integers(1, 60))
def test_sorting_in_runs_is_sorting(parts: list[bytes], memory: int) -> None:
    assert list(in_order(iter(parts), memory)) == sorted(parts)


def test_a_lazy_sequence_is_a_sequence_of_its_items() -> None:
    read: list[int] = []

    def chunk(number: int) -> list[int]:
        read.append(number)
        return list(range(25))[number * 10 : number * 10 + 10]

    items = LazySequence(25, chunk, 10)
    assert read == []
    assert (len(items), items[0], items[-1], items[11]) == (25, 0, 24, 11)
    assert read == [0, 2, 1]  # each chunk once: the last few stay
    assert items[8:12] == (8, 9, 10, 11)
    assert items[::-12] == (24, 12, 0)
    assert list(items) == list(range(25))
    assert items == tuple(range(25)) and items != tuple(range(24)) and items != [*range(24), 99]
    assert 17 in items and 25 not in items
    with pytest.raises(IndexError):
        items[25]
    assert list(in_chunks(items, 20)) == [list(range(20)), list(range(20, 25))]


def _cases(count: int) -> list[Case[Target]]:
    tags = ("a", "ü \n \x00")
    return [
        Case(f"c{n}", (Turn("user", f"q {n}", target({"A": [f"v{n}"]})),), f"n{n}", tags, "", {}, Where("f", 0, n, n))
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, 3, 4, 2_100])
def test_cases_are_held_or_spooled_and_are_the_same(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_cases, "HELD", 3)
    cases = _cases(count)
    held = held_cases(iter(cases), Target)
    assert isinstance(held, tuple) == (count <= 3)
    assert list(held) == cases
    assert not count or held[count - 1] == cases[-1]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([None, 0, 1]), st.integers(0, 2)), max_size=30))
def test_spooled_answers_are_found_as_held_ones_are(keys: list[tuple[str, int | None, int]]) -> None:
    answers = [Prediction(case, turn, repeat, b"%d" % at) for at, (case, turn, repeat) in enumerate(keys)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bulk_cases, "HELD", 0)
        spooled = held_answers(iter(answers))
    assert isinstance(spooled, LazySequence) == bool(answers)
    here, there = AnswerIndex(answers), AnswerIndex(spooled)
    for case in _cases(1):
        for name in "abcd":
            asked = Case(name, (*case.conversation, Turn("assistant", "x"), *case.conversation))
            assert there.tries(asked, 3) == here.tries(asked, 3)
            assert there.of(name, 1) == [one for one in answers if (one.case_id, one.repeat) == (name, 1)]


def test_many_answers_in_another_order_are_each_found() -> None:
    answers = [Prediction(f"c{n}", None, 0, b"%d" % n) for n in range(3_000)]
    random.Random(7).shuffle(answers)
    index = AnswerIndex(held_answers(iter(answers)))
    assert [index.of(f"c{n}", 0)[0].response for n in range(3_000)] == [b"%d" % n for n in range(3_000)]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "data", [b"", b"a", b"a\n", b"\n\na\r\n \nb", b"\xef\xbb\xbfa\nb\n", b"\n", b"x" * 3_000_000 + b"\ny", b"\xef\nb"]
)
def test_lines_are_those_of_the_whole_file(data: bytes, packed: bool, tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(gzip.compress(data) if packed else data)
    lines = enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1)
    assert list(each_line(file)) == [(number, line) for number, line in lines if line.strip()]
