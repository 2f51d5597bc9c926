"""The open store. Each method is one transaction; what it wrote is on the disk when it returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType

import msgspec
from sqlalchemy import Connection, Engine

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.core.results.result import CaseResult, RunResult
from karat.store import case_pages
from karat.store import leases as lease_rows
from karat.store import notes as note_rows
from karat.store import predictions as prediction_rows
from karat.store import reviews as review_rows
from karat.store import runs as run_rows
from karat.store import scorings as scoring_rows
from karat.store.case_pages import CaseQuery, Line, TagCount
from karat.store.database.address import Address
from karat.store.database.commits import committing
from karat.store.database.failures import explained
from karat.store.database.file_identity import check_file, file_of
from karat.store.database.retrying import Patience, retrying
from karat.store.lease_holder import Holder
from karat.store.leases import Lease
from karat.store.records import Progress, RunRecord, RunRow, ScoringRow, Status, parse_run
from karat.store.reviews import Review


@retrying("close", "renew_lease")  # a heartbeat comes again anyway
class Store:
    """Runs, their predictions and their scores. Made by :func:`karat.store.open_store`; threads may share it."""

    def __init__(self, engine: Engine, address: Address, *, read_only: bool = False) -> None:
        self.read_only = read_only
        self.patience = Patience()
        """How long to wait for a store that cannot be reached; not at all, unless somebody sets it."""
        self._engine = engine
        self._writer = engine.execution_options(writes=True)
        self._address = address
        self._file = file_of(address)
        self._held: dict[int, Holder] = {}
        """The runs that are held through this store. Answers and scores of these are written only while that lasts."""

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

    def create_run(self, record: RunRecord, holder: Holder | None = None) -> int:
        """A new run, held from its first moment where a holder is given; its id."""
        with self._writing() as connection:
            run_id = run_rows.insert_run(connection, record, _now())
            if holder is not None:
                lease_rows.take_lease(connection, run_id, holder)
        if holder is not None:
            self._held[run_id] = holder
        return run_id

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
            raise UserError(f"the store {self.shown} has no runs", hint="Create one with karat run.")
        return found

    def runs(self, limit: int = 50, suite: str | None = None) -> list[RunRow]:
        """The newest runs first, with the figures of each one's newest scoring."""
        with self._reading() as connection:
            return run_rows.list_runs(connection, limit, suite)

    def set_status(self, run_id: int, status: Status, holder: Holder | None = None) -> None:
        """``running`` clears the time of finishing and notes the first start; any other status notes the time of
        finishing.

        A holder says ``running`` to take the run, and anything else to let go of it.
        """
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            if holder is not None and status == "running":
                lease_rows.take_lease(connection, run_id, holder)
            elif holder is not None:
                lease_rows.check_lease(connection, run_id, holder)
                lease_rows.release_lease(connection, run_id)
            run_rows.update_status(connection, run_id, status, _now())
        if holder is not None and status == "running":
            self._held[run_id] = holder
        elif holder is not None:
            self._held.pop(run_id, None)

    def renew_lease(self, run_id: int, holder: Holder) -> bool:
        """A sign of life of a run's holder; False when it does not hold the run any more."""
        with self._writing() as connection:
            return lease_rows.renew_lease(connection, run_id, holder)

    def lease(self, run_id: int) -> Lease | None:
        """Who holds a run; None when nobody does."""
        with self._reading() as connection:
            return lease_rows.read_lease(connection, run_id)

    def tag_run(self, run_id: int, added: Sequence[str] = (), removed: Sequence[str] = ()) -> tuple[str, ...]:
        """Give a run tags and take some away; the tags that it then has."""
        with self._writing() as connection:
            return run_rows.update_tags(connection, run_id, added, removed)

    def delete_run(self, run_id: int) -> None:
        """Remove a run with its cases, predictions, scores and notes. Its number is not used again. A run that is held
        is not removed."""
        with self._writing() as connection:
            run_rows.remove_run(connection, run_id)

    # -- notes -----------------------------------------------------------------------------------------------------

    def add_notes(self, run_id: int, notes: JsonMapping, *, replace: bool = False) -> None:
        """Keep what belongs to the run as a whole: name → JSON value. A name that the run has already keeps its value,
        unless ``replace``."""
        with self._writing() as connection:
            self._lock(connection, run_id)
            if notes:
                note_rows.insert_notes(connection, run_id, notes, _now(), replace=replace)

    def notes(self, run_id: int) -> JsonObject:
        """The notes of a run, by name."""
        with self._reading() as connection:
            return note_rows.read_notes(connection, run_id)

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
            self._lock(connection, run_id)
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
        """A further scoring of the run; its id. Earlier ones stay. Reviews that the result may hold are not written."""
        with self._writing() as connection:
            self._lock(connection, run_id)
            return scoring_rows.insert_scoring(connection, run_id, result, _now())

    def result(self, run_id: int, scoring: int | None = None) -> RunResult:
        """A scoring of the run as it was, the newest or the one with this id; with what people say of the run's cases
        now."""
        with self._reading() as connection:
            run_rows.read_run(connection, run_id)
            found = scoring_rows.read_result(connection, run_id, scoring)
            return msgspec.structs.replace(
                found,
                reviews=review_rows.case_reviews(connection, run_id),
                notes=note_rows.read_notes(connection, run_id),
            )

    def scorings(self, run_id: int) -> list[ScoringRow]:
        """Each time the run was scored, oldest first."""
        with self._reading() as connection:
            return scoring_rows.list_scorings(connection, run_id)

    # -- looking through a run, a page at a time -------------------------------------------------------------------

    def run_row(self, run_id: int) -> RunRow:
        """A run as it is in a list."""
        with self._reading() as connection:
            return run_rows.list_one(connection, run_id)

    def progress(self, run_id: int, shown: int = 5) -> Progress:
        """How far a run is, with its first failures."""
        with self._reading() as connection:
            return prediction_rows.read_progress(connection, run_id, shown)

    def case_page(
        self, run_id: int, scoring: int, query: CaseQuery, offset: int = 0, limit: int = 50
    ) -> tuple[int, list[Line]]:
        """(how many cases the query finds, the lines of one page of them)."""
        with self._reading() as connection:
            return case_pages.read_page(connection, run_id, scoring, query, offset, limit)

    def case_order(self, run_id: int, scoring: int, query: CaseQuery) -> list[int]:
        """The positions of all cases that the query finds, in its order."""
        with self._reading() as connection:
            return case_pages.read_order(connection, run_id, scoring, query)

    def tag_counts(self, scoring: int, metric: int | None = None) -> list[TagCount]:
        """Cases by their tags and states, with the sum of one metric, which is a position in the summary."""
        with self._reading() as connection:
            return case_pages.read_tags(connection, scoring, metric)

    def lines(self, scoring: int, case_ids: Sequence[str]) -> list[Line]:
        """The lines of these cases."""
        with self._reading() as connection:
            return case_pages.read_lines(connection, scoring, case_ids)

    def case_result(self, scoring: int, position: int) -> CaseResult | None:
        """One case of a scoring; None when there is none at this position."""
        with self._reading() as connection:
            return scoring_rows.read_case_result(connection, scoring, position)

    def case(self, run_id: int, case_id: str) -> bytes | None:
        """The JSON of one case; None when the run kept none of this id."""
        with self._reading() as connection:
            return run_rows.read_case(connection, run_id, case_id)

    def case_predictions(self, run_id: int, case_ids: Sequence[str]) -> list[Prediction]:
        """The latest attempts at the questions of these cases."""
        with self._reading() as connection:
            return prediction_rows.case_predictions(connection, run_id, case_ids)

    # -- reviews ---------------------------------------------------------------------------------------------------

    def add_review(self, run_id: int, case_id: str, verdict: str, *, reviewer: str = "", comment: str = "") -> int:
        """A person's verdict on a case of this run; its id. The rule's own stays as it is."""
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            return review_rows.insert_review(connection, run_id, case_id, verdict, reviewer, comment, _now())

    def undo_review(self, run_id: int, case_id: str) -> bool:
        """Take the verdict on a case back; whether there was one. It is kept as taken back."""
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            return review_rows.undo_review(connection, run_id, case_id, _now())

    def reviews(self, run_id: int, case_ids: Sequence[str] | None = None) -> list[Review]:
        """The verdicts that count, oldest first."""
        with self._reading() as connection:
            return review_rows.current_reviews(connection, run_id, case_ids)

    def review_history(self, run_id: int, case_id: str) -> list[Review]:
        """Every verdict on a case, newest first."""
        with self._reading() as connection:
            return review_rows.review_history(connection, run_id, case_id)

    def _lock(self, connection: Connection, run_id: int) -> None:
        run_rows.lock_run(connection, run_id)
        if (holder := self._held.get(run_id)) is not None:
            lease_rows.check_lease(connection, run_id, holder)

    # -- transactions ----------------------------------------------------------------------------------------------

    def _damage(self) -> UserError | None:
        from karat.store.database.damage import damage

        return damage(self._engine, self.shown)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        check_file(self._address, self._file)
        with explained(self._address, self._damage), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self.read_only:
            hint = "Make the file and its folder writable, or open it without read-only."
            raise UserError(f"the store {self.shown} is open read-only", hint=hint)
        check_file(self._address, self._file)
        with explained(self._address, self._damage), committing(self._writer, self.patience, self.shown) as connection:
            yield connection
        check_file(self._address, self._file)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
