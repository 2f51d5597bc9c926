"""Scoring on the workers of a Dask cluster.

A batch is sent to one worker that has none, and only there: so it is known who has it, and a worker that ended or hangs
costs one batch, which the caller submits again. A worker takes part once its versions are known to be the caller's. All
of it happens in one event loop, in a thread of its own.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar  # Any: tasks come back from a worker unpickled, and Dask has no types

from distributed import Client, KilledWorker, Security
from distributed.client import FutureCancelledError

from karat.core.problems import UserError
from karat.runs.executors import messages
from karat.runs.executors.compatibility import differences, passport, refuse_different
from karat.runs.executors.dask_worker import answer_alone
from karat.runs.executors.engine import STORED, Engine, Lost

LOOK = 0.5
"""Seconds between two looks at who is there."""
CONNECT = 10.0
"""Seconds to reach the scheduler."""
PATIENCE = 60.0
"""Seconds to wait for a first worker, or for a new one when all are gone; and for the scheduler's word."""

THREAD = "karat-dask"

T = TypeVar("T")


def _not_ours(record: logging.LogRecord) -> bool:
    return record.threadName != THREAD


def silence_dask() -> None:
    """Keep what Dask logs in the engine's thread, tracebacks of lost connections among it, off the user's terminal: the
    engine reports what went wrong itself. Clients that others open in this process log as ever."""
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if name.partition(".")[0] in ("distributed", "tornado") and isinstance(logger, logging.Logger):
            logger.addFilter(_not_ours)  # the same filter is added only once


async def _asked(work: Awaitable[T]) -> T:
    """What Dask says. Its client cancels the tasks that wait for it when it loses the scheduler; to a task that did not
    stop itself, that is a lost connection."""
    try:
        return await work
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise OSError("the connection is lost") from error


class DaskEngine(Engine):
    """The workers behind one scheduler. ``timeout``: seconds until a worker without a result is given up. ``own``:
    nobody else uses the workers, so that one which hangs may be restarted."""

    elsewhere = True

    def __init__(
        self,
        address: str,
        timeout: float,
        *,
        security: Security | None = None,
        own: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        super().__init__()
        self._address, self._timeout, self._patience = address, timeout, patience
        self._security, self._own = security, own
        self._checked: dict[str, list[str]] = {}
        """Each worker that is there → what it has otherwise than the caller; empty: it may score."""
        self._checking: set[str] = set()
        self._hung: set[str] = set()
        self._busy: dict[str, asyncio.Future[None]] = {}
        """Each worker with a batch → what ends the waiting for it, when it is gone."""
        self._error: UserError | None = None
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda _loop, _context: None)  # of Dask's tasks that nobody waits for any more
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._client: Client | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, name=THREAD, daemon=True)
        silence_dask()
        self._thread.start()
        try:
            self._wait(self._open())
        except BaseException:
            self.shutdown()
            raise

    @property
    def slots(self) -> int:
        return max(1, len(self._usable()))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """What is submitted, and what it gives, travels by pickle."""
        call = messages.task(fn, args, kwargs)
        return asyncio.run_coroutine_threadsafe(self._compute(call), self._loop)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 (all are dropped)
        """Leave the cluster. What is under way there is dropped."""
        if self._thread.is_alive():
            with suppress(Exception):
                self._wait(self._close())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    # -- in the event loop ---------------------------------------------------------------------------------------------

    async def _open(self) -> None:
        security = self._security or Security()
        try:
            self._client = await Client(
                self._address, asynchronous=True, set_as_default=False, timeout=CONNECT, security=security
            )
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            hint = "Is it running, and is its address right? dask scheduler starts one and prints its address."
            if self._address.startswith("tls://"):
                hint += " For tls:// the certificates are in Dask's own configuration (distributed.comm.tls)."
            raise UserError(f"cannot reach the Dask scheduler at {self._address}: {error}", hint=hint) from error
        await self._look()
        self._begin(self._watch())
        await self._free()  # the first one that may score; an error when none comes
        refuse_different(self._checked.items(), self._address)

    async def _close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._client is not None:
            with suppress(Exception):
                await asyncio.wait_for(self._client.close(timeout=2), 5)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watch(self) -> None:
        try:
            while self._error is None:
                await asyncio.sleep(LOOK)
                await self._look()
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            await self._fail(UserError(f"the Dask scheduler at {self._address} cannot be asked: {said}", hint=STORED))

    async def _look(self) -> None:
        """The workers that are there now. New ones are checked; the batches of those that are gone are lost."""
        client = self._client
        try:
            if client is None or client.status != "running":
                raise OSError("the connection is lost")
            there = set(await _asked(asyncio.wait_for(client.nthreads(), self._patience)))
        except (OSError, TimeoutError) as error:
            await self._fail(UserError(f"the Dask scheduler at {self._address} is gone: {error}", hint=STORED))
            return
        for worker in self._checked.keys() - there:
            del self._checked[worker]
            self._hung.discard(worker)
            if (lost := self._busy.get(worker)) is not None and not lost.done():
                lost.set_exception(Lost(f"the Dask worker {worker} is gone"))
        new = there - self._checked.keys() - self._checking
        first = not self._checked
        self._checking |= new
        checks = [self._check(worker) for worker in new]
        if first:
            await asyncio.gather(*checks)
        else:
            for check in checks:
                self._begin(check)
        await self._tell()

    async def _check(self, worker: str) -> None:
        """Whether a worker that is new would give the same scores."""
        try:
            if self._client is None:
                return
            asked = self._client.run(passport, workers=[worker])
            reply = await _asked(asyncio.wait_for(asked, min(30.0, self._patience)))
            self._checked[worker] = differences(passport(), reply[worker])
        except (OSError, TimeoutError):  # it is gone again, or hangs; the next look decides
            return
        except Exception as error:  # no karat there, or one that cannot say what it is
            self._checked[worker] = [f"no karat like this one ({error})"]
        finally:
            self._checking.discard(worker)
        await self._tell()

    def _usable(self) -> list[str]:
        return [worker for worker, said in list(self._checked.items()) if not said and worker not in self._hung]

    async def _free(self) -> str:
        """A worker without a batch, as soon as there is one."""
        async with self._changed:
            while True:
                if self._error is not None:
                    raise self._error
                usable = self._usable()
                for worker in usable:
                    if worker not in self._busy:
                        return worker
                if usable:
                    await self._changed.wait()
                    continue
                refuse_different(self._checked.items(), self._address)
                patience = max(self._patience, self._timeout) if self._hung else self._patience
                try:
                    await asyncio.wait_for(self._changed.wait(), patience)
                except TimeoutError:
                    raise self._nobody(patience) from None

    def _nobody(self, patience: float) -> UserError:
        hung = f" ({len(self._hung)} did not respond)" if self._hung else ""
        said = f"the Dask scheduler at {self._address} has no worker{hung}; waited {patience:g} seconds for one"
        return UserError(said, hint=f"dask worker {self._address} starts one. {STORED}")

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _fail(self, error: UserError) -> None:
        self._error = error
        for lost in self._busy.values():
            if not lost.done():
                lost.set_exception(error)
        await self._tell()

    async def _compute(self, call: bytes) -> Any:
        worker = await self._free()
        lost = self._busy[worker] = self._loop.create_future()
        try:
            return messages.value_of(await self._reply(worker, call, lost))
        except messages.Garbled as error:
            raise Lost(f"the Dask worker {worker} did not answer as agreed: {error}") from error
        finally:
            lost.cancel()
            del self._busy[worker]
            await self._tell()

    async def _reply(self, worker: str, call: bytes, lost: asyncio.Future[None]) -> bytes:
        if self._client is None:
            raise RuntimeError("not connected")
        future = self._client.submit(answer_alone, call, workers=[worker], pure=False)
        reply = asyncio.ensure_future(self._client.gather(future))
        try:
            done, _ = await asyncio.wait({reply, lost}, timeout=self._timeout, return_when=asyncio.FIRST_COMPLETED)
            if lost in done:
                lost.result()
            if reply not in done:
                self._hung.add(worker)
                self._begin(self._recover(worker, future))
                raise Lost(f"the Dask worker {worker} had no result within {self._timeout:g} seconds")
            received: bytes = await _asked(reply)
            return received
        except KilledWorker as error:
            raise Lost(f"the Dask worker {worker} is gone") from error
        except (FutureCancelledError, OSError) as error:
            await self._look()  # the scheduler forgot the batch, or is gone itself
            raise self._error or Lost(f"the Dask worker {worker} lost the batch: {error}") from error
        finally:
            reply.cancel()
            if worker not in self._hung:
                future.release()

    async def _recover(self, worker: str, future: Any) -> None:
        """Wait until a worker that was given up is there again. What it computed meanwhile is dropped."""
        if self._client is None:
            return
        with suppress(Exception):
            if self._own:
                await self._client.restart_workers([worker], timeout=self._patience, raise_for_error=False)
            else:
                await self._client.gather(future)
        future.release()
        self._hung.discard(worker)
        await self._tell()
