"""Asking again after an answer: the suite looks at it and says what to tell the system next, until the answer will do.

What the suite does meanwhile (running code, say) happens on a thread, so that other calls go on. All responses to one
turn become one prediction, with their times, tokens and costs added up. Each response is kept as it comes: a run that
is stopped while code runs or is repaired has lost nothing that was paid for, and goes on from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any  # Any: seconds, tokens or a cost, each of which may be unknown

import msgspec

from karat.core.records import AnyCase, Branch, Prediction, attempts, branches_of, join_attempts
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import Request
from karat.runs.calls.calling import InFlight, Key, Predict, Reply

Keep = Callable[[Prediction], None]


def following_up(
    predict: Predict,
    reply: Reply,
    suite: Suite,
    in_flight: InFlight,
    options: SuiteOptions,
    *,
    keep: Keep = lambda _: None,
    begun: Mapping[Key, Prediction] | None = None,
) -> Predict:
    """A ``predict`` that continues the conversation as long as the suite has something to say, from where it was
    ``begun``."""

    async def ask(request: Request) -> Prediction | None:
        question = request
        found = (begun or {}).get((request.case_id, request.turn, request.repeat))
        if found is None:
            found = await predict(request)
            if found is None or found.error is not None or suite.follow_up is None:
                return found
            await asyncio.to_thread(keep, found)
        looked_at = 0
        while suite.follow_up is not None:
            bodies = attempts(found.response)
            heard = bodies[: looked_at + 1]
            case = in_flight[request.case_id, request.repeat]
            if looked_at + 1 == len(bodies) and suite.spent(found, options):
                break
            said = await asyncio.to_thread(suite.follow_up, case, request.turn, heard, options)
            if said is None:
                break
            told = (*request.messages, reply(heard[-1]), {"role": "user", "content": said})
            request = msgspec.structs.replace(request, messages=told)
            looked_at += 1
            if looked_at < len(bodies):
                continue  # the answer to this is there already
            following = await predict(request)
            if following is None or following.error is not None:
                break  # the answers that did come are kept; a repair that failed to come is no attempt
            found = _joined(found, following)
            await asyncio.to_thread(keep, found)
        return await branching(question, found)

    async def branching(question: Request, found: Prediction) -> Prediction:
        """Ask beside the answer, each time from where the suite says."""
        case = in_flight[question.case_id, question.repeat]
        while not suite.spent(found, options):
            call = await asyncio.to_thread(suite.next_call, case, question.turn, found.response, options)
            if call is None:
                break
            said = [
                message
                for response, text in call.exchanges
                for message in (reply(response), {"role": "user", "content": text})
            ]
            told = (*question.messages, *said)
            again = 0 if call.exchanges else 1 + sum(len(one.responses) for one in branches_of(found.response))
            following = await predict(msgspec.structs.replace(question, messages=told, again=again))
            if following is None or following.error is not None:
                break
            found = _branched(found, call.branch, following)
            await asyncio.to_thread(keep, found)
        return found

    return ask


def unfinished(
    suite: Suite, cases: Sequence[AnyCase], options: SuiteOptions, stored: Mapping[Key, Prediction]
) -> dict[Key, Prediction]:
    """The stored answers that the suite still has something to say to: the run was stopped before it could."""
    if suite.follow_up is None:
        return {}
    known = {case.id: case for case in cases}
    return {
        key: one
        for key, one in stored.items()
        if one.error is None
        and key[0] in known
        and not suite.spent(one, options)
        and _goes_on(suite, known[key[0]], key[1], one.response, options)
    }


def _goes_on(suite: Suite, case: AnyCase, turn: int, response: bytes, options: SuiteOptions) -> bool:
    if suite.follow_up is not None and suite.follow_up(case, turn, attempts(response), options) is not None:
        return True
    return suite.next_call(case, turn, response, options) is not None


def _joined(first: Prediction, second: Prediction) -> Prediction:
    return msgspec.structs.replace(
        first,
        response=join_attempts([*attempts(first.response), second.response], branches_of(first.response)),
        latency=_sum(first.latency, second.latency),
        tokens=_sum(first.tokens, second.tokens),
        cost=_sum(first.cost, second.cost),
    )


def _branched(first: Prediction, name: str, second: Prediction) -> Prediction:
    """The answer with one response more on a branch; what the branch costs is also part of what the answer cost."""
    branches = {one.name: one for one in branches_of(first.response)}
    before = branches.get(name)
    text = second.response.decode(errors="replace")
    if before is None:
        branches[name] = Branch(name, (text,), second.latency, second.tokens, second.cost)
    else:
        branches[name] = Branch(
            name,
            (*before.responses, text),
            _sum(before.latency, second.latency),
            _sum(before.tokens, second.tokens),
            _sum(before.cost, second.cost),
        )
    return msgspec.structs.replace(
        first,
        response=join_attempts(attempts(first.response), list(branches.values())),
        latency=_sum(first.latency, second.latency),
        tokens=_sum(first.tokens, second.tokens),
        cost=_sum(first.cost, second.cost),
    )


def _sum(first: Any, second: Any) -> Any:
    """The sum, or None when a part is not known."""
    return None if first is None or second is None else first + second
