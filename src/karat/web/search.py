"""Searching in answers. The store keeps them as they came, often compressed, so the database cannot look into them.

They are read here, a batch of cases at a time. The whole answer counts, however long it is, and one that came after the
scoring too.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from karat.reports.answer_text import answers_of
from karat.store import RunRow
from karat.store.case_pages import CaseQuery, searched_words
from karat.web.page import Viewer
from karat.web.recent_search import Positions, Text

BATCH = 1000


def with_answers(viewer: Viewer, row: RunRow, query: CaseQuery) -> CaseQuery:
    """The query with what the answers hold, where something is searched for."""
    words = searched_words(query.search)
    if not words or row.scoring is None:
        return query
    scoring = row.scoring
    key = (scoring, viewer.viewing.newest_prediction(row.id))

    def found() -> Positions:
        return viewer.last_searched.find(key, words, _texts(viewer, row, scoring))

    return msgspec.structs.replace(query, answered=viewer.kept(("found", *key, *words), found))


def _texts(viewer: Viewer, row: RunRow, scoring: int) -> Iterator[Text]:
    places = viewer.viewing.places(scoring)
    ids = list(places)
    for begin in range(0, len(ids), BATCH):
        batch = ids[begin : begin + BATCH]
        for case, text in answers_of(viewer.store.case_predictions(row.id, batch), set(batch)).items():
            yield places[case], text.casefold()
