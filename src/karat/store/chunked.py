"""A scoring whose cases are read when they are looked at, over a table with one row per case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import func, select

from karat.core.gc_pause import no_collecting
from karat.core.results.case_words import CaseWordsBuilder
from karat.core.results.columns import Columns, StoredCases, make_columns
from karat.core.results.result import CaseResult, RunResult
from karat.store import notes as note_rows
from karat.store import reviews as review_rows
from karat.store import runs as run_rows
from karat.store import scorings as scoring_rows
from karat.store.case_pages import read_columns
from karat.store.codec import unpack
from karat.store.schema import scores
from karat.store.store import Store

SIZE = 1_000
"""Cases that are read together."""


def stored_result(store: Store, run_id: int, scoring: int | None = None) -> RunResult:
    """As ``Store.result``, with nothing of the cases read."""
    with store._reading() as connection:
        run_rows.read_run(connection, run_id)
        number, info, summary = scoring_rows.read_head(connection, run_id, scoring)
        count = connection.execute(select(func.count()).where(scores.c.scoring_id == number)).scalar_one()
        return RunResult(
            run=info,
            summary=summary,
            cases=ScoredCases(store, info.suite, number, count),
            reviews=review_rows.case_reviews(connection, run_id),
            notes=note_rows.read_notes(connection, run_id),
        )


def figure_columns(store: Store, scoring: int, metrics: tuple[str, ...]) -> Columns:
    """Ids, clusters and figures of a scoring from its list of cases; states, tags and groups are not read."""
    import numpy as np

    with store._reading() as connection:
        found = read_columns(connection, scoring)
    figures = np.array(found.figures, dtype=np.float64)  # None becomes NaN
    count = len(found.case_ids)
    return Columns(
        list(found.case_ids),
        np.zeros(count, dtype=np.int8),
        list(found.clusters) if any(found.clusters) else None,
        metrics,
        figures.reshape(count, len(metrics)).T,
        np.zeros(count, dtype=np.bool_),
        CaseWordsBuilder().built(),
    )


class ScoredCases(StoredCases):
    """The cases of one scoring."""

    def __init__(self, store: Store, suite: str, scoring: int, count: int) -> None:
        self._store, self._suite, self._scoring, self._count = store, suite, scoring, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        places = range(self._count)[place]
        return tuple(self.at(places)) if isinstance(place, slice) else self.at([places])[0]

    def __iter__(self) -> Iterator[CaseResult]:
        for begin in range(0, self._count, SIZE):
            yield from self.at(range(begin, min(begin + SIZE, self._count)))

    def columns(self, *, groups: bool = True) -> Columns:
        """All cases as columns, made in one pass over them."""
        with no_collecting():
            return make_columns(self._suite, self, groups=groups)

    def at(self, places: Sequence[int]) -> list[CaseResult]:
        """The cases at these places, in this order."""
        found: dict[int, CaseResult] = {}
        for begin in range(0, len(places), SIZE):
            some = list(places[begin : begin + SIZE])
            query = select(scores.c.position, scores.c.codec, scores.c.data).where(
                scores.c.scoring_id == self._scoring, scores.c.position.in_(some)
            )
            with self._store._reading() as connection:
                for position, codec, data in connection.execute(query):
                    found[position] = _DECODER.decode(unpack(codec, data))
        return [found[place] for place in places]


_DECODER = msgspec.json.Decoder(CaseResult)
