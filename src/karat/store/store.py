"""The open store. Each method is one transaction; what it wrote is on the disk when it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import TypeVar

import msgspec
from sqlalchemy import Connection, Engine

from karat.core.bulk.sequence import in_chunks
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.core.results.columns import Columns
from karat.core.results.failure_columns import FailureColumns, make_failures
from karat.core.results.result import CaseResult, CaseReview, MetricSummary, RunInfo, RunResult
from karat.core.results.verdicts import settled
from karat.core.results.word_lists import PackedBlock
from karat.store import cases as case_blocks
from karat.store import lease_parts
from karat.store import leases as lease_rows
from karat.store import notes as note_rows
from karat.store import predictions as prediction_rows
from karat.store import results as result_blocks
from karat.store import reviews as review_rows
from karat.store import runs as run_rows
from karat.store import scorings as scoring_rows
from karat.store.answer_index import AnswerIndexes, Question
from karat.store.blocks import BYTES, ROWS
from karat.store.case_list import CaseLists
from karat.store.database.address import Address
from karat.store.database.commits import committing
from karat.store.database.failures import explained
from karat.store.database.file_identity import check_file, file_of
from karat.store.database.retrying import Patience, retrying
from karat.store.database.sqlite import give_back_pages
from karat.store.failure_blocks import read_failure_block, read_failures
from karat.store.lease_holder import Holder
from karat.store.lease_parts import Claim
from karat.store.leases import WHOLE_RUN, Lease
from karat.store.live import drop_live
from karat.store.records import Progress, RunRecord, RunRow, ScoringRow, Status, parse_run
from karat.store.reviews import Review
from karat.store.scored_cases import ScoredCases

T = TypeVar("T")
HELD = ROWS
"""Cases up to which a result holds them all."""


@retrying("close", "renew_lease")  # a heartbeat comes again anyway
class Store:
    """Runs, their predictions and their scores. Made by :func:`karat.store.open_store`; threads may share it."""

    def __init__(self, engine: Engine, address: Address, *, read_only: bool = False) -> None:
        self.read_only = read_only
        self.patience = Patience()
        """How long to wait for a store that cannot be reached; not at all, unless somebody sets it."""
        self._engine = engine
        self._writer = engine.execution_options(writes=True)
        # A reader sees one state of the store, as it does in a file: rows that move into blocks are seen once.
        postgres = engine.dialect.name == "postgresql"
        self._reader = engine.execution_options(isolation_level="REPEATABLE READ") if postgres else engine
        self._closed = False
        self._address = address
        self._file = file_of(address)
        self._held: dict[int, tuple[Holder, set[int]]] = {}
        """The runs that are held through this store, by whom and which parts. Answers and scores of these are written
        only while that lasts."""
        self._waiting: dict[int, tuple[int, int]] = {}
        """How many answers of a run are rows still, and about how many bytes they have."""
        self._indexes = AnswerIndexes()
        self._lists = CaseLists()

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
        self._closed = True
        self._engine.dispose()

    # -- runs ------------------------------------------------------------------------------------------------------

    def create_run(self, record: RunRecord, holder: Holder | None = None) -> int:
        """A new run, held from its first moment where a holder is given; its id."""
        with self._writing() as connection:
            run_id = run_rows.insert_run(connection, record, _now())
            if holder is not None:
                lease_rows.take_lease(connection, run_id, holder)
        if holder is not None:
            self._held[run_id] = (holder, {WHOLE_RUN})
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
                if not lease_parts.others_at_work(connection, run_id, holder):
                    lease_parts.forget_done(connection, run_id)
            elif holder is not None:
                lease_parts.let_go(connection, run_id, holder, status)
            run_rows.update_status(connection, run_id, status, _now())
            if status != "running":
                self._move(connection, run_id)
            if status == "finished":
                drop_live(connection, run_id)
        if holder is not None and status == "running":
            self._held[run_id] = (holder, {WHOLE_RUN})
        elif holder is not None:
            self._held.pop(run_id, None)
        if status != "running":
            self._give_back_pages()

    def renew_lease(self, run_id: int, holder: Holder) -> bool:
        """A sign of life of one who holds a run or parts of it; False when nothing is held any more."""
        with self._writing() as connection:
            return lease_rows.renew_lease(connection, run_id, holder)

    def lease(self, run_id: int) -> Lease | None:
        """Who holds a run; None when nobody does."""
        with self._reading() as connection:
            return lease_rows.read_lease(connection, run_id)

    # -- runs that several processes share -------------------------------------------------------------------------

    @property
    def can_share(self) -> bool:
        """Whether several processes may work on one run. A file has one writer at a time, and no clock of its own."""
        return self._engine.dialect.name == "postgresql"

    def join(self, run_id: int, holder: Holder) -> None:
        """Take part in a run: what is written from now on is written only while all parts that are claimed are held."""
        self._held[run_id] = (holder, set())

    def lead(self, run_id: int, holder: Holder) -> bool:
        """Take the run as a whole, if it is not finished and nobody else has it. True if it is held now."""
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            taken = lease_parts.lead(connection, run_id, holder)
            if taken:
                run_rows.update_status(connection, run_id, "running", _now())
        if taken:
            self._held[run_id][1].add(WHOLE_RUN)
        return taken

    def leads(self, run_id: int) -> bool:
        """Whether the run as a whole was taken through this store, and not let go."""
        return WHOLE_RUN in self._held.get(run_id, (None, ()))[1]

    def leave(self, run_id: int, holder: Holder) -> None:
        """Let go of all parts that are not done; others may claim them."""
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            lease_rows.release_lease(connection, run_id, holder)
        self._held.pop(run_id, None)

    def claim_part(self, run_id: int, holder: Holder, parts: int) -> Claim | None:
        """Hold the next part of a run that nobody works on; None when there is none at the moment."""
        with self._writing() as connection:
            self._lock(connection, run_id)
            claim = lease_parts.claim_part(connection, run_id, holder, parts)
        if claim is not None:
            self._held[run_id][1].add(claim.part)
        return claim

    def finish_parts(self, run_id: int, holder: Holder, parts: Sequence[int]) -> None:
        """All answers of these parts are stored."""
        self._held[run_id][1].difference_update(parts)  # first: other threads write meanwhile, and look at what is held
        with self._writing() as connection:
            self._lock(connection, run_id)
            lease_parts.finish_parts(connection, run_id, holder, parts)

    def parts_left(self, run_id: int, parts: int) -> bool:
        """Whether some of a run's parts are not done."""
        with self._reading() as connection:
            return lease_parts.parts_left(connection, run_id, parts)

    def others_at_work(self, run_id: int, holder: Holder) -> bool:
        """Whether another live process holds a part of the run."""
        with self._reading() as connection:
            return lease_parts.others_at_work(connection, run_id, holder)

    def tag_run(self, run_id: int, added: Sequence[str] = (), removed: Sequence[str] = ()) -> tuple[str, ...]:
        """Give a run tags and take some away; the tags that it then has."""
        with self._writing() as connection:
            return run_rows.update_tags(connection, run_id, added, removed)

    def delete_run(self, run_id: int) -> None:
        """Remove a run with its cases, predictions, scores and notes. Its number is not used again. A run that is held
        is not removed."""
        with self._writing() as connection:
            run_rows.remove_run(connection, run_id)
        self._give_back_pages()

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

    def add_cases(self, run_id: int, items: Iterable[tuple[str, bytes]]) -> None:
        """(id, JSON) of each case, as it was when the run began. They follow those that were added before."""
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            case_blocks.append_cases(connection, run_id, items)

    def cases(self, run_id: int) -> list[bytes]:
        """The JSON of each case, in the order in which they were added."""
        with self._reading() as connection:
            return list(case_blocks.read_cases(connection, run_id))

    def case_chunks(self, run_id: int, size: int = ROWS) -> Iterator[list[bytes]]:
        """The same, ``size`` of them at a time."""

        def read(begin: int) -> Sequence[bytes]:
            with self._reading() as connection:
                return case_blocks.cases_from(connection, run_id, begin)

        return in_chunks(_all_from(read), size)

    def case_ids(self, run_id: int) -> list[str]:
        """The ids of the cases, in the order in which they were added."""
        with self._reading() as connection:
            return case_blocks.read_ids(connection, run_id)

    def case(self, run_id: int, case_id: str) -> bytes | None:
        """The JSON of one case; None when the run kept none of this id."""
        with self._reading() as connection:
            return case_blocks.read_case(connection, run_id, case_id)

    def add_predictions(self, run_id: int, items: Sequence[Prediction]) -> None:
        """Keep them all, or none when it fails. An answer to a question that has one already is a further attempt."""
        with self._writing() as connection:
            self._lock(connection, run_id)
            if not items:
                return
            prediction_rows.insert_predictions(connection, run_id, items, _now())
            rows, size = self._waiting.get(run_id) or (prediction_rows.count_rows(connection, run_id) - len(items), 0)
            rows, size = rows + len(items), size + sum(len(item.response) for item in items)
            if rows >= 2 * ROWS or size >= 2 * BYTES:
                rows, size = prediction_rows.move_into_blocks(connection, run_id, whole=size >= 2 * BYTES), 0
            self._waiting[run_id] = rows, size

    def predictions(self, run_id: int) -> list[Prediction]:
        """The latest attempt for each case, turn and repeat, in the order in which they arrived."""
        with self._reading() as connection:
            return prediction_rows.latest_predictions(connection, run_id)

    def attempts(self, run_id: int, case_id: str, turn: int | None = 0, repeat: int = 0) -> list[Prediction]:
        """Every attempt at one question, oldest first."""
        with self._reading() as connection:
            index = self._indexes.by_case(connection, run_id)
            return prediction_rows.all_attempts(connection, index, run_id, case_id, turn, repeat)

    def case_predictions(self, run_id: int, case_ids: Sequence[str]) -> list[Prediction]:
        """The latest attempts at the questions of these cases."""
        with self._reading() as connection:
            index = self._indexes.by_case(connection, run_id)
            return prediction_rows.case_predictions(connection, index, run_id, case_ids)

    def answered(self, run_id: int) -> Mapping[Question, bool]:
        """(case, turn, repeat) of every question that has an answer → whether the latest attempt failed. Answers are
        not read."""
        with self._reading() as connection:
            return prediction_rows.read_answered(connection, run_id)

    def progress(self, run_id: int, shown: int = 5) -> Progress:
        """How far a run is, with its first failures."""
        with self._reading() as connection:
            index = self._indexes.by_question(connection, run_id)
            return prediction_rows.read_progress(connection, index, run_id, shown)

    # -- scores ----------------------------------------------------------------------------------------------------

    def begin_scoring(self, run_id: int, info: RunInfo) -> int:
        """A further scoring of the run, which nobody sees before it is finished; its id. Earlier ones stay. What a
        process left behind that was killed while it scored is removed."""
        with self._writing() as connection:
            self._lock(connection, run_id)
            return scoring_rows.begin_scoring(connection, run_id, info, _now())

    def add_results(self, scoring: int, results: Sequence[CaseResult]) -> None:
        """Results of cases, which follow those that were added before."""
        with self._writing() as connection:
            self._lock(connection, scoring_rows.run_of(connection, scoring))
            info = scoring_rows.continue_scoring(connection, scoring, _now())
            result_blocks.append_results(connection, scoring, info.suite, results)

    def finish_scoring(
        self, scoring: int, info: RunInfo, summary: Sequence[MetricSummary], holder: Holder | None = None
    ) -> None:
        """Make the scoring visible, with its figures. A holder finishes the run with it, in the same transaction: a run
        that is scored and not finished would be scored again by the one who goes on with it."""
        with self._writing() as connection:
            run_id = scoring_rows.run_of(connection, scoring)
            self._lock(connection, run_id)
            scoring_rows.finish_scoring(connection, scoring, info, summary, _now())
            if holder is not None:
                lease_parts.let_go(connection, run_id, holder, "finished")
                run_rows.update_status(connection, run_id, "finished", _now())
            self._move(connection, run_id)
        if holder is not None:
            self._held.pop(run_id, None)
            self._give_back_pages()

    def drop_scoring(self, scoring: int) -> None:
        """Remove a scoring that was not finished."""
        with self._writing() as connection:
            scoring_rows.drop_scoring(connection, scoring)

    def add_scoring(self, run_id: int, result: RunResult) -> int:
        """A further scoring of the run; its id. Earlier ones stay. Reviews that the result may hold are not written."""
        scoring = self.begin_scoring(run_id, result.run)
        try:
            for chunk in in_chunks(result.cases, ROWS):
                self.add_results(scoring, chunk)
            self.finish_scoring(scoring, result.run, result.summary)
        except BaseException:
            with suppress(Exception):  # else the next one to score removes it
                self.drop_scoring(scoring)
            raise
        return scoring

    def result(self, run_id: int, scoring: int | None = None) -> RunResult:
        """A scoring of the run as it was, the newest or the one with this id; with what people say of the run's cases
        now. Cases past a block are read when they are asked for."""
        with self._reading() as connection:
            run_rows.read_run(connection, run_id)
            own, info, summary = scoring_rows.read_scoring(connection, run_id, scoring)
            count = result_blocks.count_results(connection, own)
            cases: Sequence[CaseResult] = ScoredCases(
                info.suite,
                count,
                partial(self._results_from, own),
                partial(self._results_at, own),
                partial(self._words_and_columns, own),
                partial(self._failures, own),
            )
            if count <= HELD:
                cases = tuple(_all_from(partial(result_blocks.results_from, connection, own)))
            reviews = review_rows.case_reviews(connection, run_id)
            notes = note_rows.read_notes(connection, run_id)
            return RunResult(run=info, summary=summary, cases=cases, reviews=reviews, notes=notes)

    def result_chunks(self, scoring: int, size: int = ROWS) -> Iterator[tuple[CaseResult, ...]]:
        """The results of a scoring in their order, ``size`` of them at a time."""
        return map(tuple, in_chunks(_all_from(partial(self._results_from, scoring)), size))

    def columns(self, scoring: int) -> Columns:
        """The figures of all cases of a scoring, as arrays; without tags and groups."""
        with self._reading() as connection:
            held = self._lists.held(scoring)
            return held.columns if held is not None else result_blocks.read_columns(connection, scoring)

    def failures(self, scoring: int, suite: str) -> FailureColumns:
        """What is wrong with each case of a scoring, as columns; see ``core.results.failure_groups``."""
        found = self._failures(scoring)
        return found if found is not None else make_failures(suite, _all_from(partial(self._results_from, scoring)))

    def scorings(self, run_id: int) -> list[ScoringRow]:
        """Each time the run was scored, oldest first."""
        with self._reading() as connection:
            return scoring_rows.list_scorings(connection, run_id)

    def _results_at(self, scoring: int, positions: Sequence[int]) -> list[CaseResult]:
        with self._reading() as connection:
            return result_blocks.read_results_at(connection, scoring, positions)

    def _words_and_columns(self, scoring: int) -> Columns | None:
        with self._reading() as connection:
            if not result_blocks.has_words(connection, scoring):
                return None
            held = self._lists.held(scoring)
            columns = held.columns if held is not None else result_blocks.read_columns(connection, scoring)
            return msgspec.structs.replace(columns, words=result_blocks.read_words(connection, scoring))

    def _failures(self, scoring: int) -> FailureColumns | None:
        def read(position: int) -> PackedBlock:
            with self._reading() as connection:
                return read_failure_block(connection, scoring, position)

        with self._reading() as connection:
            return read_failures(connection, scoring, result_blocks.count_results(connection, scoring), read)

    def _results_from(self, scoring: int, begin: int) -> Sequence[CaseResult]:
        with self._reading() as connection:
            return result_blocks.results_from(connection, scoring, begin)

    # -- looking through a run, a page at a time -------------------------------------------------------------------

    def run_row(self, run_id: int) -> RunRow:
        """A run as it is in a list."""
        with self._reading() as connection:
            return run_rows.list_one(connection, run_id)

    def case_result(self, scoring: int, position: int) -> CaseResult | None:
        """One case of a scoring; None when there is none at this position."""
        with self._reading() as connection:
            return result_blocks.read_result(connection, scoring, position)

    # -- reviews ---------------------------------------------------------------------------------------------------

    def add_review(
        self,
        run_id: int,
        case_id: str,
        verdict: str,
        *,
        reviewer: str = "",
        comment: str = "",
        adjudication: bool = False,
        blind: bool = False,
        seen: int | None = None,
    ) -> int:
        """A person's verdict on a case of this run; its id. The rule's own and other people's stay as they are.
        ``adjudication``: it settles the case for everybody. ``seen``: the newest verdict that the person knows of; a
        newer one of the same person, or a newer adjudication, is a :class:`StaleReview`."""
        given = CaseReview(case_id, verdict, reviewer, comment, "", adjudication)
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            return review_rows.insert_review(connection, run_id, given, _now(), blind=blind, seen=seen)

    def undo_review(self, run_id: int, case_id: str, reviewer: str | None = None, *, seen: int | None = None) -> bool:
        """Take a person's verdict on a case back, or everybody's; whether there was one. It is kept as taken back."""
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            return review_rows.undo_review(connection, run_id, case_id, _now(), reviewer, seen)

    def verdicts(self, run_id: int, case_ids: Sequence[str] | None = None) -> dict[str, CaseReview]:
        """Case → what people's verdicts come to; cases on which they disagree are not there."""
        with self._reading() as connection:
            return settled(review_rows.case_reviews(connection, run_id, case_ids))

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
        if (held := self._held.get(run_id)) is not None:
            lease_parts.check_parts(connection, run_id, held[0], frozenset(held[1]))

    def _move(self, connection: Connection, run_id: int) -> None:
        """The answers that are rows still into blocks: no more will come for a while."""
        prediction_rows.move_into_blocks(connection, run_id, whole=True)
        self._waiting.pop(run_id, None)

    def _give_back_pages(self) -> None:
        if self._engine.dialect.name == "sqlite":
            give_back_pages(self._engine)

    # -- transactions ----------------------------------------------------------------------------------------------

    def _damage(self) -> UserError | None:
        from karat.store.database.damage import damage

        return damage(self._engine, self.shown)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        check_file(self._address, self._file)
        with explained(self._address, self._damage):
            try:
                with self._reader.connect() as connection:
                    yield connection
            finally:
                if self._closed:  # a result that was not read to its end
                    self._engine.dispose()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self.read_only:
            hint = "Make the file and its folder writable, or open it without read-only."
            raise UserError(f"the store {self.shown} is open read-only", hint=hint)
        check_file(self._address, self._file)
        with explained(self._address, self._damage), committing(self._writer, self.patience, self.shown) as connection:
            yield connection
        check_file(self._address, self._file)


def _all_from(read: Callable[[int], Sequence[T]]) -> Iterator[T]:
    """Everything, from a function that gives what follows a position, and nothing at the end."""
    begin = 0
    while found := read(begin):
        yield from found
        begin += len(found)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
