"""Reading the results of a scoring: cases as they are asked for, figures and failures as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TypeVar

import msgspec
from sqlalchemy import Connection

from karat.core.results.columns.columns import Columns
from karat.core.results.columns.word_lists import PackedBlock
from karat.core.results.failures.failure_columns import FailureColumns
from karat.core.results.result import CaseResult
from karat.store.cases.case_list import CaseLists
from karat.store.scorings import results as result_blocks
from karat.store.scorings.failure_blocks import read_failure_block, read_failures
from karat.store.scorings.scored_cases import ScoredCases

T = TypeVar("T")


class StoredResults:
    """The results in an open store. ``lists``: what is held of scorings that the viewer has looked at."""

    def __init__(self, reading: Callable[[], AbstractContextManager[Connection]], lists: CaseLists) -> None:
        self._reading = reading
        self._lists = lists

    def cases(self, scoring: int, suite: str, count: int) -> ScoredCases:
        """The cases of a scoring, read when they are looked at."""
        return ScoredCases(
            suite,
            count,
            partial(self.results_from, scoring),
            partial(self.results_at, scoring),
            partial(self._words_and_columns, scoring),
            partial(self.failures, scoring),
        )

    def results_from(self, scoring: int, begin: int) -> Sequence[CaseResult]:
        """The results of a block from a position on; none at the end."""
        with self._reading() as connection:
            return result_blocks.results_from(connection, scoring, begin)

    def columns(self, connection: Connection, scoring: int) -> Columns:
        """The figures of all cases; without tags and groups."""
        held = self._lists.held_columns(scoring)
        return held if held is not None else result_blocks.read_columns(connection, scoring)

    def failures(self, scoring: int) -> FailureColumns | None:
        """What is wrong with each case; None where an older store does not say."""

        def read(position: int) -> PackedBlock:
            with self._reading() as connection:
                return read_failure_block(connection, scoring, position)

        with self._reading() as connection:
            return read_failures(connection, scoring, result_blocks.count_results(connection, scoring), read)

    def results_at(self, scoring: int, positions: Sequence[int]) -> list[CaseResult]:
        """The results at these positions, in their order."""
        with self._reading() as connection:
            return result_blocks.read_results_at(connection, scoring, positions)

    def _words_and_columns(self, scoring: int) -> Columns | None:
        with self._reading() as connection:
            if not result_blocks.has_words(connection, scoring):
                return None
            columns = self.columns(connection, scoring)
            return msgspec.structs.replace(columns, words=result_blocks.read_words(connection, scoring))


def all_from(read: Callable[[int], Sequence[T]]) -> Iterator[T]:
    """Everything, from a function that gives what follows a position, and nothing at the end."""
    begin = 0
    while found := read(begin):
        yield from found
        begin += len(found)
