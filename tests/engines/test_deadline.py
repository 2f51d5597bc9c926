"""Time that is up cancels the work; work that does not react is left behind, and said to be."""

from __future__ import annotations

import threading

import pytest

from karat.engines.protocol import EngineError
from karat.engines.query.deadline import Abandoned, within


def nothing() -> None:
    """An engine that cannot be cancelled."""


def test_work_in_time_gives_its_value_or_its_error() -> None:
    assert within(lambda: 7, 10, nothing) == 7

    def wrong() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        within(wrong, 10, nothing)


def test_late_work_is_cancelled_and_ended() -> None:
    stopped = threading.Event()
    with pytest.raises(EngineError) as caught:
        within(lambda: stopped.wait(60), 0.05, stopped.set)
    assert caught.value.kind == "timeout" and not isinstance(caught.value, Abandoned)


def test_a_cancel_that_fails_is_tried_again() -> None:
    stopped = threading.Event()
    tries: list[int] = []

    def cancel() -> None:
        tries.append(1)
        if len(tries) < 2:
            raise OSError("not yet")
        stopped.set()

    with pytest.raises(EngineError) as caught:
        within(lambda: stopped.wait(60), 0.05, cancel)
    assert not isinstance(caught.value, Abandoned) and len(tries) == 2


def test_work_that_does_not_react_is_left_behind() -> None:
    never = threading.Event()
    with pytest.raises(Abandoned):
        within(lambda: never.wait(60), 0.05, nothing, grace=0.3)
    never.set()


def test_a_cancel_that_hangs_holds_nobody_up() -> None:
    never = threading.Event()

    def hang() -> None:
        never.wait(60)

    with pytest.raises(Abandoned):
        within(hang, 0.05, hang, grace=0.3)
    assert not never.is_set()
    never.set()


def test_what_does_not_fit_into_memory_is_said() -> None:
    def full() -> None:
        raise MemoryError

    with pytest.raises(EngineError) as caught:
        within(full, 10, nothing)
    assert caught.value.kind == "memory"


def test_a_value_that_python_cannot_hold_is_an_error_in_the_sql() -> None:
    def overflow() -> None:
        raise OverflowError("year 20000 is out of range")

    with pytest.raises(EngineError, match="year 20000") as caught:
        within(overflow, 10, nothing)
    assert caught.value.kind == "sql_error"
