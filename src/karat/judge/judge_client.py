"""A judge while it is asked: one answer at a time, a second try where its reply cannot be read, a budget.

A reply that cannot be read is asked for once more, with the fault named; then it is an abstention. A failed call is one
too. Neither ever counts as ``wrong``.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.json_types import JsonObject
from karat.core.records import Prediction
from karat.core.suite import Suite
from karat.core.system import FormattedConfig, Request, System, SystemConfig
from karat.judge.judges import RECORDED, open_judge, reply_text, served_by, verdict_in
from karat.judge.prompt_injection import suspicions, suspicions_beside
from karat.judge.protocol import Asked
from karat.judge.questions import Question
from karat.judge.reply import LONGEST_REASON, Fault, Tampered, Verdict, Word
from karat.judge.settings import Budget
from karat.store.verdicts.judgements import StoredReply

if TYPE_CHECKING:
    from karat.systems.caller import Caller


MALFORMED = "bad_response"
"""The kind of error of a call that was answered, but not in the form that the system has: a reply that cannot be read,
and no failed call."""


class Judging(msgspec.Struct):
    """How far asking has come."""

    total: int = 0
    done: int = 0
    cached: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    abstained: Counter[str] = msgspec.field(default_factory=Counter)
    """Why there is no verdict, with counts."""
    right: int = 0
    wrong: int = 0
    suspicious: int = 0
    notes: list[str] = []
    """What happened that a person should know."""
    models: set[tuple[str, str]] = set()
    """(name, fingerprint) of the models that the server said it used."""


class Judge(msgspec.Struct):
    """A version of a judge that can be asked."""

    version: str
    config: SystemConfig
    suite: Suite
    rubric: str
    """What is right, for answers whose tags have no rubric of their own."""
    repeats: int = 1
    budget: Budget = Budget()
    system: System | None = None
    """An open one; without it, it is opened by its settings."""
    by_tag: Mapping[str, str] = {}
    """Tag → what is right for answers to cases that have it."""

    def rubric_for(self, question: Question) -> str:
        """What is right for one answer: the rubric of its first tag that has one."""
        return next((self.by_tag[tag] for tag in question.tags if tag in self.by_tag), self.rubric)


class Line:
    """The judge while it is asked: an open system, what it has cost so far, and what it said before."""

    def __init__(self, judge: Judge, state: Judging, known: Mapping[str, StoredReply], swapped: bool) -> None:
        self._judge, self._state, self._known, self._swapped = judge, state, known, swapped
        self._caller: Caller | None = None
        self._config = judge.config
        self._opening = asyncio.Lock()

    async def ask(self, question: Question, keys: Sequence[str]) -> tuple[Verdict, list[StoredReply]]:
        """The verdict on one answer, and the replies that it rests on and that were not known before."""
        votes: list[Verdict] = []
        replies: list[StoredReply] = []
        for key in keys:
            if (known := self._known.get(key)) is not None:
                self._state.cached += 1
                votes.append(_priced(msgspec.convert(known.verdict, Verdict), known))
            elif self._spent():
                votes.append(self._unpaid())
            else:
                verdict, reply = await self._call(question, key)
                votes.append(verdict if reply is None else _priced(verdict, reply))
                replies += [reply] if reply is not None else []
        return self._count(_voted(votes), question), replies

    async def close(self) -> None:
        """Give back what the judge holds open."""
        if self._caller is not None:
            await self._caller.close()

    def keep(self, verdict: Verdict, question: Question) -> Verdict:
        """Take a stored verdict as it is, without asking for the replies that it lacks."""
        return self._count(verdict, question)

    def unasked(self, verdict: Verdict, lacking: int) -> bool:
        """Whether a stored verdict lacks just these replies, and for a reason that still holds: the calls failed, or
        the same budget was spent."""
        known = {"error", self._left_out()}
        return bool(lacking) and sum(verdict.missing.values()) == lacking and set(verdict.missing) <= known

    def _left_out(self) -> str:
        return f"budget of {self._judge.budget}"

    def _unpaid(self) -> Verdict:
        left = self._left_out()
        return Verdict("cannot_tell", f"not asked: the {left} was spent", why="budget", missing={left: 1})

    def _count(self, verdict: Verdict, question: Question) -> Verdict:
        """The verdict with what the screen says of the answer; an answer that talks to the judge is never passed."""
        if suspicions(question.document.given) or suspicions_beside(question.document):
            self._state.suspicious += 1
            verdict = msgspec.structs.replace(verdict, suspicious=True)
            if verdict.verdict == "right":
                verdict = msgspec.structs.replace(verdict, verdict="cannot_tell", why="suspicious")
        if verdict.verdict == "cannot_tell":
            self._state.abstained[verdict.why or "cannot tell"] += 1
        elif verdict.verdict == "right":
            self._state.right += 1
        else:
            self._state.wrong += 1
        return verdict

    def _spent(self) -> bool:
        budget = self._judge.budget
        over = budget.calls is not None and self._state.calls >= budget.calls
        return over or (budget.cost is not None and self._state.cost >= budget.cost)

    async def _call(self, question: Question, key: str) -> tuple[Verdict, StoredReply | None]:
        asked = Asked(question.document, self._judge.rubric_for(question), swapped=self._swapped)
        messages = asked.messages
        spent = Prediction("", tokens=0, cost=0.0, latency=0.0)
        for last in (False, True):
            answer = await self._send(question, asked, messages)
            if answer is None:
                return _failed("nothing is recorded for this answer"), None
            if answer.error is not None and answer.error.kind != MALFORMED:
                return _failed(answer.error.message[:LONGEST_REASON]), None
            spent = _together(spent, answer)
            if any(served := served_by(answer)):
                self._state.models.add(served)
            try:
                if answer.error is not None:
                    raise Fault(answer.error.message)
                verdict = verdict_in(self._config, answer, asked)
            except Tampered:
                verdict = Verdict("cannot_tell", "the reply gave away a word of the system message", why="tampered")
            except Fault as fault:
                if not last and not self._spent() and self._config.type != RECORDED:
                    messages = asked.again(_shown(answer), str(fault))
                    continue
                verdict = Verdict("cannot_tell", str(fault)[:LONGEST_REASON], why="unreadable")
            break
        kept = msgspec.to_builtins(verdict)
        return verdict, StoredReply(key, self._judge.version, kept, spent.tokens, spent.cost, spent.latency)

    async def _send(self, question: Question, asked: Asked, messages: tuple[JsonObject, ...]) -> Prediction | None:
        beside = {"case": question.case_id, "document": msgspec.json.decode(asked.text)}
        request = Request(question.case_id, question.turn, question.repeat, messages, beside=beside)
        self._state.calls += 1
        caller = self._caller = self._caller or self._opened(self._judge.system)
        answer = await caller.predict(request)
        if answer is None or answer.error is None:
            self._state.tokens += 0 if answer is None else answer.tokens or 0
            self._state.cost += 0.0 if answer is None else answer.cost or 0.0
            return answer
        return await self._send(question, asked, messages) if await self._asks_plainly(caller, answer) else answer

    async def _asks_plainly(self, caller: Caller, answer: Prediction) -> bool:
        """Whether the endpoint refused the schema of replies, and is asked without one from now on."""
        error = answer.error
        if error is None or error.kind != "client_error" or "400" not in error.message:
            return False
        async with self._opening:
            if self._caller is not caller:
                return True  # another call has found out meanwhile
            formatted = isinstance(self._config, FormattedConfig) and self._config.response_format is not None
            if not formatted or self._judge.system is not None:
                return False
            self._config = msgspec.structs.replace(self._config, response_format=None)
            self._caller = self._opened(None)
            self._state.notes.append("the endpoint refuses a schema for its replies, so it is asked without one")
            await caller.close()
        return True

    def _opened(self, system: System | None) -> Caller:
        from karat.systems.caller import Caller

        return Caller(open_judge(self._config, self._judge.suite) if system is None else system, self._config)


def _failed(message: str) -> Verdict:
    return Verdict("cannot_tell", message, why="error", missing={"error": 1})


def _priced(verdict: Verdict, reply: StoredReply) -> Verdict:
    if not reply.tokens and not reply.cost:
        return verdict
    return msgspec.structs.replace(verdict, tokens=reply.tokens or 0, cost=reply.cost or 0.0)


def _together(first: Prediction, second: Prediction) -> Prediction:
    return Prediction(
        "",
        tokens=(first.tokens or 0) + (second.tokens or 0),
        cost=(first.cost or 0.0) + (second.cost or 0.0),
        latency=(first.latency or 0.0) + (second.latency or 0.0),
    )


def _shown(answer: Prediction) -> str:
    try:
        return reply_text(answer)
    except Fault:
        return ""


def _voted(votes: Sequence[Verdict]) -> Verdict:
    """What more than half say; without such a majority, that it cannot be told."""
    if len(votes) == 1:
        return votes[0]
    missing: Counter[str] = Counter()
    for vote in votes:
        missing.update(vote.missing)
    counts: Counter[Word] = Counter(vote.verdict for vote in votes)
    word, most = counts.most_common(1)[0]
    if 2 * most > len(votes):
        found = next(vote for vote in votes if vote.verdict == word)
        changed = len(counts) > 1
    else:
        said = ", ".join(f"{name} {number}" for name, number in counts.items())
        found, changed = Verdict("cannot_tell", f"the verdicts differ: {said}"), True
    return msgspec.structs.replace(
        found,
        missing=dict(missing),
        changed=changed,
        tokens=sum(vote.tokens for vote in votes),
        cost=sum(vote.cost for vote in votes),
    )
