"""Prompts through real systems: what a loopback server, a command and a function are really asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.records import Case, Turn
from karat.core.results.result import RunResult
from karat.stats.compare.runs import compare_runs
from karat.store import open_store
from karat.suites.codegen.question.default_prompt import instructions
from tests.suites.data_query.building import case, target
from tests.systems.hostile_server import Exchange, HostileServer, serve

A = target({"A": ["a"]})
CHAT = "/v1/chat/completions"
SELECTED: dict[str, Any] = {"indicator_selection": []}


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'karat.db'}"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileServer]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    yield from serve(monkeypatch)


async def completes(exchange: Exchange) -> None:
    message = {"role": "assistant", "content": json.dumps(SELECTED), "custom_content": {"state": {"seen": True}}}
    await exchange.send("200 OK", json.dumps({"choices": [{"message": message}]}).encode())


def chat(server: HostileServer, **settings: Any) -> dict[str, Any]:
    server.add(CHAT, completes)
    return {"type": "openai", "base_url": server.url("/v1"), "model": "m", "concurrency": 1, **settings}


def ask(store: str, system: Any, cases: Any = None, suite: str = "data_query", **more: Any) -> RunResult:
    return karat.run(suite=suite, cases=cases or [case("c", A)], system=system, store=store, **more)


def sent(server: HostileServer) -> list[dict[str, Any]]:
    return [exchange.json() for exchange in server.seen]


def test_openai_is_sent_prompt_system_prompt_examples_and_response_format(server: HostileServer, store: str) -> None:
    system = chat(
        server,
        prompt="[{{ suite }}/{{ case_id }}] {{ question }}",
        system_prompt="You know {{ suite }}.",
        examples=[{"user": "u {{ question }}", "assistant": "a"}, {"role": "user", "content": "r"}],
        response_format="json_object",
    )
    result = ask(store, system)
    (body,) = sent(server)
    assert body["messages"] == [
        {"role": "system", "content": "You know data_query."},
        {"role": "user", "content": "u {{ question }}"},
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "r"},
        {"role": "user", "content": "[data_query/c] question 0"},
    ]
    assert body["response_format"] == {"type": "json_object"}
    assert len(result.run.prompt) == 12


def test_without_a_prompt_the_bare_question_is_sent_and_there_is_no_hash(server: HostileServer, store: str) -> None:
    result = ask(store, chat(server))
    assert sent(server) == [{"model": "m", "messages": [{"role": "user", "content": "question 0"}]}]
    assert result.run.prompt == ""


def test_http_keeps_its_own_placeholders_and_gets_the_prompt_in_them(server: HostileServer, store: str) -> None:
    async def selects(exchange: Exchange) -> None:
        await exchange.send("200 OK", json.dumps(SELECTED).encode())

    url = server.add("/ask", selects)
    request = {"q": "{question}", "all": "{messages}", "id": "{case_id}", "as_it_is": "{{ question }} {turn}"}
    ask(
        store,
        {"type": "http", "url": url, "request": request, "prompt": "<{{ question }}> {turn}", "system_prompt": "S"},
    )
    asked = "<question 0> {turn}"
    all_messages = [{"role": "system", "content": "S"}, {"role": "user", "content": asked}]
    assert sent(server) == [{"q": asked, "all": all_messages, "id": "c", "as_it_is": "{{ question }} 0"}]


def test_a_command_is_asked_with_the_prompt(tmp_path: Path, store: str) -> None:
    out = tmp_path / "asked.json"
    code = f"import sys; open({str(out)!r}, 'w').write(sys.stdin.read()); print('{{\"indicator_selection\": []}}')"
    ask(store, {"type": "command", "command": [sys.executable, "-c", code], "prompt": "P {{ question }}"})
    asked = json.loads(out.read_text())
    assert (asked["question"], asked["messages"]) == ("P question 0", [{"role": "user", "content": "P question 0"}])


def test_a_function_is_asked_with_the_prompt(tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prompted_bot.py").write_text(
        "asked = []\ndef ask(request):\n    asked.append(request)\n    return {'indicator_selection': []}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    ask(store, {"type": "function", "function": "prompted_bot:ask", "prompt": "P {{ question }}", "system_prompt": "S"})
    import prompted_bot  # type: ignore[import-not-found]  # written by the test

    assert prompted_bot.asked[0]["question"] == "P question 0"
    assert prompted_bot.asked[0]["messages"][0] == {"role": "system", "content": "S"}


def test_only_the_turn_that_is_asked_is_rendered_and_templates_see_the_rest(server: HostileServer, store: str) -> None:
    talk = Case("talk", (Turn("system", "Today is Monday."), *case("x", A, A).conversation))
    template = "{{ question }} after {% for m in conversation %}{{ m.role }}: {{ m.content }}; {% endfor %}"
    ask(store, chat(server, prompt=template, system_prompt="S", messages=[{"user": "u", "assistant": "a"}]), [talk])
    first, second = (body["messages"] for body in sent(server))
    start = [("system", "S"), ("system", "Today is Monday."), ("user", "u"), ("assistant", "a")]
    assert [(m["role"], m["content"]) for m in first] == [*start, ("user", "question 0 after ")]
    answered = json.dumps(SELECTED)
    asked = f"question 1 after user: question 0; assistant: {answered}; "
    later = [("user", "question 0"), ("assistant", answered), ("user", asked)]
    assert [(m["role"], m["content"]) for m in second] == [*start, *later]
    assert second[5]["custom_content"] == {"state": {"seen": True}}


def test_a_repair_follows_the_prompt_and_is_not_made_into_one(
    server: HostileServer, store: str, tmp_path: Path
) -> None:
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text("- id: t\n  question: How many rows?\n  tables: {df: {a: [1, 2]}}\n  expected: 2\n")

    async def corrects(exchange: Exchange) -> None:
        code = "result = nonsense" if exchange.count == 1 else "result = len(df)"
        body = {"choices": [{"message": {"role": "assistant", "content": f"```python\n{code}\n```"}}]}
        await exchange.send("200 OK", json.dumps(body).encode())

    settings = chat(server, prompt="P {{ question }}", system_prompt="Mine. {{ tables[0].name }} {{ tables[0].rows }}")
    server.add(CHAT, corrects)
    result = ask(store, settings, tasks, "codegen", options={"performance": False, "perturb": "no"}, workers=1)
    first, second = (body["messages"] for body in sent(server))
    assert first == [
        {"role": "system", "content": 'Mine. df [["1"], ["2"]]'},
        {"role": "user", "content": "P How many rows?"},
    ]
    assert second[:2] == first
    assert "nonsense" in second[3]["content"]
    assert not second[3]["content"].startswith("P ")
    assert result.metric("passed").mean == 1.0


def test_codegen_sends_what_it_sent_without_a_prompt(server: HostileServer, store: str, tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text("- id: t\n  question: How many rows?\n  tables: {df: {a: [1, 2]}}\n  expected: 2\n")
    (loaded,) = load_suite("codegen").load_cases(tasks).cases
    ask(store, chat(server), tasks, "codegen", options={"max_recovery_attempts": 0, "performance": False}, workers=1)
    (body,) = sent(server)
    task = loaded.conversation[1].target
    assert task is not None
    assert body["messages"][0] == {"role": "system", "content": instructions(task)}
    assert body["messages"][1] == {"role": "user", "content": "How many rows?"}


def test_the_text_of_a_file_is_stored_so_that_a_resumed_run_asks_the_same(
    server: HostileServer, store: str, tmp_path: Path
) -> None:
    async def broken(exchange: Exchange) -> None:
        await exchange.send("400 Bad Request", b'{"error": {"message": "no"}}')

    file = tmp_path / "ask.j2"
    file.write_text("first words: {{ question }}")
    settings = chat(server, prompt=str(file), retries=0)
    server.add(CHAT, broken)
    before = ask(store, settings)
    file.write_text("other words: {{ question }}")
    server.add(CHAT, completes)
    after = karat.run(store=store, resume=before.run.id, retry_errors=True)
    assert [body["messages"][-1]["content"] for body in sent(server)] == ["first words: question 0"] * 2
    assert after.run.prompt == before.run.prompt != ""
    with open_store(store) as opened:
        record = opened.run(1)
    assert record.config["prompt"] == before.run.prompt
    assert record.config["system"]["prompt"] == "first words: {{ question }}"
    assert karat.load_run(store=store).run.prompt == before.run.prompt


def test_a_prompt_that_cannot_be_used_is_told_before_anything_is_asked(server: HostileServer, store: str) -> None:
    for settings, words in (
        ({"prompt": "{{ qestion }}"}, 'Did you mean "question"?'),
        ({"prompt": "{{ question.nothing }}"}, "nothing"),
        ({"prompt": "{{ question"}, "line 1"),
        ({"prompt": "missing.j2"}, "no file missing.j2"),
        ({"prompt": "{{ question | attr('__class__') }}"}, "unsafe"),
        ({"system_prompt": "{% include 'x' %}"}, "include"),
        ({"response_format": "jsn"}, "response_format"),
        ({"examples": [{"user": "u"}]}, "user and assistant"),
    ):
        with pytest.raises(UserError) as caught:
            ask(store, chat(server, **settings))
        assert words in str(caught.value).replace(":1", " line 1"), (settings, str(caught.value))
    assert server.seen == []
    with open_store(store) as opened:
        assert opened.runs(10) == []


def test_a_case_whose_prompt_fails_is_an_error_and_the_others_go_on(server: HostileServer, store: str) -> None:
    cases = [case(f"c{n:03}", A) for n in range(60)]
    template = "{{ question }}{% if case_id == 'c055' %}{{ question.nothing }}{% endif %}"
    result = ask(store, chat(server, prompt=template, concurrency=8), cases)
    (failed,) = [one for one in result.cases if one.status == "error"]
    assert failed.id == "c055"
    assert "line 1 of the prompt" in failed.error
    assert len(server.seen) == 59


def test_the_hash_follows_the_hints_that_the_prompt_uses(server: HostileServer, store: str, tmp_path: Path) -> None:
    file = tmp_path / "CL_A.csv"
    file.write_text("id,name\na,name of a\n")
    listed = {"prompt": "{{ codelists }} {{ question }}"}
    options = {"structures": [str(file)]}
    one = ask(store, chat(server, **listed), options=options)
    bare = ask(store, chat(server, prompt="{{ question }}"), options=options)
    file.write_text("id,name\na,name of a\nb,name of b\nc,c\n")
    two = ask(store, chat(server, **listed), options=options)
    same = ask(store, chat(server, prompt="{{ question }}"), options=options)
    assert '"b": "name of b"' in sent(server)[2]["messages"][0]["content"]
    assert one.run.prompt != two.run.prompt
    assert bare.run.prompt == same.run.prompt
    warnings = compare_runs(one, two, []).warnings
    assert any(f"The prompts differ: A {one.run.prompt}, B {two.run.prompt}." in words for words in warnings)
    assert not any("prompts" in words for words in compare_runs(bare, same, []).warnings)
    none = ask(store, chat(server), options=options)
    assert any(f"A none, B {bare.run.prompt}" in words for words in compare_runs(none, bare, []).warnings)


def test_the_form_that_the_suite_reads_can_be_asked_for(server: HostileServer, store: str) -> None:
    ask(store, chat(server, response_format="suite", extra_body={"seed": 1}))
    (body,) = sent(server)
    assert body["response_format"]["json_schema"]["name"] == "karat_data_query"
    assert body["seed"] == 1
