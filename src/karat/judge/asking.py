"""Asking a judge about many answers: from the cache where it answered before, and every verdict stored as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

import msgspec

from karat.core.problems import count_of
from karat.judge.judge_client import Judge, Judging, Line
from karat.judge.questions import Question
from karat.judge.reply import Verdict
from karat.judge.version import Keys, model_of
from karat.store.verdicts.judgements import Judgement, JudgeRecords, StoredReply

PER_TOKEN = 4
"""Characters of a token, for the estimate before the start."""
REPLY_TOKENS = 120
"""Of one reply, for the estimate."""
_AROUND = 1_500
"""Characters of the system message without its rubric."""
_BATCH = 500
"""Verdicts from the cache that are stored together."""

Answered: TypeAlias = tuple[str, int, int]
"""(case, user turn, try)."""


class Estimate(msgspec.Struct, frozen=True):
    """What asking will take, before anything is sent."""

    answers: int
    cached: int
    """Answers whose replies are all known, or that are not asked about again."""
    tokens: int
    cost: float | None = None
    """At the prices of the system; None where it has none."""
    budget: str = ""

    def __str__(self) -> str:
        known = f", {self.cached:,} cached" if self.cached else ""
        taken = f", about {-(-self.tokens // 1000):,}k tokens" if self.tokens else ""
        cost = f", {self.cost:.2g}" if self.cost else ""
        limit = f" (budget: {self.budget})" if self.budget and self.tokens else ""
        return f"{count_of(self.answers, 'answer')}{known}{taken}{cost}{limit}"


def _estimate(judge: Judge, questions: Sequence[Question], lacking: Mapping[Answered, int]) -> Estimate:
    asked = [one for one in questions if lacking.get(place_of(one))]
    sent = sum(
        lacking[place_of(one)] * (one.document.size + len(judge.rubric_for(one)) + _AROUND) // PER_TOKEN
        for one in asked
    )
    received = REPLY_TOKENS * sum(lacking[place_of(one)] for one in asked)
    prices = judge.config.prices
    price = prices.get(model_of(judge.config)) or prices.get("default")
    cost = None if price is None else (sent * price.input + received * price.output) / 1_000_000
    return Estimate(len(questions), len(questions) - len(asked), sent + received, cost, str(judge.budget))


async def ask_all(
    records: JudgeRecords,
    run_id: int | None,
    judge: Judge,
    questions: Sequence[Question],
    *,
    fresh: bool = False,
    retry_errors: bool = False,
    swapped: bool = False,
    first_repeat: int = 0,
    watch: Callable[[Judging], None] = lambda _: None,
    announce: Callable[[Estimate], None] = lambda _: None,
) -> tuple[dict[Answered, Verdict], Judging]:
    """The verdict on each question, stored under the run where one is given.

    ``fresh`` asks again; ``retry_errors`` asks for the replies that failed, or that the budget left out, when this run
    was judged before; ``swapped`` puts the given answer first; ``first_repeat`` is the number under which replies are
    kept, for measuring repeats."""
    state = Judging(total=len(questions))
    numbers = range(first_repeat, first_repeat + judge.repeats)
    hashed = Keys(judge.config)
    keys = {
        place_of(one): hashed.of(judge.rubric_for(one), one.document.text(swapped=swapped), numbers)
        for one in questions
    }
    known = {} if fresh else records.replies([key for own in keys.values() for key in own])
    line = Line(judge, state, known, swapped)
    before = {} if run_id is None else {place_of(one): one for one in records.of_run(run_id, judge.version)}
    kept = {} if fresh or retry_errors else _kept(line, before, keys, known)
    lacking = {place: 0 if place in kept else sum(key not in known for key in own) for place, own in keys.items()}
    announce(_estimate(judge, questions, lacking))
    found: dict[Answered, Verdict] = {}
    waiting: list[tuple[Question, Verdict, list[StoredReply]]] = []

    def save() -> None:
        if not waiting:
            return
        given, waiting[:] = list(waiting), []
        replies = {reply.key: reply for _, _, own in given for reply in own}
        verdicts = [
            Judgement(*place_of(one), keys[place_of(one)][0], one.role, msgspec.to_builtins(verdict))
            for one, verdict, _ in given
        ]
        new = [one for one in verdicts if before.get(place_of(one)) != one]
        records.add(run_id, judge.version, list(replies.values()), new, now())
        watch(state)

    todo = iter(questions)

    async def work() -> None:
        for one in todo:
            place = place_of(one)
            replies: list[StoredReply] = []
            if place in kept:
                verdict = line.keep(kept[place], one)
            else:
                verdict, replies = await line.ask(one, keys[place])
            found[place] = verdict
            state.done += 1
            waiting.append((one, verdict, replies))
            if replies or len(waiting) >= _BATCH:
                await asyncio.sleep(0)  # what else has arrived is saved together
                save()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(judge.config.concurrency, max(1, len(questions)))):
                group.create_task(work())
    finally:
        save()
        await line.close()
    if run_id is not None and questions and records.versions_of_run(run_id)[:1] != [judge.version]:
        records.touch(run_id, judge.version, now())
    watch(state)
    return found, state


def _kept(
    line: Line,
    before: Mapping[Answered, Judgement],
    keys: Mapping[Answered, Sequence[str]],
    known: Mapping[str, StoredReply],
) -> dict[Answered, Verdict]:
    """Verdicts that lack replies and stay so: asking again with nothing changed calls nothing."""
    found = {}
    for place, own in keys.items():
        stored = before.get(place)
        lacking = sum(key not in known for key in own)
        if lacking and stored is not None and stored.key == own[0]:
            verdict = msgspec.convert(stored.verdict, Verdict)
            if line.unasked(verdict, lacking):
                found[place] = verdict
    return found


def place_of(given: Question | Judgement) -> Answered:
    """Which answer a question or a verdict is about."""
    return given.case_id, given.turn, given.repeat


def now() -> str:
    """The time, as the store keeps it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
