"""``karat judge calibrate``, ``next`` and ``attack``: a judge against people, what to review next, and attempts to talk
to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.case_explanation import explanation_of
from karat.core.problems import UnknownName, UserError
from karat.core.results.clusters import clusters_of
from karat.core.results.judged import Doubt
from karat.judge.asking import Answered, ask_all, now
from karat.judge.attacks import Attack, attack_count, attack_questions, attacks
from karat.judge.calibration import (
    AttackCount,
    Calibration,
    agreement_of,
    misses_of,
    tables_of,
)
from karat.judge.line import Judge
from karat.judge.probes import MOST, consistency, length, position
from karat.judge.questions import Question
from karat.judge.reply import Verdict
from karat.judge.sample import JudgedCase, Sample, judged_cases, sample_of
from karat.judge.settings import Bar
from karat.runs.baseline import find_run
from karat.runs.case_order import seed_of
from karat.store.judgements import JudgeRecords, JudgeVersion
from karat.store.records import run_name
from karat.verbs.inputs.projects import open_store_here, project_here
from karat.verbs.judge.ask import questions_about
from karat.verbs.judge.opening import GivenJudge, OpenJudge, finished, open_judge_here, remember, rubric_hash

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
        before = records.calibrations(known.version)
        if found.attacks is None and before:
            found = msgspec.structs.replace(found, attacks=read_calibration(before[0].figures).attacks)
        allowed = project is not None and project.judge is not None and project.judge.same_model == "allow"
        found = msgspec.structs.replace(found, misses=misses_of(found, bar), days=bar.days, same_model=allowed)
        records.add_calibration(known.version, msgspec.to_builtins(found), now())
        return found


def read_calibration(figures: object) -> Calibration:
    """A calibration as it is stored."""
    return msgspec.convert(figures, Calibration)


def version_named(records: JudgeRecords, version: str) -> JudgeVersion:
    """A version by its name."""
    known = {one.version: one for one in records.versions()}
    if not known:
        raise UserError("no judge was asked yet", hint="karat judge RUN asks about the answers of a run.")
    if version not in known:
        raise UnknownName(f'there is no judge "{version}"', version, list(known))
    return known[version]


def _newest(store: Store, runs: Sequence[str]) -> str:
    records = JudgeRecords(store)
    for run in runs or ["latest"]:
        found = records.versions_of_run(find_run(store, run))
        if found:
            return found[0]
    known = records.versions()
    return known[-1].version if known else ""


class Pool(msgspec.Struct, frozen=True):
    """The cases of a run that a version judged, and the sample of them."""

    run_id: int
    cases: tuple[JudgedCase, ...]
    sample: Sample
    comments: dict[str, str] = {}


def pool_of(store: Store, run_id: int, version: str) -> Pool:
    """Judge and people on one run."""
    record = store.run(run_id)
    given = JudgeRecords(store).of_run(run_id, version)
    result = store.result(run_id)
    names = clusters_of(result.cases)
    clusters = dict(zip((case.id for case in result.cases), names, strict=True)) if names is not None else {}
    pool = judged_cases(given, clusters)
    reviews = store.reviews(run_id)
    comments = {one.case_id: one.comment for one in reviews if one.comment}
    return Pool(run_id, tuple(pool), sample_of(pool, reviews, str(seed_of(record.truth_set))), comments)


def _calibration(store: Store, known: JudgeVersion, run_ids: Sequence[int]) -> Calibration:
    pools = [pool_of(store, run_id, known.version) for run_id in run_ids]
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
        tables=tables_of(together, _groups(store, pools)),
        doubts=tuple(_doubts(pools)),
    )


def _groups(store: Store, pools: Sequence[Pool]) -> list[tuple[str, frozenset[str]]]:
    """The cases of each suite, reason and tag among the reviewed ones."""
    found: dict[str, set[str]] = {}
    for pool in pools:
        wanted = {case.id for case, _ in pool.sample.reviewed}
        result = store.result(pool.run_id)
        for case in result.cases:
            if case.id in wanted:
                reason = explanation_of(result.run.suite, case).reason
                names = [f"suite {result.run.suite}", *(f"tag {tag}" for tag in case.tags)]
                for name in names + ([f"reason {reason}"] if reason else []):
                    found.setdefault(name, set()).add(case.id)
    return [(name, frozenset(members)) for name, members in sorted(found.items())]


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


def _probed(
    store: Store, opened: OpenJudge, known: JudgeVersion, run_ids: Sequence[int], found: Calibration, repeats: int
) -> Calibration:
    """The probes, on reviewed answers, of the version that is calibrated and no other."""
    questions: list[Question] = []
    plain: dict[Answered, Verdict] = {}
    judge: Judge | None = None
    for run_id in run_ids:
        suite, all_questions = questions_about(store, run_id, opened.settings)
        judge = judge or opened.for_suite(suite, known.rubric)
        reviewed = {case.id for case, _ in pool_of(store, run_id, known.version).sample.reviewed}
        questions += [one for one in all_questions if one.case_id in reviewed]
        for one in JudgeRecords(store).of_run(run_id, known.version):
            plain[one.case_id, one.turn, one.repeat] = msgspec.convert(one.verdict, Verdict)
    if judge is None or not questions:
        return found
    if judge.version != known.version:
        raise UserError(
            f"{known.version} is another judge than the one that is set up here, which is {judge.version}",
            hint="Give --judge its system and rubric, or --no-probes to use the stored verdicts alone.",
        )
    records, chosen = JudgeRecords(store), questions[:MOST]
    return msgspec.structs.replace(
        found,
        consistency=finished(consistency(records, judge, chosen, repeats)),
        position=finished(position(records, judge, chosen, plain)),
        length=finished(length(records, judge, chosen, plain)),
    )


def attack_judge(
    judge: GivenJudge | None = None,
    *,
    suite: str = "",
    own: Sequence[Attack] = (),
    store: str | Path = "",
    config: str | Path | None = None,
) -> AttackCount:
    """Put wrong answers that try to talk to the judge before it, and count how many it calls right. The count is kept
    with the version, for its bar. ``suite``: the kind of question that they are said to be answers to; by default the
    project's first."""
    project = project_here(config)
    opened = open_judge_here(judge, project)
    suite = suite or next((entry.suite for entry, _ in project.suites), "") if project else suite
    suite = suite or plugins.names("karat.suites")[0]
    with open_store_here(store, config, create=True) as kept:
        records = JudgeRecords(kept)
        given = list(own or attacks())
        questions = attack_questions(given, suite)
        (rubric,) = opened.rubrics(suite, questions)
        one = opened.for_suite(plugins.load_suite(suite), rubric)
        version = remember(kept, one)
        verdicts, _ = finished(ask_all(records, None, one, questions, fresh=True))
        count = attack_count(verdicts)
        before = records.calibrations(version.version)
        if before:
            kept_before = msgspec.structs.replace(read_calibration(before[0].figures), attacks=count)
            misses = misses_of(kept_before, opened.settings.bar)
            records.add_calibration(
                version.version, msgspec.to_builtins(msgspec.structs.replace(kept_before, misses=misses)), now()
            )
        else:
            records.add_calibration(version.version, msgspec.to_builtins(_only_attacks(version, count)), now())
        return count


def _only_attacks(version: JudgeVersion, count: AttackCount) -> Calibration:
    """The first thing that is known of a version."""
    nothing = Calibration(
        version=version.version,
        created=now(),
        drawn=0,
        reviewed=0,
        rest=0,
        others=0,
        agreement=agreement_of(Sample()),
        people_right=0,
        people_wrong=0,
        attacks=count,
    )
    return msgspec.structs.replace(nothing, misses=misses_of(nothing, Bar()))
