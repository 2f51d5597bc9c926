"""The cases of a run that a judge was asked about, with what it and people say of them; and versions by name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from karat.core import plugins
from karat.core.metric import Metric
from karat.core.problems import UnknownName, UserError
from karat.core.results.columns.columns import StoredCases
from karat.core.results.result import CaseResult, RepeatResult, RunResult
from karat.core.suite import Suite
from karat.judge.asking import now
from karat.judge.calibration import Calibration, agreement_of
from karat.judge.questions import state_of
from karat.judge.sample import JudgedCase, Sample, judged_cases, sample_of
from karat.runs.case_order import seed_of
from karat.stats.compare.pairing import value_of
from karat.stats.pass_rates import pass_rates
from karat.store.verdicts.judgements import JudgeRecords, JudgeVersion
from karat.store.verdicts.reviews import Review

if TYPE_CHECKING:
    from karat.store.store import Store

OPEN = ("needs_review", "wrong")
"""The states in which a judge may be asked."""
_SETTLED = {"right": 1.0, "wrong": 0.0}


class Other(msgspec.Struct, frozen=True, gc=False):
    """A case that the judge was not asked about, with what the rule says of it."""

    id: str
    cluster: str
    values: tuple[float | None, ...]
    """Of each rate."""


_Settled: TypeAlias = tuple[dict[str, list[float]], list[Other], dict[str, str]]
"""Case that is open → what a rule says of its other tries; the other cases; case → cluster."""


class Pool(msgspec.Struct, frozen=True):
    """The cases of a run that a version judged, and the sample of them."""

    run_id: int
    cases: tuple[JudgedCase, ...]
    sample: Sample
    comments: dict[str, str] = {}
    tokens: int = 0
    cost: float = 0.0
    """Of the judge, on this run."""
    clustered: bool = False
    """Whether some cases of the run are variants of one."""
    rates: tuple[str, ...] = ()
    """The pass rates of the run."""
    others: tuple[Other, ...] = ()
    """The cases of the run that are not in the pool."""


def pool_of(store: Store, run_id: int, version: str, result: RunResult | None = None) -> Pool:
    """Judge and people on one run. A case that a rule settles by now, after it was scored again, is no longer in it."""
    record = store.run(run_id)
    given = JudgeRecords(store).of_run(run_id, version)
    result = result if result is not None else store.result(run_id)
    suite = plugins.load_suite(record.suite)
    rate = rate_of(suite, result.run.headline)
    rates = tuple(metric.name for metric in pass_rates(suite.metrics_for(result.run.headline)))
    asked: dict[str, set[int]] = {}
    for one in given:
        asked.setdefault(one.case_id, set()).add(one.repeat)
    cases = result.cases
    if isinstance(cases, StoredCases) and result.run.repeats == 1 and rate is not None:
        settled, others, clusters = _by_columns(cases, asked, suite, rate, rates)
    else:
        settled, others, clusters = _one_by_one(cases, asked, suite, rate, rates)
    # Two prefixes, so that a case's id is never taken for a cluster's name.
    names = {case: f"cluster {clusters[case]}" if case in clusters else f"case {case}" for case in settled}
    pool = judged_cases((one for one in given if one.case_id in settled), names if clusters else {}, settled)
    reviews = store.reviews(run_id)
    comments = {one.case_id: one.comment for one in reviews if one.comment}
    return Pool(
        run_id,
        tuple(pool),
        sample_of(pool, reviews, str(seed_of(record.truth_set))),
        comments,
        sum(int(one.verdict.get("tokens", 0)) for one in given),
        sum(float(one.verdict.get("cost", 0.0)) for one in given),
        bool(clusters),
        rates,
        tuple(others),
    )


def _one_by_one(
    cases: Iterable[CaseResult], asked: Mapping[str, set[int]], suite: Suite, rate: Metric | None, rates: Sequence[str]
) -> _Settled:
    settled: dict[str, list[float]] = {}
    others: list[Other] = []
    clusters: dict[str, str] = {}
    for case in cases:  # once: a large run is read from the store as it is looked at
        if case.cluster:
            clusters[case.id] = case.cluster
        if case.id in asked:
            states = [_state(suite, one, rate) for one in case.repeats or (case,)]
            if any(state in OPEN for state in states):
                beside = (state for place, state in enumerate(states) if place not in asked[case.id])
                settled[case.id] = [_SETTLED[state] for state in beside if state in _SETTLED]
                continue
        others.append(Other(case.id, case.cluster, tuple(value_of(case, name) for name in rates)))
    return settled, others, clusters


def _by_columns(
    cases: StoredCases, asked: Mapping[str, set[int]], suite: Suite, rate: Metric, rates: Sequence[str]
) -> _Settled:
    """The same for a run with one answer per case, from the columns that the store keeps: only cases that the judge was
    asked about, and that no figure shows to be open, are read themselves."""
    columns = cases.columns(groups=False)
    ids, scored = columns.case_ids, columns.has_status("scored").tolist()
    named = columns.clusters or [""] * len(ids)
    wrong = (columns.column(rate.name) < 1).tolist()  # NaN is not
    open_here = {place for place, case in enumerate(ids) if case in asked and scored[place] and wrong[place]}
    looked = [place for place, case in enumerate(ids) if case in asked and place not in open_here]
    states = zip(looked, map(partial(_state, suite, rate=rate), cases.at(looked)), strict=True)
    open_here |= {place for place, state in states if state in OPEN}
    values = zip(*(columns.column(name).tolist() for name in rates), strict=True)
    others = [
        Other(ids[place], named[place], tuple(value if math.isfinite(value) else None for value in row))
        for place, row in enumerate(values)
        if place not in open_here
    ]
    clusters = {case: name for case, name in zip(ids, named, strict=True) if name}
    return {ids[place]: [] for place in sorted(open_here)}, others, clusters


def drawn_again(store: Store, pool: Pool, reviews: Sequence[Review]) -> Pool:
    """The pool with the sample that these reviews make."""
    seed = str(seed_of(store.run(pool.run_id).truth_set))
    return msgspec.structs.replace(pool, sample=sample_of(pool.cases, reviews, seed))


def _state(suite: Suite, one: CaseResult | RepeatResult, rate: Metric | None) -> str:
    """The state of a try; without its explanation where the score alone says that it is open."""
    score = one.scores.get(rate.name) if rate is not None else None
    if one.status == "scored" and score is not None and score.value is not None and score.value < 1:
        return "wrong"
    return state_of(suite.name, one, rate)


def rate_of(suite: Suite, headline: Sequence[str]) -> Metric | None:
    """The first pass rate of a suite: what decides whether an answer is right."""
    return next(iter(pass_rates(suite.metrics_for(headline))), None)


def read_calibration(figures: object) -> Calibration:
    """A calibration as it is stored."""
    return msgspec.convert(figures, Calibration)


def newest_calibration(records: JudgeRecords, version: str) -> Calibration | None:
    """How a version came out last; None where it was never compared with people or attacked."""
    stored = records.calibrations(version)
    return read_calibration(stored[0].figures) if stored else None


def empty_calibration(version: str) -> Calibration:
    """A version of which nothing is known yet."""
    return Calibration(
        version=version,
        created=now(),
        drawn=0,
        reviewed=0,
        rest=0,
        others=0,
        agreement=agreement_of(Sample()),
        people_right=0,
        people_wrong=0,
    )


def version_named(records: JudgeRecords, version: str) -> JudgeVersion:
    """A version by its name."""
    known = {one.version: one for one in records.versions()}
    if not known:
        raise UserError("no judge was asked yet", hint="karat judge RUN asks about the answers of a run.")
    if version not in known:
        raise UnknownName(f'there is no judge "{version}"', version, list(known))
    return known[version]
