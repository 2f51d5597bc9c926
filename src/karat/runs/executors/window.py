"""Items computed in batches on an engine, a bounded number at a time, and given back in order.

A batch whose worker is lost is computed again, one item at a time: the item that ends its worker is then alone, and the
others are done. An item that is lost ``TRIES`` times is given up, and what takes its place says why. Each task has
one future, and a result that comes after its task was lost is dropped, so that no item counts twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar  # Any: futures of whatever the engine computes

from karat.runs.executors.engine import Engine, Lost

TRIES = 3
"""How often an item is computed, at most, when its worker is lost."""
AHEAD = 2
"""Tasks submitted for each that is worked on, so that no worker waits for the next one."""
MOST_WAITING = 4_000
"""Items that are computed or under way and not yet given back, because an earlier one is still missing."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass
class _Batch(Generic[Item, Result]):
    """Items in order, and their results as far as they are there."""

    items: list[Item]
    results: dict[int, Result]


@dataclass(frozen=True)
class _Task(Generic[Item, Result]):
    """A part of a batch, and how often it was lost."""

    batch: _Batch[Item, Result]
    low: int
    high: int
    losses: int = 0

    @property
    def items(self) -> list[Item]:
        return self.batch.items[self.low : self.high]


class Window(Generic[Item, Result]):
    """``submit`` sends items to the engine; what comes back is (seconds that they took, a result for each).
    ``given_up`` makes the result of an item that was lost too often."""

    def __init__(
        self,
        engine: Engine,
        submit: Callable[[Sequence[Item]], Future[tuple[float, Sequence[Result]]]],
        given_up: Callable[[Item, str], Result],
    ) -> None:
        self._engine = engine
        self._submit = submit
        self._given_up = given_up
        self._waiting: deque[_Batch[Item, Result]] = deque()
        self._held = 0
        self._again: deque[_Task[Item, Result]] = deque()
        self._running: dict[Future[Any], _Task[Item, Result]] = {}

    def results(self, items: Iterable[Item]) -> Iterator[list[Result]]:
        """The results in the order of the items, a batch at a time."""
        source = iter(items)
        try:
            while True:
                self._fill(source)
                while self._waiting and len(self._waiting[0].results) == len(self._waiting[0].items):
                    batch = self._waiting.popleft()
                    self._held -= len(batch.items)
                    yield [batch.results[place] for place in range(len(batch.items))]
                    self._fill(source)
                if not self._waiting:
                    return
                done, _ = wait(self._running, return_when=FIRST_COMPLETED)
                for future in done:
                    self._finish(future, self._running.pop(future))
        finally:
            for future in self._running:
                future.cancel()

    def _fill(self, source: Iterator[Item]) -> None:
        most = max(1, AHEAD * self._engine.slots)
        while len(self._running) < most:
            if self._again:
                self._begin(self._again.popleft())
                continue
            if self._held >= MOST_WAITING:
                return
            chosen = list(islice(source, self._engine.pace.size))
            if not chosen:
                return
            batch: _Batch[Item, Result] = _Batch(chosen, {})
            self._waiting.append(batch)
            self._held += len(chosen)
            self._begin(_Task(batch, 0, len(chosen)))

    def _begin(self, task: _Task[Item, Result]) -> None:
        self._running[self._submit(task.items)] = task

    def _finish(self, future: Future[tuple[float, Sequence[Result]]], task: _Task[Item, Result]) -> None:
        try:
            seconds, results = future.result()
        except Lost as lost:
            self._lost(task, lost)
            return
        if len(results) != task.high - task.low:
            self._lost(task, Lost(f"its worker gave {len(results)} results for {task.high - task.low}"))
            return
        self._engine.pace.measured(len(results), seconds)
        for place, result in enumerate(results, task.low):
            task.batch.results[place] = result

    def _lost(self, task: _Task[Item, Result], lost: Lost) -> None:
        losses = task.losses + 1
        if task.high - task.low == 1 and losses >= TRIES:
            why = f"scoring was given up after {losses} tries, the last one because {lost}"
            task.batch.results[task.low] = self._given_up(task.batch.items[task.low], why)
            return
        self._again.extend(_Task(task.batch, place, place + 1, losses) for place in range(task.low, task.high))
