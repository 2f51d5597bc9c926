"""Agreement of people and rule on the cases that people reviewed: the figures, the cases on which they differ, and the
rules that people overrule most often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from karat.core.results.result import CaseReview, Estimate
from karat.core.results.verdicts import by_case, disputed, settled, side_of
from karat.stats.agreement import Confusion, Pair, agreement, alpha, confusion, constant, kappa, pairs_of
from karat.stats.intervals.rates import wilson


class RuleSaid(msgspec.Struct, frozen=True):
    """What the rule says of a case: whether it is right, and why not."""

    right: bool
    reason: str


class Overruled(msgspec.Struct, frozen=True):
    """A reason of the rule, and how often people turned its verdict."""

    reason: str
    turned: int
    share: Estimate
    comment: str
    """The newest that somebody gave for it."""


class Differing(msgspec.Struct, frozen=True):
    """A case on which people and rule differ."""

    case: str
    too_strict: bool
    """The rule says wrong, people say right."""
    review: CaseReview


class Agreement(msgspec.Struct, frozen=True):
    """All of it."""

    counts: Confusion
    """The rule first, people second."""
    agreement: Estimate
    kappa: Estimate
    constant: tuple[str, Estimate]
    people: tuple[str, ...]
    verdicts: int
    gold_wrong: int
    """Cases whose gold people call wrong: they say nothing of the rule."""
    disputed: int
    unsettled: int
    """Cases that people settle and the rule does not."""
    alpha: Estimate
    """Between people."""
    pairs: tuple[Pair, ...]
    overruled: tuple[Overruled, ...]
    differing: tuple[Differing, ...]


def agreement_of(reviews: Sequence[CaseReview], rule: Mapping[str, RuleSaid]) -> Agreement:
    """``rule``: what it says of each reviewed case; cases that it does not settle are not there."""
    final = settled(reviews)
    judged = {case: review for case, review in final.items() if side_of(review.verdict) != "gold_wrong"}
    both = {case: (rule[case], side_of(review.verdict) == "right") for case, review in judged.items() if case in rule}
    counts = confusion((said.right, right) for said, right in both.values())
    own = [review for review in reviews if not review.adjudication]
    return Agreement(
        counts=counts,
        agreement=agreement(counts),
        kappa=kappa(counts),
        constant=constant(counts),
        people=tuple(sorted({review.reviewer for review in reviews})),
        verdicts=len(reviews),
        gold_wrong=len(final) - len(judged),
        disputed=len(disputed(reviews)),
        unsettled=len(judged) - len(both),
        alpha=alpha([side_of(one.verdict) for one in given] for given in by_case(own).values()),
        pairs=tuple(pairs_of(_by_person(own))),
        overruled=_overruled(both, final),
        differing=tuple(
            Differing(case, right, final[case]) for case, (said, right) in both.items() if said.right != right
        ),
    )


def _by_person(reviews: Sequence[CaseReview]) -> dict[str, dict[str, bool]]:
    found: dict[str, dict[str, bool]] = {}
    for review in reviews:
        if (side := side_of(review.verdict)) != "gold_wrong":
            found.setdefault(review.reviewer, {})[review.case] = side == "right"
    return found


def _overruled(both: Mapping[str, tuple[RuleSaid, bool]], final: Mapping[str, CaseReview]) -> tuple[Overruled, ...]:
    """Every reason of the rule with how often it was turned, the greatest share first, then by count."""
    total: dict[str, int] = {}
    turned: dict[str, list[str]] = {}
    for case, (said, right) in both.items():
        total[said.reason] = total.get(said.reason, 0) + 1
        if said.right != right:
            turned.setdefault(said.reason, []).append(case)
    found = []
    for reason, number in total.items():
        cases = turned.get(reason, [])
        comments = [final[case].comment for case in cases if final[case].comment]
        share = Estimate(len(cases) / number, number, *wilson(len(cases), number))
        found.append(Overruled(reason, len(cases), share, comments[-1] if comments else ""))
    return tuple(sorted(found, key=lambda one: (-(one.share.mean or 0), -one.turned, -one.share.n, one.reason)))
