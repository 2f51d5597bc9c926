"""Runs that never hold all of their cases: the same result as one that does, in bounded memory."""

from __future__ import annotations

import gc
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karat
from benchmarks.harness_karat import TRIVIAL, Answer, ask
from karat.core import plugins
from karat.core.bulk import cases as bulk_cases
from karat.core.bulk.cases import held_cases
from karat.core.bulk.sequence import CHUNK, HELD
from karat.core.problems import UserError
from karat.core.records import Case, Prediction, Turn, truth_hash
from karat.core.results.columns.columns import StoredCases
from karat.core.results.result import CaseResult, RunResult
from karat.core.suite import SuiteOptions
from karat.core.system import SystemConfig
from karat.runs import runner
from karat.runs.job import Job
from karat.runs.scores import run_scoring
from karat.store import open_store
from karat.systems.function import open_callable
from karat.verbs.inputs import streamed_inputs


def kinds_of_objects() -> list[type[Any]]:
    """The type of every object. Until they are let go again no other thread may run: Python cannot finish a tuple that
    a thread is building from an iterator while somebody else holds it, too."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    try:
        time.sleep(0.001)  # who waits for its turn already gets it now, and nobody asks for the next one
        return list(map(type, gc.get_objects()))
    finally:
        sys.setswitchinterval(usual)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three cases are many."""
    for module in (bulk_cases, run_scoring):
        monkeypatch.setattr(module, "HELD", 2)
    monkeypatch.setattr("karat.store.store.HELD", -1)


def _target(number: int) -> dict[str, Any]:
    values = [{"id": f"v{number % 3}", "name": "a name"}]
    return {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": values}]}]}


def _case_lines(count: int) -> list[str]:
    return [
        json.dumps(
            {
                "id": f"c{n}",
                "conversation": [{"role": "user", "content": f"question {n}", "target": _target(n)}],
                "tags": ["even" if n % 2 == 0 else "odd"],
            }
        )
        for n in range(count)
    ]


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(_case_lines(9)) + "\n")
    return file


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """In another order than the cases; one wrong, one missing, one for nobody."""
    lines = [json.dumps({"id": f"c{n}", **_target(1 if n == 3 else n)}) for n in range(8)]
    random.Random(3).shuffle(lines)
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join([*lines, json.dumps({"id": "stranger", **_target(0)})]))
    return file


def _figures(result: RunResult) -> Any:
    return list(result.cases), result.summary, result.run.truth_set, [problem.message for problem in result.problems]


def _right(request: dict[str, Any]) -> Any:
    return _target(int(request["id"][1:]))


def test_a_streamed_run_is_the_run_that_holds_its_cases(
    cases: Path, answers: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    def runs(name: str) -> list[RunResult]:
        store = f"sqlite:///{tmp_path / name}"
        return [
            karat.run(suite="data_query", cases=cases, system=_right, store=store, repeats=2),
            karat.run(suite="data_query", cases=cases, predictions=answers, store=store),
            karat.run(suite="data_query", cases=cases, predictions=answers, store=store, tags=["odd"], limit=3),
            karat.score(suite="data_query", cases=cases, predictions=answers),
            karat.score(suite="data_query", cases=cases, predictions=answers, case_ids=["c3", "c8"]),
        ]

    held = runs("held.db")
    request.getfixturevalue("few")
    streamed = runs("streamed.db")
    assert isinstance(streamed[0].cases, StoredCases) and isinstance(held[0].cases, tuple)

    def without_time(result: RunResult) -> Any:
        cases, summary, *rest = _figures(result)
        plain = [{k: v for k, v in case.scores.items() if k != "latency"} for case in cases]
        return [(c.id, c.status, c.details) for c in cases], plain, summary[:-1], rest

    assert [without_time(one) for one in streamed] == [without_time(one) for one in held]
    assert [len(one.cases) for one in streamed] == [9, 9, 3, 9, 2]
    assert streamed[1].metric("macro_recall").mean == 0.875 and streamed[1].status_counts() == {
        "scored": 8,
        "missing": 1,
    }
    assert "stranger" in str(streamed[1].problems) and "c0" not in str(streamed[2].problems)


def test_a_stopped_run_goes_on_without_asking_again(few: None, cases: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'karat.db'}"
    asked: list[str] = []

    def fails(request: dict[str, Any]) -> Any:
        asked.append(request["id"])
        if request["id"] in ("c4", "c7"):
            raise RuntimeError("not now")
        return _right(request)

    karat.run(suite="data_query", cases=cases, system=fails, store=store)

    def works(request: dict[str, Any]) -> Any:
        asked.append(request["id"])
        return _right(request)

    asked.clear()
    again = karat.run(resume="latest", system=works, store=store)
    assert asked == [] and again.status_counts() == {"scored": 7, "error": 2}
    done = karat.run(resume="latest", retry_errors=True, system=works, store=store)
    assert sorted(asked) == ["c4", "c7"] and done.status_counts() == {"scored": 9}
    assert [case.id for case in done.cases] == [f"c{n}" for n in range(9)]
    with open_store(store) as opened:
        assert len(opened.attempts(1, "c4")) == 2 and len(opened.attempts(1, "c0")) == 1
        rescored = run_scoring.rescore(opened, 1)
        assert (rescored.summary, list(rescored.cases)) == (done.summary, list(done.cases))


def test_a_run_that_was_killed_while_its_cases_were_stored_cannot_go_on(cases: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'karat.db'}"
    karat.run(suite="data_query", cases=cases, system=_right, store=store)
    with open_store(store) as opened:
        record = opened.run(1)
        short = opened.create_run(record)
        opened.add_cases(short, [("c0", _case_lines(1)[0].encode())])
        with pytest.raises(UserError, match="has only 1 of its 9 cases") as raised:
            runner.resume(opened, short)
    assert "start it again" in raised.value.hint


def test_problems_are_kept_up_to_a_bound_and_counted(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamed_inputs, "MOST_PROBLEMS", 3)
    lines = _case_lines(4)
    cases.write_text("\n".join([lines[0], "{broken", lines[0], '{"id": "x"}', *lines[1:], "[]", "{", "{"]))
    found = streamed_inputs.gather_cases(plugins.load_suite("data_query"), cases)
    assert [case.id for case in found.cases] == ["c0", "c1", "c2", "c3"]
    assert [problem.line for problem in found.problems] == [2, 3, 4, 0]
    assert found.problems[1].message == f'the case id "c0" appears twice: also in {cases}:1'
    assert found.problems[-1].message.startswith("3 more problems") and found.problems[-1].severity == "error"


def test_a_recording_of_which_nothing_fits_is_reported_even_where_cases_were_left_out(
    few: None, cases: Path, answers: Path, tmp_path: Path
) -> None:
    store = f"sqlite:///{tmp_path / 'karat.db'}"
    answers.write_text("\n".join(json.dumps({"id": f"c{n}", **_target(n)}) for n in (0, 2, 4)))
    result = karat.run(suite="data_query", cases=cases, predictions=answers, store=store, tags=["odd"])
    assert [p.message for p in result.problems] == ["3 predictions for unknown cases: c0, c2, c4"]


COUNT = 4 * CHUNK


def _made() -> Iterator[Case[Answer]]:
    for n in range(COUNT):
        yield Case(f"c{n}", (Turn("user", f"What is 2 + 2? ({n})", Answer("4")),))


def test_a_large_run_holds_a_few_chunks_of_its_cases_answers_and_results(tmp_path: Path) -> None:
    most: dict[type[Any], int] = {}

    def count() -> dict[type[Any], int]:
        kinds = kinds_of_objects()
        return {kind: kinds.count(kind) for kind in (Case, Prediction, CaseResult)}

    gc.collect()
    before = count()  # what other tests hold

    def look() -> None:
        for kind, number in count().items():
            most[kind] = max(most.get(kind, 0), number - before[kind])

    calls = 0

    async def answer(request: dict[str, Any]) -> Any:
        nonlocal calls
        calls += 1
        if not calls % CHUNK:
            look()
        return await ask(request)

    job = Job(
        suite=TRIVIAL,
        cases=held_cases(_made(), Answer),
        options=SuiteOptions(),
        config=SystemConfig(type="function", concurrency=16),
        system="function",
        opened=open_callable(answer),
    )
    assert len(job.cases) == COUNT > HELD
    assert truth_hash(job.cases) == truth_hash(list(_made())[::-1])
    with open_store(f"sqlite:///{tmp_path / 'karat.db'}") as store:
        result = runner.start(store, job)
        for place, _ in enumerate(result.cases):
            if not place % CHUNK:
                look()
        assert store.case_ids(1) == [f"c{n}" for n in range(COUNT)]
        assert len(store.answered(1)) == COUNT and not any(store.answered(1).values())
    same = result.metric("same")
    assert (same.mean, same.n, len(result.cases), calls) == (1.0, COUNT, COUNT, COUNT)
    assert most[Case] <= HELD + CHUNK // 10
    assert most[Prediction] <= 3 * CHUNK
    assert most[CaseResult] <= HELD + CHUNK // 10
