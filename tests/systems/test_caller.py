from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.records import CallError, Prediction
from karat.core.system import CallFailed, NoAnswer, Price, Request, Response, System, SystemConfig
from karat.systems.caller import ERROR_KINDS, LONGEST_BACKOFF, LONGEST_RETRY_AFTER, Caller, retry_wait
from tests.systems.asking import Clock, answer, ask, error, request


class Script(System):
    """A system that does, call after call, what its script says: raise, or return."""

    def __init__(self, *steps: Any) -> None:
        self.steps = list(steps)
        self.calls = 0
        self.closed = False

    async def call(self, request: Request) -> Response:
        step = self.steps[min(self.calls, len(self.steps) - 1)]
        self.calls += 1
        if isinstance(step, BaseException):
            raise step
        if callable(step):
            step = await step(request)
        assert isinstance(step, Response)
        return step

    def reply(self, body: bytes) -> dict[str, Any]:
        return {"role": "assistant", "content": body.decode()}

    async def close(self) -> None:
        self.closed = True


def config(**options: Any) -> SystemConfig:
    return SystemConfig(type="script", **options)


OK = Response(b"ok")
BUSY = CallFailed("rate_limited", "429", retry=True)


def test_an_answer_becomes_a_prediction_with_its_place_and_its_time() -> None:
    clock = Clock()

    async def three_seconds(_: Request) -> Response:
        clock.now += 3
        return OK

    system = Script(three_seconds)
    assert answer(system, config(), request("c", 2, 1), clock=clock) == Prediction("c", 2, 1, b"ok", None, 3.0)
    assert system.closed


def test_latency_is_that_of_the_successful_attempt_alone() -> None:
    clock = Clock()

    async def one_second(_: Request) -> Response:
        clock.now += 1
        return OK

    assert answer(Script(BUSY, BUSY, one_second), config(), clock=clock).latency == 1.0


def test_a_latency_that_the_system_knows_is_taken() -> None:
    assert answer(Script(Response(b"ok", latency=4.5)), config()).latency == 4.5


@pytest.mark.parametrize(
    ("response", "tokens", "cost"),
    [
        (Response(b"", input_tokens=1000, output_tokens=200, model="m"), 1200, 0.0014),  # 1000·1 + 200·2 over a million
        (Response(b"", input_tokens=1000, output_tokens=200, tokens=1250, model="m"), 1250, 0.0014),
        (Response(b"", input_tokens=1000, tokens=1200, model="m"), 1200, 0.0014),  # the output is the rest
        (
            Response(b"", input_tokens=1000, output_tokens=200, model="other"),
            1200,
            0.012,
        ),  # the default price: 10 and 10
        (Response(b"", input_tokens=1000, output_tokens=200, model="m", cost=9.0), 1200, 9.0),
        (Response(b"", tokens=50, model="m"), 50, None),
        (Response(b"", output_tokens=50, model="m"), None, None),
        (Response(b""), None, None),
    ],
)
def test_tokens_and_cost(response: Response, tokens: int | None, cost: float | None) -> None:
    found = answer(Script(response), config(prices={"m": Price(1.0, 2.0), "default": Price(10.0, 10.0)}))
    assert found.tokens == tokens
    assert found.cost == (None if cost is None else pytest.approx(cost))


def test_no_price_no_cost() -> None:
    assert answer(Script(Response(b"", input_tokens=1, output_tokens=1, model="m")), config()).cost is None


def test_nothing_recorded_is_none_and_not_tried_again() -> None:
    system = Script(NoAnswer())
    assert ask(system, config(), request()) == [None]
    assert system.calls == 1


def test_backoff_doubles_and_is_jittered() -> None:
    clock = Clock()
    assert error(Script(BUSY), config(retries=4, backoff=1.0), clock=clock, draw=lambda: 0.0) == CallError(
        "rate_limited", "429", 5
    )
    assert clock.slept == [0.5, 1.0, 2.0, 4.0]
    clock = Clock()
    error(Script(BUSY), config(retries=3, backoff=2.0), clock=clock, draw=lambda: 1.0)
    assert clock.slept == [2.0, 4.0, 8.0]


def test_retry_after_is_honoured_and_capped() -> None:
    clock = Clock()
    steps = [CallFailed("rate_limited", "", retry=True, retry_after=seconds) for seconds in (7.0, 0.0, 1e9)]
    assert answer(Script(*steps, OK), config(backoff=1.0), clock=clock, draw=lambda: 0.5).response == b"ok"
    assert clock.slept == [7.5, 0.5, 600.5]


@given(
    failures=st.integers(1, 5000),
    backoff=st.floats(0, 1e6),
    retry_after=st.none() | st.floats(-1e9, 1e12),
    draw=st.floats(0, 1, exclude_max=True),
)
def test_jitter_stays_within_its_bounds(failures: int, backoff: float, retry_after: float | None, draw: float) -> None:
    wait = retry_wait(failures, backoff, retry_after, draw)
    if retry_after is not None:
        asked = min(max(retry_after, 0.0), LONGEST_RETRY_AFTER)
        assert asked <= wait <= asked + min(backoff, LONGEST_BACKOFF)
    else:
        # Beyond the fiftieth failure even the smallest backoff that matters has grown to the longest.
        whole = min(backoff * 2.0 ** (min(failures, 61) - 1), LONGEST_BACKOFF)
        assert whole / 2 <= wait <= whole


def test_what_another_attempt_cannot_help_is_not_tried_again() -> None:
    system = Script(CallFailed("client_error", "401", body=b"no"))
    found = answer(system, config())
    assert (found.error, found.response, system.calls) == (CallError("client_error", "401", 1), b"no", 1)


def test_no_retries() -> None:
    assert error(Script(BUSY), config(retries=0)).tries == 1


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (ValueError("bad\n  thing"), "ValueError: bad thing"),
        (KeyError(), "KeyError"),
        (SystemExit(3), "SystemExit: 3"),
        (asyncio.CancelledError(), "CancelledError"),  # of the system's own making: nobody cancelled the call
        (RecursionError("too deep"), "RecursionError: too deep"),
        (BaseException("a panic in another language"), "BaseException: a panic in another language"),
    ],
)
def test_whatever_a_system_raises_is_one_failed_call(raised: BaseException, message: str) -> None:
    assert error(Script(raised), config()) == CallError("exception", message, 1)


def test_an_exception_whose_text_fails() -> None:
    class Worse(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert error(Script(Worse()), config()).message == "Worse"


def test_a_timeout_is_tried_again_and_then_said() -> None:
    async def never(_: Request) -> Response:
        await asyncio.Event().wait()
        raise AssertionError

    system = Script(never)
    assert error(system, config(timeout=0.01, retries=2)) == CallError("timeout", "no answer within 0.01 s", 3)
    assert system.calls == 3
    assert answer(Script(never, OK), config(timeout=0.01)).response == b"ok"


def test_a_timeout_of_the_systems_own() -> None:
    assert error(Script(TimeoutError("the database")), config(retries=1)) == CallError(
        "timeout", "TimeoutError: the database", 2
    )


def test_never_more_at_once_than_allowed() -> None:
    now = most = 0

    async def work(_: Request) -> Response:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        return OK

    found = ask(Script(work), config(concurrency=3), *(request(str(number)) for number in range(50)))
    assert [item.case_id for item in found if item] == [str(number) for number in range(50)]
    assert most == 3


def test_a_call_that_waits_for_its_retry_holds_no_slot() -> None:
    order: list[str] = []
    waiting = asyncio.Event()

    async def scenario() -> None:
        async def step(asked: Request) -> Response:
            order.append(asked.case_id)
            if order == ["a"]:
                raise BUSY
            return OK

        async def until_b_is_done(_: float) -> None:
            await waiting.wait()

        caller = Caller(Script(step), config(concurrency=1), sleep=until_b_is_done)
        first = asyncio.create_task(caller.predict(request("a")))
        await asyncio.sleep(0)
        assert (await caller.predict(request("b"))) is not None
        waiting.set()
        assert (await first) is not None

    asyncio.run(scenario())
    assert order == ["a", "b", "a"]


def test_requests_per_minute_are_spaced_and_retries_count() -> None:
    clock = Clock()
    starts: list[float] = []

    async def step(_: Request) -> Response:
        starts.append(clock.now)
        if len(starts) == 2:
            raise CallFailed("server_error", "500", retry=True)
        return OK

    found = ask(
        Script(step),
        config(requests_per_minute=30, concurrency=1, backoff=0.0),
        *(request(str(n)) for n in range(4)),
        clock=clock,
    )
    assert all(item is not None and item.error is None for item in found)
    assert starts == [1000.0, 1002.0, 1004.0, 1006.0, 1008.0]  # four calls and one retry, two seconds apart


def test_without_a_limit_nothing_sleeps() -> None:
    clock = Clock()
    ask(Script(OK), config(), *(request(str(n)) for n in range(20)), clock=clock)
    assert clock.slept == []


def test_cancelling_passes_through_and_gives_the_slot_back() -> None:
    async def scenario() -> None:
        stuck = asyncio.Event()

        async def step(asked: Request) -> Response:
            if asked.case_id == "stuck":
                await stuck.wait()
            return OK

        caller = Caller(Script(step), config(concurrency=1))
        task = asyncio.create_task(caller.predict(request("stuck")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await caller.predict(request("next"))) is not None

    asyncio.run(scenario())


def test_cancelling_during_backoff() -> None:
    async def scenario() -> None:
        task = asyncio.create_task(Caller(Script(BUSY), config(backoff=60)).predict(request()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())


def test_ctrl_c_passes_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(Script(KeyboardInterrupt()), config(), request())


def test_one_bad_call_does_not_harm_the_others() -> None:
    async def step(asked: Request) -> Response:
        if asked.case_id == "3":
            raise ZeroDivisionError("division by zero")
        return OK

    found = ask(Script(step), config(concurrency=2), *(request(str(n)) for n in range(6)))
    assert [item.error is None for item in found if item] == [True, True, True, False, True, True]


def test_secrets_of_the_environment_do_not_get_into_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_API_KEY", "canary-4711-canary")
    text = "failed with canary-4711-canary at https://user:hunter2@host/x?token=abcdef " + "x" * 3000
    message = error(Script(RuntimeError(text)), config()).message
    assert message.startswith("RuntimeError: failed with *** at https://***@host/x?token=*** x")
    assert len(message) < 2100
    assert "canary" not in message
    assert "hunter2" not in message


def test_the_kinds_are_a_short_closed_list() -> None:
    assert set(ERROR_KINDS) == {
        "rate_limited",
        "server_error",
        "client_error",
        "timeout",
        "connection",
        "bad_response",
        "command_failed",
        "bad_prompt",
        "exception",
        "recorded",
    }
