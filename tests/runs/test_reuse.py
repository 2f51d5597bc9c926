"""Reused answers: an unchanged question costs nothing, and whatever changed is asked again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.problems import UserError
from karat.store import open_store
from karat.verbs.exports.contents import export_predictions
from tests.chat_server import Chat, chatting

CASES: list[dict[str, Any]] = [
    {"id": "sour", "question": "What is sour?", "relevant": ["lemon"]},
    {"id": "sweet", "question": "What is sweet?", "relevant": ["honey"]},
]


@pytest.fixture
def chat() -> Iterator[Chat]:
    with chatting(lambda _: '{"results": ["lemon"]}') as running:
        yield running


@pytest.fixture
def run(chat: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """(how many calls a run made, its result)."""
    monkeypatch.chdir(tmp_path)

    def once(cases: Any = CASES, more: dict[str, Any] | None = None, **options: Any) -> tuple[int, karat.RunResult]:
        before = len(chat.requests)
        system = chat.settings(prompt="Search for {{ question }}", **more or {})
        result = karat.run("retrieval", cases, system, reuse="answers.cache", store="runs.db", **options)
        return len(chat.requests) - before, result

    return once


def test_an_unchanged_question_is_not_asked_again_and_the_run_says_so(run: Any) -> None:
    calls, first = run()
    assert (calls, first.notes["reuse"]) == (2, {"cache": "answers.cache", "reused": 0, "asked": 2})
    calls, second = run()
    assert calls == 0
    note = second.notes["reuse"]
    assert (note["reused"], note["asked"]) == (2, 0) and note["oldest"] and note["newest"]
    assert [case.scores["passed"] for case in second.cases] == [case.scores["passed"] for case in first.cases]
    assert karat.load_run("latest", store="runs.db").notes == second.notes
    # the facts of an answer are those of the call that gave it
    assert [case.scores["latency"] for case in second.cases] == [case.scores["latency"] for case in first.cases]
    assert second.metric("tokens").mean == 110


def test_the_exported_answers_of_such_a_run_read_back(run: Any, tmp_path: Path) -> None:
    run()
    run()
    with open_store(f"sqlite:///{tmp_path / 'runs.db'}") as store:
        exported = export_predictions(store, "latest")
    assert b"reuse" not in exported.data and "reused from a cache" in exported.notes[-1]
    (tmp_path / "answers.jsonl").write_bytes(exported.data)
    assert not karat.score("retrieval", CASES, tmp_path / "answers.jsonl").problems


def test_limits_and_prices_are_no_part_of_the_question_and_costs_follow_the_prices_of_today(run: Any) -> None:
    run(more={"prices": {"default": {"input": 1, "output": 1}}})
    calls, result = run(more={"prices": {"m1": {"input": 2e6, "output": 0}}, "concurrency": 1, "timeout": 7.0})
    assert calls == 0
    assert result.metric("cost").mean == pytest.approx(200)


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "m2"},
        {"temperature": 0.5},
        {"max_tokens": 7},
        {"system_prompt": "Be short."},
        {"prompt": "Find {{ question }}"},
        {"examples": [{"user": "a", "assistant": "b"}]},
        {"extra_body": {"seed": 2}},
        {"response_format": "json_object"},
        {"headers": {"X-Variant": "b"}},
        {"path": "/chat/completions?variant=b"},
        {"version": "2"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_changed_setting_is_asked_again(run: Any, chat: Chat, changed: dict[str, Any]) -> None:
    run()
    before = len(chat.requests)
    system = chat.settings(**{"prompt": "Search for {{ question }}", **changed})
    karat.run("retrieval", CASES, system, reuse="answers.cache", store="runs.db")
    assert len(chat.requests) - before == 2


def test_another_value_of_a_variable_in_the_settings_is_another_setting(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = {"headers": {"X-Deployment": "${KARAT_TEST_DEPLOYMENT}"}}
    monkeypatch.setenv("KARAT_TEST_DEPLOYMENT", "blue")
    assert run(more=more)[0] == 2
    assert run(more=more)[0] == 0
    monkeypatch.setenv("KARAT_TEST_DEPLOYMENT", "green")
    assert run(more=more)[0] == 2


def test_only_changed_and_new_cases_are_asked(run: Any) -> None:
    run()
    changed = [CASES[0], {**CASES[1], "question": "What is very sweet?"}, {**CASES[0], "id": "sour too"}]
    calls, result = run(changed)
    assert calls == 2  # another question; the same question as a case of its own is a sample of its own
    assert (result.notes["reuse"]["reused"], result.notes["reuse"]["asked"]) == (1, 2)
    # what counts as right is no part of the question: the answer is scored against the new truth
    calls, result = run([{**CASES[0], "relevant": ["lime"]}])
    assert calls == 0 and result.metric("passed").mean == 0.0


def test_each_repeat_has_an_answer_of_its_own(run: Any) -> None:
    assert run(repeats=2)[0] == 4
    assert run(repeats=3)[0] == 2


def test_a_failed_call_is_never_reused(run: Any, chat: Chat) -> None:
    chat.answer = lambda _: 500
    calls, result = run()
    assert calls == 2 and result.status_counts() == {"error": 2}
    chat.answer = lambda _: '{"results": ["lemon"]}'
    calls, result = run()
    assert calls == 2 and result.status_counts() == {"scored": 2}


def test_later_turns_are_asked_again_when_an_earlier_answer_changed(chat: Chat, tmp_path: Path) -> None:
    entry = {"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": [{"id": "a", "name": "A"}]}]}
    target = {"indicator_selection": [entry]}
    conversation = [{"role": "user", "content": word, "target": target} for word in ("first", "second")]
    cases = [{"id": "two", "conversation": conversation}]
    said = {"text": "one"}
    chat.answer = lambda _: json.dumps(target | {"said": said["text"]})

    def run(**more: Any) -> int:
        before = len(chat.requests)
        karat.run("data_query", cases, chat.settings(**more), reuse=tmp_path / "c", store=tmp_path / "r.db")
        return len(chat.requests) - before

    assert run() == 2
    assert run() == 0
    with sqlite3.connect(tmp_path / "c") as rows:  # forget the answer to the first turn only
        (key,) = rows.execute("SELECT key FROM answers ORDER BY length(body), given LIMIT 1").fetchone()
        keys = [row[0] for row in rows.execute("SELECT key FROM answers")]
        assert key in keys and len(keys) == 2
        first = _key_of_turn(chat, 0)
        rows.execute("DELETE FROM answers WHERE key = ?", [first])
    said["text"] = "another"
    assert run() == 2


def _key_of_turn(chat: Chat, turn: int) -> str:
    from karat.core.system import Request
    from karat.systems.reuse.answer_key import answer_keys
    from karat.verbs.inputs.systems import settle_system

    config, _ = settle_system(chat.settings(), None, None, (), None)  # type: ignore[arg-type]  # no suite is needed
    return answer_keys(config)(Request("two", turn, 0, ({"role": "user", "content": "first"},)))


ASSISTANT = """
from pathlib import Path

def ask(request):
    with open("calls.txt", "a") as file:
        file.write("x")
    return {"results": [Path("assistant/word.txt").read_text()]}
"""


def test_a_program_is_asked_every_time_unless_it_says_what_it_depends_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "assistant").mkdir()
    (tmp_path / "assistant" / "word.txt").write_text("lemon")
    (tmp_path / "reuse_assistant.py").write_text(ASSISTANT)

    def run(**more: Any) -> tuple[int, karat.RunResult]:
        file = tmp_path / "calls.txt"
        before = len(file.read_text()) if file.exists() else 0
        system = {"type": "function", "function": "reuse_assistant:ask", **more}
        result = karat.run("retrieval", CASES[:1], system, reuse="cache", store="runs.db")
        return (len(file.read_text()) - before, result)

    for _ in range(2):
        calls, result = run()
        assert calls == 1 and "reuse" not in result.notes
        (problem,) = result.problems
        assert "not reused" in problem.message and "depends_on" in problem.hint and problem.severity == "warning"
    files = {"depends_on": ["assistant", "reuse_assistant.py"]}
    assert run(**files)[0] == 1
    assert run(**files)[0] == 0
    (tmp_path / "assistant" / "__pycache__").mkdir()
    (tmp_path / "assistant" / "__pycache__" / "x.pyc").write_text("made by a run")
    assert run(**files)[0] == 0
    (tmp_path / "assistant" / "word.txt").write_text("lime!")
    calls, result = run(**files)
    assert calls == 1 and result.metric("passed").mean == 0.0
    (tmp_path / "assistant" / "word.txt").rename(tmp_path / "assistant" / "word2.txt")
    (tmp_path / "assistant" / "word2.txt").rename(tmp_path / "assistant" / "word.txt")
    assert run(**files)[0] == 0
    monkeypatch.setenv("COMMIT", "abc")
    assert (run(version="${COMMIT}")[0], run(version="${COMMIT}")[0]) == (1, 0)
    monkeypatch.setenv("COMMIT", "def")
    assert run(version="${COMMIT}")[0] == 1
    with pytest.raises(UserError, match=r"depends_on: .*nowhere\.txt cannot be read"):
        run(depends_on=["nowhere.txt"])


def test_recorded_answers_need_no_cache(tmp_path: Path) -> None:
    recorded = [{"id": "sour", "results": ["lemon"]}]
    result = karat.run(
        "retrieval", CASES[:1], predictions=recorded, reuse=tmp_path / "cache", store=tmp_path / "runs.db"
    )
    assert not result.problems and not result.notes and not (tmp_path / "cache").exists()


def test_a_damaged_row_is_asked_again_and_a_wrong_file_is_refused(run: Any, tmp_path: Path) -> None:
    run()
    with sqlite3.connect(tmp_path / "answers.cache") as rows:
        rows.execute("UPDATE answers SET body = ?", [b'{"choices": [{"message": {"content": "forged"}}]}'])
    calls, result = run()
    assert calls == 2 and result.notes["reuse"]["reused"] == 0
    (tmp_path / "answers.cache").write_bytes(b"not a database at all" * 100)
    with pytest.raises(UserError, match="cannot be used as a cache of answers"):
        run()
    (tmp_path / "answers.cache").unlink()
    with sqlite3.connect(tmp_path / "answers.cache") as rows:
        rows.execute("CREATE TABLE mine (a)")
    with pytest.raises(UserError, match="another kind of database"):
        run()


def test_no_secret_of_the_environment_reaches_the_cache(
    run: Any, chat: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_API_KEY", "sk-very-secret-0123456789")
    chat.answer = lambda _: '{"results": ["sk-very-secret-0123456789"]}'
    run(more={"headers": {"X-Api-Key": "${ASSISTANT_API_KEY}"}})
    assert b"very-secret" not in (tmp_path / "answers.cache").read_bytes()
