"""Plain functions beside the event loop, on threads that nobody has to wait for.

Not the loop's own pool: that has a fixed number of threads, and a function that never returns would take one from all
the others and keep the program from ending. Here such a thread is left behind; it comes back into use if it ever
returns.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar  # Any: a thread finishes jobs whose functions return anything

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class _Job(NamedTuple):
    context: Context
    work: Callable[[], object]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]


class Threads:
    """Daemon threads, started when none is free. How many there are is the caller's concurrency limit."""

    def __init__(self) -> None:
        self._free: list[SimpleQueue[_Job | None]] = []
        self._closed = False

    async def run(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """The function's result. Cancelling does not stop the function, only the waiting for it."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        inbox = self._free.pop() if self._free else self._start()
        inbox.put(_Job(copy_context(), partial(function, argument), loop, future))
        return await future

    def close(self) -> None:
        """Let the free threads end; the busy ones end after what they do."""
        self._closed = True
        while self._free:
            self._free.pop().put(None)

    def _start(self) -> SimpleQueue[_Job | None]:
        inbox: SimpleQueue[_Job | None] = SimpleQueue()
        threading.Thread(target=self._work, args=(inbox,), name="karat-function", daemon=True).start()
        return inbox

    def _work(self, inbox: SimpleQueue[_Job | None]) -> None:
        while (job := inbox.get()) is not None:
            result, error = _outcome(job)
            try:
                job.loop.call_soon_threadsafe(self._finish, inbox, job.future, result, error)
            except RuntimeError:  # the loop is closed: the run is over
                return

    def _finish(
        self, inbox: SimpleQueue[_Job | None], future: asyncio.Future[Any], result: object, error: BaseException | None
    ) -> None:
        if self._closed:
            inbox.put(None)
        else:
            self._free.append(inbox)
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)


def _outcome(job: _Job) -> tuple[object, BaseException | None]:
    try:
        return job.context.run(job.work), None
    except (StopIteration, GeneratorExit, KeyboardInterrupt) as error:  # a future, and what waits for it, takes none
        return None, RuntimeError(f"the function raised {type(error).__name__}({error})")
    except BaseException as error:
        return None, error
