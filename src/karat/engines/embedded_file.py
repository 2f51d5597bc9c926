"""An engine over one file: the guard reads the query here, a child process runs it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.core.problems import UserError
from karat.core.remote.address import url_inside
from karat.engines.embedded.messages import Database, Query
from karat.engines.embedded.pool import POOL, Outcome
from karat.engines.embedded.values import unpack
from karat.engines.protocol import EngineError, ResultRows, ResultTable
from karat.engines.query.fingerprints import file_fingerprint
from karat.engines.query.guard import check, reading


class EmbeddedEngine:
    """A database file. Its name is also the name of its dialect."""

    def __init__(self, database: Database, beside: Sequence[str]) -> None:
        """``beside``: the endings of files that belong to its content."""
        self._database = database
        self._beside = beside
        POOL.open(database)

    @property
    def name(self) -> str:
        return self._database.kind

    @property
    def dialect(self) -> str:
        return self._database.kind

    def run(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        return self.unguarded(check(sql, self.dialect), timeout=timeout, row_limit=row_limit)

    def rows(self, sql: str, *, timeout: float, row_limit: int) -> ResultRows:
        """Values as they are. The connection of a SQLite file refuses whatever writes, so there the text is run as it
        is, also where sqlglot would not read it."""
        (found,) = packed_rows([(self, sql)], timeout=timeout, row_limit=row_limit)
        if isinstance(found, Exception):
            raise found
        return unpack(found)

    def unguarded(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        """Run without the first look at the SQL; the connection still refuses what writes or reads files."""
        return POOL.run(self._database, sql, timeout, row_limit)

    def asking(self, sql: str) -> Query:
        """A query for :func:`packed_rows`. Raises EngineError when it may not be run."""
        return Query(self._database, reading(sql) if self.dialect == "sqlite" else check(sql, self.dialect))

    def fingerprint(self) -> str:
        path = self._database.path
        return file_fingerprint(Path(path), *(Path(path + ending) for ending in self._beside))

    def close(self) -> None:
        POOL.close(self._database)


def packed_rows(asked: Sequence[tuple[EmbeddedEngine, str]], *, timeout: float, row_limit: int) -> list[Outcome]:
    """What became of several queries, in their order, each on its own file: all in one message to one process. Each has
    the whole time and the whole memory."""
    found: list[Outcome | None] = [None] * len(asked)
    queries: list[tuple[int, Query]] = []
    for place, (engine, sql) in enumerate(asked):
        try:
            queries.append((place, engine.asking(sql)))
        except EngineError as error:
            found[place] = error
    outcomes = POOL.rows([query for _, query in queries], timeout, row_limit)
    for (place, _), outcome in zip(queries, outcomes, strict=True):
        found[place] = outcome
    return [one for one in found if one is not None]


def existing_file(folder: Path, path: str) -> Path:
    """The database file; a missing one is never made."""
    if url := url_inside(path):
        hint = "Copy the database to this machine and give its path."
        raise UserError(f"the database {url} is at a URL; only files of this machine can be queried", hint=hint)
    found = folder / path
    if not found.is_file():
        raise UserError(
            f"the database {path} does not exist", hint="Paths are relative to the working folder; check the route."
        )
    return found
