"""The runner on a real store: calls, multi-turn history, resume, retries, faults."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.problems import UserError
from karat.core.records import Case, Turn
from karat.runs.calls.calling import turns_to_ask
from karat.store import open_store
from tests.slow_server import Assistant, serving
from tests.suites.data_query.building import case, target

A = target({"A": ["a"]})
RIGHT = {
    "indicator_selection": [
        {"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": [{"id": "a", "name": "name of a"}]}]}
    ]
}


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'karat.db'}"


@pytest.fixture
def assistant() -> Iterator[Assistant]:
    with serving(Assistant()) as running:
        yield running


def settings(assistant: Assistant, **more: Any) -> dict[str, Any]:
    return {"type": "http", "url": assistant.url, "retries": 1, "backoff": 0.01, "timeout": 5.0, **more}


def test_a_function_is_called_for_every_case_and_all_is_stored(store: str) -> None:
    asked: list[str] = []

    def ask(request: dict[str, Any]) -> Any:
        asked.append(request["id"])
        return RIGHT

    cases = [case(f"c{n}", A, tags=("t",)) for n in range(20)]
    result = karat.run(suite="data_query", cases=cases, system=ask, store=store)
    assert sorted(asked) == sorted(c.id for c in cases)
    assert (result.metric("macro_recall").mean, result.metric("macro_recall").n) == (1.0, 20)
    assert result.run.id == "r-0001"
    again = karat.load_run("r-0001", store=store)
    assert (again.cases, again.summary, again.run) == (result.cases, result.summary, result.run)


def test_an_async_function_and_a_failing_one(store: str) -> None:
    async def ask(request: dict[str, Any]) -> Any:
        if request["id"] == "c3":
            raise ValueError("cannot do c3")
        return RIGHT

    result = karat.run(suite="data_query", cases=[case(f"c{n}", A) for n in range(5)], system=ask, store=store)
    assert [c.status for c in result.cases] == ["scored", "scored", "scored", "error", "scored"]
    assert "cannot do c3" in result.cases[3].error


def test_repeats_ask_every_case_again(store: str) -> None:
    count = 0

    def ask(_: dict[str, Any]) -> Any:
        nonlocal count
        count += 1
        return RIGHT if count % 2 else {"indicator_selection": []}

    cases = [case("only", A)]
    result = karat.run(suite="data_query", cases=cases, system=ask, repeats=4, store=store)
    assert count == 4
    assert len(result.cases[0].repeats) == 4
    assert result.cases[0].scores["macro_recall"].value == 0.5


def test_turns_that_must_be_asked() -> None:
    def conversation(*turns: Turn[Any]) -> Case[Any]:
        return Case("c", turns)

    hello, hi, ask = Turn[Any]("user", "hello"), Turn[Any]("assistant", "hi"), Turn[Any]("user", "x", A)
    assert turns_to_ask(conversation(ask)) == [0]
    assert turns_to_ask(conversation(hello, hi, ask)) == [1]  # the case itself gives the first answer
    assert turns_to_ask(conversation(hello, ask)) == [0, 1]  # the system's own answer is needed
    assert turns_to_ask(conversation(ask, hello)) == [0]  # nothing after the last scored turn
    assert turns_to_ask(conversation(ask, ask)) == [0, 1]


def test_a_multi_turn_case_sends_its_history(store: str, assistant: Assistant) -> None:
    conversation: tuple[Turn[Any], ...] = (
        Turn("system", "Be brief."),
        Turn("user", "one", A),
        Turn("user", "two"),
        Turn("assistant", "given"),
        Turn("user", "three", A),
    )
    result = karat.run(suite="data_query", cases=[Case("c", conversation)], system=settings(assistant), store=store)
    assert result.cases[0].status == "scored"
    first, second = (r["messages"] for r in assistant.requests)
    assert [m["role"] for m in first] == ["system", "user"]
    assert [m["role"] for m in second] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert second[4]["content"] == "given"
    assert "indicator_selection" in json.dumps(second[2])  # what the system itself said


def test_every_fault_ends_as_its_own_error_and_harms_no_other(store: str, assistant: Assistant) -> None:
    faults = ["429", "500", "garbage", "half", "silence"]
    assistant.misbehave = {fault: fault for fault in faults}
    cases = [case(f, A) for f in faults] + [case(f"good {n}", A) for n in range(15)]
    result = karat.run(suite="data_query", cases=cases, system=settings(assistant, timeout=1.0), store=store)
    by_id = {c.id: c for c in result.cases}
    with open_store(store) as opened:
        kinds = {p.case_id: p.error.kind for p in opened.predictions(1) if p.error}
    assert kinds == {
        "429": "rate_limited",
        "500": "server_error",
        "garbage": "bad_response",
        "half": "connection",
        "silence": "timeout",
    }
    assert all(by_id[f].status == "error" and by_id[f].error for f in faults)
    assert all(by_id[f"good {n}"].status == "scored" for n in range(15))
    assert result.metric("macro_recall").n == 15
    assert result.metric("macro_recall").with_errors_as_zero == 0.75


def test_retry_errors_asks_again_only_what_failed(store: str, assistant: Assistant) -> None:
    assistant.misbehave = {"c2": "500", "c4": "garbage"}
    cases = [case(f"c{n}", A) for n in range(6)]
    karat.run(suite="data_query", cases=cases, system=settings(assistant, retries=0), store=store)
    assistant.misbehave = {}
    assistant.calls.clear()
    unchanged = karat.run(resume="latest", store=store)
    assert not assistant.calls
    assert unchanged.status_counts() == {"scored": 4, "error": 2}
    result = karat.run(resume="r-0001", retry_errors=True, store=store)
    assert assistant.calls == {"c2:0": 1, "c4:0": 1}
    assert result.status_counts() == {"scored": 6}
    with open_store(store) as opened:
        assert [bool(p.error) for p in opened.attempts(1, "c2")] == [True, False]  # the failure is kept


def test_a_later_turn_is_not_asked_when_an_earlier_one_failed(store: str) -> None:
    def ask(request: dict[str, Any]) -> Any:
        raise RuntimeError("down")

    result = karat.run(suite="data_query", cases=[case("c", A, A)], system=ask, store=store)
    assert "turn 2: not asked: turn 1 of the conversation failed" in result.cases[0].error


def test_recorded_predictions_run_like_any_system_and_gaps_are_missing(store: str, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text(
        json.dumps({"id": "c0", **RIGHT, "latency": 2.5})
        + "\n"
        + json.dumps({"id": "c1", "error": "429 after 5 tries"})
    )
    result = karat.run(suite="data_query", cases=[case(f"c{n}", A) for n in range(3)], predictions=file, store=store)
    assert [c.status for c in result.cases] == ["scored", "error", "missing"]
    assert result.metric("latency").mean == 2.5


def test_a_store_that_gives_way_ends_the_run_with_its_reason(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.store.store import Store

    real, given = Store.add_predictions, 0

    def full(self: Store, run_id: int, items: Any) -> None:
        nonlocal given
        given += len(items)
        if given > 100:  # how many come together depends on the machine
            raise UserError("the disk is full")
        real(self, run_id, items)

    monkeypatch.setattr(Store, "add_predictions", full)

    async def slow(_: dict[str, Any]) -> Any:
        import asyncio

        await asyncio.sleep(0.01)
        return RIGHT

    with pytest.raises(UserError, match="the disk is full"):
        karat.run(suite="data_query", cases=[case(f"c{n}", A) for n in range(200)], system=slow, store=store)
    monkeypatch.setattr(Store, "add_predictions", real)
    with open_store(store) as opened:
        before = {p.case_id for p in opened.predictions(1)}
        assert opened.run(1).status == "failed"
    assert 0 < len(before) < 200
    result = karat.run(resume="latest", system=slow, store=store)
    assert result.status_counts() == {"scored": 200}


def test_inside_a_running_loop_as_in_a_notebook(store: str) -> None:
    import asyncio

    async def cell() -> Any:
        return karat.run(suite="data_query", cases=[case("c", A)], system=lambda _: RIGHT, store=store)

    assert asyncio.run(cell()).status_counts() == {"scored": 1}


def test_scoring_again_keeps_the_earlier_scores(store: str) -> None:
    from karat.runs.scores.run_scoring import rescore

    karat.run(suite="data_query", cases=[case("c", A)], system=lambda _: {"indicator_selection": []}, store=store)
    mended = [case("c", target({}))]
    with open_store(store) as opened:
        result = rescore(opened, 1, cases=mended)
        assert result.metric("exact_match").mean == 1.0
        first, second = opened.scorings(1)
        assert (
            opened.result(1, first.id).metric("exact_match").mean == 0.0
            or opened.result(1, second.id).metric("exact_match").mean == 0.0
        )
        assert first.truth_set != second.truth_set


def test_a_system_that_cannot_be_opened_leaves_no_run_behind(store: str) -> None:
    with pytest.raises(UserError, match='no module "nowhere"'):
        karat.run(
            suite="data_query", cases=[case("c", A)], system={"type": "function", "function": "nowhere:f"}, store=store
        )
    with open_store(store) as opened:
        assert opened.runs() == []


def test_a_secret_in_plain_text_is_refused_before_anything_is_stored(store: str) -> None:
    headers = {"Authorization": "Bearer s3cret-canary"}
    with pytest.raises(UserError, match=r"headers\.Authorization") as caught:
        karat.run(
            suite="data_query",
            cases=[case("c", A)],
            system={"type": "http", "url": "http://x", "headers": headers},
            store=store,
        )
    assert "s3cret" not in str(caught.value)
    with open_store(store) as opened:
        assert opened.runs() == []


def test_mistakes_of_the_caller(store: str) -> None:
    with pytest.raises(UserError, match='no suite "data_qery"'):
        karat.run(suite="data_qery", cases=[case("c", A)], system=lambda _: RIGHT, store=store)
    with pytest.raises(UserError, match="no system was given"):
        karat.run(suite="data_query", cases=[case("c", A)], store=store)
    with pytest.raises(UserError, match='unknown option "betta"') as caught:
        karat.run(suite="data_query", cases=[case("c", A)], system=lambda _: RIGHT, options={"betta": 1}, store=store)
    assert caught.value.hint == 'Did you mean "beta"?'
    with pytest.raises(UserError, match='no case has the tag "weo"'):
        karat.run(
            suite="data_query", cases=[case("c", A, tags=("woe",))], system=lambda _: RIGHT, tags=["weo"], store=store
        )
