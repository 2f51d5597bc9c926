"""Batches on an engine: in order, bounded, sized by time; and what a lost worker costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.core.suite import SuiteOptions
from karat.runs.executors import messages, processes
from karat.runs.executors.batch_size import LARGEST, Pace
from karat.runs.executors.engine import Engine, Given, Lost
from karat.runs.executors.processes import Processes
from karat.runs.executors.window import MOST_WAITING, TRIES, Window
from karat.runs.scores.scoring import score_cases, unscored_case
from tests.runs.executors.fragile import fragile, squares
from tests.runs.executors.troubled_suite import Deed, suite, work, worth


class Unreliable(Engine):
    """Loses tasks as it is told: the k-th task is lost when the k-th sign says so."""

    def __init__(self, signs: Sequence[bool]) -> None:
        super().__init__()
        self.signs = iter(signs)
        self.pace.size = 3

    @property
    def slots(self) -> int:
        return 2

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]  # as every executor's
        done: Future[object] = Future()
        if next(self.signs, False):
            done.set_exception(Lost("it was told so"))
        else:
            done.set_result(fn(*args, **kwargs))
        return done


def all_of(engine: Engine, numbers: Iterator[int] | Sequence[int]) -> list[int | str]:
    window: Window[int, int | str] = Window(
        engine, lambda some: engine.submit(squares, some), lambda number, why: f"{number}: {why}"
    )
    return [one for batch in window.results(numbers) for one in batch]


@given(st.integers(0, 40), st.lists(st.booleans(), max_size=60))
def test_every_item_has_one_result_in_its_place_whatever_is_lost(count: int, signs: list[bool]) -> None:
    found = all_of(Unreliable(signs), range(count))
    assert len(found) == count
    for number, one in enumerate(found):
        assert one == number * number or str(one).startswith(f"{number}: scoring was given up after {TRIES} tries")
    if sum(signs) < TRIES:
        assert found == [number * number for number in range(count)]


def test_no_more_is_read_than_is_worked_on() -> None:
    read = 0

    def numbers() -> Iterator[int]:
        nonlocal read
        for number in range(100_000):
            read = number
            yield number

    with ThreadPoolExecutor(2) as pool:
        engine = Given(pool)
        window: Window[int, int] = Window(engine, lambda some: engine.submit(squares, some), lambda number, _: number)
        given = 0
        for batch in window.results(numbers()):
            given += len(batch)
            assert read - given <= MOST_WAITING + 4 * LARGEST
            if given > 20_000:
                break
    assert read < 40_000


def test_a_batch_grows_to_what_takes_a_fifth_of_a_second() -> None:
    pace = Pace()
    sizes = []
    for _ in range(8):
        sizes.append(pace.size)
        pace.measured(pace.size, pace.size * 0.002)
    assert sizes == [1, 4, 16, 64, 100, 100, 100, 100]
    pace.measured(100, 100 * 0.02)  # slower cases count at once
    assert pace.size == 10
    pace.measured(10, 10 * 1.0)
    assert pace.size == 1
    for _ in range(40):
        pace.measured(pace.size, 0.0)
    assert pace.size == LARGEST


def test_a_case_that_ends_or_stops_its_process_is_reported_and_the_rest_is_scored() -> None:
    with Processes(2, timeout=1.5) as engine:
        window: Window[int, int | str] = Window(
            engine, lambda some: engine.submit(fragile, some), lambda number, why: why
        )
        found = [one for batch in window.results(range(30)) for one in batch]
    assert [one for one in found if isinstance(one, int)] == [n * n for n in range(30) if n not in (7, 11)]
    assert found[7] == (
        "scoring was given up after 3 tries, the last one because its process ended unexpectedly (signal 9)"
    )
    assert found[11] == (
        "scoring was given up after 3 tries, the last one because its process had no result within 1.5 seconds"
    )


def test_what_could_not_be_scored_counts_in_no_figure() -> None:
    (case, _), *_ = work(Deed(3))
    for repeats in (1, 2):
        result = unscored_case(suite, case, "why", repeats)
        assert (result.id, result.status, result.error) == ("c0003", "error", "why")
        assert {score.value for score in result.scores.values()} == {None}
        assert len(result.repeats) == (repeats if repeats > 1 else 0)


def test_a_pool_of_the_caller_that_breaks_is_a_clear_error() -> None:
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(1) as pool:
        deeds = work(Deed(0), Deed(1))
        assert worth(list(score_cases(suite, deeds[:0], SuiteOptions(), executor=pool))) == []
        with pytest.raises(UserError, match="the executor that was given can no longer be used"):
            all_broken(Given(pool))


def test_a_pool_of_the_caller_that_is_shut_down_is_a_clear_error() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(UserError, match="can no longer be used: cannot schedule new futures after shutdown"):
        list(score_cases(suite, work(Deed(0)), SuiteOptions(), executor=pool))


def all_broken(engine: Engine) -> None:
    window: Window[int, int] = Window(engine, lambda some: engine.submit(fragile, some), lambda number, _: number)
    list(window.results([7, 8]))


def test_results_for_other_items_than_were_sent_are_no_results() -> None:
    window: Window[int, int | str] = Window(
        Unreliable([]), lambda some: _answered((0.1, [one * one for one in some if one != 4])), lambda _, why: why
    )
    found = [one for batch in window.results(range(6)) for one in batch]
    assert found[4] == "scoring was given up after 3 tries, the last one because its worker gave 0 results for 1"
    assert [one for one in found if one != found[4]] == [0, 1, 4, 9, 25]


def _answered(value: tuple[float, list[int]]) -> Future[tuple[float, Sequence[int | str]]]:
    done: Future[tuple[float, Sequence[int | str]]] = Future()
    done.set_result((value[0], list(value[1])))
    return done


class Unpackable(Exception):
    """Can be packed, and then not be unpacked."""

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return int, ("no number",)


def _fails(_numbers: Sequence[int]) -> tuple[float, list[int]]:
    raise Unpackable("the reason")


def test_what_is_no_answer_costs_its_worker_and_not_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="Unpackable: the reason"):
        messages.value_of(messages.answer(messages.task(_fails, ([1],), {})))
    whole = processes.read
    garbage = iter((b"garbage", OverflowError(), MemoryError()))

    def garbled(pipe: object) -> bytes:
        reply = whole(pipe)
        one = next(garbage, b"") if reply else b""  # the first message only says that the process is ready
        if isinstance(one, Exception):
            raise one
        return one or reply

    monkeypatch.setattr(processes, "read", garbled)
    with Processes(1) as engine:
        assert all_of(engine, range(2)) == [0, 1]
        assert [process.poll() is None for process in engine._all] == [False, False, False, True]


def test_an_error_of_the_work_itself_is_raised_and_nothing_goes_on() -> None:
    with Processes(1) as engine:
        window: Window[int, int] = Window(engine, lambda some: engine.submit(_wrong, some), lambda number, _: number)
        with pytest.raises(UserError, match="no such thing"):
            list(window.results(range(5)))


def _wrong(_numbers: Sequence[int]) -> tuple[float, list[int]]:
    raise UserError("no such thing")
