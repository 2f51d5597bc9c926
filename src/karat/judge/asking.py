"""Asking a judge about many answers: from the cache where it answered before, and every verdict stored as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

import msgspec

from karat.core.problems import count_of
from karat.judge.line import Judge, Judging, Line
from karat.judge.questions import Question
from karat.judge.reply import Verdict
from karat.judge.version import key_of
from karat.store.judgements import Judgement, JudgeRecords, StoredReply

PER_TOKEN = 4
"""Characters of a token, for the estimate before the start."""
_BATCH = 500
"""Verdicts from the cache that are stored together."""

Answered: TypeAlias = tuple[str, int, int]
"""(case, user turn, try)."""


class Estimate(msgspec.Struct, frozen=True):
    """What asking will take, before anything is sent."""

    answers: int
    cached: int
    tokens: int

    def __str__(self) -> str:
        known = f", {self.cached:,} cached" if self.cached else ""
        taken = f", about {-(-self.tokens // 1000):,}k tokens" if self.tokens else ""
        return f"{count_of(self.answers, 'answer')}{known}{taken}"


def estimate(records: JudgeRecords, judge: Judge, questions: Sequence[Question]) -> Estimate:
    """How many answers, how many of them from the cache, and about how many tokens for the rest."""
    texts = [one.document.text() for one in questions]
    keys = [key_of(judge.config, judge.rubric, text, 0) for text in texts]
    known = records.replies(keys)
    letters = [len(text) + len(judge.rubric) + 1_500 for text, key in zip(texts, keys, strict=True) if key not in known]
    return Estimate(len(texts), len(texts) - len(letters), judge.repeats * sum(letters) // PER_TOKEN)


async def ask_all(
    records: JudgeRecords,
    run_id: int | None,
    judge: Judge,
    questions: Sequence[Question],
    *,
    fresh: bool = False,
    swapped: bool = False,
    first_repeat: int = 0,
    watch: Callable[[Judging], None] = lambda _: None,
) -> tuple[dict[Answered, Verdict], Judging]:
    """The verdict on each question, stored under the run where one is given. ``fresh`` asks anew; ``swapped`` puts the
    given answer first; ``first_repeat`` is the number under which replies are kept, for measuring repeats."""
    state = Judging(total=len(questions))
    numbers = range(first_repeat, first_repeat + judge.repeats)
    keys = {
        place_of(one): [key_of(judge.config, judge.rubric, one.document.text(swapped=swapped), k) for k in numbers]
        for one in questions
    }
    known = {} if fresh else records.replies([key for own in keys.values() for key in own])
    line = Line(judge, state, known, swapped)
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
        records.add(run_id, judge.version, list(replies.values()), verdicts, now())
        watch(state)

    todo = iter(questions)

    async def work() -> None:
        for one in todo:
            verdict, replies = await line.ask(one, keys[place_of(one)])
            found[place_of(one)] = verdict
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
    watch(state)
    return found, state


def place_of(question: Question) -> Answered:
    """Which answer a question is about."""
    return question.case_id, question.turn, question.repeat


def now() -> str:
    """The time, as the store keeps it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
