"""Asking again after an answer: the suite looks at it and says what to tell the system next, until the answer will do.

What the suite does meanwhile (running code, say) happens on a thread, so that other calls go on. All responses to one turn become one
prediction, with their times, tokens and costs added up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from karat.core.records import Case, Prediction, join_attempts
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import Request
from karat.runs.calling import Predict, Reply


def following_up(
    predict: Predict, reply: Reply, suite: Suite, cases: Sequence[Case[Any]], options: SuiteOptions
) -> Predict:
    """A ``predict`` that goes on with the conversation as long as the suite has something to say."""
    known = {case.id: case for case in cases}

    async def ask(request: Request) -> Prediction | None:
        first = await predict(request)
        if first is None or first.error is not None or suite.follow_up is None:
            return first
        answers = [first]
        while True:
            bodies = [answer.response for answer in answers]
            said = await asyncio.to_thread(suite.follow_up, known[request.case_id], request.turn, bodies, options)
            if said is None:
                return _joined(answers)
            heard = (*request.messages, reply(bodies[-1]), {"role": "user", "content": said})
            request = msgspec.structs.replace(request, messages=heard)
            following = await predict(request)
            if following is None or following.error is not None:
                return _joined(answers)  # the answers that did come stand; a repair that failed to come is no attempt
            answers.append(following)

    return ask


def _joined(answers: Sequence[Prediction]) -> Prediction:
    return msgspec.structs.replace(
        answers[0],
        response=join_attempts([answer.response for answer in answers]),
        latency=_sum([answer.latency for answer in answers]),
        tokens=_sum([answer.tokens for answer in answers]),
        cost=_sum([answer.cost for answer in answers]),
    )


def _sum(parts: Sequence[Any]) -> Any:
    """The sum, or None when a part is not known."""
    return None if any(part is None for part in parts) else sum(parts)
