"""Running the queries of one case: each text once on each database, all that is known beforehand in one message."""

from __future__ import annotations

from collections.abc import Iterable

from karat.suites.answers.text_to_sql.execution import Databases, Place, Ran


class Runner:
    """Runs queries on one database and remembers what became of them, for as long as one case is judged."""

    def __init__(self, databases: Databases, place: Place) -> None:
        self._databases, self._place = databases, place
        self._known: dict[str, Ran] = {}

    def __call__(self, sql: str) -> Ran:
        if sql not in self._known:
            self._known[sql] = self._databases.ran([(self._place, sql)])[0]
        return self._known[sql]

    @staticmethod
    def prepare(asked: Iterable[tuple[Runner, str]]) -> None:
        """Run what is known to be needed, in one go."""
        left = [(runner, sql) for runner, sql in dict.fromkeys(asked) if sql not in runner._known]
        if left:
            found = left[0][0]._databases.ran([(runner._place, sql) for runner, sql in left])
            for (runner, sql), ran in zip(left, found, strict=True):
                runner._known[sql] = ran
