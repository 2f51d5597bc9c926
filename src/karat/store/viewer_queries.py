"""What the viewer asks of the store beyond runs and results: figures by column, answers to search, what people
share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import func, select

from karat.store import case_pages, filters_and_case_sets
from karat.store.case_pages import Columns
from karat.store.filters_and_case_sets import CaseSet, SavedFilter
from karat.store.schema import predictions
from karat.store.store import Store


class Viewing:
    """A view of an open store. Each method is one transaction, as the store's own are."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # -- a scoring as a whole --------------------------------------------------------------------------------------

    def columns(self, scoring: int) -> Columns:
        """The figures of all cases."""
        with self._store._reading() as connection:
            return case_pages.read_columns(connection, scoring)

    def clustered(self, scoring: int) -> bool:
        """Whether some of the cases are variants of one."""
        with self._store._reading() as connection:
            return case_pages.read_clustered(connection, scoring)

    def reasons(self, scoring: int, most: int = 8) -> list[tuple[str, int]]:
        """The most frequent reasons, each with its number of cases."""
        with self._store._reading() as connection:
            return case_pages.read_reasons(connection, scoring, most)

    def upper(self, scoring: int, metric: int, place: int) -> float | None:
        """The value of a metric at this place, from 0, when the largest stands first."""
        with self._store._reading() as connection:
            return case_pages.read_upper(connection, scoring, metric, place)

    def places(self, scoring: int) -> dict[str, int]:
        """Case id → its position."""
        with self._store._reading() as connection:
            return case_pages.read_places(connection, scoring)

    # -- answers ---------------------------------------------------------------------------------------------------

    def newest_prediction(self, run_id: int) -> int:
        """The number of the run's newest answer: as long as it is the same, nothing was answered since. 0: none at
        all."""
        with self._store._reading() as connection:
            query = select(func.coalesce(func.max(predictions.c.id), 0)).where(predictions.c.run_id == run_id)
            return int(connection.execute(query).scalar_one())

    # -- what people share -----------------------------------------------------------------------------------------

    def filters(self, suite: str) -> list[SavedFilter]:
        """The saved filters of a suite."""
        with self._store._reading() as connection:
            return filters_and_case_sets.read_filters(connection, suite)

    def save_filter(self, suite: str, name: str, query: str) -> None:
        """Keep a filter under a name."""
        with self._store._writing() as connection:
            filters_and_case_sets.save_filter(connection, suite, name, query, _now())

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
            filters_and_case_sets.add_to_set(connection, suite, name, case_ids, _now())

    def take_from_set(self, suite: str, name: str, case_id: str) -> None:
        """Take a case out of a set."""
        with self._store._writing() as connection:
            filters_and_case_sets.take_from_set(connection, suite, name, case_id)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
