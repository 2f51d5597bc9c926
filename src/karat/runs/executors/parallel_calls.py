"""Calls of one function on an engine, in order, for work that is not scoring: embedding and ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from time import perf_counter
from typing import Any, TypeVar  # Any: what is embedded or ranked comes back as arrays of any kind

from karat.core.problems import UserError
from karat.runs.executors.engine import as_engine
from karat.runs.executors.window import Window

T = TypeVar("T")


def spread_over(executor: Executor) -> Callable[[Callable[..., T], Sequence[tuple[Any, ...]]], list[T]]:
    """A function that makes these calls there. What is lost is computed again; when it is lost too often, UserError."""
    engine = as_engine(executor)

    def spread(work: Callable[..., T], calls: Sequence[tuple[Any, ...]]) -> list[T]:
        window: Window[tuple[Any, ...], T] = Window(engine, lambda some: engine.submit(_each, work, some), _given_up)
        return [one for batch in window.results(calls) for one in batch]

    return spread


def _each(work: Callable[..., T], calls: Sequence[tuple[Any, ...]]) -> tuple[float, list[T]]:
    began = perf_counter()
    done = [work(*call) for call in calls]
    return perf_counter() - began, done


def _given_up(_call: tuple[Any, ...], why: str) -> Any:
    raise UserError(why.replace("scoring", "the computation", 1), hint="Try fewer workers, or --executor in-process.")
