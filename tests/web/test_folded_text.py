"""Folding many answers at once gives what folding each of them gives, and search finds the same cases."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from karat.core.records import CallError, Prediction
from karat.core.replies.answer_text import answers_of
from karat.core.results.result import CaseResult, RunInfo, RunResult
from karat.store import RunRecord, open_store
from karat.store.blocks import word_index
from karat.store.cases.case_pages import CaseQuery
from karat.web.page import Viewer
from karat.web.search.folded_text import FoldedBlock, folded_in_place, folded_texts
from karat.web.search.search import with_answers
from karat.web.security.sessions import Sessions

LETTERS = "aBc ÄäÖé\u00df\u1e9e\u0130\u212a\ufb01ΣσςЖж\n"


@given(st.lists(st.text(LETTERS, max_size=6), min_size=1, max_size=6), st.text(LETTERS.replace(" ", ""), min_size=1))
def test_a_word_is_found_where_it_is(texts: list[str], text: str) -> None:
    word = text.casefold()
    block = folded_texts(enumerate(texts))
    assert list(block.holding(word.encode())) == [n for n, one in enumerate(texts) if word in one.casefold()]


def test_folding_in_place() -> None:
    texts = ["MÉXICO", "Ä", "", "éÄ"]
    joined = "".join(texts).encode()
    ends = [7, 9, 9, 13]
    folded = folded_in_place(joined, "ÄÉ")
    assert folded == "".join(texts).casefold().encode()
    block = FoldedBlock(folded, ends, [3, 1, 0, -1])
    assert list(block.holding("ä".encode())) == [1], "one that does not count is not found"
    assert list(block.holding("oä".encode())) == [], "no word goes over the end of a text"


RESPONSES = (
    b"plain Paris",
    "\u00c4RGER in M\u00fcnchen".encode(),
    "stra\u00dfe \u1e9e".encode(),
    b"\xff\xfe broken",
    b'{"choices": [{"message": {"content": "Hello\\nPARIS"}}]}',
    b'{"karat_attempts":["first","last paris"]}',
    b'{"country": ["FRA"]}',
    "ЖЁЛТЫЙ дом ΣΊΣΥΦΟΣ".encode(),
    b"",
)
WORDS = (
    *("paris", "\u00e4rger", "ss", "strasse", "hello", "\\n", "first", "fra"),
    *("жёлтый", "failed:", "try", "late", "m"),
)


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewer]:
    with open_store(str(tmp_path_factory.mktemp("search") / "k.db")) as store:
        yield Viewer(store, Sessions(8765, None))


@settings(max_examples=30, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 1), st.sampled_from((*RESPONSES, None))), min_size=1, max_size=14
    ),
    st.integers(0, 14),
    st.sampled_from([0.0, 100.0]),
)
def test_a_search_finds_what_the_answers_say(
    viewer: Viewer, answers: list[tuple[int, int, bytes | None]], moved: int, worth: float
) -> None:
    """``worth``: with it an index of words is kept of all answers, or of none."""
    given_answers = [
        Prediction(f"c{case}", repeat=repeat, error=CallError("timeout", "Too LATE"))
        if response is None
        else Prediction(f"c{case}", repeat=repeat, response=response)
        for case, repeat, response in answers
    ]
    store = viewer.store
    cases = tuple(CaseResult(f"c{number}", "scored", {}) for number in range(5))
    run = store.create_run(RunRecord(suite="data_query", status="finished"))
    with patch.object(word_index, "WORTH", worth):
        store.add_predictions(run, given_answers[:moved])
        store.add_scoring(run, RunResult(RunInfo("data_query"), (), cases))
    store.add_predictions(run, given_answers[moved:])
    texts = answers_of(store.predictions(run), {case.id for case in cases})
    row = store.run_row(run)
    for word in WORDS:
        found = with_answers(viewer, row, CaseQuery(search=word)).answered
        assert found == (tuple(n for n in range(5) if word in texts.get(f"c{n}", "").casefold()),), word
