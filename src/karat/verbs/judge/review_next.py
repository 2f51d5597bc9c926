"""``karat judge next``: what to review next, and why.

First the random sample, as far as the bar or a wished width of the interval needs it, a share of it by a second person;
then by use: tampered or suspicious, judge against rule, doubts about the gold, verdicts that changed over repeats,
abstentions, the lowest confidence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core.problems import UserError
from karat.judge.sample import JudgedCase
from karat.judge.settings import Bar
from karat.runs.baseline import find_run
from karat.stats.judged.reviews_needed import reviews_for_width
from karat.store.verdicts.judgements import JudgeRecords
from karat.store.verdicts.reviews import Review
from karat.verbs.inputs.projects import open_store_here, project_here
from karat.verbs.judge.corrected import settled_values
from karat.verbs.judge.pools import Pool, pool_of

DRAWN = "drawn at random, for the figures of the judge"
SECOND = "drawn at random, for a second person"


class ToReview(msgspec.Struct, frozen=True):
    """A case that is worth a person's time, and why."""

    case: str
    why: str
    drawn: bool


class NextReviews(msgspec.Struct, frozen=True):
    """What to review next, in order, and how far the sample is."""

    cases: tuple[ToReview, ...] = ()
    reviewed: int = 0
    """Drawn and reviewed."""
    wanted: int = 0
    """Drawn reviews that the bar or the width needs."""
    width: float | None = None
    reachable: bool = True
    """Whether reviewing all of the pool would reach the width."""


def next_reviews(
    run: str = "latest",
    *,
    limit: int = 20,
    width: float | None = None,
    overlap: float | None = None,
    reviewer: str = "",
    store: str | Path = "",
    config: str | Path | None = None,
) -> NextReviews:
    """What to review next in a run that a judge was asked about.

    ``width``: as many drawn reviews as make the interval of the corrected rate this narrow. ``overlap``: the share of
    the sample that a second person reviews too; by default ``judge.overlap``. ``reviewer``: leave out what this person
    has reviewed.
    """
    if width is not None and not 0 < width < 1:
        raise UserError("--width must be between 0 and 1", hint="For example: --width 0.08")
    if overlap is not None and not 0 <= overlap <= 1:
        raise UserError("--overlap must be a share from 0 to 1", hint="For example: --overlap 0.2")
    project = project_here(config)
    settings = project.judge if project is not None else None
    with open_store_here(store, config) as kept:
        run_id = find_run(kept, run)
        versions = JudgeRecords(kept).versions_of_run(run_id)
        if not versions:
            return NextReviews()
        result = kept.result(run_id)
        pool = pool_of(kept, run_id, versions[0], result)
        reviews = kept.reviews(run_id)
        wanted, reachable = (settings.bar if settings is not None else Bar()).reviews, True
        if width is not None:
            more = reviews_for_width(
                [people for _, people in pool.sample.reviewed],
                [case.value for case, _ in pool.sample.reviewed],
                [case.value for case in pool.sample.rest],
                settled=settled_values(kept, pool),
                width=width,
            )
            reachable = more is not None
            enough = len(pool.cases) if more is None else len(pool.sample.reviewed) + more
            wanted = max(enough, wanted)
    share = overlap if overlap is not None else settings.overlap if settings is not None else 0.0
    cases = queue_of(pool, reviews, wanted, overlap=share, reviewer=reviewer)
    return NextReviews(tuple(cases[:limit]), len(pool.sample.reviewed), wanted, width, reachable)


def queue_of(
    pool: Pool, reviews: Sequence[Review], wanted: int, *, overlap: float = 0.0, reviewer: str = ""
) -> list[ToReview]:
    """Every case that waits for a person, in the order in which a review helps most. ``wanted``: drawn reviews that are
    needed; ``overlap``: the share of them that a second person reviews too."""
    people: dict[str, set[str]] = {}
    for one in reviews:
        people.setdefault(one.case_id, set()).add(one.reviewer)
    drawn = _drawn(pool, people, wanted, overlap, reviewer)
    told = {one.case for one in drawn}
    by_id = {case.id: case for case in pool.cases}
    ranked = sorted(
        (by_id[name] for name in pool.sample.order if name not in told and name not in people),
        key=lambda case: (_rank(case)[0], case.confidence or 0.0),
    )
    return drawn + [ToReview(case.id, _rank(case)[1], False) for case in ranked]


def _drawn(pool: Pool, people: Mapping[str, set[str]], wanted: int, overlap: float, reviewer: str) -> list[ToReview]:
    """The open cases at the beginning of the random order, until as many as are wanted are reviewed."""
    found = []
    missing = max(0, wanted - len(pool.sample.reviewed))
    within = True
    for name in pool.sample.order:
        seen = people.get(name, set())
        if not seen:
            within = missing > 0
            if within:
                found.append(ToReview(name, DRAWN, True))
                missing -= 1
        elif within and len(seen) == 1 and reviewer not in seen and second_look(name, overlap):
            found.append(ToReview(name, SECOND, True))
    return found


def second_look(case_id: str, overlap: float) -> bool:
    """Whether a case is of the share that two people review: by a hash of its name, so it is the same for everybody."""
    drawn = hashlib.sha256(f"overlap\n{case_id}".encode("utf-8", "surrogatepass")).hexdigest()
    return int(drawn[:13], 16) < overlap * 16**13


def _rank(case: JudgedCase) -> tuple[int, str]:
    if case.why in ("tampered", "suspicious"):
        return 0, f"the answer or the reply is {case.why}"
    if case.value == 1:
        return 1, "the judge calls it right, the rule does not"
    if case.gold_suspect:
        return 2, "the judge doubts the expected answer"
    if case.changed:
        return 3, "the judge changed its verdict when it was asked again"
    if 0 < case.value < 1:
        return 4, f"the judge abstained{f': {case.why}' if case.why else ''}"
    return 5, "lowest confidence first"
