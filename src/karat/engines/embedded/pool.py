"""The children of this process. A query takes a free one, best one that has its database open, and gives it back."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Callable, Sequence

from karat.core.problems import UserError
from karat.engines.embedded.messages import Database, Query, Reply, Request
from karat.engines.embedded.process import Child, ChildGone
from karat.engines.protocol import EngineError, ResultTable
from karat.engines.query.deadline import Abandoned

MOST_IDLE = 4
"""Children that are kept for later; those beyond are ended when they come back."""

Outcome = bytes | EngineError | UserError
"""The packed rows of a query (:mod:`karat.engines.embedded.values`), or why there are none."""


class Spent(EngineError):
    """A child that ran out of memory and could say so: its query has its outcome, and the child must go."""


class Pool:
    """As many children as there are queries at one time."""

    def __init__(self) -> None:
        self._idle: list[Child] = []
        self._lock = threading.Lock()

    def run(self, database: Database, sql: str, timeout: float, row_limit: int) -> ResultTable:
        """The query's table. Raises EngineError."""
        table = self._asked(Request("run", database, sql, timeout, row_limit)).table
        if table is None:
            raise EngineError("sql_error", "the query returned no table")
        return table

    def rows(self, queries: Sequence[Query], timeout: float, row_limit: int) -> list[Outcome]:
        """What became of each query, in their order. Those whose databases can be open in one process go to one child
        together."""
        outcomes: dict[int, Outcome] = {}
        for places in _compatible([query.database for query in queries]):
            found = self._together([queries[place] for place in places], timeout, row_limit)
            outcomes.update(zip(places, found, strict=True))
        return [outcomes[place] for place in range(len(queries))]

    def _together(self, queries: Sequence[Query], timeout: float, row_limit: int) -> list[Outcome]:
        """When one of them ends the child, those that are left are asked one by one, so that each is judged by
        itself."""
        found: list[Outcome] = []
        together = len(queries)
        while len(found) < len(queries):
            asked = tuple(queries[len(found) : len(found) + together])
            request = Request("rows", asked[0].database, "", timeout, row_limit, asked)
            done: list[Outcome] = []
            try:
                self._ask(request, done)
            except Spent:
                pass
            except EngineError as error:
                if len(done) == len(asked) - 1:
                    done.append(error)
                else:
                    together = 1
            found += done
        return found

    def open(self, database: Database) -> None:
        """Open the database now, to know that it can be. Raises UserError."""
        self._asked(Request("open", database))

    def close(self, database: Database) -> None:
        """Let the file go, in every child that has it."""
        with self._lock:
            holders = [child for child in self._idle if database in child.open]
            self._idle = [child for child in self._idle if database not in child.open]
        for child in holders:
            try:
                child.ask(Request("close", database))
            except (ChildGone, EngineError):
                child.kill()
            else:
                self._give_back(child)

    def end(self) -> None:
        """End every child that is idle."""
        with self._lock:
            children, self._idle = self._idle, []
        for child in children:
            child.kill()

    def forget(self) -> None:
        """After a fork: the children are the parent's."""
        self._lock = threading.Lock()
        children, self._idle = self._idle, []
        for child in children:
            child.forget()

    def _asked(self, request: Request) -> Reply:
        """The reply to a request of one query."""
        replies: list[Reply] = []
        self._with_child(request, lambda child: replies.append(_checked(child.ask(request))))
        return replies[0]

    def _ask(self, request: Request, found: list[Outcome]) -> None:
        """Ask for rows. ``found`` gets what became of each query, as far as that is known when it raises."""

        def read(child: Child) -> None:
            for database in {query.database for query in request.queries} - child.open:
                child.ask(Request("open", database))  # the time to start is not the query's; a failure is said again
            for reply in child.replies(request):
                try:
                    found.append(_checked(reply).rows)
                except UserError as error:
                    found.append(error)
                except EngineError as error:
                    found.append(error)
                    if error.kind == "memory":
                        raise Spent(error.kind, error.message) from None

        self._with_child(request, read)

    def _with_child(self, request: Request, work: Callable[[Child], None]) -> None:
        child = self._taken(request.database)
        try:
            if request.verb == "run" and request.database not in child.open:
                _checked(child.ask(Request("open", request.database)))  # the time to start is not the query's
            work(child)
        except ChildGone:
            code = child.exit_code()
            self._replace(child)
            if code == -signal.SIGKILL:
                raise EngineError(
                    "memory", "the system ended the query's process, most likely because memory ran out"
                ) from None
            raise EngineError("sql_error", f"the query made the database crash (exit code {code})") from None
        except EngineError as error:
            # One that was late is busy, and one that was out of memory is in an unknown state.
            if error.kind == "memory" or isinstance(error, Abandoned):
                self._replace(child)
            else:
                self._give_back(child)
            raise
        except UserError:
            self._give_back(child)
            raise
        except BaseException:  # Ctrl-C: the query must not go on alone
            child.kill()
            raise
        self._give_back(child)

    def _replace(self, child: Child) -> None:
        """End a child and start another at once, so that it is ready for the next query."""
        child.kill()
        self._give_back(Child())

    def _taken(self, database: Database) -> Child:
        with self._lock:
            for place, child in enumerate(self._idle):
                if database in child.open:
                    return self._idle.pop(place)
            for place, child in reversed(list(enumerate(self._idle))):
                if not any(_exclude_each_other(database, other) for other in child.open):
                    return self._idle.pop(place)
        return Child()

    def _give_back(self, child: Child) -> None:
        with self._lock:
            if len(self._idle) < MOST_IDLE:
                self._idle.append(child)
                return
        child.kill()


def _exclude_each_other(one: Database, other: Database) -> bool:
    """DuckDB does not open a file twice in one process with different settings."""
    return one.kind == other.kind == "duckdb" and one.path == other.path and one != other


def _compatible(databases: Sequence[Database]) -> list[list[int]]:
    """The places of the databases in groups, each of which one process can open."""
    if all(one.kind == "sqlite" for one in databases):
        return [list(range(len(databases)))]
    groups: list[list[int]] = []
    for place, database in enumerate(databases):
        for group in groups:
            if not any(_exclude_each_other(database, databases[other]) for other in group):
                group.append(place)
                break
        else:
            groups.append([place])
    return groups


def _checked(reply: Reply) -> Reply:
    if reply.hint is not None:
        raise UserError(reply.message, hint=reply.hint)
    if reply.message:
        raise EngineError(reply.kind, reply.message)
    return reply


POOL = Pool()
atexit.register(POOL.end)
os.register_at_fork(after_in_child=POOL.forget)
