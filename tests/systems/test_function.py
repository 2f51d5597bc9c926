from __future__ import annotations

import asyncio
import functools
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat.core.callables import find_function
from karat.core.plugins import load
from karat.core.problems import UserError
from karat.core.system import Response
from karat.systems.caller import Caller
from karat.systems.function import FunctionConfig, open_callable
from tests.systems.asking import answer, ask, error, request

CONFIG = FunctionConfig(type="function", function="x:y", retries=0)


def answered(function: Any, **options: Any) -> bytes:
    found = answer(open_callable(function, **options), CONFIG)
    assert found.error is None, found.error
    return found.response


class Reply(msgspec.Struct):
    text: str


class Dumped:
    """What packages of vendors return: an object that pydantic writes."""

    def model_dump(self, mode: str = "python") -> dict[str, Any]:
        return {"choices": [{"message": {"content": mode}}]}


@pytest.mark.parametrize(
    ("result", "body"),
    [
        (b"raw", b"raw"),
        (bytearray(b"raw"), b"raw"),
        ("täxt", "täxt".encode()),
        ({"a": [1, None]}, b'{"a":[1,null]}'),
        (Reply("x"), b'{"text":"x"}'),
        (None, b"null"),
        (Dumped(), b'{"choices":[{"message":{"content":"json"}}]}'),
        ({"messages": [Dumped()]}, b'{"messages":[{"choices":[{"message":{"content":"json"}}]}]}'),
    ],
)
def test_what_is_returned_is_the_answer(result: Any, body: bytes) -> None:
    async def asynchronous(_: Any) -> Any:
        await asyncio.sleep(0)
        return result

    assert answered(lambda _: result) == body
    assert answered(lambda _: result, inline=True) == body
    assert answered(asynchronous) == body


def test_a_response_is_taken_as_it_is() -> None:
    found = answer(open_callable(lambda _: Response(b"x", tokens=5, cost=0.1, latency=2.0)), CONFIG)
    assert (found.response, found.tokens, found.cost, found.latency) == (b"x", 5, 0.1, 2.0)


def test_what_it_is_called_with() -> None:
    seen: list[Any] = []
    answer(open_callable(seen.append), CONFIG, request("c", 1, 2, "Why?"))
    assert seen == [
        {"id": "c", "turn": 1, "repeat": 2, "messages": [{"role": "user", "content": "Why?"}], "question": "Why?"}
    ]


def test_where_it_runs() -> None:
    main = threading.get_ident()
    assert answered(lambda _: threading.get_ident() == main) == b"false"
    assert answered(lambda _: threading.get_ident() == main, inline=True) == b"true"


class Callable:
    async def __call__(self, asked: dict[str, Any]) -> str:
        return threading.current_thread().name


def test_every_kind_of_async_function() -> None:
    main = threading.current_thread().name.encode()

    async def partial(name: str, asked: dict[str, Any]) -> str:
        return name + threading.current_thread().name

    assert answered(Callable()) == main
    assert answered(functools.partial(partial, "p")) == b"p" + main
    assert answered(lambda asked: Callable()(asked)) == main  # a plain function that returns a coroutine


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize("raised", [ValueError("no"), StopIteration("stop"), SystemExit(2), TypeError()])
def test_whatever_it_raises_is_one_failed_call(raised: BaseException, inline: bool) -> None:
    def fails(_: Any) -> None:
        raise raised

    found = error(open_callable(fails, inline=inline), CONFIG)
    assert found.kind == "exception"
    assert type(raised).__name__ in found.message


@pytest.mark.parametrize("raised", [GeneratorExit(), KeyboardInterrupt("no key was pressed")])
def test_in_a_thread_nothing_that_it_raises_ends_the_program(raised: BaseException) -> None:
    def fails(_: Any) -> None:
        raise raised

    found = error(open_callable(fails), CONFIG)
    assert (found.kind, found.message) == (
        "exception",
        f"RuntimeError: the function raised {raised!r}".replace("'", ""),
    )


def test_a_result_that_is_no_json() -> None:
    found = error(open_callable(lambda _: object()), CONFIG)
    assert found.kind == "bad_response"
    assert "the function returned a value of type object, which cannot be written as JSON" in found.message
    assert error(open_callable(lambda _: "\ud800"), CONFIG).kind == "bad_response"


def test_a_function_that_never_returns_takes_nothing_from_the_others() -> None:
    """Many more of them than any pool has threads; the rest is answered, and the program ends."""
    never = threading.Event()

    def function(asked: dict[str, Any]) -> str:
        if asked["id"] == "stuck":
            never.wait(600)
        return "fine"

    stuck = [request("stuck") for _ in range(40)]
    limits = FunctionConfig(type="function", function="x:y", retries=0, timeout=2.0, concurrency=50)
    found = ask(open_callable(function), limits, *stuck, *(request(str(number)) for number in range(20)))
    never.set()
    kinds = [item.error.kind if item.error else "fine" for item in found if item]
    assert kinds == ["timeout"] * 40 + ["fine"] * 20


def test_threads_are_used_again() -> None:
    names: set[int] = set()

    def function(_: Any) -> None:
        names.add(threading.get_ident())

    async def scenario() -> None:
        caller = Caller(open_callable(function), CONFIG)
        for number in range(20):
            await caller.predict(request(str(number)))
        await caller.close()

    asyncio.run(scenario())
    assert len(names) == 1


def test_no_more_threads_at_once_than_allowed() -> None:
    lock = threading.Lock()
    now = most = 0

    def function(_: Any) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        threading.Event().wait(0.005)
        with lock:
            now -= 1

    limits = FunctionConfig(type="function", function="x:y", concurrency=3)
    ask(open_callable(function), limits, *(request(str(number)) for number in range(30)))
    assert most == 3


def test_from_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "karat_test_bot.py").write_text(
        "def answer(asked):\n    return asked['question'].upper()\nclass Bot:\n    ask = answer\nLIMIT = 3\n"
    )
    (tmp_path / "karat_test_broken.py").write_text("import karat_no_such_library\n")
    (tmp_path / "karat_test_angry.py").write_text("raise RuntimeError('not today')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    opened = load("karat.systems", "function").open(
        FunctionConfig(type="function", function="karat_test_bot:answer"), None
    )
    assert answer(opened, CONFIG).response == b"HOW MANY?"
    assert find_function("karat_test_bot:Bot.ask")({"question": "x"}) == "X"
    for text, words in {
        "karat_test_bot": 'Write "module:callable"',
        "karat_test_bto:answer": 'there is no module "karat_test_bto"\nDid you mean "karat_test_bot"?',
        "karat_test_bot:anwser": 'there is no "anwser" in "karat_test_bot"\nDid you mean "answer"?',
        "karat_test_bot:LIMIT": '"karat_test_bot:LIMIT" is of type int, not a function',
        "karat_test_broken:answer": "cannot be imported: No module named 'karat_no_such_library'",
        "karat_test_angry:answer": "fails when it is imported: RuntimeError: not today",
    }.items():
        with pytest.raises(UserError) as caught:
            find_function(text)
        assert words in str(caught.value)


def test_only_what_can_be_called() -> None:
    not_callable: Any = 5
    with pytest.raises(UserError, match="must be callable"):
        open_callable(not_callable)


def test_a_reply_for_the_history() -> None:
    assert open_callable(print).reply(b"hello") == {"role": "assistant", "content": "hello"}
    assert open_callable(print, reply_path="t").reply(b'{"t": "hi"}') == {"role": "assistant", "content": "hi"}
