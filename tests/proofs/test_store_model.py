"""Several processes on one store, in any order: run, resume, score, delete, die, and be thought dead. A plain model
says what must be there.

A process that dies is played by an error at one of its writes that nothing catches and after which it writes nothing
more. It holds its run until the lease is over, which is a matter of the clock; the clock is set by the test.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, precondition, rule
from sqlalchemy import Connection, event

from karat.core.problems import UserError
from karat.core.results.result import RunResult
from karat.runs import runner
from karat.runs.scores import run_scoring
from karat.store import Store, open_store, parse_run
from karat.store.leases import leases as lease_module
from karat.store.leases.leases import EXPIRES
from karat.systems.function import open_callable
from karat.verbs.run import plan_run
from karat.verbs.store import check_store
from tests.proofs.small_runs import small_run

EVERY = os.environ.get("KARAT_PROOFS") == "1"
SMALL = small_run("data_query")


class Died(BaseException):
    """The process is gone."""


class Clock:
    """The time that leases go by."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def time(self) -> float:
        return self.now


class Process:
    """One process with its own connections to the store. It may die at a write."""

    def __init__(self, path: Path) -> None:
        self.store = open_store(str(path))
        self.left = -1
        self.dead = False
        event.listen(self.store._engine, "before_cursor_execute", self._statement)
        event.listen(self.store._engine, "commit", lambda _: self._moment())

    def _statement(self, _connection: Connection, _cursor: Any, words: str, *_: Any) -> None:
        if words.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE")):
            self._moment()

    def _moment(self) -> None:
        if self.dead:
            raise Died
        if self.left >= 0:
            self.left -= 1
            self.dead = self.left < 0
            if self.dead:
                raise Died

    @contextmanager
    def may_die(self, after: int) -> Iterator[None]:
        """Die at this write; never, where it is negative."""
        self.left = after
        try:
            yield
        finally:
            self.left = -1


class Expected:
    """What the model knows of a run."""

    def __init__(self, repeats: int) -> None:
        self.repeats = repeats
        self.held = False
        self.finished = False
        self.scorings = 0
        self.asked: Counter[str] = Counter()


class StoreModel(RuleBasedStateMachine):
    """The rules are what people and processes do."""

    runs = Bundle("runs")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="karat-model-"))
        self.path = self.folder / "karat.db"
        self.clock = Clock()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(lease_module, "time", self.clock)
        self.processes = [Process(self.path) for _ in range(2)]
        self.model: dict[int, Expected] = {}
        self.used = 0
        self.store: Store = open_store(str(self.path))

    def teardown(self) -> None:
        for store in (self.store, *(process.store for process in self.processes)):
            store.close()
        self.patch.undo()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _process(self, which: int) -> Process:
        if self.processes[which].dead:
            self.processes[which].store._engine.dispose()
            self.processes[which] = Process(self.path)
        return self.processes[which]

    def _system(self, asked: Counter[str]) -> Any:
        def ask(request: dict[str, Any]) -> Any:
            asked[f"{request['id']} {request['repeat']}"] += 1
            return SMALL.answer(request)

        return ask

    @rule(target=runs, which=st.integers(0, 1), repeats=st.integers(1, 2), dies=st.integers(-1, 24))
    def start(self, which: int, repeats: int, dies: int) -> int:
        process, expected = self._process(which), Expected(repeats)
        given = SMALL.given
        system = self._system(expected.asked)
        job = plan_run(given["suite"], given["cases"], system, repeats=repeats)
        try:
            with process.may_die(dies):
                self._finished(expected, runner.start(process.store, job))
        except Died:
            pass
        there = [row.id for row in self.store.runs()]
        number = self.used + 1
        if number in there:
            self.used = number
            self.model[number] = expected
            self._look_at_lease(number, expected)
            self._count_scorings(number, expected)
        return number

    @rule(number=runs, which=st.integers(0, 1), dies=st.integers(-1, 12))
    def resume(self, number: int, which: int, dies: int) -> None:
        process, expected = self._process(which), self.model.get(number)
        system = open_callable(self._system(expected.asked if expected else Counter()))
        try:
            with process.may_die(dies):
                result = runner.resume(process.store, number, system=system)
        except Died:
            if expected is not None:
                self._look_at_lease(number, expected)
                self._count_scorings(number, expected)
        except UserError as error:
            words = error.message
            if expected is None:
                assert "there is no run" in words
            elif not self.store.cases(number):
                assert self._without_cases(number) in words, words
            else:
                assert expected.held and "is working on it" in words, words
        else:
            assert expected is not None and not expected.held, "a run that is held was taken"
            self._finished(expected, result)
            self._count_scorings(number, expected)

    @rule(number=runs, which=st.integers(0, 1), dies=st.integers(-1, 4))
    def score(self, number: int, which: int, dies: int) -> None:
        process, expected = self._process(which), self.model.get(number)
        before = len(self.store.scorings(number)) if expected else 0
        try:
            with process.may_die(dies):
                run_scoring.rescore(process.store, number)
        except Died:
            assert expected is None or len(self.store.scorings(number)) in (before, before + 1)
        except UserError as error:
            known = self._without_cases(number) if expected else "there is no run"
            assert known in error.message or "was lost" in error.message, error.message
            return
        if expected is not None:
            self._count_scorings(number, expected)

    @rule(number=consumes(runs), which=st.integers(0, 1))
    def delete(self, number: int, which: int) -> None:
        process, expected = self._process(which), self.model.get(number)
        try:
            process.store.delete_run(number)
        except UserError as error:
            assert "is working on it" in error.message if expected and expected.held else expected is None, (
                error.message
            )
        else:
            assert expected is not None and not expected.held
            del self.model[number]

    @precondition(lambda self: any(one.held for one in self.model.values()))
    @rule(seconds=st.sampled_from([EXPIRES / 2, EXPIRES + 1]))
    def time_passes(self, seconds: float) -> None:
        self.clock.now += seconds
        for number, expected in self.model.items():
            self._look_at_lease(number, expected)

    @invariant()
    def what_is_stored_is_what_was_answered(self) -> None:
        assert sorted(row.id for row in self.store.runs()) == sorted(self.model)
        for number, expected in self.model.items():
            stored = Counter(f"{one.case_id} {one.repeat}" for one in self.store.predictions(number))
            assert set(stored.values()) <= {1} and set(stored) <= set(expected.asked)
            tries = [len(self.store.attempts(number, *_question(name))) for name in stored]
            assert set(tries) <= {1}, "an answer is stored twice"
            status = self.store.run(number).status
            assert (status == "running") == (expected.held and not expected.finished), status
            if expected.finished:
                assert len(stored) == expected.repeats * len(SMALL.case_ids) and status == "finished"
                assert expected.scorings >= 1
            assert len(self.store.scorings(number)) == expected.scorings

    @invariant()
    def the_store_is_sound(self) -> None:
        checked = check_store(self.path)
        assert checked.sound, [one.text for one in checked.findings]

    def _finished(self, expected: Expected, result: RunResult) -> None:
        assert result.status_counts() == {"scored": 4, "error": 1} and parse_run(result.run.id)
        expected.finished, expected.held = True, False

    def _without_cases(self, number: int) -> str:
        """What is said of a run that has no cases: as long as somebody holds it, they may still come."""
        lease = self.store.lease(number)
        return "is only being started" if lease is not None and not lease.over else "has no stored cases"

    def _look_at_lease(self, number: int, expected: Expected) -> None:
        """A process lets go of its run when it has finished it, and only then."""
        lease = self.store.lease(number)
        expected.held = lease is not None and not lease.over
        expected.finished = lease is None

    def _count_scorings(self, number: int, expected: Expected) -> None:
        there = len(self.store.scorings(number))
        assert there >= expected.scorings, "a scoring is lost"
        expected.scorings = there


def _question(name: str) -> tuple[str, int, int]:
    case_id, _, repeat = name.partition(" ")
    return case_id, 0, int(repeat)


TestStoreModel = seed(20261116)(StoreModel).TestCase
TestStoreModel.settings = settings(
    max_examples=300 if EVERY else 4,
    stateful_step_count=25 if EVERY else 8,
    phases=(Phase.generate, Phase.shrink) if EVERY else (Phase.generate,),
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
