"""Ctrl-C during the calls of a run, or a wish to stop from elsewhere: no further call is made, those in flight may
finish for a while, and their answers are stored. A second Ctrl-C ends the calls at once; what is stored stays."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any  # Any: what a coroutine is sent and yields is asyncio's own business

from karat.core.records import Prediction
from karat.core.system import Request, Response, System
from karat.systems.caller import NotBegun

Predict = Callable[[Request], Awaitable[Prediction | None]]

GRACE = 10.0
"""Seconds that calls in flight have to finish, unless the project or the command line says otherwise."""

LISTEN = 0.1
"""Seconds between two looks at whether the run was asked to stop from elsewhere."""


def wrong_seconds(name: str, seconds: float) -> str:
    """What is wrong with a number of seconds; empty when nothing is."""
    return "" if 0 <= seconds < float("inf") else f"{name} must be a number of seconds, 0 or more"


def stop_as_ctrl_c(*_: object) -> None:
    """For ``signal.signal``: what asks to stop stops as cleanly as Ctrl-C does, also where that is ignored, as in the
    background of a script."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


class Stopped(Exception):
    """The calls were ended by Ctrl-C. All that had come is stored."""


class Stopping:
    """Whether a run was asked to stop, and how many calls it waits for. It belongs to one event loop.

    ``on_stop`` hears of each Ctrl-C: how many calls are in flight, and how many seconds they have.
    """

    def __init__(self, grace: float, on_stop: Callable[[int, float], None] = lambda _calls, _seconds: None) -> None:
        self._grace = grace
        self._on_stop = on_stop
        self._asked = asyncio.Event()
        self._idle = asyncio.Event()
        self._in_flight = 0

    def guarded(self, system: System) -> System:
        """The system, counting the calls in flight; it begins none once the run is to stop."""
        return _Guarded(system, self._counted)

    def patient(self, predict: Predict) -> Predict:
        """A ``predict`` that waits for the end where a call is not made any more."""

        async def asked(request: Request) -> Prediction | None:
            try:
                return await predict(request)
            except NotBegun:
                await asyncio.Event().wait()  # until it is cancelled
                raise

        return asked

    async def sleep(self, seconds: float) -> None:
        """The pause before a call is tried again. There is no further try once the run is to stop."""
        try:
            await asyncio.wait_for(self._asked.wait(), seconds)
        except TimeoutError:
            return
        raise NotBegun

    async def until_stopped(self, work: Coroutine[Any, Any, None], asked: Callable[[], bool] = lambda: False) -> None:
        """Do the work. Ctrl-C ends it as described above, and so does ``asked`` once it is true; then ``Stopped`` is
        raised."""
        task = asyncio.create_task(work)
        finishing: list[asyncio.Task[None]] = []

        def stop() -> None:
            again = self._asked.is_set()
            self._asked.set()
            self._on_stop(0 if again else self._in_flight, 0.0 if again else self._grace)
            if again or not self._in_flight:
                task.cancel()
            else:
                self._idle.clear()
                finishing.append(asyncio.create_task(self._finish(task)))

        async def listen() -> None:
            while not asked():
                await asyncio.sleep(LISTEN)
            if not self._asked.is_set():
                stop()

        listening = asyncio.create_task(listen())
        try:
            with _listening(stop):
                await task
        except asyncio.CancelledError:
            if not self._asked.is_set():
                task.cancel()  # it is this coroutine that is cancelled
                await asyncio.gather(task, return_exceptions=True)
                raise
        finally:
            for one in (listening, *finishing):
                one.cancel()
        if self._asked.is_set():
            raise Stopped

    async def _counted(self, call: Coroutine[Any, Any, Response]) -> Response:
        if self._asked.is_set():
            call.close()
            raise NotBegun
        self._in_flight += 1
        try:
            return await call
        finally:
            self._in_flight -= 1
            if not self._in_flight:
                self._idle.set()

    async def _finish(self, task: asyncio.Task[None]) -> None:
        """End the work when the last call in flight has come, or the time is over."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._idle.wait(), self._grace)
        task.cancel()


class _Guarded(System):
    """A system whose calls are counted."""

    def __init__(self, system: System, counted: Callable[[Coroutine[Any, Any, Response]], Any]) -> None:
        self._system = system
        self._counted = counted
        self.measures_time = system.measures_time

    async def call(self, request: Request) -> Response:
        response: Response = await self._counted(self._system.call(request))
        return response


@contextmanager
def _listening(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` for each Ctrl-C, and for a signal that was to be like it. One that is ignored, is somebody else's,
    or cannot be listened to stays as it is."""
    loop = asyncio.get_running_loop()
    in_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)} if in_main else {}
    heard: list[signal.Signals] = []
    try:
        for number, handler in before.items():
            if _is_ours(handler):
                with suppress(NotImplementedError):  # Windows: Ctrl-C ends the calls at once
                    loop.add_signal_handler(number, stop)
                    heard.append(number)
        yield
    finally:
        for number in heard:
            loop.remove_signal_handler(number)
            signal.signal(number, before[number])


def _is_ours(handler: object) -> bool:
    """Whether a signal has the handler of Python, of asyncio, or ours. An exception that one of these raises may come
    out anywhere, also where it is dropped."""
    of_asyncio = isinstance(handler, partial) and getattr(handler.func, "__name__", "") == "_on_sigint"
    return of_asyncio or handler in (signal.default_int_handler, stop_as_ctrl_c)
