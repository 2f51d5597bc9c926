"""The rate of a run corrected by what people found when they checked the judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.problems import count_of
from karat.core.results.judged import CorrectedFigure, JudgeFigures, JudgeSummary
from karat.core.results.result import CaseReview, Estimate, RunResult
from karat.core.results.verdicts import RIGHT
from karat.judge.calibration import NOT_CALIBRATED, STALE, Calibration, Probe, too_old
from karat.judge.sample import JudgedCase, Sample
from karat.judge.version import same_model
from karat.stats.judged import CorrectedRate, corrected_rate
from karat.store.verdicts.judgements import JudgeRecords
from karat.verbs.judge.ask import system_model
from karat.verbs.judge.pools import Other, Pool, newest_calibration, pool_of, version_named

if TYPE_CHECKING:
    from karat.store.store import Store

MOST_GOLD_WRONG = 0.05
"""The share of a sample with wrong gold above which the judge's figures are not carried over."""


def with_judge(store: Store, run_id: int, result: RunResult) -> RunResult:
    """The result with what the newest judge says of it; as it is where none was asked."""
    seen = judged_run(store, run_id, result)
    return result if seen is None else msgspec.structs.replace(result, judge=seen)


def judged_run(store: Store, run_id: int, result: RunResult | None = None) -> JudgeSummary | None:
    """A run as its newest judge sees it; None where no judge was asked."""
    records = JudgeRecords(store)
    versions = records.versions_of_run(run_id)
    if not versions:
        return None
    result = result if result is not None else store.result(run_id)
    pool = pool_of(store, run_id, versions[0], result)
    known = version_named(records, versions[0])
    found = newest_calibration(records, known.version)
    model = known.model or str(known.settings.get("model") or "")
    misses = _misses(found, known.stale) + _own_model(store, run_id, model, found)
    values = [case.value for case in pool.cases]
    return JudgeSummary(
        version=known.version,
        model=model,
        asked=len(values),
        right=sum(value == 1 for value in values),
        wrong=sum(value == 0 for value in values),
        abstained=sum(0 < value < 1 for value in values),
        reviewed=len(pool.sample.reviewed),
        cost=pool.cost or None,
        tokens=pool.tokens or None,
        counts=not misses,
        misses=misses,
        calibration=_figures(found) if found is not None and found.reviewed else None,
        doubts=found.doubts if found is not None else (),
        corrected=tuple(_rates(store, result, pool, misses)),
    )


def _figures(found: Calibration) -> JudgeFigures:
    given = found.agreement

    def share(probe: Probe | None) -> float | None:
        return None if probe is None or not probe.asked else probe.changed / probe.asked

    changed = share(found.consistency)
    return JudgeFigures(
        created=found.created,
        reviewed=found.reviewed,
        agreement=Estimate(given.agreement, given.n, given.agreement_low, given.agreement_high),
        base_rate=given.base_rate,
        constant=given.constant,
        kappa=given.kappa,
        sensitivity=given.sensitivity,
        specificity=given.specificity,
        people=found.people,
        consistency=None if changed is None else 1 - changed,
        order_changed=share(found.position),
        length_effect=found.length.effect if found.length is not None else None,
        attacks=found.attacks.asked if found.attacks is not None else None,
        attacks_passed=found.attacks.passed if found.attacks is not None else None,
    )


def _misses(found: Calibration | None, stale: str) -> tuple[str, ...]:
    if found is None:
        return (NOT_CALIBRATED,)
    own = tuple(miss for miss in found.misses if not (stale and miss.startswith(STALE)))
    return (*((f"{STALE}{stale}",) if stale else ()), *own, *too_old(found, found.days))


def _own_model(store: Store, run_id: int, model: str, found: Calibration | None) -> tuple[str, ...]:
    asked = system_model(store, run_id)
    if (found is not None and found.same_model) or not same_model(asked, model):
        return ()
    return (f"it is of the same model as the system, {asked}",)


def _rates(store: Store, result: RunResult, pool: Pool, misses: Sequence[str]) -> list[CorrectedFigure]:
    suite = plugins.load_suite(result.run.suite)
    titles = {metric.name: metric.title for metric in suite.metrics_for(result.run.headline)}
    verdicts = store.verdicts(pool.run_id)
    sample, why = pool.sample, misses[0] if misses else ""
    if not why and sample.drawn and sample.gold_wrong > MOST_GOLD_WRONG * sample.drawn:
        expect = count_of(sample.drawn, "drawn case expects", "drawn cases expect")
        why = f"{sample.gold_wrong} of {expect} the wrong thing"
    by_rule = {item.metric for item in result.summary}
    found = []
    for place, name in enumerate(pool.rates):
        if name not in by_rule or _has_no_value(pool, place):
            continue
        known = _settled(pool, place, verdicts)
        rate = _corrected(sample, known, pool.clustered, why)
        people = _corrected(sample, known, pool.clustered, "people") if rate.method == "ppi++" else rate
        over = len(known) + len(sample.reviewed) + len(sample.rest)
        ends = (people.mean, people.low, people.high)
        found.append(
            CorrectedFigure(name, titles[name], rate.mean, rate.low, rate.high, over, rate.method, rate.why, *ends)
        )
    return found


def _has_no_value(pool: Pool, place: int) -> bool:
    """Whether no rule settled this rate on any case, although rules settled cases: it does not apply to this run, as
    a figure of a test suite where none was given, and what people say of other rates is not its value."""
    return bool(pool.others) and all(case.values[place] is None for case in pool.others)


def settled_values(store: Store, pool: Pool) -> list[float]:
    """The values of the first rate over the cases that are not in the pool, with reviews in place of the rule."""
    return [value for _, value in _settled(pool, 0, store.verdicts(pool.run_id))] if pool.rates else []


def _settled(pool: Pool, place: int, verdicts: Mapping[str, CaseReview]) -> list[tuple[Other, float]]:
    found = []
    for case in pool.others:
        review, value = verdicts.get(case.id), case.values[place]
        if review is not None:
            value = None if review.verdict == "gold_wrong" else 1.0 if review.verdict in RIGHT else 0.0
        if value is not None:
            found.append((case, value))
    return found


def _corrected(sample: Sample, settled: Sequence[tuple[Other, float]], clustered: bool, why: str) -> CorrectedRate:
    def names(cases: Sequence[JudgedCase]) -> list[str]:
        return [case.cluster for case in cases] if clustered else []

    others = [f"cluster {case.cluster}" if case.cluster else f"case {case.id}" for case, _ in settled]
    return corrected_rate(
        [people for _, people in sample.reviewed],
        [case.value for case, _ in sample.reviewed],
        [case.value for case in sample.rest],
        settled=[value for _, value in settled],
        clusters=names([case for case, _ in sample.reviewed]) if clustered else None,
        rest_clusters=names(sample.rest),
        settled_clusters=others if clustered else (),
        people_only=why,
    )
