"""Which reviewed cases may speak for the others: a random sample that no interesting case can bend.

The cases that a judge was asked about have a fixed random order: the SHA-256 of the run's seed and the case's cluster,
or its id where it is alone. The sample is the longest beginning of that order of which at least 95 % are reviewed.
Reviews outside it count for their own case, and not for the judge. So every way of reviewing is fine.

Only verdicts that people gave without seeing others' or the judge's count here. ``gold_wrong`` says nothing of the
answer, and a case on which people disagree says nothing yet: both leave the sample, and are counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import msgspec

from karat.core.json_types import JsonObject
from karat.core.results.result import CaseReview
from karat.core.results.verdicts import disputed, settled, side_of
from karat.judge.questions import AUDIT
from karat.store.verdicts.judgements import Judgement
from karat.store.verdicts.reviews import Review, case_review

ENOUGH = 0.95
"""The share of the sample that must be reviewed."""
VALUES = {"right": 1.0, "wrong": 0.0, "cannot_tell": 0.5}


class JudgedCase(msgspec.Struct, frozen=True):
    """A case that a judge was asked about."""

    id: str
    value: float
    """1 right, 0 wrong, 0.5 cannot tell; the mean over several tries."""
    cluster: str = ""
    reason: str = ""
    """What the judge said for it, first of all."""
    why: str = ""
    """Why it abstained."""
    gold_suspect: bool = False
    confidence: float | None = None
    changed: bool = False
    """Whether the judge said something else when it was asked again."""


class Sample(msgspec.Struct, frozen=True):
    """The cases of a pool by what people and judge say of them."""

    reviewed: tuple[tuple[JudgedCase, float], ...] = ()
    """Drawn and reviewed: (case, people's 1 or 0)."""
    rest: tuple[JudgedCase, ...] = ()
    """Not drawn, or drawn and not reviewed."""
    skipped: tuple[str, ...] = ()
    """Within the sample, and not reviewed."""
    others: int = 0
    """Reviewed, and not drawn."""
    gold_wrong: int = 0
    """Drawn, and people say that the case itself is wrong."""
    disputed: int = 0
    order: tuple[str, ...] = ()
    """The whole pool in its random order."""

    @property
    def drawn(self) -> int:
        """How many cases the sample has, reviewed or not."""
        return len(self.reviewed) + len(self.skipped) + self.gold_wrong + self.disputed


def judged_cases(
    given: Iterable[Judgement],
    clusters: Mapping[str, str],
    settled: Mapping[str, Sequence[float]] = MappingProxyType({}),
) -> list[JudgedCase]:
    """One record for each case of the pool. Of several turns all must be right; several tries are averaged, those that
    a rule settled (case → their values) with what the rule says."""
    by_case: dict[str, dict[int, list[Judgement]]] = {}
    for one in given:
        if one.role != AUDIT:
            by_case.setdefault(one.case_id, {}).setdefault(one.repeat, []).append(one)
    return [
        _case(case_id, list(tries.values()), clusters.get(case_id, ""), settled.get(case_id, ()))
        for case_id, tries in by_case.items()
    ]


def _case(case_id: str, tries: Sequence[Sequence[Judgement]], cluster: str, settled: Sequence[float]) -> JudgedCase:
    if len(tries) == 1 and len(tries[0]) == 1 and not settled:
        return _answered_once(case_id, tries[0][0].verdict, cluster)
    values = [min(VALUES[str(one.verdict["verdict"])] for one in turns) for turns in tries] + list(settled)
    said = [one.verdict for turns in tries for one in turns]
    sure = [float(one["confidence"]) for one in said if one.get("confidence") is not None]
    return JudgedCase(
        case_id,
        sum(values) / len(values),
        cluster,
        next((str(one["reason"]) for one in said if one.get("reason")), ""),
        next((str(one["why"]) for one in said if one.get("why")), ""),
        any(one.get("gold_suspect") for one in said),
        min(sure, default=None),
        any(one.get("changed") for one in said),
    )


def _answered_once(case_id: str, said: JsonObject, cluster: str) -> JudgedCase:
    """What the other way comes to for a case with one answer, as nearly all of a large run have."""
    sure = said.get("confidence")
    return JudgedCase(
        case_id,
        VALUES[str(said["verdict"])],
        cluster,
        str(said.get("reason") or ""),
        str(said.get("why") or ""),
        bool(said.get("gold_suspect")),
        None if sure is None else float(sure),
        bool(said.get("changed")),
    )


def sample_of(pool: Sequence[JudgedCase], reviews: Sequence[Review], seed: str) -> Sample:
    """The sample of a pool, from the verdicts that people have given so far."""
    blind: list[CaseReview] = [case_review(one) for one in reviews if one.blind or one.adjudication]
    verdicts, open_cases = settled(blind), set(disputed(blind))
    order = sorted(pool, key=lambda case: (_draw(seed, case.cluster or case.id), case.id))
    drawn = order[: _longest([case.id in verdicts or case.id in open_cases for case in order])]
    names = {case.id for case in drawn}
    reviewed, skipped, gold_wrong, contested = [], [], 0, 0
    for case in drawn:
        side = side_of(verdicts[case.id].verdict) if case.id in verdicts else ""
        if side in ("right", "wrong"):
            reviewed.append((case, 1.0 if side == "right" else 0.0))
        elif side:
            gold_wrong += 1
        elif case.id in open_cases:
            contested += 1
        else:
            skipped.append(case.id)
    unknown = set(skipped)
    return Sample(
        tuple(reviewed),
        tuple(case for case in order if case.id not in names or case.id in unknown),
        tuple(skipped),
        sum(case.id in verdicts for case in order if case.id not in names),
        gold_wrong,
        contested,
        tuple(case.id for case in order),
    )


def _draw(seed: str, name: str) -> str:
    return hashlib.sha256(f"{seed}\n{name}".encode("utf-8", "surrogatepass")).hexdigest()


def _longest(reviewed: Sequence[bool]) -> int:
    """The length of the longest beginning of which enough is reviewed."""
    found = done = 0
    for place, one in enumerate(reviewed, 1):
        done += one
        if done >= ENOUGH * place:
            found = place
    return found
