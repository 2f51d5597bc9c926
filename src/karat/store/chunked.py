"""Cases, answers and results of a store a chunk at a time, over the tables as they are.

A scoring under way is kept beside the database, and written in one transaction when it is finished.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import func, insert, select

from karat.core.bulk.sequence import CHUNK, HELD, LazySequence, in_chunks
from karat.core.bulk.spool import Spool
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult
from karat.store import scorings as scoring_rows
from karat.store.case_lines import line_row
from karat.store.codec import to_json, unpack
from karat.store.predictions import latest_keys
from karat.store.schema import cases, lines, scores

if TYPE_CHECKING:
    from sqlalchemy import Connection

Key = tuple[str, int, int]
_decode = msgspec.json.Decoder(CaseResult).decode


class Chunked:
    """The methods of a store that never hold a whole run."""

    if TYPE_CHECKING:

        def _reading(self) -> AbstractContextManager[Connection]: ...
        def _writing(self) -> AbstractContextManager[Connection]: ...
        def _lock(self, connection: Connection, run_id: int) -> None: ...

    def __init__(self) -> None:
        self._under_way: dict[int, tuple[int, Spool]] = {}
        self._finished: dict[int, int] = {}

    def case_chunks(self, run_id: int, size: int = CHUNK) -> Iterator[list[bytes]]:
        """The JSON of the cases in their order, a chunk at a time."""
        start = 0
        while True:
            query = select(cases.c.codec, cases.c.data).where(
                cases.c.run_id == run_id, cases.c.position >= start, cases.c.position < start + size
            )
            with self._reading() as connection:
                rows = connection.execute(query.order_by(cases.c.position)).all()
            if not rows:
                return
            yield [unpack(codec, data) for codec, data in rows]
            start += size

    def case_ids(self, run_id: int) -> list[str]:
        """The ids of the cases, in their order."""
        query = select(cases.c.case_id).where(cases.c.run_id == run_id).order_by(cases.c.position)
        with self._reading() as connection:
            return list(connection.execute(query).scalars())

    def answered(self, run_id: int) -> Mapping[Key, bool]:
        """Case, turn and repeat → whether the latest attempt failed. No answer is read."""
        with self._reading() as connection:
            rows = connection.execute(latest_keys(run_id))
            return {(case_id, max(turn, 0), repeat): kind is not None for case_id, turn, repeat, kind in rows}

    def begin_scoring(self, run_id: int, info: RunInfo) -> int:  # noqa: ARG002 (what is known of it by now)
        """A scoring that nobody sees until it is finished."""
        number = -1 - len(self._under_way) - len(self._finished)
        self._under_way[number] = (run_id, Spool())
        return number

    def add_results(self, scoring: int, results: Sequence[CaseResult]) -> None:
        """The next cases of a scoring that was begun."""
        self._under_way[scoring][1].extend([to_json(result) for result in results])

    def finish_scoring(self, scoring: int, info: RunInfo, summary: Sequence[MetricSummary]) -> None:
        """Let everybody see the scoring."""
        run_id, spool = self._under_way[scoring]
        metrics = [item.metric for item in summary]
        with self._writing() as connection:
            self._lock(connection, run_id)
            head = RunResult(info, tuple(summary), ())
            found = scoring_rows.insert_scoring(connection, run_id, head, scoring_rows.moment())
            for start in range(0, len(spool), CHUNK):
                packed = spool.read(start, start + CHUNK)
                results = list(enumerate(map(_decode, packed), start))
                rows: list[Any] = [
                    scoring_rows.score_row(found, at, one, data)
                    for (at, one), data in zip(results, packed, strict=True)
                ]
                connection.execute(insert(scores), rows)
                rows = [line_row(found, at, info.suite, one, metrics) for at, one in results]
                connection.execute(insert(lines), rows)
        self._finished[scoring] = found
        del self._under_way[scoring]

    def result_chunks(self, scoring: int, size: int = CHUNK) -> Iterator[tuple[CaseResult, ...]]:
        """The results of a scoring in their order, a chunk at a time."""
        for chunk in in_chunks(self.lazy_results(scoring), size):
            yield tuple(chunk)

    def lazy_results(self, scoring: int) -> Sequence[CaseResult]:
        """The results of a scoring, read when they are looked at; few are read now."""
        own = self._finished.get(scoring, scoring)
        with self._reading() as connection:
            count = connection.execute(select(func.count()).where(scores.c.scoring_id == own)).scalar_one()

        def read(number: int) -> list[CaseResult]:
            first = number * CHUNK
            query = select(scores.c.codec, scores.c.data).where(
                scores.c.scoring_id == own, scores.c.position >= first, scores.c.position < first + CHUNK
            )
            with self._reading() as connection:
                rows = connection.execute(query.order_by(scores.c.position)).all()
            return [_decode(unpack(codec, data)) for codec, data in rows]

        found = LazySequence(count, read)
        return tuple(found) if count <= HELD else found
