"""Calling a system within limits: calls at once, calls per minute, a time limit, retries where they may help.

The system makes plain attempts; everything here is the same for all of them. One bad call never ends a run: whatever a
system raises becomes a prediction with an error. Only the end of the run itself (cancellation, Ctrl-C) passes through.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

from karat.core.records import CallError, Prediction
from karat.core.secrets.masking import Secrets
from karat.core.system import CallFailed, NoAnswer, Request, Response, System, SystemConfig
from karat.systems.redaction import environment_secrets

ERROR_KINDS = {
    "rate_limited": "the server answered 429, too many requests; retried",
    "server_error": "the server failed (5xx, 408, an error object in its answer); retried",
    "client_error": "the server refused the request (4xx, a redirect elsewhere)",
    "timeout": "no answer within the time limit; retried",
    "connection": "no connection, or it was lost before the answer was complete; retried",
    "bad_response": "an answer that cannot be read: not JSON, nothing at the response path, too large",
    "command_failed": "the command could not start or ended with an exit status that is not 0",
    "bad_prompt": "the prompt could not be rendered for this case; nothing was sent",
    "exception": "the system's own code raised an exception",
    "recorded": "the recording says that this call failed, but not how",
}
"""Every kind of error that a call can end with, for counting."""

LONGEST_BACKOFF = 60.0
LONGEST_RETRY_AFTER = 600.0
"""A server may ask for this many seconds of patience, no more."""
LONGEST_MESSAGE = 2_000


def retry_wait(failures: int, backoff: float, retry_after: float | None, draw: float) -> float:
    """Seconds to wait after the n-th failure (from 1); ``draw`` is a random number in 0…1.

    Without a word from the server: ``backoff`` doubled each time, at most a minute, of that between a half and the
    whole. With one: what it says, and up to one ``backoff`` more, so that callers sent away together do not come back
    together.
    """
    if retry_after is not None:
        return min(max(retry_after, 0.0), LONGEST_RETRY_AFTER) + min(backoff, LONGEST_BACKOFF) * draw
    whole = min(backoff * 2.0 ** min(failures - 1, 60), LONGEST_BACKOFF)
    return whole * (0.5 + 0.5 * draw)


class NotBegun(BaseException):
    """A call that was not made any more. No Exception: it is not the system's failure."""


class Pace:
    """At most this many starts a minute, evenly spaced: no minute ever holds more than one above the limit."""

    def __init__(
        self, per_minute: float, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._interval = 60.0 / per_minute
        self._clock = clock
        self._sleep = sleep
        self._next = float("-inf")

    async def wait(self) -> None:
        """Take the next free moment and wait for it."""
        now = self._clock()
        at = max(now, self._next)
        self._next = at + self._interval
        if at > now:
            await self._sleep(at - now)


class Answers(Protocol):
    """Answers that are there already, and where new ones are kept."""

    def find(self, request: Request) -> Response | None:
        """The answer to exactly this request."""

    def keep(self, request: Request, response: Response) -> None:
        """Keep a new answer."""


class CallSpan(Protocol):
    """The record of one call."""

    def end(self, prediction: Prediction | None) -> None:
        """How the call ended."""


class CallTraces(Protocol):
    """Who records calls."""

    def call(self, request: Request) -> AbstractContextManager[CallSpan]:
        """The record of a call, open while it is made."""

    def response(self, request: Request, response: Response) -> None:
        """What the system said of an answer."""


class Caller:
    """An open system with its limits. ``predict`` may be called any number of times at once."""

    def __init__(
        self,
        system: System,
        config: SystemConfig,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        draw: Callable[[], float] = random.random,
        answers: Answers | None = None,
        traces: CallTraces | None = None,
    ) -> None:
        self.system = system
        self._answers = answers
        self._traces = traces
        self.config = config
        self._clock = clock
        self._sleep = sleep
        self._draw = draw
        self._slots = asyncio.Semaphore(config.concurrency)
        self._pace = Pace(config.requests_per_minute, clock, sleep) if config.requests_per_minute else None
        # A recording has no time of its own: how long its lookup takes is not a latency.
        self._timed = system.measures_time
        self._secrets: Secrets | None = None

    async def predict(self, request: Request) -> Prediction | None:
        """The system's answer or why there is none; None when nothing is recorded for this question."""
        if self._traces is None:
            return await self._predict(request)
        with self._traces.call(request) as span:
            found = await self._predict(request)
            span.end(found)
        return found

    async def _predict(self, request: Request) -> Prediction | None:
        if self._answers is not None and (found := self._answers.find(request)) is not None:
            return self._answered(request, found, found.latency)
        tries = 0
        while True:
            tries += 1
            async with self._slots:
                if self._pace is not None:
                    await self._pace.wait()
                try:
                    outcome = await self._attempt(request)
                except NoAnswer:
                    return None
            if isinstance(outcome, Prediction):
                return outcome
            if not outcome.retry or tries > self.config.retries:
                return self._failed(request, outcome, tries)
            # The slot is free again meanwhile: others go on while this one waits.
            await self._sleep(retry_wait(tries, self.config.backoff, outcome.retry_after, self._draw()))

    async def close(self) -> None:
        """Close the system."""
        await self.system.close()

    async def _attempt(self, request: Request) -> Prediction | CallFailed:
        limit = asyncio.timeout(self.config.timeout)
        started = self._clock()
        try:
            async with limit:
                response = await self.system.call(request)
            answered = self._answered(request, response, self._clock() - started)
            if self._answers is not None:
                # As it is stored: without secrets, with its own time.
                kept = msgspec.structs.replace(response, body=answered.response, latency=answered.latency)
                self._answers.keep(request, kept)
            return answered
        except (CallFailed, NoAnswer) as error:
            if isinstance(error, NoAnswer):
                raise
            return error
        except TimeoutError as error:
            if limit.expired():
                return CallFailed("timeout", f"no answer within {self.config.timeout:g} s", retry=True)
            return CallFailed("timeout", _described(error), retry=True)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Nobody cancelled this call: something inside the system was cancelled, and that is the system's failure.
            return CallFailed("exception", _described(error))
        except (NotBegun, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # SystemExit, and what libraries in other languages raise in a panic
            return CallFailed("exception", _described(error))

    def _answered(self, request: Request, response: Response, elapsed: float | None) -> Prediction:
        if self._traces is not None:
            self._traces.response(request, response)
        latency = response.latency if response.latency is not None or not self._timed else elapsed
        tokens, cost = response.tokens, response.cost
        incoming, outgoing = response.input_tokens, response.output_tokens
        if incoming is not None and outgoing is None and tokens is not None:
            outgoing = max(tokens - incoming, 0)
        if incoming is not None and outgoing is not None:
            if tokens is None:
                tokens = incoming + outgoing
            if cost is None:
                cost = self._cost(response.model, incoming, outgoing)
        # What is recorded is somebody's file already; an answer that comes now may hold a key that the system could
        # read.
        body = self._known().body(response.body) if self._timed else response.body
        trace = self._known().body(response.trace) if response.trace and self._timed else response.trace
        return Prediction(request.case_id, request.turn, request.repeat, body, None, latency, tokens, cost, trace)

    def _cost(self, model: str, incoming: int, outgoing: int) -> float | None:
        prices = self.config.prices
        price = prices.get(model) or prices.get("default")
        return None if price is None else (incoming * price.input + outgoing * price.output) / 1_000_000

    def _failed(self, request: Request, failure: CallFailed, tries: int) -> Prediction:
        # Secrets first, then the cut: half a key is still a leak.
        message = self._known().text(failure.message)
        message = f"{message[:LONGEST_MESSAGE]}…" if len(message) > LONGEST_MESSAGE else message
        error = CallError(failure.kind, message, tries)
        return Prediction(request.case_id, request.turn, request.repeat, self._known().body(failure.body), error)

    def _known(self) -> Secrets:
        """The secrets in the environment, whatever the system: a command and a function can read them too."""
        if self._secrets is None:
            self._secrets = Secrets(environment_secrets())
        return self._secrets


def _described(error: BaseException) -> str:
    """``TypeName: text``, on one line."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # an exception whose own text fails is still only one bad call
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
