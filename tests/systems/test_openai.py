from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from karat.core.plugins import load
from karat.core.problems import UserError
from karat.core.records import CallError, Prediction
from karat.core.system import Price, Request
from karat.systems.caller import Caller
from karat.systems.openai import OpenAIConfig, OpenAISystem
from tests.systems.asking import answer, ask, error, request
from tests.systems.hostile_server import Answer, Exchange, HostileServer, serve

PATH = "/v1/chat/completions"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileServer]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    yield from serve(monkeypatch)


def config(server: HostileServer, answered: Answer, **options: Any) -> OpenAIConfig:
    server.add(PATH, answered)
    return OpenAIConfig(**{"type": "openai", "base_url": server.url("/v1/"), "model": "statgpt"} | options)


def call(server: HostileServer, answered: Answer, asked: Request | None = None, **options: Any) -> Prediction:
    made = config(server, answered, **options)
    return answer(OpenAISystem(made), made, asked)


def failed(server: HostileServer, answered: Answer, **options: Any) -> CallError:
    made = config(server, answered, **options)
    return error(OpenAISystem(made), made)


def body(content: str, **more: Any) -> dict[str, Any]:
    return {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
        **more,
    }


def says(value: Any, status: str = "200 OK") -> Answer:
    async def answered(exchange: Exchange) -> None:
        await exchange.send(status, json.dumps(value).encode())

    return answered


def streams(*chunks: Any, **options: Any) -> Answer:
    async def answered(exchange: Exchange) -> None:
        await exchange.events(*chunks, **options)

    return answered


def delta(content: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": "x", "model": "m", "choices": [{"index": 0, "delta": content, "finish_reason": finish}], **more}


def message(found: Prediction) -> Any:
    assert found.error is None, found.error
    return json.loads(found.response)["choices"][0]["message"]


def test_it_is_an_entry_point() -> None:
    assert load("karat.systems", "openai").config is OpenAIConfig


def test_a_completion_with_its_tokens_and_its_cost(server: HostileServer) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    found = call(
        server,
        says(body("42", usage=usage, model="statgpt-2025")),
        request(question="How many?"),
        prices={"statgpt": Price(2.0, 10.0)},
        temperature=0.0,
        max_tokens=50,
        extra_body={"top_p": "0.9", "user": "karat"},
    )
    assert message(found)["content"] == "42"
    assert found.tokens == 1100
    assert found.cost == pytest.approx(0.003)  # 1000·2 + 100·10 over a million
    assert server.seen[0].json() == {
        "model": "statgpt",
        "messages": [{"role": "user", "content": "How many?"}],
        "temperature": 0.0,
        "max_tokens": 50,
        "top_p": 0.9,
        "user": "karat",
    }
    assert "authorization" not in server.seen[0].headers


def test_a_stream_is_merged_into_a_completion(server: HostileServer) -> None:
    found = call(
        server,
        streams(
            delta({"role": "assistant", "content": ""}),
            delta({"role": "assistant", "content": "Norw"}),
            delta({"content": "ay: é"}),
            delta({}, "stop"),
            {"id": "x", "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}},
        ),
        stream=True,
    )
    assert json.loads(found.response) == {
        "id": "x",
        "model": "m",
        "object": "chat.completion",
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Norway: é"}, "finish_reason": "stop"}],
    }
    assert found.tokens == 10
    sent = server.seen[0].json()
    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})


def test_streamed_tool_calls_are_merged_by_index(server: HostileServer) -> None:
    def tool(index: int, **more: Any) -> dict[str, Any]:
        return delta({"tool_calls": [{"index": index, **more}]})

    found = call(
        server,
        streams(
            tool(1, id="b", type="function", function={"name": "search", "arguments": ""}),
            tool(0, id="a", type="function", function={"name": "query", "arguments": '{"x"'}),
            tool(0, type="function", function={"arguments": ": 1}"}),
            tool(1, function={"arguments": "{}"}),
            delta({}, "tool_calls"),
        ),
        stream=True,
    )
    assert message(found) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "query", "arguments": '{"x": 1}'}},
            {"id": "b", "type": "function", "function": {"name": "search", "arguments": "{}"}},
        ],
    }


STATE = {
    "tool_messages": [
        {
            "index": 5,
            "custom_content": {
                "state": {
                    "dimension_id_to_name": {"u1": {"COUNTRY": {"NO": "Norway"}}},
                    "indexed_datasets_id_map": {"u1": "IMF.RES:WEO(9.0.0)"},
                },
                "attachments": [{"index": 9, "title": "kept as it is"}],
            },
        },
        {"index": 5, "content": "another with the same index"},
    ]
}


def dial_stream() -> Answer:
    def custom(**content: Any) -> dict[str, Any]:
        return delta({"custom_content": content}, usage=None)

    return streams(
        delta({"role": "assistant"}),
        custom(stages=[{"index": 0, "name": "Look", "status": None}]),
        custom(stages=[{"index": 0, "name": "ing up", "content": "WE", "status": None}]),
        custom(stages=[{"index": 0, "content": "O", "status": None}]),
        custom(stages=[{"index": 0, "attachments": [{"index": 0, "type": "text/plain", "data": "d"}], "status": None}]),
        custom(attachments=[{"index": 1, "title": "second", "url": "u2"}]),
        custom(attachments=[{"index": 0, "title": "first", "url": "u1"}]),
        custom(stages=[{"index": 0, "status": "completed"}]),
        custom(state=STATE),
        delta({"content": "Here "}),
        delta({"content": "it is."}),
        delta({}, "stop"),
        {"statistics": {"usage_per_model": [{"index": 0, "model": "gpt", "prompt_tokens": 5}]}},
        {"usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}},
    )


def test_dial_streams_its_state_its_stages_and_its_attachments(server: HostileServer) -> None:
    found = call(server, dial_stream(), stream=True)
    assert message(found) == {
        "role": "assistant",
        "content": "Here it is.",
        "custom_content": {
            "stages": [
                {
                    "name": "Looking up",
                    "content": "WEO",
                    "status": "completed",
                    "attachments": [{"type": "text/plain", "data": "d"}],
                }
            ],
            "attachments": [{"title": "first", "url": "u1"}, {"title": "second", "url": "u2"}],
            "state": STATE,
        },
    }
    assert found.tokens == 7


def test_the_streamed_state_is_what_the_suite_reads(server: HostileServer) -> None:
    from karat.suites.data_query.responses import read_response

    (dataset,) = read_response(call(server, dial_stream(), stream=True).response).indicator_selection
    assert dataset.dataset_id == "IMF.RES:WEO(9.0.0)"


def test_dial_path_version_and_key(server: HostileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIAL_API_KEY", "canary-dial-key")
    server.add("/openai/deployments/stat%20gpt/chat/completions", says(body("ok")))
    made = OpenAIConfig(
        type="openai",
        base_url=server.url(),
        model="stat gpt",
        path="/openai/deployments/{model}/chat/completions",
        api_version="2024-10-21",
        api_key_env="DIAL_API_KEY",
        api_key_header="Api-Key",
    )
    assert answer(OpenAISystem(made), made).error is None
    assert server.seen[0].query == "api-version=2024-10-21"
    assert server.seen[0].headers["api-key"] == "canary-dial-key"
    assert "authorization" not in server.seen[0].headers


def test_a_multi_turn_case_sends_the_state_back(server: HostileServer) -> None:
    made = config(server, dial_stream(), stream=True)

    async def scenario() -> None:
        system = OpenAISystem(made)
        caller = Caller(system, made)
        first = await caller.predict(request(question="GDP?"))
        assert first is not None
        asked = (
            *request(question="GDP?").messages,
            system.reply(first.response),
            *request(question="And Chile?").messages,
        )
        assert (await caller.predict(Request("a", 1, 0, asked))) is not None
        await caller.close()

    asyncio.run(scenario())
    sent = server.seen[1].json()["messages"]
    assert [item["role"] for item in sent] == ["user", "assistant", "user"]
    assert sent[1]["content"] == "Here it is."
    assert sent[1]["custom_content"]["state"] == STATE


def test_one_key_with_two_values_in_a_stream_is_an_error(server: HostileServer) -> None:
    async def twice(exchange: Exchange) -> None:
        chunk = json.dumps(delta({"content": "A"}, "stop")).replace('"content": "A"', '"content": "A", "content": "B"')
        await exchange.send("200 OK", f"data: {chunk}\n\n".encode(), "text/event-stream")

    found = failed(server, twice, stream=True, retries=0)
    assert found.kind == "bad_response"
    assert 'the key "content" appears twice in one object of the response, with different values' in found.message


def test_a_stream_that_ends_too_early_is_a_lost_connection(server: HostileServer) -> None:
    half = [delta({"content": "Nor"})]
    found = call(server, streams(*half, done=False), stream=True, retries=2)
    assert found.error is not None
    assert (found.error.kind, found.error.tries) == ("connection", 3)
    assert "the stream ended in the middle of the answer" in found.error.message
    assert json.loads(found.response)["choices"][0]["message"]["content"] == "Nor"
    assert failed(server, streams(*half, done=False, cut=True), stream=True, retries=0).kind == "connection"
    assert failed(server, streams(done=False), stream=True, retries=0).kind == "connection"


def test_a_stream_broken_off_once_is_tried_again(server: HostileServer) -> None:
    async def second_time_lucky(exchange: Exchange) -> None:
        good = exchange.count > 1
        await exchange.events(
            delta({"content": "Norway"}), *([delta({}, "stop")] if good else []), done=good, cut=not good
        )

    assert message(call(server, second_time_lucky, stream=True))["content"] == "Norway"
    assert server.calls[PATH] == 2


def test_a_stream_without_done_but_finished(server: HostileServer) -> None:
    assert message(call(server, streams(delta({"content": "x"}, "stop"), done=False), stream=True))["content"] == "x"


def test_after_done_nothing_matters(server: HostileServer) -> None:
    async def stays_open(exchange: Exchange) -> None:
        data = (
            b'data: {"choices": [{"index": 0, "delta": {"content": "x"}}]}\r\n\r\n: comment\r\n\r\ndata: [DONE]\r\n\r\n'
        )
        await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n" + data)
        await exchange.server.let_go.wait()

    assert message(call(server, stays_open, stream=True))["content"] == "x"


def test_a_stream_asked_for_and_a_plain_body_given(server: HostileServer) -> None:
    assert message(call(server, says(body("plain")), stream=True))["content"] == "plain"


@pytest.mark.parametrize(
    ("said", "kind", "tries"),
    [
        ({"message": "boom", "code": "500"}, "server_error", 2),
        ({"message": "boom"}, "server_error", 2),
        ({"message": "bad", "code": 400}, "client_error", 1),
        ({"message": "bad", "type": "invalid_request_error"}, "client_error", 1),
        ({"message": "slow", "code": "rate_limit_exceeded"}, "rate_limited", 2),
        ({"message": "slow", "code": "429"}, "rate_limited", 2),
        ("just words", "server_error", 2),
    ],
)
def test_an_error_object_in_the_body_or_in_the_stream(server: HostileServer, said: Any, kind: str, tries: int) -> None:
    plain = failed(server, says({"error": said}), retries=1)
    streamed = failed(server, streams(delta({"content": "x"}), {"error": said}), retries=1, stream=True)
    assert (plain.kind, plain.tries) == (streamed.kind, streamed.tries) == (kind, tries)
    assert (said if isinstance(said, str) else said["message"]) in streamed.message


@pytest.mark.parametrize(
    "value", [{"choices": []}, {"result": "x"}, [1], {"choices": [{"text": "x"}]}, {"choices": {"0": 1}}]
)
def test_a_body_that_is_no_completion(server: HostileServer, value: Any) -> None:
    assert failed(server, says(value)).kind == "bad_response"


@pytest.mark.parametrize("chunk", [5, "x", {"choices": [7]}, {"choices": [{"delta": "x"}]}, {"choices": 3}])
def test_a_chunk_that_is_none(server: HostileServer, chunk: Any) -> None:
    found = failed(server, streams(chunk), stream=True)
    assert found.kind == "bad_response"
    assert "not a chat completion chunk" in found.message


def test_a_stream_that_is_too_large(server: HostileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.systems.openai.MAX_BODY", 2**20)
    found = failed(server, streams(*[delta({"content": "x" * 300_000})] * 5), stream=True)
    assert found.kind == "bad_response"
    assert found.message.endswith("the answer is larger than 1 MiB")


def test_a_stream_whose_last_event_has_no_end(server: HostileServer) -> None:
    async def unfinished(exchange: Exchange) -> None:
        data = b'data: {"choices": [{"index": 0, "delta": {"content": "x"}}]}\n\ndata: [DONE]'
        await exchange.send("200 OK", data, "text/event-stream; charset=utf-8")

    assert message(call(server, unfinished, stream=True))["content"] == "x"


def test_statuses_are_those_of_every_http_system(server: HostileServer) -> None:
    assert failed(server, says({"error": {"message": "who?"}}, "401 Unauthorized")).kind == "client_error"
    assert failed(server, says({"error": {"message": "later"}}, "503 Service Unavailable"), retries=1).tries == 2


def test_the_key_is_sent_and_never_shown(server: HostileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def echo(exchange: Exchange) -> None:
        text = f"Incorrect API key provided: {exchange.headers['authorization']}"
        if exchange.json().get("stream"):
            await exchange.events(delta({"content": text}, "stop"))
        elif exchange.count == 1:
            await exchange.send("401 Unauthorized", json.dumps({"error": {"message": text}}).encode())
        else:
            await exchange.send("200 OK", json.dumps({"error": {"message": text}, text: 1}).encode())

    monkeypatch.setenv("SOME_VARIABLE", "sk-canary-0123456789")
    made = config(server, echo, api_key_env="SOME_VARIABLE", retries=0)
    system = OpenAISystem(made)
    found = ask(system, made, request("a"), request("b"), request("c"))
    streamed = call(server, echo, api_key_env="SOME_VARIABLE", stream=True)
    assert server.seen[0].headers["authorization"] == "Bearer sk-canary-0123456789"
    assert all(item is not None and item.error for item in found)
    for text in (*map(repr, found), repr(streamed), repr(made), repr(system), str(vars(system))):
        assert "canary" not in text


def test_where_the_key_comes_from(server: HostileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    answered = says(body("ok"))
    call(server, answered)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-default")
    call(server, answered)
    call(server, answered, api_key_env="")
    assert [exchange.headers.get("authorization") for exchange in server.seen] == [None, "Bearer sk-default", None]
    with pytest.raises(UserError, match="the environment variable NO_SUCH_KEY, which the system needs, is not set"):
        OpenAISystem(config(server, answered, api_key_env="NO_SUCH_KEY"))
    with pytest.raises(UserError) as caught:
        OpenAISystem(config(server, answered, api_key_env="sk-canary-typed-into-the-file"))
    assert "canary" not in str(caught.value)


def test_mistakes_in_the_configuration(server: HostileServer) -> None:
    with pytest.raises(UserError, match="base_url of the system is not a valid URL"):
        OpenAISystem(config(server, says(1), base_url="api.example.org/v1"))
    with pytest.raises(UserError, match="extra_body must be an object"):
        OpenAISystem(config(server, says(1), extra_body="x"))


def test_what_a_tool_was_called_with_is_history_where_the_responses_api_says_nothing_else() -> None:
    from karat.systems.history import assistant_message
    from tests.reply_forms import body as encoded
    from tests.reply_forms import output_text, responses_api

    call = {"type": "function_call", "name": "answer", "arguments": '{"results": ["d1"]}'}
    only_called = assistant_message(encoded(responses_api(call)))
    assert only_called == {"role": "assistant", "content": '{"results":["d1"]}'}
    said = assistant_message(encoded(responses_api(output_text("Here."), call)))
    assert said == {"role": "assistant", "content": "Here."}
