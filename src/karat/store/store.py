"""The open store. Each method is one transaction; what it wrote is on the disk when it returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from sqlalchemy import Connection, Engine

from karat.core.bulk.sequence import in_chunks
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.core.results.columns.columns import Columns
from karat.core.results.failures.failure_columns import FailureColumns, make_failures
from karat.core.results.result import CaseResult, CaseReview, MetricSummary, RunInfo, RunResult
from karat.core.results.verdicts import settled
from karat.store import notes as note_rows
from karat.store import runs as run_rows
from karat.store.blocks.block import ROWS
from karat.store.cases import cases as case_blocks
from karat.store.cases.case_list import CaseLists
from karat.store.database.address import Address
from karat.store.database.retrying import Patience, retrying
from karat.store.database.sqlite import give_back_pages
from karat.store.database.transactions import Transactions
from karat.store.leases import lease_parts
from karat.store.leases import leases as lease_rows
from karat.store.leases.lease_holder import Holder
from karat.store.leases.leases import WHOLE_RUN, Lease
from karat.store.live import drop_live
from karat.store.predictions import predictions as prediction_rows
from karat.store.predictions.answer_index import AnswerIndexes, Question
from karat.store.records import Progress, RunRecord, RunRow, ScoringRow, Status, parse_run
from karat.store.scorings import results as result_blocks
from karat.store.scorings import scorings as scoring_rows
from karat.store.scorings.stored_results import StoredResults, all_from
from karat.store.timestamps import now
from karat.store.verdicts import reviews as review_rows
from karat.store.verdicts.reviews import Review

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
        self._address = address
        self._transactions = Transactions(engine, address, self.patience, read_only=read_only)
        self._reading, self._writing = self._transactions.reading, self._transactions.writing
        self._writer = self._transactions.writer
        self._held: dict[int, tuple[Holder, set[int]]] = {}
        """The runs that are held through this store, by whom and which parts. Answers and scores of these are written
        only while that lasts."""
        self._waiting = prediction_rows.WaitingAnswers()
        self._indexes = AnswerIndexes()
        self._lists = CaseLists()
        self._results = StoredResults(self._reading, self._lists)

    def __repr__(self) -> str:
        return f"Store({self._address.shown!r})"

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    @property
    def shown(self) -> str:
        """Where the store is, without user name and password."""
        return self._address.shown

    def close(self) -> None:
        """Give back the connections."""
        self._transactions.close()

    # -- runs ------------------------------------------------------------------------------------------------------

    def create_run(self, record: RunRecord, holder: Holder | None = None) -> int:
        """A new run, held from its first moment where a holder is given; its id."""
        with self._writing() as connection:
            run_id = run_rows.insert_run(connection, record, now())
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
            if holder is not None:
                lease_parts.take_or_let_go(connection, run_id, holder, status)
            run_rows.update_status(connection, run_id, status, now())
            if status != "running":
                self._waiting.move(connection, run_id)
            if status == "finished":
                drop_live(connection, run_id)
        if holder is not None and status == "running":
            self._held[run_id] = (holder, {WHOLE_RUN})
        elif holder is not None:
            self._held.pop(run_id, None)
        if status != "running":
            self._give_back_pages()

    def renew_lease(self, run_id: int, holder: Holder) -> bool:
        """A heartbeat of the process that holds a run or parts of it; False when nothing is held any more."""
        with self._writing() as connection:
            return lease_rows.renew_lease(connection, run_id, holder)

    def lease(self, run_id: int) -> Lease | None:
        """Who holds a run; None when nobody does."""
        with self._reading() as connection:
            return lease_rows.read_lease(connection, run_id)

    @property
    def can_share(self) -> bool:
        """Whether several processes may work on one run. A file has one writer at a time, and no clock of its own."""
        return self._engine.dialect.name == "postgresql"

    def leads(self, run_id: int) -> bool:
        """Whether the run as a whole was taken through this store, and not let go."""
        return WHOLE_RUN in self._held.get(run_id, (None, ()))[1]

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

    def add_notes(self, run_id: int, notes: JsonMapping, *, replace: bool = False) -> None:
        """Keep what belongs to the run as a whole: name → JSON value. A name that the run has already keeps its value,
        unless ``replace``."""
        with self._writing() as connection:
            self._lock(connection, run_id)
            if notes:
                note_rows.insert_notes(connection, run_id, notes, now(), replace=replace)

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

        return in_chunks(all_from(read), size)

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
            prediction_rows.insert_predictions(connection, run_id, items, now())
            self._waiting.add(connection, run_id, items)

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
            return scoring_rows.begin_scoring(connection, run_id, info, now())

    def add_results(self, scoring: int, results: Sequence[CaseResult]) -> None:
        """Results of cases, which follow those that were added before."""
        with self._writing() as connection:
            self._lock(connection, scoring_rows.run_of(connection, scoring))
            info = scoring_rows.continue_scoring(connection, scoring, now())
            result_blocks.append_results(connection, scoring, info.suite, results)

    def finish_scoring(
        self, scoring: int, info: RunInfo, summary: Sequence[MetricSummary], holder: Holder | None = None
    ) -> None:
        """Make the scoring visible, with its figures. A holder finishes the run with it, in the same transaction: a run
        that is scored and not finished would be scored again by the process that resumes it."""
        with self._writing() as connection:
            run_id = scoring_rows.run_of(connection, scoring)
            self._lock(connection, run_id)
            scoring_rows.finish_scoring(connection, scoring, info, summary, now())
            if holder is not None:
                lease_parts.let_go(connection, run_id, holder, "finished")
                run_rows.update_status(connection, run_id, "finished", now())
                drop_live(connection, run_id)
            self._waiting.move(connection, run_id)
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
            cases: Sequence[CaseResult] = self._results.cases(own, info.suite, count)
            if count <= HELD:
                cases = tuple(all_from(partial(result_blocks.results_from, connection, own)))
            reviews, notes = review_rows.case_reviews(connection, run_id), note_rows.read_notes(connection, run_id)
            return RunResult(run=info, summary=summary, cases=cases, reviews=reviews, notes=notes)

    def columns(self, scoring: int) -> Columns:
        """The figures of all cases of a scoring, as arrays; without tags and groups."""
        with self._reading() as connection:
            return self._results.columns(connection, scoring)

    def failures(self, scoring: int, suite: str) -> FailureColumns:
        """What is wrong with each case of a scoring, as columns; see ``core.results.failures.failure_groups``."""
        found = self._results.failures(scoring)
        if found is not None:
            return found
        return make_failures(suite, all_from(partial(self._results.results_from, scoring)))

    def scorings(self, run_id: int) -> list[ScoringRow]:
        """Each time the run was scored, oldest first."""
        with self._reading() as connection:
            return scoring_rows.list_scorings(connection, run_id)

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
        ``adjudication`` and ``seen``: see ``reviews.insert_review``."""
        given = CaseReview(case_id, verdict, reviewer, comment, "", adjudication)
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            return review_rows.insert_review(connection, run_id, given, now(), blind=blind, seen=seen)

    def undo_review(self, run_id: int, case_id: str, reviewer: str | None = None, *, seen: int | None = None) -> bool:
        """Take a person's verdict on a case back, or everybody's; whether there was one. It is kept as taken back."""
        with self._writing() as connection:
            run_rows.lock_run(connection, run_id)
            return review_rows.undo_review(connection, run_id, case_id, now(), reviewer, seen)

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

    def _give_back_pages(self) -> None:
        if self._engine.dialect.name == "sqlite":
            give_back_pages(self._engine)
