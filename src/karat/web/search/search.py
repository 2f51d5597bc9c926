"""Searching in answers. The store keeps them as they came, in compressed blocks, so the database cannot look into them.

Beside most blocks it keeps the words of their answers, which say where a word of letters and digits is. For any other
word, and where the store has no words, the answers are read, a block at a time. The whole answer counts, however long
it is, and one that came after the scoring too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from karat.core.records import CallError, Prediction
from karat.core.replies.answer_text import answer_text, answers_of
from karat.store import RunRow
from karat.store.blocks.word_index import is_indexed
from karat.store.cases.case_pages import CaseQuery, searched_words
from karat.store.predictions.answer_blocks import AnswerBlock, error_at
from karat.store.predictions.answer_words import IndexedAnswers
from karat.web.compare.changed_verdicts import with_change
from karat.web.page import Viewer
from karat.web.run_page.failure_groups import with_group
from karat.web.search.folded_text import CasePlaces, FoldedBlock, folded_in_place, folded_texts
from karat.web.search.indexed_block import IndexedBlock
from karat.web.search.recent_search import Positions, Searched

BATCH = 1000


def with_answers(viewer: Viewer, row: RunRow, query: CaseQuery) -> CaseQuery:
    """The query with what the store alone does not find: the cases of a failure group, those that changed, and what the
    answers hold where something is searched for."""
    query = with_change(viewer, row, with_group(viewer, row, query))
    words = searched_words(query.search)
    if not words or row.scoring is None:
        return query
    scoring = row.scoring
    key = (scoring, viewer.viewing.newest_prediction(row.id))
    indexed = [word for word in words if is_indexed(word)]
    others = [word for word in words if not is_indexed(word)]

    def find() -> Positions:
        found = dict(zip(indexed, viewer.last_indexed.find(key, indexed, _words(viewer, row, scoring)), strict=True))
        found |= zip(others, viewer.last_searched.find(key, others, _texts(viewer, row, scoring)), strict=True)
        return tuple(found[word] for word in words)

    return msgspec.structs.replace(query, answered=viewer.kept(("found", *key, *words), find))


def _words(viewer: Viewer, row: RunRow, scoring: int) -> Iterator[Searched]:
    """The words of the answers of the scoring's cases; the answers themselves where the store has no words of them."""
    cases = AnsweredCases(viewer, row, scoring)
    for block in viewer.viewing.searched_answers(row.id):
        if isinstance(block, IndexedAnswers):
            yield IndexedBlock(block.words, cases.positions(block.cases))
        else:
            yield _folded(block, cases.positions(block.keys.cases))
    yield from _answered_often(viewer, row, cases)


def _texts(viewer: Viewer, row: RunRow, scoring: int) -> Iterator[Searched]:
    """The answers of the scoring's cases."""
    cases = AnsweredCases(viewer, row, scoring)
    for block in viewer.viewing.answer_blocks(row.id):
        yield _folded(block, cases.positions(block.keys.cases))
    yield from _answered_often(viewer, row, cases)


class AnsweredCases:
    """Where the cases of a scoring are. A case with several answers has them in one text, as people read them, so it
    does not count in the blocks of single answers."""

    def __init__(self, viewer: Viewer, row: RunRow, scoring: int) -> None:
        self.often = viewer.viewing.answered_often(row.id)
        self.ids = viewer.viewing.columns(scoring).case_ids
        self._end = 0

    @cached_property
    def places(self) -> dict[str, int]:
        """Case id → its position."""
        return {case: place for place, case in enumerate(self.ids)}

    @cached_property
    def _once(self) -> dict[str, int]:
        if not self.often:
            return self.places
        return {case: place for case, place in self.places.items() if case not in self.often}

    def positions(self, cases: Sequence[str]) -> Sequence[int]:
        """The position of each case of one block after the other; -1: it does not count. Most blocks have the cases of
        a scoring in their order, where nothing is looked up."""
        together = range(self._end, self._end + len(cases))
        self._end = together.stop
        if not self.often and self.ids[together.start : together.stop] == cases:
            return together
        return CasePlaces(cases, self._once)


def _answered_often(viewer: Viewer, row: RunRow, cases: AnsweredCases) -> Iterator[Searched]:
    ids = [case for case in cases.places if case in cases.often] if cases.often else []
    for begin in range(0, len(ids), BATCH):
        batch = ids[begin : begin + BATCH]
        found = answers_of(viewer.store.case_predictions(row.id, batch), set(batch))
        yield folded_texts((cases.places[case], text) for case, text in found.items())


def _folded(block: AnswerBlock, positions: Sequence[int]) -> FoldedBlock:
    data = block.responses
    if block.keys.unfolded is not None:
        return FoldedBlock(folded_in_place(data, block.keys.unfolded), block.ends, positions)
    texts = []
    begin = 0
    for place, (end, position) in enumerate(zip(block.ends, positions, strict=True)):
        if position >= 0:
            texts.append((position, _text(data[begin:end], error_at(block.keys, place))))
        begin = end
    return folded_texts(texts)


def _text(response: bytes, error: CallError | None) -> str:
    return answer_text(Prediction("", response=response, error=error))
