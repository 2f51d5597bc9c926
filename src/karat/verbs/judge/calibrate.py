"""``karat judge calibrate``: a judge against people, and whether it reaches the bar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core.presentation.case_explanation import explanation_of
from karat.core.problems import UserError
from karat.core.results.judged import Doubt
from karat.core.results.result import Estimate
from karat.core.results.verdicts import by_case, side_of
from karat.core.suite import Suite
from karat.judge.asking import Answered, now, place_of
from karat.judge.calibration import Calibration, Pair, agreement_of, misses_of, self_preference, tables_of
from karat.judge.judge_client import Judge
from karat.judge.probes import MOST, consistency, length, position
from karat.judge.questions import Question
from karat.judge.reply import Verdict
from karat.judge.sample import Sample
from karat.judge.settings import Bar
from karat.judge.version import same_model
from karat.runs.baseline import find_run
from karat.stats.agreement import alpha
from karat.store.records import run_name
from karat.store.verdicts.judgements import JudgeRecords, JudgeVersion
from karat.store.verdicts.reviews import case_review
from karat.verbs.inputs.projects import open_store_here, project_here
from karat.verbs.judge.ask import questions_about, system_model
from karat.verbs.judge.open_judge import GivenJudge, OpenJudge, finished, open_judge_here, rubric_hash
from karat.verbs.judge.pools import Pool, newest_calibration, pool_of, version_named

if TYPE_CHECKING:
    from karat.store.store import Store


def calibrate_judge(
    runs: Sequence[str] = (),
    judge: GivenJudge | None = None,
    *,
    version: str = "",
    repeats: int = 3,
    probes: bool = True,
    store: str | Path = "",
    config: str | Path | None = None,
) -> Calibration:
    """Hold a judge against people: agreement, kappa, sensitivity and specificity on a random sample of reviewed cases,
    and whether it reaches the bar. The figures are stored with the version.

    ``runs``: those whose reviews count; by default all that this version judged. ``probes``: also ask about reviewed
    answers again, to see whether the judge says the same each time, whatever their order and length.
    """
    project = project_here(config)
    with open_store_here(store, config) as kept:
        records = JudgeRecords(kept)
        known = version_named(records, version or _newest(kept, runs))
        run_ids = [find_run(kept, run) for run in runs] or records.runs_of_version(known.version)
        opened = open_judge_here(judge, project) if probes else None
        bar = opened.settings.bar if opened else project.judge.bar if project and project.judge else Bar()
        found = _calibration(kept, known, run_ids)
        if opened is not None:
            found = _probed(kept, opened, known, run_ids, found, repeats)
        before = newest_calibration(records, known.version)
        if before is not None:
            found = msgspec.structs.replace(found, attacks=before.attacks, drift=before.drift)
        allowed = project is not None and project.judge is not None and project.judge.same_model == "allow"
        misses = misses_of(found, bar, stale=known.stale)
        found = msgspec.structs.replace(found, misses=misses, days=bar.days, same_model=allowed)
        records.add_calibration(known.version, msgspec.to_builtins(found), now())
        return found


def _newest(store: Store, runs: Sequence[str]) -> str:
    records = JudgeRecords(store)
    for run in runs or ["latest"]:
        found = records.versions_of_run(find_run(store, run))
        if found:
            return found[0]
    known = records.versions()
    return known[-1].version if known else ""


def _calibration(store: Store, known: JudgeVersion, run_ids: Sequence[int]) -> Calibration:
    pools = _once([pool_of(store, run_id, known.version) for run_id in run_ids], JudgeRecords(store), known.version)
    samples = [pool.sample for pool in pools]
    together = Sample(
        tuple(one for sample in samples for one in sample.reviewed), tuple(one for s in samples for one in s.rest)
    )
    people = [value for _, value in together.reviewed]
    given = [one for run_id in run_ids for one in JudgeRecords(store).of_run(run_id, known.version)]
    why = Counter(
        str(one.verdict.get("why") or "cannot tell") for one in given if one.verdict["verdict"] == "cannot_tell"
    )
    return Calibration(
        version=known.version,
        created=now(),
        model=known.model or str(known.settings.get("model") or known.settings.get("function") or ""),
        rubric=rubric_hash(known.rubric),
        drawn=sum(sample.drawn for sample in samples),
        reviewed=len(people),
        rest=len(together.rest),
        others=sum(sample.others for sample in samples),
        skipped=tuple(name for sample in samples for name in sample.skipped),
        gold_wrong=sum(sample.gold_wrong for sample in samples),
        disputed=sum(sample.disputed for sample in samples),
        agreement=agreement_of(together),
        people_right=sum(value == 1 for value in people),
        people_wrong=sum(value == 0 for value in people),
        abstained=dict(why),
        people=_ceiling(store, run_ids),
        by_system=self_preference(_systems(store, known, pools)),
        tables=tables_of(_groups(store, pools)),
        doubts=tuple(_doubts(pools)),
    )


def _once(pools: Sequence[Pool], records: JudgeRecords, version: str) -> list[Pool]:
    """The pools with each reviewed answer in one of them: the same answer in several runs has the same verdict of the
    judge, and its reviews are one piece of evidence. The newest run counts."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    found: list[Pool] = []
    for pool in sorted(pools, key=lambda one: -one.run_id):
        keys: dict[str, list[str]] = {}
        for one in records.of_run(pool.run_id, version):
            keys.setdefault(one.case_id, []).append(one.key)
        marks = {case: (case, tuple(own)) for case, own in keys.items()}
        new = tuple(one for one in pool.sample.reviewed if marks[one[0].id] not in seen)
        seen |= {marks[case.id] for case, _ in new}
        found.append(msgspec.structs.replace(pool, sample=msgspec.structs.replace(pool.sample, reviewed=new)))
    return found[::-1]


def _groups(store: Store, pools: Sequence[Pool]) -> dict[str, list[Pair]]:
    """What judge and people say of the reviewed cases of each suite, reason and tag."""
    found: dict[str, list[Pair]] = {}
    for pool in pools:
        said = {case.id: (case.value, people) for case, people in pool.sample.reviewed}
        result = store.result(pool.run_id)
        for case in result.cases:
            if case.id in said:
                reason = explanation_of(result.run.suite, case).reason
                names = [f"suite {result.run.suite}", *(f"tag {tag}" for tag in case.tags)]
                for name in names + ([f"reason {reason}"] if reason else []):
                    found.setdefault(name, []).append(said[case.id])
    return found


def _systems(store: Store, known: JudgeVersion, pools: Sequence[Pool]) -> dict[str, tuple[bool, list[Pair]]]:
    """The reviewed answers of each system, and whether it is of the judge's family."""
    judge = known.model or str(known.settings.get("model") or "")
    found: dict[str, tuple[bool, list[Pair]]] = {}
    for pool in pools:
        model = system_model(store, pool.run_id)
        name = model or store.run(pool.run_id).system
        own = found.setdefault(name, (same_model(model, judge), []))
        own[1].extend((case.value, people) for case, people in pool.sample.reviewed)
    return found


def _ceiling(store: Store, run_ids: Sequence[int]) -> Estimate:
    """How far people agree with one another: Krippendorff's alpha over the cases that two or more have seen."""
    votes: list[list[str]] = []
    for run_id in run_ids:
        own = [case_review(one) for one in store.reviews(run_id) if not one.adjudication]
        votes += [[side_of(one.verdict) for one in given] for given in by_case(own).values()]
    return alpha(votes)


def _doubts(pools: Sequence[Pool]) -> list[Doubt]:
    words = {1.0: "right", 0.0: "wrong"}
    return [
        Doubt(
            run_name(pool.run_id),
            case.id,
            words[people],
            words.get(case.value, "cannot_tell"),
            case.reason,
            pool.comments.get(case.id, ""),
        )
        for pool in pools
        for case, people in pool.sample.reviewed
        if case.value != people
    ]


def judge_of(opened: OpenJudge, suite: Suite, known: JudgeVersion) -> Judge:
    """The judge that is set up here as this version; with the rubric that the version had, where that is all that
    differs."""
    here = opened.for_suite(suite)
    if here.version == known.version:
        return here
    before = opened.for_suite(suite, known.rubric)
    if before.version != known.version:
        raise UserError(
            f"{known.version} is another judge than the one that is set up here, which is {here.version}",
            hint="Give --system and judge.rubric as it had them, or --no-probes to use the stored verdicts alone.",
        )
    return before


def _probed(
    store: Store, opened: OpenJudge, known: JudgeVersion, run_ids: Sequence[int], found: Calibration, repeats: int
) -> Calibration:
    """The probes, on reviewed answers, of the version that is calibrated and no other."""
    questions: list[Question] = []
    plain: dict[Answered, Verdict] = {}
    judge: Judge | None = None
    for run_id in run_ids:
        suite, all_questions = questions_about(store, run_id, opened.settings)
        judge = judge or judge_of(opened, suite, known)
        reviewed = {case.id for case, _ in pool_of(store, run_id, known.version).sample.reviewed}
        seen = {place_of(one) for one in questions}  # an answer of another run under the same name is left out
        questions += [one for one in all_questions if one.case_id in reviewed and place_of(one) not in seen]
        for one in JudgeRecords(store).of_run(run_id, known.version):
            plain.setdefault(place_of(one), msgspec.convert(one.verdict, Verdict))
    if judge is None or not questions:
        return found
    records, chosen = JudgeRecords(store), questions[:MOST]
    return msgspec.structs.replace(
        found,
        consistency=finished(consistency(records, judge, chosen, repeats)),
        position=finished(position(records, judge, chosen, plain)),
        length=finished(length(records, judge, chosen, plain)),
    )
