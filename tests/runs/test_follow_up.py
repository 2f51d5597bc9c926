"""Asking again after an answer: what is said, what is kept, when it stops."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from karat.core import plugins
from karat.core.records import CallError, Case, NextCall, Prediction, attempts, branches_of, join_attempts
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import Request
from karat.runs.calls.follow_up import following_up, unfinished
from karat.systems.history import assistant_message
from tests.suites.data_query.building import case, target

CASE = case("c", target({"A": ["a"]}))
REQUEST = Request("c", 0, 0, ({"role": "user", "content": "q"},))


def suite_that_wants(word: bytes, at_most: int = 2) -> Suite:
    def follow_up(asked: Case[Any], turn: int, responses: Sequence[bytes], options: Any) -> str | None:
        assert (asked.id, turn) == ("c", 0)
        return None if word in responses[-1] or len(responses) > at_most else f"try {len(responses)}"

    return replace(plugins.load_suite("data_query"), follow_up=follow_up)


def asked(suite: Suite, answers: Sequence[Prediction | None]) -> tuple[Prediction | None, list[Request]]:
    heard: list[Request] = []

    async def predict(request: Request) -> Prediction | None:
        heard.append(request)
        return answers[len(heard) - 1]

    async def ask() -> Prediction | None:
        return await following_up(predict, assistant_message, suite, {("c", 0): CASE}, SuiteOptions())(REQUEST)

    return asyncio.run(ask()), heard


def answer(text: bytes, seconds: float | None = 1.0) -> Prediction:
    return Prediction("c", 0, 0, text, latency=seconds, tokens=10)


def test_an_answer_that_will_do_is_kept_as_it_came() -> None:
    found, heard = asked(suite_that_wants(b"good"), [answer(b"good")])
    assert found == answer(b"good")
    assert len(heard) == 1


def test_the_conversation_goes_on_until_the_answer_will_do() -> None:
    found, heard = asked(suite_that_wants(b"good"), [answer(b"bad"), answer(b"worse"), answer(b"good")])
    assert found is not None
    assert attempts(found.response) == [b"bad", b"worse", b"good"]
    assert (found.latency, found.tokens, found.cost) == (3.0, 30, None)
    said = [(message["role"], message["content"]) for message in heard[-1].messages]
    assert said == [("user", "q"), ("assistant", "bad"), ("user", "try 1"), ("assistant", "worse"), ("user", "try 2")]


def test_a_repair_that_does_not_come_leaves_what_came() -> None:
    failed = Prediction("c", 0, 0, error=CallError("timeout", "no answer"))
    for end in (failed, None):
        found, _ = asked(suite_that_wants(b"good"), [answer(b"bad"), end])
        assert found == answer(b"bad")


def test_a_first_call_that_failed_is_not_followed_up() -> None:
    failed = Prediction("c", 0, 0, error=CallError("timeout", "no answer"))
    assert asked(suite_that_wants(b"good"), [failed])[0] == failed
    assert asked(suite_that_wants(b"good"), [None])[0] is None


def test_attempts_are_what_was_joined() -> None:
    assert attempts(join_attempts([b'{"a": 1}', "é".encode()])) == [b'{"a": 1}', "é".encode()]
    assert attempts(b'{"a": 1}') == [b'{"a": 1}']


def test_every_response_is_kept_as_it_comes() -> None:
    suite = suite_that_wants(b"good")
    kept: list[Prediction] = []
    answers = iter([answer(b"bad"), answer(b"good")])

    async def predict(_: Request) -> Prediction | None:
        return next(answers)

    async def ask() -> Prediction | None:
        return await following_up(
            predict, assistant_message, suite, {("c", 0): CASE}, SuiteOptions(), keep=kept.append
        )(REQUEST)

    found = asyncio.run(ask())
    assert [attempts(one.response) for one in kept] == [[b"bad"], [b"bad", b"good"]]
    assert found is not None and found == kept[-1] and found.tokens == 20


def test_a_run_that_was_stopped_goes_on_in_the_same_conversation() -> None:
    suite = suite_that_wants(b"good")
    begun = {("c", 0, 0): Prediction("c", 0, 0, join_attempts([b"bad", b"worse"]), latency=2.0, tokens=20)}
    assert unfinished(suite, [CASE], SuiteOptions(), begun) == begun
    heard: list[Request] = []

    async def predict(request: Request) -> Prediction | None:
        heard.append(request)
        return answer(b"good")

    async def ask() -> Prediction | None:
        return await following_up(predict, assistant_message, suite, {("c", 0): CASE}, SuiteOptions(), begun=begun)(
            REQUEST
        )

    found = asyncio.run(ask())
    assert found is not None and attempts(found.response) == [b"bad", b"worse", b"good"] and found.tokens == 30
    (asked_once,) = heard
    said = [(message["role"], message["content"]) for message in asked_once.messages]
    assert said == [("user", "q"), ("assistant", "bad"), ("user", "try 1"), ("assistant", "worse"), ("user", "try 2")]
    assert unfinished(suite, [CASE], SuiteOptions(), {("c", 0, 0): found}) == {}


def test_a_budget_that_is_used_up_ends_the_asking() -> None:
    suite = replace(suite_that_wants(b"good", 5), spent=lambda found, _: "tokens" if (found.tokens or 0) >= 20 else "")
    found, heard = asked(suite, [answer(b"bad"), answer(b"worse"), answer(b"good")])
    assert found is not None and attempts(found.response) == [b"bad", b"worse"]
    assert len(heard) == 2
    stored = {("c", 0, 0): found}
    assert unfinished(suite, [CASE], SuiteOptions(), stored) == {}


def suite_with_branches(calls: int = 2) -> Suite:
    """Two branches beside the answer: one goes on with the conversation, one begins anew."""

    def next_call(asked: Case[Any], turn: int, response: bytes, options: Any) -> NextCall | None:
        given = {one.name: one.responses for one in branches_of(response)}
        first = attempts(response)[0]
        if len(talk := given.get("talk", ())) < calls:
            return NextCall("talk", tuple((one, "go on") for one in (first, *(text.encode() for text in talk))))
        return NextCall("anew") if len(given.get("anew", ())) < calls else None

    return replace(plugins.load_suite("data_query"), follow_up=lambda *_: None, next_call=next_call)


def test_branches_begin_at_the_first_answer_and_are_kept_apart() -> None:
    found, heard = asked(suite_with_branches(), [answer(text) for text in (b"a", b"b", b"c", b"d", b"e")])
    assert found is not None and attempts(found.response) == [b"a"]
    assert [(one.name, one.responses, one.latency, one.tokens, one.cost) for one in branches_of(found.response)] == [
        ("talk", ("b", "c"), 2.0, 20, None),
        ("anew", ("d", "e"), 2.0, 20, None),
    ]
    assert (found.latency, found.tokens) == (5.0, 50)
    assert [[message["content"] for message in request.messages] for request in heard] == [
        ["q"],
        ["q", "a", "go on"],
        ["q", "a", "go on", "b", "go on"],
        ["q"],
        ["q"],
    ]
    assert [request.again for request in heard] == [0, 0, 0, 3, 4]


def test_a_stopped_run_goes_on_with_its_branches() -> None:
    suite = suite_with_branches()
    broken = Prediction("c", 0, 0, error=CallError("timeout", "no answer"))
    found, _ = asked(suite, [answer(b"a"), answer(b"b"), broken])
    assert found is not None and [one.responses for one in branches_of(found.response)] == [("b",)]
    begun = unfinished(suite, [CASE], SuiteOptions(), {("c", 0, 0): found})
    assert begun == {("c", 0, 0): found}
    heard: list[Request] = []

    async def predict(request: Request) -> Prediction | None:
        heard.append(request)
        return answer(b"x%d" % len(heard))

    async def ask() -> Prediction | None:
        in_flight = {("c", 0): CASE}
        return await following_up(predict, assistant_message, suite, in_flight, SuiteOptions(), begun=begun)(REQUEST)

    whole = asyncio.run(ask())
    assert whole is not None and len(heard) == 3
    assert [one.responses for one in branches_of(whole.response)] == [("b", "x1"), ("x2", "x3")]
    assert unfinished(suite, [CASE], SuiteOptions(), {("c", 0, 0): whole}) == {}
