"""Running the queries of one case: each text once on each database, all that is known beforehand in one message."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from karat.suites.answers.text_to_sql.running.execution import Databases, Place, Ran


class Instead(Protocol):
    """What a text that ran is replaced by: itself, or its translation."""

    def __call__(self, sql: str, first: Ran, *, run: Callable[[str], Ran]) -> Ran: ...


Asked = tuple["Runner", str]
"""A query, and where it runs."""


class Runner:
    """Runs queries on one database and remembers what became of them, for as long as the cases are judged that it was
    made for."""

    def __init__(self, databases: Databases, place: Place, instead: Instead | None = None) -> None:
        self._databases, self._place = databases, place
        self._known: dict[str, Ran] = {}
        self._instead = instead

    @property
    def dialect(self) -> str:
        """The SQL that the database speaks."""
        return self._place.engine.dialect

    def __call__(self, sql: str) -> Ran:
        first = self.as_written(sql)
        return first if self._instead is None else self._instead(sql, first, run=self.as_written)

    def as_written(self, sql: str) -> Ran:
        """What becomes of the text itself, without a translation."""
        if sql not in self._known:
            self._known[sql] = self._databases.ran([(self._place, sql)])[0]
        return self._known[sql]

    @staticmethod
    def prepare(asked: Iterable[Asked]) -> None:
        """Run what is known to be needed, in one go."""
        left = [(runner, sql) for runner, sql in dict.fromkeys(asked) if sql not in runner._known]
        if left:
            found = left[0][0]._databases.ran([(runner._place, sql) for runner, sql in left])
            for (runner, sql), ran in zip(left, found, strict=True):
                runner._known[sql] = ran

    @staticmethod
    def run_ahead(asked: Iterable[Asked]) -> None:
        """Run the queries of several cases before they are judged."""
        wanted = {(runner._place, sql): runner for runner, sql in asked if sql not in runner._known}
        if wanted:
            found = next(iter(wanted.values()))._databases.run_ahead(list(wanted))
            for (place, sql), ran in found.items():
                wanted[place, sql]._known[sql] = ran
