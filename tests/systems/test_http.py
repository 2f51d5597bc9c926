from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from karat.core.plugins import load
from karat.core.problems import UserError
from karat.core.records import CallError, Prediction
from karat.core.system import Request, SystemType
from karat.systems import transport
from karat.systems.caller import Caller
from karat.systems.http import HttpConfig, HttpSystem
from tests.systems.asking import Clock, answer, ask, error, request
from tests.systems.hostile_server import Exchange, HostileServer, serve


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileServer]:
    yield from serve(monkeypatch)


def config(url: str, **options: Any) -> HttpConfig:
    return HttpConfig(type="http", url=url, **options)


def call(url: str, asked: Request | None = None, clock: Clock | None = None, **options: Any) -> Prediction:
    made = config(url, **options)
    return answer(HttpSystem(made), made, asked, clock=clock or Clock())


def failed(url: str, **options: Any) -> CallError:
    made = config(url, **options)
    return error(HttpSystem(made), made)


def test_it_is_an_entry_point() -> None:
    found = load("karat.systems", "http")
    assert isinstance(found, SystemType)
    assert (found.name, found.config) == ("http", HttpConfig)


def test_the_default_template_and_the_whole_body(server: HostileServer) -> None:
    found = call(server.url("/good"), request("case 1", 2, 0, "Why?"))
    assert json.loads(found.response) == {"answer": {"id": "case 1", "n": 1}}
    assert found.latency is not None
    assert server.seen[0].json() == {"id": "case 1", "turn": 2, "messages": [{"role": "user", "content": "Why?"}]}
    assert server.seen[0].headers["content-type"] == "application/json"


def test_a_response_path(server: HostileServer) -> None:
    async def nested(exchange: Exchange) -> None:
        await exchange.send("200 OK", b'{"data": {"answers": [{"n": 1.50}, {"text": "caf\\u00e9"}]}}')

    url = server.add("/nested", nested)
    assert call(url, response_path="data.answers.0").response == b'{"n": 1.50}'  # as it is written there
    assert call(url, response_path="data.answers.-1.text").response == "café".encode()
    traced = call(url, response_path="data.answers.0", trace_path="data.answers.-1")
    assert (traced.response, traced.trace[:8]) == (b'{"n": 1.50}', b'{"text":')
    assert call(url, response_path="data.answers.0", trace_path="data.trace").trace == b""
    found = call(url, response_path="data.answer.0")
    assert found.error is not None
    assert found.error.kind == "bad_response"
    assert found.error.message.endswith(
        'nothing at the response path "data.answer.0": there is no "answer" in "data"; the keys there: "answers"'
    )
    assert found.response.startswith(b'{"data"')
    assert 'there is no item 7 in "data.answers": the list has 2' in failed(url, response_path="data.answers.7").message
    assert (
        '"x" is not an index; in "data.answers" there is a list of 2 items'
        in failed(url, response_path="data.answers.x").message
    )
    assert (
        'there is no "y" in "data.answers.0.n": there is a number instead'
        in failed(url, response_path="data.answers.0.n.y").message
    )


def test_429_waits_as_long_as_it_is_told_and_goes_on(server: HostileServer) -> None:
    clock = Clock()
    made = config(server.url("/busy"), backoff=1.0)
    found = answer(HttpSystem(made), made, clock=clock, draw=lambda: 0.0)
    assert found.error is None
    assert clock.slept == [7.0, 7.0]
    assert server.calls["/busy"] == 3


@pytest.mark.parametrize(
    ("path", "kind", "tries", "words"),
    [
        ("/500", "server_error", 3, "answered 500 Internal Server Error: the engine is on fire"),
        ("/garbage", "bad_response", 1, "answered 200 with application/json: not JSON"),
        (
            "/html",
            "bad_response",
            1,
            "answered 200 with text/html: not JSON (JSON is malformed: invalid character (byte 0)): <!doctype html>",
        ),
        ("/half", "connection", 3, "the connection was lost before the answer was complete"),
        ("/hang-up", "connection", 3, "the connection was lost before the answer was complete"),
        ("/not-http", "connection", 3, "the connection was lost before the answer was complete"),
        ("/silent", "timeout", 3, "no answer within 0.3 s"),
        ("/refuse", "client_error", 1, "answered 403 Forbidden: this key may not"),
        ("/nowhere", "client_error", 1, "answered 404 Not Found: no such path"),
    ],
)
def test_each_misbehaviour_is_its_own_clear_error(
    server: HostileServer, path: str, kind: str, tries: int, words: str
) -> None:
    found = failed(server.url(path), retries=2, timeout=0.3 if path == "/silent" else 30)
    assert (found.kind, found.tries) == (kind, tries)
    assert words in found.message
    assert server.calls[path] == tries


def test_the_others_are_unharmed(server: HostileServer) -> None:
    """Good calls and every bad one through one client at the same time."""
    paths = ["/500", "/garbage", "/html", "/half", "/hang-up", "/silent", "/refuse", "/not-http"]

    async def scenario() -> tuple[list[Prediction | None], list[Prediction | None]]:
        good = config(server.url("/good"), concurrency=4, timeout=20)
        callers = [Caller(HttpSystem(good), good)]
        bad = [config(server.url(path), retries=0, timeout=0.5 if path == "/silent" else 30) for path in paths]
        callers += [Caller(HttpSystem(item), item) for item in bad]
        wanted = [callers[0].predict(request(str(number))) for number in range(30)]
        unwanted = [caller.predict(request("bad")) for caller in callers[1:]]
        found = await asyncio.gather(*unwanted, *wanted)
        for caller in callers:
            await caller.close()
        return found[: len(unwanted)], found[len(unwanted) :]

    bad, good = asyncio.run(scenario())
    assert all(item is not None and item.error is None for item in good)
    assert [json.loads(item.response)["answer"]["id"] for item in good if item] == [str(number) for number in range(30)]
    kinds = [item.error.kind for item in bad if item and item.error]
    assert kinds == [
        "server_error", "bad_response", "bad_response", "connection", "connection", "timeout", "client_error",
        "connection",
    ]  # fmt: skip


def test_good_and_bad_cases_through_one_system(server: HostileServer) -> None:
    async def by_case(exchange: Exchange) -> None:
        await server.answers[f"/{exchange.json()['id']}"](exchange)

    made = config(server.add("/any", by_case), retries=0, timeout=3.0, concurrency=4)
    names = ["good", "half", "good", "silent", "good", "garbage", "hang-up", "good", "500", "good"]
    found = ask(HttpSystem(made), made, *(request(name) for name in names))
    kinds = [item.error.kind if item.error else "fine" for item in found if item]
    assert kinds == [
        "fine", "connection", "fine", "timeout", "fine", "bad_response", "connection", "fine", "server_error", "fine",
    ]  # fmt: skip


def test_the_server_never_sees_more_at_once_than_allowed(server: HostileServer) -> None:
    made = config(server.url("/slow"), concurrency=3)
    found = ask(HttpSystem(made), made, *(request(str(number)) for number in range(30)))
    assert all(item is not None and item.error is None for item in found)
    assert server.most == 3
    assert server.calls["/slow"] == 30


def test_nobody_is_there() -> None:
    found = failed("http://127.0.0.1:9/", retries=1)
    assert (found.kind, found.tries) == ("connection", 2)
    assert found.message == "cannot connect to http://127.0.0.1:9/: Connection refused"


def test_the_raw_body_of_a_failure_is_kept(server: HostileServer) -> None:
    assert call(server.url("/500"), retries=0).response == b"the engine is on fire"
    assert call(server.url("/html")).response.startswith(b"<!doctype html>")


def test_an_empty_body(server: HostileServer) -> None:
    async def nothing(exchange: Exchange) -> None:
        await exchange.send("200 OK", b"")

    assert "an empty body, where JSON was expected" in failed(server.add("/empty", nothing)).message


def test_a_body_that_is_too_large(server: HostileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def endless(exchange: Exchange) -> None:
        # 30 kB that unpack to 30 MB
        body = gzip.compress(b" " * 30_000_000)
        await exchange.send("200 OK", body, "application/json", "Content-Encoding: gzip")

    url = server.add("/bomb", endless)
    monkeypatch.setattr(transport.Transport.read, "__defaults__", (2**20,))
    found = call(url)
    assert found.error == CallError("bad_response", f"{url}: the answer is larger than 1 MiB", 1)
    assert len(found.response) <= transport.MAX_ERROR_BODY


def test_a_body_nested_without_end(server: HostileServer) -> None:
    async def deep(exchange: Exchange) -> None:
        await exchange.send("200 OK", b"[" * 100_000)

    assert failed(server.add("/deep", deep)).kind == "bad_response"


def test_what_else_can_break(server: HostileServer) -> None:
    async def half_a_refusal(exchange: Exchange) -> None:
        await exchange.raw(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 1000\r\n\r\nhal")
        exchange.writer.close()

    async def no_gzip(exchange: Exchange) -> None:
        await exchange.send("200 OK", b"plain", "application/json", "Content-Encoding: gzip")

    found = failed(server.add("/half-503", half_a_refusal), retries=1)
    assert (found.kind, found.tries) == ("server_error", 2)  # the status is what counts
    assert failed(server.add("/no-gzip", no_gzip)).kind == "bad_response"


def test_redirects_stay_at_home(server: HostileServer) -> None:
    def to(status: str, target: str) -> Any:
        async def redirect(exchange: Exchange) -> None:
            await exchange.send(status, b"", "text/plain", f"Location: {target}")

        return redirect

    assert call(server.add("/moved", to("307 Temporary Redirect", "/good"))).error is None
    away = f"http://localhost:{server.port}/good?key=abc"
    found = failed(server.add("/away", to("307 Temporary Redirect", away)), headers={"Api-Key": "canary-1234"})
    assert found.kind == "client_error"
    assert f"it redirects to http://localhost:{server.port}/good, which is not followed" in found.message
    # A POST that would silently become a GET is not followed either.
    assert failed(server.add("/login", to("302 Found", "/good"))).kind == "client_error"
    assert "redirects in a loop" in failed(server.add("/circle", to("308 Permanent Redirect", "/circle"))).message
    assert server.calls["/good"] == 1
    assert server.calls["/circle"] == 6


def test_get_sends_the_template_as_parameters(server: HostileServer) -> None:
    async def echo(exchange: Exchange) -> None:
        await exchange.send("200 OK", json.dumps({"method": exchange.method, "query": exchange.query}).encode())

    found = call(server.add("/q", echo), method="get", request={"q": "{question}", "top": "5", "turn": "{turn}"})
    assert json.loads(found.response) == {"method": "GET", "query": "q=How+many%3F&top=5&turn=0"}


def test_a_multi_turn_case_sends_its_history(server: HostileServer) -> None:
    made = config(server.url("/good"), response_path="answer", reply_path="id")

    async def scenario() -> None:
        system = HttpSystem(made)
        caller = Caller(system, made)
        first = await caller.predict(request("c", 0, 0, "GDP of Norway?"))
        assert first is not None
        history = (
            *request(question="GDP of Norway?").messages,
            system.reply(first.response),
            *request(question="And Chile?").messages,
        )
        second = await caller.predict(Request("c", 1, 0, history))
        assert second is not None
        assert json.loads(second.response) == {"id": "c", "n": 3}
        await caller.close()

    asyncio.run(scenario())
    assert server.seen[1].json()["messages"] == [
        {"role": "user", "content": "GDP of Norway?"},
        {"role": "assistant", "content": "c"},
        {"role": "user", "content": "And Chile?"},
    ]


def test_keys_come_from_the_environment_and_are_never_shown(
    server: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def echo(exchange: Exchange) -> None:
        status = "200 OK" if exchange.path == "/echo-ok" else "400 Bad Request"
        await exchange.send(status, json.dumps({"detail": "you sent " + " ".join(exchange.headers.values())}).encode())

    monkeypatch.setenv("ASSISTANT_KEY", "canary-key-0123456789")
    address = server.add("/echo", echo).replace("http://", "http://ada:canary-password@") + "?api_key=canary-query"
    headers = {"X-Api-Key": "${ASSISTANT_KEY}", "Authorization": "Bearer canary-literal-token"}
    made = config(address, headers=headers)
    system = HttpSystem(made)
    found = answer(system, made)
    assert server.seen[0].headers["x-api-key"] == "canary-key-0123456789"
    assert found.error is not None
    assert found.error.kind == "client_error"
    for text in (
        found.error.message,
        found.response.decode(),
        repr(found),
        repr(made),
        repr(system),
        str(vars(system)),
    ):
        assert "canary" not in text
    fine = call(server.add("/echo-ok", echo), headers=headers)
    assert b"canary" not in fine.response
    assert b"***" in fine.response


def test_user_info_stays_out_of_every_failure(server: HostileServer) -> None:
    for path in ("/500", "/garbage", "/half", "/silent", "/html", "/refuse", "/hang-up"):
        address = server.url(path).replace("http://", "http://ada:canary%40pass@")
        found = call(address, retries=0, timeout=0.2, response_path="a.b")
        assert found.error is not None
        assert "canary" not in repr(found)
    assert "canary" not in failed("http://ada:canary-pass@127.0.0.1:9/", retries=0).message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"headers": {"Api-Key": "${KARAT_NO_SUCH_VARIABLE}"}},
            "the environment variable KARAT_NO_SUCH_VARIABLE, which the header",
        ),
        ({"url": "ftp://host/x"}, 'the url of the system is not a valid URL: "ftp://host/x"'),
        ({"url": "localhost:8080"}, "is not a valid URL"),
        ({"url": "http://user:canary@:x/"}, 'is not a valid URL: "http://***@:x/"'),
        ({"method": "BREW"}, 'unknown method "BREW"'),
        ({"request": {"q": "{qestion}"}}, 'Did you mean "{question}"?'),
        ({"request": {"q": "hello"}}, "is the same for every case"),
        ({"request": '{"q": '}, "is not valid JSON"),
        ({"request": ["{question}"], "method": "GET"}, "must be an object"),
        ({"headers": {"X": "a\nb"}}, "characters that are not allowed in a header"),
    ],
)
def test_mistakes_are_said_before_anything_is_called(options: dict[str, Any], words: str) -> None:
    made = config(**({"url": "http://127.0.0.1:1/"} | options))
    with pytest.raises(UserError) as caught:
        HttpSystem(made)
    assert words in str(caught.value)
    assert "canary" not in str(caught.value)


def test_a_key_with_a_line_break_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROKEN_KEY", "canary\nkey")
    with pytest.raises(UserError) as caught:
        HttpSystem(config("http://127.0.0.1:1/", headers={"Api-Key": "${BROKEN_KEY}"}))
    assert "canary" not in str(caught.value)
    monkeypatch.setenv("BROKEN_KEY", "  canary-key \n")  # white space around it is no harm
    HttpSystem(config("http://127.0.0.1:1/", headers={"Api-Key": "${BROKEN_KEY}"}))


def test_one_key_with_two_values_is_an_error_wherever_the_path_leads(server: HostileServer) -> None:
    async def twice(exchange: Exchange) -> None:
        await exchange.send("200 OK", b'{"data": {"answer": 1}, "data": {"answer": 2}}')

    async def same(exchange: Exchange) -> None:
        await exchange.send("200 OK", b'{"data": {"answer": 1}, "data": {"answer":1}}')

    found = failed(server.add("/twice", twice), response_path="data.answer")
    assert found.kind == "bad_response"
    assert 'the key "data" appears twice in one object of the response, with different values: {"data"' in found.message
    assert call(server.add("/same", same), response_path="data.answer").response == b"1"
