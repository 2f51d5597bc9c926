"""The open store. Each method is one transaction; what it wrote is on the disk when it returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType

from sqlalchemy import Connection, Engine

from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.core.result import RunResult
from karat.store import predictions as prediction_rows
from karat.store import runs as run_rows
from karat.store import scorings as scoring_rows
from karat.store.address import Address
from karat.store.failures import explained
from karat.store.records import RunRecord, RunRow, ScoringRow, Status, parse_run


class Store:
    """Runs, their predictions and their scores. Made by :func:`karat.store.open_store`; threads may share it."""

    def __init__(self, engine: Engine, address: Address, *, read_only: bool = False) -> None:
        self.read_only = read_only
        self._engine = engine
        self._writer = engine.execution_options(writes=True)
        self._address = address

    def __repr__(self) -> str:
        return f"Store({self._address.shown!r})"

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def shown(self) -> str:
        """Where the store is, without user name and password."""
        return self._address.shown

    def close(self) -> None:
        """Give back the connections."""
        self._engine.dispose()

    # -- runs ------------------------------------------------------------------------------------------------------

    def create_run(self, record: RunRecord) -> int:
        """A new run; its id."""
        with self._writing() as connection:
            return run_rows.insert_run(connection, record, _now())

    def run(self, run_id: int) -> RunRecord:
        """All of one run."""
        with self._reading() as connection:
            return run_rows.read_run(connection, run_id)

    def find_run(self, text: str) -> int:
        """The run that ``r-0012``, ``12`` or ``latest`` names. It must be there."""
        wanted = parse_run(text)
        with self._reading() as connection:
            found = run_rows.latest_run(connection) if wanted is None else run_rows.read_run(connection, wanted).id
        if found is None:
            raise UserError(f"the store {self.shown} holds no runs", hint="Make one with karat run.")
        return found

    def runs(self, limit: int = 50, suite: str | None = None) -> list[RunRow]:
        """The newest runs first, with the figures of each one's newest scoring."""
        with self._reading() as connection:
            return run_rows.list_runs(connection, limit, suite)

    def set_status(self, run_id: int, status: Status) -> None:
        """``running`` clears the time of finishing and notes the first start; any other status notes the time of finishing."""
        with self._writing() as connection:
            run_rows.update_status(connection, run_id, status, _now())

    def delete_run(self, run_id: int) -> None:
        """Remove a run with its cases, predictions and scores. Its number is not used again."""
        with self._writing() as connection:
            run_rows.remove_run(connection, run_id)

    # -- cases and predictions -------------------------------------------------------------------------------------

    def add_cases(self, run_id: int, items: Sequence[tuple[str, bytes]]) -> None:
        """(id, JSON) of each case, as it was when the run began. They follow those that were added before."""
        with self._writing() as connection:
            run_rows.insert_cases(connection, run_id, items)

    def cases(self, run_id: int) -> list[bytes]:
        """The JSON of each case, in the order in which they were added."""
        with self._reading() as connection:
            return run_rows.read_cases(connection, run_id)

    def add_predictions(self, run_id: int, items: Sequence[Prediction]) -> None:
        """Keep them all, or none when it fails. An answer to a question that has one already is a further attempt."""
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            if items:
                prediction_rows.insert_predictions(connection, run_id, items, _now())

    def predictions(self, run_id: int) -> list[Prediction]:
        """The latest attempt for each case, turn and repeat, in the order in which they arrived."""
        with self._reading() as connection:
            return prediction_rows.latest_predictions(connection, run_id)

    def attempts(self, run_id: int, case_id: str, turn: int | None = 0, repeat: int = 0) -> list[Prediction]:
        """Every attempt at one question, oldest first."""
        with self._reading() as connection:
            return prediction_rows.all_attempts(connection, run_id, case_id, turn, repeat)

    # -- scores ----------------------------------------------------------------------------------------------------

    def add_scoring(self, run_id: int, result: RunResult) -> int:
        """A further scoring of the run; its id. Earlier ones stay."""
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            return scoring_rows.insert_scoring(connection, run_id, result, _now())

    def result(self, run_id: int, scoring: int | None = None) -> RunResult:
        """A scoring of the run as it was: the newest, or the one with this id."""
        with self._reading() as connection:
            run_rows.read_run(connection, run_id)
            return scoring_rows.read_result(connection, run_id, scoring)

    def scorings(self, run_id: int) -> list[ScoringRow]:
        """Each time the run was scored, oldest first."""
        with self._reading() as connection:
            return scoring_rows.list_scorings(connection, run_id)

    # -- transactions ----------------------------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with explained(self._address), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self.read_only:
            hint = "Make the file and its folder writable, or open it without read-only."
            raise UserError(f"the store {self.shown} is open for reading only", hint=hint)
        with explained(self._address), self._writer.begin() as connection:
            yield connection


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
