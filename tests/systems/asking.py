"""Short ways to ask a system in a test, and a clock that only moves when somebody sleeps."""

from __future__ import annotations

import asyncio
from typing import Any

from karat.core.records import CallError, Prediction
from karat.core.system import Request, System, SystemConfig
from karat.systems.caller import Caller


class Clock:
    """Time that passes only in ``sleep``; every sleep is noted."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def request(case_id: str = "a", turn: int = 0, repeat: int = 0, question: str = "How many?") -> Request:
    return Request(case_id, turn, repeat, ({"role": "user", "content": question},))


def ask(
    system: System, config: SystemConfig, *requests: Request, clock: Clock | None = None, **options: Any
) -> list[Prediction | None]:
    """All the requests at once, through a caller whose sleeps take no time. The system is closed at the end."""
    clock = clock or Clock()

    async def all_of_them() -> list[Prediction | None]:
        caller = Caller(system, config, clock=clock, sleep=clock.sleep, **options)
        try:
            return list(await asyncio.gather(*(caller.predict(item) for item in requests)))
        finally:
            await caller.close()

    return asyncio.run(all_of_them())


def answer(system: System, config: SystemConfig, asked: Request | None = None, **options: Any) -> Prediction:
    """The prediction for one request."""
    (found,) = ask(system, config, asked or request(), **options)
    assert found is not None
    return found


def error(system: System, config: SystemConfig, asked: Request | None = None, **options: Any) -> CallError:
    """The error of one request."""
    found = answer(system, config, asked, **options).error
    assert found is not None
    return found
