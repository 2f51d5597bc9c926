"""How a judge came out against people, and whether it may count.

``calibrated`` holds the figures against the bar, demand by demand. A judge that misses one, that is stale, or whose
calibration is too old is shown with the reason and takes part in no figure and no gate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

import msgspec

from karat.core.problems import count_of, p_words
from karat.core.results.judged import Doubt
from karat.core.results.result import Estimate
from karat.judge.sample import Sample
from karat.judge.settings import Bar
from karat.stats.judged import JudgeAgreement, agreement

STALE = "it is stale: "
NOT_CALIBRATED = "it is not calibrated: karat judge calibrate"
FEWEST_OF_A_SYSTEM = 30
"""How many reviewed answers a system needs before the judge's figures on it are shown separately."""

Pair: TypeAlias = tuple[float, float]
"""(the judge's value, people's) of one reviewed case."""


class Probe(msgspec.Struct, frozen=True):
    """One test of a judge by itself: how many answers, and on how many its verdict changed."""

    asked: int
    changed: int
    effect: Estimate | None = None
    """The change of the share that is called right, where that is what is measured."""

    @property
    def same(self) -> float:
        """The share of answers with the same verdict each time."""
        return 1 - self.changed / self.asked if self.asked else 1.0


class AttackCount(msgspec.Struct, frozen=True):
    """What became of wrong answers that try to talk to the judge."""

    asked: int
    passed: int
    """Called right although suspicious answers are never passed."""
    passed_unscreened: int
    """Called right by the judge itself, before the screen."""
    failed: int
    """Neither right nor wrong: an error or an abstention is no proof of anything."""
    unanswered: int = 0
    """Of these, the ones that the judge gave no reply to: the call failed, or the budget was spent."""


class BySystem(msgspec.Struct, frozen=True):
    """A judge on the answers of one system, for self-preference: does it pass wrong answers of its own family more?"""

    system: str
    own_family: bool
    """Whether the system is of the judge's model, up to a date or a size."""
    reviewed: int
    sensitivity: Estimate
    false_passes: Estimate
    """The share of people's wrong that the judge calls right."""


class Drift(msgspec.Struct, frozen=True):
    """Reviewed answers that were put to a judge again, by date or because its version changed."""

    at: str
    before: str
    """The version that is compared with; the same one when it was asked again by date."""
    asked: int
    to_right: int
    to_wrong: int
    """No longer right."""
    p: float
    """McNemar's exact test: whether changes go one way more than chance would have it."""
    agreement: Estimate
    """With people, now."""
    agreement_before: Estimate
    changed: int = 0
    """Verdicts that are not what they were, abstentions too."""

    def __str__(self) -> str:
        differ = count_of(self.asked, "verdict differs", "verdicts differ")
        return (
            f"{self.changed} of {differ} from {self.before}: {self.to_right} became right, "
            f"{self.to_wrong} no longer are ({p_words(self.p)})"
        )


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """All figures of a judge against people."""

    version: str
    created: str
    model: str = ""
    rubric: str = ""
    """The first digits of the rubric's hash."""
    drawn: int
    reviewed: int
    rest: int
    others: int
    """Reviewed and not drawn: they say nothing of the judge."""
    skipped: tuple[str, ...] = ()
    gold_wrong: int = 0
    disputed: int = 0
    agreement: JudgeAgreement
    people_right: int
    people_wrong: int
    abstained: dict[str, int] = {}
    """Over all answers, by why."""
    consistency: Probe | None = None
    position: Probe | None = None
    length: Probe | None = None
    attacks: AttackCount | None = None
    people: Estimate = Estimate(None, 0, None, None)
    """People's own agreement, which is the ceiling: Krippendorff's alpha over the cases that two or more have seen."""
    by_system: tuple[BySystem, ...] = ()
    """Told only where a system of the judge's family and another have 30 reviewed answers each."""
    drift: tuple[Drift, ...] = ()
    """The newest first."""
    tables: dict[str, tuple[int, int, int, int]] = {}
    """Suite, reason or tag → both right, only the judge, only people, both wrong; where ten or more were reviewed."""
    doubts: tuple[Doubt, ...] = ()
    misses: tuple[str, ...] = ()
    """Every demand of the bar that is not met, in words."""
    days: int = Bar().days
    """How long it counts."""
    same_model: bool = False
    """Whether it counts for a system of its own model."""

    @property
    def counts(self) -> bool:
        """Whether the judge may take part in figures."""
        return not self.misses


def misses_of(found: Calibration, bar: Bar, *, stale: str = "", at: datetime | None = None) -> tuple[str, ...]:
    """Every demand of the bar that a calibration does not meet, with what would meet it."""
    said: list[str] = [f"{STALE}{stale}"] if stale else []
    if not found.drawn and not found.rest:  # attacked, or asked again, and not yet compared with people
        return (*said, NOT_CALIBRATED, *(_attacked(found, bar) if found.attacks is not None else ()))
    given = found.agreement
    if found.reviewed < bar.reviews:
        said.append(
            f"{count_of(found.reviewed, 'drawn review')}, wanted {bar.reviews}: "
            f"review {bar.reviews - found.reviewed} more"
        )
    for name, count in (("right", found.people_right), ("wrong", found.people_wrong)):
        if count < bar.of_each:
            said.append(f"people called {count} of them {name}, wanted {bar.of_each}")
    said += _below("kappa", given.kappa.mean, bar.kappa)
    if given.kappa.mean != 1.0:  # judge and people agree everywhere: there is no interval, and none is needed
        said += _below("the lower end of kappa", given.kappa.low, bar.kappa_low)
    for name, share, wanted in (
        ("sensitivity", given.sensitivity, bar.sensitivity_low),
        ("specificity", given.specificity, bar.specificity_low),
    ):
        if share.low is None or share.low < wanted:
            end = "unknown" if share.low is None else f"{share.low:.2f}"
            more = _reviews_for(share, wanted)
            side = "right" if name == "sensitivity" else "wrong"
            hint = f". Review {more} more that people may call {side}" if more else ""
            said.append(f"{name} is too uncertain or too low: lower end {end}, wanted {wanted:.2f}{hint}")
    if found.consistency is None or not found.consistency.asked:
        said.append("its self-consistency was not measured")
    elif found.consistency.same < bar.consistency:
        said.append(f"asked again, it said the same in {found.consistency.same:.3f}, wanted {bar.consistency:.2f}")
    return (*said, *_attacked(found, bar), *too_old(found, bar.days, at))


def _attacked(found: Calibration, bar: Bar) -> tuple[str, ...]:
    given = found.attacks
    if given is None:
        return ("it was not tried with attacks: karat judge attack",)
    if given.passed > bar.attacks:
        return (f"{given.passed} of {given.asked} attacks passed, wanted {bar.attacks}",)
    if given.passed + given.unanswered > bar.attacks:
        return (f"it gave no reply to {given.unanswered} of {given.asked} attacks: karat judge attack",)
    return ()


def too_old(found: Calibration, days: int, at: datetime | None = None) -> tuple[str, ...]:
    """That a calibration is older than it may be; empty while it is not."""
    age = ((at or datetime.now(UTC)) - datetime.fromisoformat(found.created.replace("Z", "+00:00"))).days
    return (f"it was calibrated {age} days ago, at most {days} count",) if age > days else ()


def _below(name: str, value: float | None, wanted: float) -> list[str]:
    if value is None:
        return [f"{name} is unknown, wanted {wanted:.2f}"]
    return [f"{name} is {value:.2f}, wanted {wanted:.2f}"] if value < wanted else []


def _reviews_for(share: Estimate, wanted: float) -> int:
    """About how many more reviews would lift the lower end, if the share stays as it is; 0 where none would."""
    from karat.stats.intervals.rates import wilson

    if share.mean is None or share.mean <= wanted:
        return 0
    for n in range(share.n + 1, share.n + 2001):
        if wilson(share.mean * n, n)[0] >= wanted:
            return n - share.n
    return 0


def agreement_of(sample: Sample) -> JudgeAgreement:
    """Judge against people on the sample. A case of several tries that differ counts as an abstention."""
    human = [people for _, people in sample.reviewed]
    judge = [case.value if case.value in (0.0, 1.0) else 0.5 for case, _ in sample.reviewed]
    return agreement(human, judge)


def tables_of(groups: Mapping[str, Sequence[Pair]], fewest: int = 10) -> dict[str, tuple[int, int, int, int]]:
    """For each group of reviewed cases with enough of them: both right, only the judge, only people, both wrong."""
    return {
        name: (
            sum(value == 1 and people == 1 for value, people in own),
            sum(value == 1 and people == 0 for value, people in own),
            sum(value != 1 and people == 1 for value, people in own),
            sum(value != 1 and people == 0 for value, people in own),
        )
        for name, own in sorted(groups.items())
        if len(own) >= fewest
    }


def self_preference(systems: Mapping[str, tuple[bool, Sequence[Pair]]]) -> tuple[BySystem, ...]:
    """Sensitivity and false passes by system (name → of the judge's family, reviewed answers), where there is enough to
    tell: one system of the family and one other with ``FEWEST_OF_A_SYSTEM`` reviewed answers each."""
    enough = {name: one for name, one in systems.items() if len(one[1]) >= FEWEST_OF_A_SYSTEM}
    if {own for own, _ in enough.values()} != {True, False}:
        return ()
    return tuple(
        BySystem(
            name,
            own,
            len(pairs),
            _share([value == 1 for value, people in pairs if people == 1 and value in (0, 1)]),
            _share([value == 1 for value, people in pairs if people == 0 and value in (0, 1)]),
        )
        for name, (own, pairs) in sorted(enough.items(), key=lambda one: (not one[1][0], one[0]))
    )


def _share(found: Sequence[bool]) -> Estimate:
    from karat.stats.intervals.rates import wilson

    if not found:
        return Estimate(None, 0, None, None)
    return Estimate(sum(found) / len(found), len(found), *wilson(sum(found), len(found)))
