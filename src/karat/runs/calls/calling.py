"""Calling the system for every case that has no answer yet, and storing each answer as it comes.

Workers take cases one by one; the turns of a case run in order, because each sends the history of those before it.
Answers go to one writer, which commits all that have come since its last commit: at once when the system is slow, in
groups when it is quick. An answer counts as done only when it is committed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any  # Any: gather gives a future of a list that nobody reads

from karat.core.json_types import JsonObject
from karat.core.records import AnyCase, CallError, Prediction, default_turn
from karat.core.system import Request
from karat.runs.case_order import CaseOrder

Predict = Callable[[Request], Awaitable[Prediction | None]]
Reply = Callable[[bytes], JsonObject]
Save = Callable[[Sequence[Prediction]], None]
Key = tuple[str, int, int]
"""Case id, user turn, repeat."""
Stored = Callable[[Sequence[AnyCase]], Mapping[Key, Prediction]]
"""The answers that these cases have already."""
InFlight = dict[tuple[str, int], AnyCase]
"""Case id and repeat → the case, while it is asked."""


class Portion:
    """Cases that are asked together, each in all its repeats, with the answers that are stored for them. ``places`` is
    where each case is in the file; ``part`` is the number of the portion where several processes share the run."""

    def __init__(
        self,
        places: Sequence[int],
        cases: Sequence[AnyCase],
        repeats: int,
        stored: Mapping[Key, Prediction],
        part: int = 0,
    ) -> None:
        self.waiting = ((at, case, repeat) for at, case in enumerate(cases) for repeat in range(repeats))
        self.open = len(cases) * repeats
        """Tries at cases that are not through yet."""
        self.places, self.repeats, self.stored, self.part = places, repeats, stored, part
        self._came: dict[int, dict[int, dict[int, Prediction]]] = {}

    def came(self, at: int, repeat: int, answers: dict[int, Prediction]) -> dict[int, dict[int, Prediction]] | None:
        """Note the answers of a try at a case; those of all its tries when this was the last."""
        tries = self._came.setdefault(at, {})
        tries[repeat] = answers
        return self._came.pop(at) if len(tries) == self.repeats else None

    def is_new(self, case: AnyCase, tries: Mapping[int, Mapping[int, Prediction]]) -> bool:
        """Whether one of these answers was not stored before."""
        keys = ((case.id, turn, repeat) for repeat, turns in tries.items() for turn in turns)
        return any(key not in self.stored for key in keys)


Source = Callable[[], Awaitable[Portion | None]]
"""What to ask next; None when there is nothing."""
Finish = Callable[[Sequence[Portion]], None]
Whole = Callable[[int, AnyCase, Mapping[int, Mapping[int, Prediction]], bool], Awaitable[None]]
"""Hears of a case that has all its answers: its place in the file, the case, repeat → user turn → answer, and whether
one of them is new."""


async def _nothing(_place: int, _case: AnyCase, _tries: object, _fresh: bool) -> None:
    """Nobody waits for whole cases."""


MOST_PENDING = 2_000
"""Answers that may wait for the writer before the workers wait for it too."""


class Called:
    """How far the calls are: sent to a progress display, and read at the end."""

    def __init__(self, total: int, on_change: Callable[[Called], None] = lambda _: None) -> None:
        self.total = total
        self.done = 0
        self.errors = 0
        self.finishing = 0
        """Calls in flight that a run which was asked to stop still waits for."""
        self._on_change = on_change

    def add(self, predictions: Sequence[Prediction]) -> None:
        self.done += len(predictions)
        self.errors += sum(1 for prediction in predictions if prediction.error is not None)
        self._on_change(self)

    def finish(self, in_flight: int) -> None:
        self.finishing = in_flight
        self._on_change(self)

    def add_unanswered(self) -> None:
        self.done += 1
        self._on_change(self)


def turns_to_ask(case: AnyCase) -> list[int]:
    """The user turns that must be put to the system: those scored, and those before them whose answer the case does not
    give."""
    if len(case.conversation) == 1:  # most cases, and a run asks for each of them several times
        only = case.conversation[0]
        return [0] if only.role == "user" and (only.target is not None or only.expect is not None) else []
    scored = case.scored_turns
    asked: list[int] = []
    users = -1
    for position, message in enumerate(case.conversation):
        if message.role != "user":
            continue
        users += 1
        answered = position + 1 < len(case.conversation) and case.conversation[position + 1].role == "assistant"
        if users in scored or (users < max(scored, default=-1) and not answered):
            asked.append(users)
    return asked


def without_question(case: AnyCase) -> bool:
    """Whether a turn that must be put to the system says nothing."""
    users = [message for message in case.conversation if message.role == "user"]
    return any(not users[turn].content.strip() for turn in turns_to_ask(case))


def still_to_call(chunks: Iterable[Sequence[AnyCase]], repeats: int, stored: Stored, retry_errors: bool) -> int:
    """How many calls are left for the cases, which come a chunk at a time."""
    count = 0
    for chunk in chunks:
        found = stored(chunk)
        for case in chunk:
            turns = turns_to_ask(case)
            if not found:
                count += repeats * len(turns)
                continue
            keys = ((case.id, turn, repeat) for repeat in range(repeats) for turn in turns)
            count += sum(_is_open(found.get(key), retry_errors) for key in keys)
    return count


def _is_open(prediction: Prediction | None, retry_errors: bool) -> bool:
    return prediction is None or (retry_errors and prediction.error is not None)


def only_questions(predict: Predict) -> Predict:
    """Never put a turn without words to a live system: what it would answer measures nothing."""

    async def asked(request: Request) -> Prediction | None:
        if str(request.messages[-1].get("content") or "").strip():
            return await predict(request)
        error = CallError("no_question", "not asked: the case has no question", 0)
        return Prediction(request.case_id, request.turn, request.repeat, error=error)

    return asked


def one_by_one(cases: Sequence[AnyCase], order: CaseOrder, repeats: int, stored: Stored) -> Source:
    """All cases of a run in this order, each with all its repeats."""
    portions = (Portion(places, chunk, repeats, stored(chunk)) for places, chunk in order.chunks(cases))

    async def following() -> Portion | None:
        return next(portions, None)

    return following


async def call_all(
    source: Source,
    *,
    predict: Predict,
    reply: Reply,
    save: Save,
    called: Called,
    in_flight: InFlight,
    finish: Finish = lambda _: None,
    whole: Whole = _nothing,
    retry_errors: bool = False,
    workers: int = 8,
) -> None:
    """Ask everything that is still open. Cancelling it stops the calls and still commits what has come.

    ``in_flight`` holds the cases that are being asked, for who needs more of a case than its request says. ``whole``
    hears of each case that has all its answers, ``finish`` of the portions whose answers are all committed.
    """
    writer = _Writer(save, finish, called)
    writing = asyncio.create_task(writer.run())
    todo = _Todo(source)
    tasks = [
        asyncio.create_task(_work(todo, predict, reply, writer, called, in_flight, whole, retry_errors))
        for _ in range(max(1, workers))
    ]
    working: asyncio.Future[Any] = asyncio.gather(*tasks)
    try:
        await asyncio.wait({writing, working}, return_when=asyncio.FIRST_COMPLETED)
        if writing.done():
            writing.result()  # the store gave way: say so now, not after every call was made in vain
        await working
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        writer.close()
        await asyncio.shield(writing)


class _Todo:
    """The portion that the workers take cases from, and the next one when it is used up."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock = asyncio.Lock()
        self._current: Portion | None = None

    async def after(self, used: Portion | None) -> Portion | None:
        async with self._lock:
            if self._current is used:
                self._current = await self._source()
            return self._current


async def _work(
    todo: _Todo,
    predict: Predict,
    reply: Reply,
    writer: _Writer,
    called: Called,
    in_flight: InFlight,
    whole: Whole,
    retry_errors: bool,
) -> None:
    portion = await todo.after(None)
    while portion is not None:
        for at, case, repeat in portion.waiting:
            answers = await _ask(case, repeat, portion, predict, reply, writer, called, in_flight, retry_errors)
            tries = None if answers is None else portion.came(at, repeat, answers)
            if tries is not None:
                await whole(portion.places[at], case, tries, portion.is_new(case, tries))
            portion.open -= 1
            if not portion.open:
                writer.end(portion)
        portion = await todo.after(portion)


async def _ask(
    case: AnyCase,
    repeat: int,
    portion: Portion,
    predict: Predict,
    reply: Reply,
    writer: _Writer,
    called: Called,
    in_flight: InFlight,
    retry_errors: bool,
) -> dict[int, Prediction] | None:
    """The answers to all turns of one try at a case, by turn; None where only the store knows which one counts."""
    answers: dict[int, Prediction] = {}
    stale = False
    in_flight[case.id, repeat] = case
    for turn in turns_to_ask(case):
        before = portion.stored.get((case.id, turn, repeat))
        if before is not None and not _is_open(before, retry_errors):
            answers[turn] = before
            continue
        broken = next((t for t in answers if answers[t].error is not None), None)
        if broken is not None:
            prediction: Prediction | None = _not_asked(case, turn, repeat, broken, answers[broken])
        else:
            messages = tuple(_messages(case, turn, answers, reply))
            request = Request(case.id, turn, repeat, messages, default_turn(case))
            prediction = await predict(request)
        if prediction is None:
            called.add_unanswered()
            stale = stale or before is not None
            continue
        answers[turn] = prediction
        await writer.put(prediction)
    del in_flight[case.id, repeat]
    return None if stale else answers


def first_request(case: AnyCase) -> Request:
    """What a run asks first of a case, before any answer is there."""
    turn = next(iter(turns_to_ask(case)), 0)
    return Request(case.id, turn, 0, tuple(_messages(case, turn, {}, lambda _: {})), default_turn(case))


def _not_asked(case: AnyCase, turn: int, repeat: int, broken: int, before: Prediction) -> Prediction:
    """A later turn of a conversation whose earlier turn failed: asking it without that history would measure something
    else."""
    kind, why = (before.error.kind, before.error.message) if before.error else ("exception", "unknown")
    message = f"not asked: turn {broken + 1} of the conversation failed ({why})"
    return Prediction(case.id, turn, repeat, error=CallError(kind, message, 0))


def _messages(case: AnyCase, turn: int, answers: Mapping[int, Prediction], reply: Reply) -> Iterator[JsonObject]:
    """The conversation up to a user turn: the case's own assistant messages where it has them, else what the system
    said."""
    users = -1
    for position, message in enumerate(case.conversation):
        if message.role == "user":
            users += 1
        yield {"role": message.role, "content": message.content}
        if message.role == "user":
            if users == turn:
                return
            following = case.conversation[position + 1 : position + 2]
            if users in answers and not (following and following[0].role == "assistant"):
                yield reply(answers[users].response)


class _Writer:
    """Commits answers in the order they come, all that are waiting at a time, on a thread so that calls go on
    meanwhile."""

    def __init__(self, save: Save, finish: Finish, called: Called) -> None:
        self._save, self._finish = save, finish
        self._called = called
        self._ended: list[Portion] = []
        self._waiting: list[Prediction] = []
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._closed = False

    async def put(self, prediction: Prediction) -> None:
        self._waiting.append(prediction)
        self._wake.set()
        if len(self._waiting) >= MOST_PENDING:
            self._room.clear()
            await self._room.wait()
        elif len(self._waiting) % 64 == 0:
            await asyncio.sleep(0)  # a system that never waits must not starve the writer

    def end(self, portion: Portion) -> None:
        """All answers of a portion were put."""
        self._ended.append(portion)
        self._wake.set()

    def close(self) -> None:
        self._closed = True
        self._wake.set()

    async def run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            batch, self._waiting = self._waiting, []
            ended, self._ended = self._ended, []
            if batch:
                await asyncio.to_thread(self._save, batch)
                self._called.add(batch)
            if ended:
                await asyncio.to_thread(self._finish, ended)
            self._room.set()
            if self._closed and not (self._waiting or self._ended):
                return
