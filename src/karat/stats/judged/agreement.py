"""How far a judge agrees with people on the cases that both have seen.

- Agreement: the share of cases on which the judge says what people say, with Wilson's interval. An abstention (0.5) is
  no agreement. Beside it the share of people's ``right``, and what a judge would reach that always says the same: high
  agreement at a base rate of 95 % proves nothing.
- Cohen's kappa: agreement beyond chance (``stats.agreement``). 0 without an interval for a judge that always says the
  same, undefined where people always say the same. Abstentions are left out, and so they are in what follows.
- Sensitivity: the share of people's ``right`` that the judge calls right. Specificity: the share of people's ``wrong``
  that it calls wrong. Both with Wilson's interval.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.results.result import Estimate
from karat.stats import agreement as verdicts
from karat.stats.intervals.rates import wilson

NONE = Estimate(None, 0, None, None)


class JudgeAgreement(msgspec.Struct, frozen=True):
    """A judge against people."""

    n: int
    abstained: int
    agreement: float | None
    agreement_low: float | None
    agreement_high: float | None
    base_rate: float | None
    """The share that people call right."""
    constant: float | None
    """The agreement of a judge that always says what people say most often."""
    kappa: Estimate
    sensitivity: Estimate
    specificity: Estimate


def agreement(human: Sequence[float], judge: Sequence[float]) -> JudgeAgreement:
    """``human``: 0 or 1 for each case, ``judge``: 0, 0.5 for an abstention, or 1.

    >>> found = agreement([1, 1, 1, 0, 0], [1, 1, 0, 0, 0.5])
    >>> found.agreement, found.abstained, found.base_rate, round(found.kappa.mean, 2)
    (0.6, 1, 0.6, 0.5)
    """
    if len(human) != len(judge):
        raise ValueError(f"{len(human)} verdicts of people, but {len(judge)} of the judge on the same cases")
    if any(value not in (0, 1) for value in human) or any(value not in (0, 0.5, 1) for value in judge):
        raise ValueError("people say 0 or 1, a judge 0, 0.5 or 1")
    n = len(human)
    if not n:
        return JudgeAgreement(0, 0, None, None, None, None, None, NONE, NONE, NONE)
    pairs = [(bool(own), bool(its)) for own, its in zip(human, judge, strict=True) if its != 0.5]
    counts = verdicts.confusion(pairs)
    base = sum(human) / n
    low, high = wilson(counts.agreeing, n)
    people_agree = len({own for own, _ in pairs}) < 2
    return JudgeAgreement(
        n, n - len(pairs), counts.agreeing / n, low, high, base, max(base, 1 - base),
        Estimate(None, counts.n, None, None) if people_agree else verdicts.kappa(counts),
        _share(counts.both_right, counts.both_right + counts.only_first),
        _share(counts.both_wrong, counts.both_wrong + counts.only_second),
    )  # fmt: skip


def _share(found: int, of: int) -> Estimate:
    return Estimate(found / of, of, *wilson(found, of)) if of else NONE


def alpha(votes_by_person: Sequence[Sequence[float | None]]) -> float | None:
    """Krippendorff's alpha (nominal) of several people; a row per person, a place per case, None where not seen.

    >>> alpha([[1, 0, 1, None], [1, 0, 0, 1]])
    0.4444444444444444
    """
    cases = zip(*votes_by_person, strict=True)
    return verdicts.alpha([[str(float(vote)) for vote in case if vote is not None] for case in cases]).mean
