"""A run while it goes on: cases are scored as their answers come, what was scored is in the store, and a wish to stop
is heard. The result at the end is the same as that of a run that is scored at the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.problems import UserError
from karat.core.results.live import LiveCase
from karat.core.results.result import CaseResult, RunResult
from karat.core.scores import Score
from karat.runs import live as live_module
from karat.runs.live import Live
from karat.runs.runner import Interrupted
from karat.runs.scores import live_scoring, scoring
from karat.runs.scores.kept_results import KeptResults
from karat.store import open_store
from karat.store.live import LiveRuns
from karat.store.upkeep.check import check_store
from tests.suites.data_query.building import case, target

A = target({"A": ["a"], "B": ["b"]})
CASES = [case(f"c{n:02}", A, tags=("even" if n % 2 == 0 else "odd",)) for n in range(30)]


def answer(*values: str) -> dict[str, Any]:
    dimensions = [{"dimension_name": v.upper(), "values": [{"id": v, "name": f"name of {v}"}]} for v in values]
    return {"indicator_selection": [{"dataset_id": "X:D", "dimensions": dimensions}]}


def ask(request: dict[str, Any]) -> Any:
    number = int(request["id"][1:])
    if number == 7:
        raise ValueError("cannot do it")
    return answer("a", "b") if number % 3 else answer("a")


def figures(result: RunResult) -> Any:
    """All that is the same for the same answers: without times."""
    cases = [
        (one.id, one.status, {k: v for k, v in one.scores.items() if k != "latency"}, one.details, one.error, one.tags)
        for one in result.cases
    ]
    return cases, [one for one in result.summary if one.metric != "latency"], [p.message for p in result.problems]


@pytest.fixture
def every_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is scored is in the store at once."""
    monkeypatch.setattr(live_module, "EVERY", 0.02)


def until(true: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.01)


class Gate:
    """A system that answers the first questions, and waits before the others until it is opened."""

    def __init__(self, free: int) -> None:
        self.open = threading.Event()
        self.asked: list[str] = []
        self._free = free

    def __call__(self, request: dict[str, Any]) -> Any:
        self.asked.append(request["id"])
        if len(self.asked) > self._free:
            self.open.wait(30)
        return ask(request)


@contextmanager
def running(store: Path, system: Gate, **more: Any) -> Iterator[threading.Thread]:
    """A run on a thread; its result or its error is an attribute of the thread."""

    def work() -> None:
        try:
            thread.result = karat.run("data_query", CASES, system, store=str(store), **more)  # type: ignore[attr-defined]  # set by the test
        except BaseException as error:
            thread.error = error  # type: ignore[attr-defined]  # set by the test

    thread = threading.Thread(target=work)
    thread.start()
    try:
        until(lambda: store.exists() and _runs(store) > 0)
        yield thread
    finally:
        system.open.set()
        thread.join(30)


def _runs(store: Path) -> int:
    try:
        with open_store(str(store)) as opened:
            return len(opened.runs())
    except UserError:
        return 0


@pytest.mark.parametrize("executor", [None, "threads"])
@pytest.mark.parametrize("repeats", [1, 3])
def test_scored_as_they_come_or_at_the_end_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: str | None, repeats: int
) -> None:
    heard: list[LiveCase] = []
    monkeypatch.setattr(Live, "_tell", _hearing(Live._tell, heard))
    pool = ThreadPoolExecutor(2) if executor else None
    settings: dict[str, Any] = {"repeats": repeats, "executor": pool}
    first = karat.run("data_query", CASES, ask, store=str(tmp_path / "a.db"), **settings)
    assert len(heard) == len(CASES)
    monkeypatch.setattr(Live, "score_as_they_come", lambda _self: None)
    second = karat.run("data_query", CASES, ask, store=str(tmp_path / "b.db"), order="file", **settings)
    assert figures(first) == figures(second)
    again = karat.load_run("r-0001", store=str(tmp_path / "a.db"))
    assert figures(again)[:2] == figures(first)[:2]
    with open_store(str(tmp_path / "a.db")) as opened:
        assert LiveRuns(opened).read(1) == ([], 0), "a finished run has its scoring instead"


def _hearing(tell: Any, heard: list[Any]) -> Any:
    def both(self: Any, found: Any) -> None:
        heard.extend(found)
        tell(self, found)

    return both


def test_no_case_is_scored_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[tuple[str, str]] = []
    original = scoring.score_case

    def counting(where: str) -> Any:
        def score(suite: Any, one: Any, *rest: Any) -> CaseResult:
            scored.append((one.id, where))
            return original(suite, one, *rest)

        return score

    monkeypatch.setattr(live_scoring, "score_case", counting("as it came"))
    monkeypatch.setattr(scoring, "score_case", counting("at the end"))
    karat.run("data_query", CASES, ask, store=str(tmp_path / "a.db"))
    assert sorted(scored) == [(one.id, "as it came") for one in CASES]


def test_a_long_run_keeps_its_results_as_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = karat.run("data_query", CASES, ask, store=str(tmp_path / "a.db"))
    for module in ("karat.core.bulk.cases", "karat.runs.scores.run_scoring", "karat.runs.scores.kept_results"):
        monkeypatch.setattr(f"{module}.HELD", 2)
    monkeypatch.setattr("karat.store.store.HELD", -1)
    second = karat.run("data_query", CASES, ask, store=str(tmp_path / "b.db"))
    assert figures(first) == figures(second)


def test_what_cannot_be_kept_as_bytes_is_scored_again() -> None:
    kept = KeptResults(5000)
    good = CaseResult("a", "scored", {"m": Score(0.1)}, {"x": [1, 2.5, None, "é"]}, tags=("t",))
    kept.add(3, good)
    kept.add(4, CaseResult("b", "error", {}, error="half a pair: \ud800"))
    assert (3 in kept, kept.get(3), 4 in kept, len(kept)) == (True, good, False, 1)


def test_a_failing_scorer_leaves_everything_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = karat.run("data_query", CASES, ask, store=str(tmp_path / "a.db"))

    def broken(*_: Any) -> CaseResult:
        raise RuntimeError("no memory left")

    monkeypatch.setattr(live_scoring, "score_case", broken)
    second = karat.run("data_query", CASES, ask, store=str(tmp_path / "b.db"))
    assert figures(first) == figures(second)


def test_calls_wait_when_too_many_cases_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_scoring, "MOST", 2)
    result = karat.run("data_query", CASES, ask, store=str(tmp_path / "a.db"))
    assert result.status_counts() == {"scored": 29, "error": 1}


@pytest.mark.usefixtures("every_moment")
def test_scored_cases_are_in_the_store_while_the_run_goes_on(tmp_path: Path) -> None:
    system = Gate(free=10)
    with running(tmp_path / "a.db", system) as thread, open_store(str(tmp_path / "a.db")) as opened:
        live = LiveRuns(opened)
        until(lambda: live.read(1)[1] >= 10)
        batches, end = live.read(1)
        lines = [line for batch in batches for line in batch.cases]
        assert len(lines) == end and thread.is_alive() and opened.run(1).status == "running"
        assert all(batch.at_random for batch in batches)
        assert {line.case_id for line in lines} == {CASES[line.place].id for line in lines} <= set(system.asked)
        wrong = [line for line in lines if line.outcome == "wrong"]
        assert all(line.failures and line.headline for line in wrong)
        assert live.read(1, end) == ([], end)
        assert not check_store(str(tmp_path / "a.db")).findings
    assert thread.result.status_counts() == {"scored": 29, "error": 1}  # type: ignore[attr-defined]  # set by the test


@pytest.mark.usefixtures("every_moment")
def test_a_run_stops_when_it_is_asked_to_and_goes_on_when_resumed(tmp_path: Path) -> None:
    system = Gate(free=10)
    store = tmp_path / "a.db"
    with running(store, system, grace=0.2) as thread, open_store(str(store)) as opened:
        live = LiveRuns(opened)
        until(lambda: live.read(1)[1] >= 5)
        live.ask_to_stop(1)
        live.ask_to_stop(1)  # twice is once
        until(lambda: not thread.is_alive())
        assert isinstance(thread.error, Interrupted)  # type: ignore[attr-defined]  # set by the test
        assert opened.run(1).status == "interrupted"
        seen, answered = live.read(1)[1], len(opened.answered(1))
        assert seen >= 5 and answered < len(CASES), "what was scored can still be seen"
        with pytest.raises(UserError, match="r-0001 is not running: it is interrupted"):
            live.ask_to_stop(1)
    before = len(system.asked)
    result = karat.run(resume="latest", system=ask, store=str(store))
    assert result.status_counts() == {"scored": 29, "error": 1}
    assert [one.id for one in result.cases] == [one.id for one in CASES]
    assert len(system.asked) == before
    whole = karat.run("data_query", CASES, ask, store=str(tmp_path / "b.db"))
    assert figures(result) == figures(whole)
    with open_store(str(store)) as opened:
        assert not LiveRuns(opened).stop_asked(1)


def test_a_store_that_takes_no_figures_does_not_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "EVERY", 0.001)

    def full(*_: Any) -> None:
        raise UserError("the disk is full")

    monkeypatch.setattr(LiveRuns, "add", full)
    result = karat.run("data_query", CASES, ask, store=str(tmp_path / "a.db"))
    assert result.status_counts() == {"scored": 29, "error": 1}


def test_recorded_answers_are_scored_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[bool] = []
    monkeypatch.setattr(Live, "score_as_they_come", lambda _self: begun.append(True))
    answers = [{"id": one.id, **answer("a", "b")} for one in CASES]
    karat.run("data_query", CASES, predictions=answers, store=str(tmp_path / "a.db"))
    assert begun == []
