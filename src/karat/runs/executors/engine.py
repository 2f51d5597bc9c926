"""The one interface of every place where scoring can run.

An engine is a ``concurrent.futures.Executor`` that says how many tasks it works on at once, and what became of a task
whose worker is gone. The caller decides whether to try again (``executors.window``).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from functools import partial
from os import cpu_count
from typing import Any  # Any: the interface of an executor takes any function

from karat.core.problems import UserError
from karat.runs.executors.batch_size import Pace

STORED = "The answers are stored: karat run --resume RUN or karat score RUN scores them."
"""What to do after an engine is lost as a whole."""


class Lost(Exception):
    """A task has no result because its worker ended or did not respond. The task may be submitted again."""


class Engine(Executor):
    """Somewhere to compute. ``submit`` gives a future that raises :class:`Lost` when only its worker is gone, and
    UserError when nothing can be computed any more."""

    elsewhere = False
    """Whether the workers may be on other machines, so that files and packages can differ there."""

    def __init__(self) -> None:
        self.pace = Pace()

    @property
    def slots(self) -> int:
        """How many tasks are worked on at once, as far as is known now; at least 1."""
        raise NotImplementedError


class Given(Engine):
    """An executor that the caller brings. It is used as it is and not shut down here."""

    def __init__(self, executor: Executor) -> None:
        super().__init__()
        self._executor = executor

    @property
    def slots(self) -> int:
        return self._executor._max_workers if isinstance(self._executor, ThreadPoolExecutor) else cpu_count() or 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            self._executor.submit(fn, *args, **kwargs).add_done_callback(partial(_copy, done))
        except RuntimeError as error:  # broken, or shut down
            done.set_exception(_broken(error))
        return done


def as_engine(executor: Executor) -> Engine:
    """Any executor as an engine."""
    return executor if isinstance(executor, Engine) else Given(executor)


def _copy(done: Future[Any], finished: Future[Any]) -> None:
    if not done.set_running_or_notify_cancel():
        return
    if finished.cancelled():
        done.set_exception(Lost("the executor cancelled it"))
    elif (error := finished.exception()) is not None:
        done.set_exception(_broken(error) if isinstance(error, BrokenExecutor) else error)
    else:
        done.set_result(finished.result())


def _broken(error: RuntimeError) -> UserError:
    return UserError(f"the executor that was given can no longer be used: {error}", hint=STORED)
