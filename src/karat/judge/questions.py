"""Which answers of a run a judge is asked about, and the document for each.

A judge is asked only where the rule left the answer in one of the states that ``judge.asks`` lists: ``needs_review``,
or ``wrong`` (the first pass rate of the suite is below 1). It is never asked about an answer that a rule passed, a
failed or missing one, or one whose gold cannot be read. The one exception is ``judge.audit``: a random share of the
passes, whose verdicts change nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from karat.core.json_types import Json
from karat.core.metric import Metric
from karat.core.presentation.case_explanation import explanation_of
from karat.core.records import AnyCase, Prediction, attempts
from karat.core.replies import read_reply
from karat.core.results.result import CaseResult, RepeatResult
from karat.core.suite import Suite, SuiteOptions, Unreadable
from karat.judge.document import Document, Rule
from karat.judge.settings import JudgeSettings

AUDIT = "audit"
_LONGEST_EVIDENCE = 2_000


class Question(msgspec.Struct, frozen=True):
    """One answer to judge."""

    case_id: str
    turn: int
    repeat: int
    role: str
    """The state in which the rule left the answer, or ``audit``."""
    document: Document
    tags: tuple[str, ...] = ()


def state_of(suite: str, one: CaseResult | RepeatResult, rate: Metric | None) -> str:
    """In which state the rule left a case, or a try at it: ``right``, ``wrong``, ``needs_review``; or the state of one
    that has no score."""
    if one.status != "scored":
        return one.status
    if explanation_of(suite, one).outcome == "needs_review":
        return "needs_review"
    score = one.scores.get(rate.name) if rate is not None else None
    if score is None or score.value is None:
        return "not_applicable"
    return "right" if score.value >= 1 else "wrong"


def questions_of(
    suite: Suite,
    case: AnyCase,
    result: CaseResult,
    answers: Sequence[Prediction],
    settings: JudgeSettings,
    options: SuiteOptions,
    rate: Metric | None,
    seed: str,
) -> Iterator[Question]:
    """What to ask about one case: each scored turn of each try whose state is asked about."""
    given = {(one.repeat, one.turn or 0): one for one in answers if one.error is None}
    tries: Sequence[CaseResult | RepeatResult] = result.repeats or (result,)
    for repeat, one in enumerate(tries):
        state = state_of(suite.name, one, rate)
        role = (
            state if state in settings.asks else AUDIT if state == "right" and _audited(seed, case.id, settings) else ""
        )
        if not role:
            continue
        explanation = explanation_of(suite.name, one)
        evidence = explanation.headline if explanation.headline != explanation.reason else ""
        rule = Rule(state, explanation.reason, evidence[:_LONGEST_EVIDENCE])
        for turn in case.scored_turns:
            answer = given.get((repeat, turn))
            if answer is not None:
                yield Question(
                    case.id, turn, repeat, role, _document(suite, case, turn, answer, options, rule), case.tags
                )


def _audited(seed: str, case_id: str, settings: JudgeSettings) -> bool:
    if not settings.audit:
        return False
    return int(hashlib.sha256(f"audit\n{seed}\n{case_id}".encode("utf-8", "surrogatepass")).hexdigest()[:13], 16) < (
        settings.audit * 16**13
    )


def _document(
    suite: Suite, case: AnyCase, turn: int, answer: Prediction, options: SuiteOptions, rule: Rule
) -> Document:
    users = [place for place, one in enumerate(case.conversation) if one.role == "user"]
    place = users[turn]
    said = tuple({"role": one.role, "content": one.content} for one in case.conversation[: place + 1])
    row: Mapping[str, Json] = {}
    if suite.export_row is not None:
        try:
            row = suite.export_row(case, turn, answer, options)
        except Unreadable:
            row = {}
    target: Json = msgspec.to_builtins(case.conversation[place].target, str_keys=True)
    expected = row.get("expected")
    return Document(
        suite.name, said, target if expected in (None, "") else expected, _words(answer, row.get("answer")), rule
    )


def _words(answer: Prediction, read: Json) -> str:
    """What the answer says: its words; where it has none, what the suite reads in it."""
    body = attempts(answer.response)[-1]
    try:
        text = read_reply(body).text
    except Unreadable:
        text = ""
    return text or (read if isinstance(read, str) else "") or body.decode("utf-8", "replace")
