"""Searching in answers. The store keeps them as they came, in compressed blocks, so the database cannot look into them.

They are read here, a block at a time. The whole answer counts, however long it is, and one that came after the scoring
too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from karat.core.records import CallError, Prediction
from karat.reports.cases.answer_text import answer_text, answers_of
from karat.store import RunRow
from karat.store.cases.case_pages import CaseQuery, searched_words
from karat.store.predictions.answer_blocks import AnswerBlock, error_at
from karat.web.compare.newly import with_change
from karat.web.page import Viewer
from karat.web.run_page.failure_groups import with_group
from karat.web.search.folded_text import CasePlaces, FoldedBlock, folded_in_place, folded_texts
from karat.web.search.recent_search import Positions

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

    def found() -> Positions:
        return viewer.last_searched.find(key, words, _blocks(viewer, row, scoring))

    return msgspec.structs.replace(query, answered=viewer.kept(("found", *key, *words), found))


def _blocks(viewer: Viewer, row: RunRow, scoring: int) -> Iterator[FoldedBlock]:
    """The answers of the scoring's cases. A case with several has them in one text, as people read them."""
    places = viewer.viewing.places(scoring)
    often = viewer.viewing.answered_often(row.id)
    once = {case: place for case, place in places.items() if case not in often} if often else places
    for block in viewer.viewing.answer_blocks(row.id):
        yield _folded(block, CasePlaces(block.keys.cases, once))
    ids = [case for case in places if case in often]
    for begin in range(0, len(ids), BATCH):
        batch = ids[begin : begin + BATCH]
        found = answers_of(viewer.store.case_predictions(row.id, batch), set(batch))
        yield folded_texts((places[case], text) for case, text in found.items())


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
