"""What the viewer asks of the store beyond runs and results: figures by column, answers to search, what people
share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import select

from karat.core.results.columns.columns import Columns
from karat.core.results.result import CaseResult
from karat.store import filters_and_case_sets
from karat.store.blocks.tables import blocks_from
from karat.store.cases import case_pages
from karat.store.cases.case_history import CaseInRun, read_case_results, read_history, read_settings
from karat.store.cases.case_list import CaseList, Line
from karat.store.cases.case_pages import CaseQuery, TagCount
from karat.store.cases.cases import read_named
from karat.store.filters_and_case_sets import CaseSet, SavedFilter
from karat.store.notes import OF_A_SUITE, any_notes
from karat.store.predictions.answer_blocks import KEYS, AnswerBlock, answer_blocks, case_ids_of
from karat.store.predictions.answer_words import IndexedAnswers, searched_answers
from karat.store.predictions.predictions import count_answers, waiting_cases
from karat.store.records import RunRow
from karat.store.runs import count_runs
from karat.store.schema import notes, run_blocks
from karat.store.store import Store
from karat.store.timestamps import now
from karat.store.verdicts.judged_cases import judged_cases_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karat.store.cases.case_list import Codes


class Viewing:
    """A view of an open store. Each method is one transaction, as the store's own are."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # -- all runs --------------------------------------------------------------------------------------------------

    def run_counts(self) -> dict[str, int]:
        """Suite → how many runs it has, the suite with the newest run first."""
        with self._store._reading() as connection:
            return count_runs(connection)

    def any_notes(self) -> bool:
        """Whether a run has a note of its suite, such as how a search was tuned."""
        with self._store._reading() as connection:
            return any_notes(connection)

    # -- a scoring as a whole --------------------------------------------------------------------------------------

    def columns(self, scoring: int) -> Columns:
        """The figures of all cases, as the list has them."""
        with self._store._reading() as connection:
            return self._store._lists.columns(connection, scoring)

    def clustered(self, scoring: int) -> bool:
        """Whether some of the cases are variants of one."""
        return self.columns(scoring).clusters is not None

    def reasons(self, scoring: int, most: int = 8) -> list[tuple[str, int]]:
        """The most frequent reasons, each with its number of cases."""
        return case_pages.read_reasons(self._list(scoring), most)

    def upper(self, scoring: int, metric: int, place: int) -> float | None:
        """The value of a metric at this place, from 0, when the largest comes first."""
        return case_pages.read_upper(self._list(scoring), metric, place)

    def tag_sets(self, scoring: int) -> tuple[list[tuple[str, ...]], Codes]:
        """(the sets of tags that cases have, for each case its place among them)."""
        found = self._list(scoring)
        return found.tags, found.tag_codes

    def places(self, scoring: int) -> dict[str, int]:
        """Case id → its position."""
        return {case: place for place, case in enumerate(self.columns(scoring).case_ids)}

    def noted_runs(self) -> set[int]:
        """The runs that have notes which their suite declares."""
        with self._store._reading() as connection:
            return set(connection.execute(select(notes.c.run_id).where(OF_A_SUITE).distinct()).scalars())

    def count(self, run_id: int, scoring: int, query: CaseQuery) -> int:
        """How many cases the query finds."""
        with self._store._reading() as connection:
            found = self._store._lists.of(connection, scoring)
            return case_pages.read_count(connection, found, run_id, query)

    # -- a page at a time ------------------------------------------------------------------------------------------

    def case_page(
        self, run_id: int, scoring: int, query: CaseQuery, offset: int = 0, limit: int = 50
    ) -> tuple[int, list[Line]]:
        """(how many cases the query finds, the lines of one page of them)."""
        with self._store._reading() as connection:
            found = self._store._lists.of(connection, scoring)
            return case_pages.read_page(connection, found, run_id, query, offset, limit)

    def case_order(self, run_id: int, scoring: int, query: CaseQuery) -> list[int]:
        """The positions of all cases that the query finds, in its order."""
        with self._store._reading() as connection:
            found = self._store._lists.of(connection, scoring)
            order: list[int] = case_pages.read_order(connection, found, run_id, query).tolist()
            return order

    def tag_counts(self, scoring: int, metric: int | None = None) -> list[TagCount]:
        """Cases by their tags and states, with the sum of one metric, which is a position in the summary."""
        return case_pages.read_tags(self._list(scoring), metric)

    def lines(self, scoring: int, case_ids: Sequence[str]) -> list[Line]:
        """The lines of these cases."""
        with self._store._reading() as connection:
            found = self._store._lists.of(connection, scoring)
            return found.lines(connection, found.with_ids(set(case_ids)).nonzero()[0].tolist())

    def lines_at(self, scoring: int, positions: Sequence[int]) -> list[Line]:
        """The lines of the cases at these positions, in this order."""
        with self._store._reading() as connection:
            return self._store._lists.of(connection, scoring).lines(connection, positions)

    def results_at(self, scoring: int, positions: Sequence[int]) -> list[CaseResult]:
        """The whole results of the cases at these positions, in this order."""
        return self._store._results.results_at(scoring, positions)

    def cases(self, run_id: int, case_ids: Sequence[str]) -> dict[str, bytes]:
        """The JSON of those of these cases that the run kept."""
        with self._store._reading() as connection:
            return read_named(connection, run_id, case_ids)

    def judged(self, run_id: int) -> dict[str, frozenset[str]]:
        """Case → what the newest judge of the run says of it, in words of ``judged_cases.JUDGED``."""
        with self._store._reading() as connection:
            return judged_cases_of(connection, run_id)

    def _list(self, scoring: int) -> CaseList:
        with self._store._reading() as connection:
            return self._store._lists.of(connection, scoring)

    # -- one case through many runs ---------------------------------------------------------------------------------

    def case_history(self, rows: Sequence[RunRow], case_id: str, guess: int | None = None) -> list[CaseInRun]:
        """The case in the newest scoring of each of these runs that has it. ``guess``: its position in the first."""
        with self._store._reading() as connection:
            return read_history(connection, rows, case_id, guess)

    def case_results(self, cases: Sequence[CaseInRun]) -> list[CaseResult | None]:
        """The whole result of a case in each of these runs."""
        with self._store._reading() as connection:
            return read_case_results(connection, cases)

    def run_settings(self, run_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
        """(the system's settings as text, the hash of its prompt) of each run."""
        with self._store._reading() as connection:
            return read_settings(connection, run_ids)

    def same_settings(self, runs: Sequence[tuple[int, str]]) -> list[tuple[str, str, str] | None]:
        """What each run, with its truth set, was made with; runs where it is equal are tries at the same. None: nobody
        says."""
        known = self.run_settings([run for run, _ in runs])
        found: list[tuple[str, str, str] | None] = []
        for run, truth_set in runs:
            own = known.get(run, ("", ""))
            found.append((truth_set, *own) if truth_set and own[0].strip() else None)
        return found

    def wants_review(self, scoring: int) -> NDArray[np.bool_]:
        """Which cases no rule settles."""
        return self._list(scoring).wants_review

    # -- answers ---------------------------------------------------------------------------------------------------

    def newest_prediction(self, run_id: int) -> int:
        """The number of the run's newest answer: as long as it is the same, nothing was answered since. 0: none at
        all."""
        with self._store._reading() as connection:
            return count_answers(connection, run_id)

    def answer_blocks(self, run_id: int) -> Iterator[AnswerBlock]:
        """The answers of a run that are in blocks, every attempt, in the order in which they came."""
        with self._store._reading() as connection:
            yield from answer_blocks(connection, run_id)

    def searched_answers(self, run_id: int) -> Iterator[IndexedAnswers | AnswerBlock]:
        """The same, of a block only the words of its answers where the store keeps them."""
        with self._store._reading() as connection:
            yield from searched_answers(connection, run_id)

    def answered_often(self, run_id: int) -> set[str]:
        """The cases that have more than one answer, or one that is not in a block yet."""
        with self._store._reading() as connection:
            often = waiting_cases(connection, run_id)
            cases: list[str] = []
            for stored in blocks_from(connection, run_blocks, run_id, KEYS):
                cases += case_ids_of(stored)
        if len(set(cases)) < len(cases):
            often |= {case for case, number in Counter(cases).items() if number > 1}
        return often

    # -- what people share -----------------------------------------------------------------------------------------

    def filters(self, suite: str) -> list[SavedFilter]:
        """The saved filters of a suite."""
        with self._store._reading() as connection:
            return filters_and_case_sets.read_filters(connection, suite)

    def save_filter(self, suite: str, name: str, query: str) -> None:
        """Keep a filter under a name."""
        with self._store._writing() as connection:
            filters_and_case_sets.save_filter(connection, suite, name, query, now())

    def drop_filter(self, suite: str, name: str) -> None:
        """Forget a filter."""
        with self._store._writing() as connection:
            filters_and_case_sets.drop_filter(connection, suite, name)

    def sets(self, suite: str, case_id: str | None = None) -> list[CaseSet]:
        """The sets of a suite; those that hold a case, when one is named."""
        with self._store._reading() as connection:
            return filters_and_case_sets.read_sets(connection, suite, case_id)

    def add_to_set(self, suite: str, name: str, case_ids: Sequence[str]) -> None:
        """Put cases into a set, which is made when it is not there."""
        with self._store._writing() as connection:
            filters_and_case_sets.add_to_set(connection, suite, name, case_ids, now())

    def take_from_set(self, suite: str, name: str, case_id: str) -> None:
        """Take a case out of a set."""
        with self._store._writing() as connection:
            filters_and_case_sets.take_from_set(connection, suite, name, case_id)
