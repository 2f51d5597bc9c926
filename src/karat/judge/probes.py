"""Tests of a judge by itself: does it say the same again, does it look at the order of the answers, does it like long
ones.

Each asks about answers that were reviewed, at most ``MOST``, and asks again: a cached reply would prove nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.results.result import Estimate
from karat.judge.asking import Answered, ask_all
from karat.judge.calibration import Probe
from karat.judge.judge_client import Judge
from karat.judge.questions import Question
from karat.judge.reply import NO_REPLY, Verdict
from karat.judge.sample import VALUES
from karat.store.verdicts.judgements import JudgeRecords

MOST = 60
AGAIN = 1_000
"""The number under which the replies of a probe are kept, far from those that count."""
PADDING = " Please let me know if you need anything else. I am happy to explain how this was found."
"""Two sentences that change nothing."""

Verdicts = dict[Answered, Verdict]


async def consistency(records: JudgeRecords, judge: Judge, questions: Sequence[Question], times: int = 3) -> Probe:
    """Asked ``times`` times: on how many answers the verdict is not the same each time."""
    chosen = list(questions)[:MOST]
    once = msgspec.structs.replace(judge, repeats=1)
    runs = [await _asked(records, once, chosen, AGAIN + number) for number in range(times)]
    answered = [place for place in runs[0] if all(found[place].why not in NO_REPLY for found in runs)]
    return Probe(len(answered), sum(len({found[place].verdict for found in runs}) > 1 for place in answered))


async def position(records: JudgeRecords, judge: Judge, questions: Sequence[Question], plain: Verdicts) -> Probe:
    """Expected and given swapped in the document: on how many answers the verdict changes."""
    chosen = list(questions)[:MOST]
    found, _ = await ask_all(
        records, None, msgspec.structs.replace(judge, repeats=1), chosen, swapped=True, fresh=True, first_repeat=AGAIN
    )
    both = _both(found, plain)
    return Probe(len(both), sum(before.verdict != after.verdict for before, after in both))


async def length(records: JudgeRecords, judge: Judge, questions: Sequence[Question], plain: Verdicts) -> Probe:
    """Two neutral sentences at the end of each answer: how much more is called right."""
    chosen = list(questions)[:MOST]
    padded = [
        msgspec.structs.replace(one, document=msgspec.structs.replace(one.document, given=one.document.given + PADDING))
        for one in chosen
    ]
    found = await _asked(records, msgspec.structs.replace(judge, repeats=1), padded, AGAIN)
    pairs = [(VALUES[before.verdict], VALUES[after.verdict]) for before, after in _both(found, plain)]
    return Probe(len(pairs), sum(before != after for before, after in pairs), _difference(pairs))


def _both(found: Verdicts, plain: Verdicts) -> list[tuple[Verdict, Verdict]]:
    """(before, now) of the answers that the judge replied to both times; a failed call does not count."""
    pairs = ((plain[place], verdict) for place, verdict in found.items() if place in plain)
    return [(before, now) for before, now in pairs if before.why not in NO_REPLY and now.why not in NO_REPLY]


async def _asked(records: JudgeRecords, judge: Judge, questions: Sequence[Question], number: int) -> Verdicts:
    found, _ = await ask_all(records, None, judge, questions, fresh=True, first_repeat=number)
    return found


def _difference(pairs: Sequence[tuple[float, float]]) -> Estimate | None:
    from karat.stats.intervals.estimates import estimate

    if not pairs:
        return None
    return estimate([after - before for before, after in pairs], "quantity")
