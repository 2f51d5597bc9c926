"""The rate of a run corrected by what people found when they checked the judge, and what to review next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.results.clusters import clusters_of
from karat.core.results.judged import CorrectedFigure, JudgeSummary
from karat.core.results.result import CaseResult, CaseReview, RunResult
from karat.core.results.verdicts import RIGHT
from karat.judge.calibration import Calibration, too_old
from karat.judge.sample import JudgedCase, Sample
from karat.judge.settings import Bar
from karat.judge.version import same_model
from karat.runs.baseline import find_run
from karat.stats.compare.pairing import value_of
from karat.stats.judged import CorrectedRate, corrected_rate
from karat.stats.pass_rates import pass_rates
from karat.store.judgements import JudgeRecords
from karat.verbs.inputs.projects import open_store_here, project_here
from karat.verbs.judge.calibrate import Pool, pool_of, read_calibration, version_named

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
    pool = pool_of(store, run_id, versions[0])
    known = version_named(records, versions[0])
    stored = records.calibrations(known.version)
    found = read_calibration(stored[0].figures) if stored else None
    model = known.model or str(known.settings.get("model") or "")
    misses = _misses(found, known.stale) + _own_model(store, run_id, model, found)
    values = [case.value for case in pool.cases]
    given = found.agreement if found is not None else None
    tokens, cost = records.spent([one.key for one in records.of_run(run_id, known.version)])
    return JudgeSummary(
        version=known.version,
        model=model,
        asked=len(values),
        right=sum(value == 1 for value in values),
        wrong=sum(value == 0 for value in values),
        abstained=sum(0 < value < 1 for value in values),
        reviewed=len(pool.sample.reviewed),
        cost=cost,
        tokens=tokens,
        counts=not misses,
        misses=misses,
        calibrated=found.created if found is not None else "",
        agreement=given.agreement if given else None,
        kappa=given.kappa.mean if given else None,
        kappa_low=given.kappa.low if given else None,
        kappa_high=given.kappa.high if given else None,
        sensitivity=given.sensitivity.mean if given else None,
        specificity=given.specificity.mean if given else None,
        doubts=found.doubts if found is not None else (),
        corrected=tuple(_rates(store, result, pool, misses)),
    )


def _misses(found: Calibration | None, stale: str) -> tuple[str, ...]:
    if found is None:
        return ("it is not calibrated: karat judge calibrate",)
    return (*((f"it is stale: {stale}",) if stale else ()), *found.misses, *too_old(found, found.days))


def _own_model(store: Store, run_id: int, model: str, found: Calibration | None) -> tuple[str, ...]:
    system = store.run(run_id).config.get("system")
    asked = str(system.get("model", "")) if isinstance(system, dict) else ""
    if (found is not None and found.same_model) or not same_model(asked, model):
        return ()
    return (f"it is of the same model as the system, {asked}",)


def _rates(store: Store, result: RunResult, pool: Pool, misses: Sequence[str]) -> list[CorrectedFigure]:
    suite = plugins.load_suite(result.run.suite)
    verdicts = store.verdicts(pool.run_id)
    asked = {case.id for case in pool.cases}
    names = clusters_of(result.cases)
    clusters = dict(zip((case.id for case in result.cases), names, strict=True)) if names is not None else None
    sample, why = pool.sample, misses[0] if misses else ""
    if not why and sample.drawn and sample.gold_wrong > MOST_GOLD_WRONG * sample.drawn:
        why = f"{sample.gold_wrong} of {sample.drawn} drawn cases expect the wrong thing"
    by_rule = {item.metric for item in result.summary}
    found = []
    for metric in pass_rates(suite.metrics_for(result.run.headline)):
        others = [(case, _settled(case, metric.name, verdicts)) for case in result.cases if case.id not in asked]
        known = [(case, value) for case, value in others if value is not None]
        if metric.name in by_rule:
            rate = _corrected(sample, known, clusters, why)
            people = rate.people
            found.append(
                CorrectedFigure(
                    metric.name,
                    metric.title,
                    rate.mean,
                    rate.low,
                    rate.high,
                    len(known) + len(sample.reviewed) + len(sample.rest),
                    rate.method,
                    rate.why,
                    people.mean if people else None,
                    people.low if people else None,
                    people.high if people else None,
                )
            )
    return found


def _settled(case: CaseResult, metric: str, verdicts: Mapping[str, CaseReview]) -> float | None:
    review = verdicts.get(case.id)
    if review is not None:
        return None if review.verdict == "gold_wrong" else 1.0 if review.verdict in RIGHT else 0.0
    return value_of(case, metric)


def _corrected(
    sample: Sample, settled: Sequence[tuple[CaseResult, float]], clusters: dict[str, str] | None, why: str
) -> CorrectedRate:
    def named(cases: Sequence[JudgedCase | CaseResult]) -> list[str]:
        return [] if clusters is None else [clusters.get(case.id) or case.id for case in cases]

    return corrected_rate(
        [people for _, people in sample.reviewed],
        [case.value for case, _ in sample.reviewed],
        [case.value for case in sample.rest],
        settled=[value for _, value in settled],
        clusters=None if clusters is None else named([case for case, _ in sample.reviewed]),
        rest_clusters=named(sample.rest),
        settled_clusters=named([case for case, _ in settled]),
        people_only=why,
    )


class ToReview(msgspec.Struct, frozen=True):
    """A case that is worth a person's time, and why."""

    case: str
    why: str
    drawn: bool


def next_reviews(
    run: str = "latest", *, limit: int = 20, store: str | Path = "", config: str | Path | None = None
) -> list[ToReview]:
    """What to review next: first the random sample, as far as the bar needs it; then what is most informative."""
    project = project_here(config)
    with open_store_here(store, config) as kept:
        run_id = find_run(kept, run)
        records = JudgeRecords(kept)
        versions = records.versions_of_run(run_id)
        if not versions:
            return []
        pool = pool_of(kept, run_id, versions[0])
        bar = project.judge.bar if project is not None and project.judge is not None else Bar()
        reviewed = {one.case_id for one in kept.reviews(run_id)}
        return queue_of(pool, reviewed, bar)[:limit]


def queue_of(pool: Pool, reviewed: set[str], bar: Bar) -> list[ToReview]:
    """Every case that is not reviewed yet, in the order in which a review helps most."""
    open_cases = [name for name in pool.sample.order if name not in reviewed]
    missing = max(0, bar.reviews - len(pool.sample.reviewed))
    drawn = [ToReview(name, "drawn at random, for the figures of the judge", True) for name in open_cases[:missing]]
    told = {one.case for one in drawn}
    by_id = {case.id: case for case in pool.cases}
    ranked = sorted(
        (by_id[name] for name in open_cases if name not in told),
        key=lambda case: (_rank(case)[0], case.confidence or 0.0),
    )
    return drawn + [ToReview(case.id, _rank(case)[1], False) for case in ranked]


def _rank(case: JudgedCase) -> tuple[int, str]:
    if case.why in ("tampered", "suspicious"):
        return 0, f"the answer or the reply is {case.why}"
    if case.value == 1:
        return 1, "the judge calls it right, the rule does not"
    if case.gold_suspect:
        return 2, "the judge doubts the expected answer"
    if 0 < case.value < 1:
        return 3, f"the judge abstained{f': {case.why}' if case.why else ''}"
    return 4, "lowest confidence first"
