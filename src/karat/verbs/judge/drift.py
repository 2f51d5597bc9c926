"""``karat judge drift``: reviewed answers are put to the judge again, whenever its version changes and once a month.

The set is the reviewed sample of the version that was calibrated last, at most 60 answers. A new version is compared
with that one on it. The same version is asked anew, a month after it was last calibrated or checked: if surely more
verdicts have changed than the bar allows, the version is stale, as its server is no longer the judge that was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.problems import UserError, count_of
from karat.core.results.result import Estimate
from karat.core.suite import Suite
from karat.judge.asking import Answered, ask_all, place_of
from karat.judge.calibration import Drift, misses_of
from karat.judge.judge_client import Judge
from karat.judge.probes import MOST
from karat.judge.questions import Question
from karat.judge.reply import NO_REPLY, Verdict
from karat.judge.settings import Bar, Budget
from karat.runs.baseline import find_run
from karat.stats.agreement import agreement, confusion
from karat.stats.compare.significance.mcnemar import coin_p
from karat.stats.intervals.rates import wilson
from karat.store.verdicts.judgements import JudgeRecords, JudgeVersion
from karat.verbs.inputs.projects import open_store_here, project_here
from karat.verbs.judge.ask import questions_about
from karat.verbs.judge.open_judge import GivenJudge, OpenJudge, finished, open_judge_here, remember
from karat.verbs.judge.pools import empty_calibration, newest_calibration, pool_of, version_named

if TYPE_CHECKING:
    from karat.store.store import Store

MONTH = timedelta(days=30)
BY_DATE = 100_000
"""The number under which replies of a check by date are kept: this, and the day."""


def drift_of_judge(
    run: str = "latest",
    judge: GivenJudge | None = None,
    *,
    store: str | Path = "",
    config: str | Path | None = None,
) -> Drift | None:
    """Put the reviewed answers to the judge again, also before it is time. ``run`` says of which suite. None: no
    calibrated version has reviewed answers of it."""
    opened = open_judge_here(judge, project_here(config))
    with open_store_here(store, config) as kept:
        suite = plugins.load_suite(kept.run(find_run(kept, run)).suite)
        return check_drift(kept, opened, suite, always=True)


def check_drift(
    store: Store,
    opened: OpenJudge,
    suite: Suite,
    *,
    always: bool = False,
    budget: Budget | None = None,
    at: datetime | None = None,
) -> Drift | None:
    """Ask again where it is time to; None where it is not, or where there is nothing to compare with."""
    records, at = JudgeRecords(store), at or datetime.now(UTC)
    judge = opened.for_suite(suite)
    judge.budget = budget or judge.budget
    before = _calibrated_last(store, suite, judge.version)
    if before is None:
        return None
    found = newest_calibration(records, judge.version)
    if not always and found is not None:
        if before != judge.version and any(one.before == before for one in found.drift):
            return None
        if before == judge.version and at - _last(found.created, found.drift) < MONTH:
            return None
    version = remember(store, judge)
    checked = _checked(store, opened, judge, before, suite, at)
    if checked is None:
        return None
    found = found or empty_calibration(judge.version)
    found = msgspec.structs.replace(found, drift=(checked, *found.drift))
    if stale := _stale(checked, judge.version, opened.settings.bar):
        records.mark_version(judge.version, model=version.model, fingerprint=version.fingerprint, stale=stale)
    misses = misses_of(found, opened.settings.bar, stale=stale or version.stale, at=at)
    found = msgspec.structs.replace(found, misses=misses)
    records.add_calibration(judge.version, msgspec.to_builtins(found), checked.at)
    return checked


def _last(created: str, drift: Sequence[Drift]) -> datetime:
    return max(datetime.fromisoformat(one.replace("Z", "+00:00")) for one in (created, *(it.at for it in drift)))


def _calibrated_last(store: Store, suite: Suite, version: str) -> str | None:
    """The version with reviewed answers of the suite that was calibrated last; this one where it has any."""
    records = JudgeRecords(store)
    found: list[tuple[bool, str, str]] = []
    for known in records.versions():
        calibration = newest_calibration(records, known.version)
        if calibration is not None and calibration.reviewed:
            found.append((known.version == version, calibration.created, known.version))
    for _, _, name in sorted(found, reverse=True):
        if any(store.run(run_id).suite == suite.name for run_id in records.runs_of_version(name)):
            return name
    return None


def _checked(store: Store, opened: OpenJudge, judge: Judge, before: str, suite: Suite, at: datetime) -> Drift | None:
    records, again = JudgeRecords(store), before == judge.version
    questions, plain, people = _reviewed(store, opened, version_named(records, before), suite)
    if not questions:
        return None
    number = BY_DATE + at.toordinal() if again else 0
    asked, _ = finished(ask_all(records, None, judge, questions, first_repeat=number))
    both = [(place[0], plain[place], now) for place, now in asked.items() if now.why not in NO_REPLY]
    if not both:
        raise UserError("the judge gave no reply to any of the reviewed answers", hint="karat doctor tests a system.")
    to_right = sum(a.verdict != "right" and b.verdict == "right" for _, a, b in both)
    to_wrong = sum(a.verdict == "right" and b.verdict != "right" for _, a, b in both)
    return Drift(
        at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        before,
        len(both),
        to_right,
        to_wrong,
        coin_p(to_right, to_right + to_wrong),
        _agreement([(b.verdict == "right", people[case] == 1) for case, _, b in both]),
        _agreement([(a.verdict == "right", people[case] == 1) for case, a, _ in both]),
        sum(a.verdict != b.verdict for _, a, b in both),
    )


def _agreement(pairs: Sequence[tuple[bool, bool]]) -> Estimate:
    return agreement(confusion(pairs))


def _reviewed(
    store: Store, opened: OpenJudge, known: JudgeVersion, suite: Suite
) -> tuple[list[Question], Mapping[Answered, Verdict], Mapping[str, float]]:
    """(the answers to ask about, what the version said of them, what people say of their cases), at most ``MOST``: of
    the newest run first, and of each case in one run alone."""
    records = JudgeRecords(store)
    questions: list[Question] = []
    plain: dict[Answered, Verdict] = {}
    people: dict[str, float] = {}
    for run_id in reversed(records.runs_of_version(known.version)):
        if store.run(run_id).suite != suite.name or len(questions) >= MOST:
            continue
        reviewed = pool_of(store, run_id, known.version).sample.reviewed
        own = {case.id: value for case, value in reviewed if case.id not in people}
        given = [one for one in records.of_run(run_id, known.version) if one.case_id in own]
        said = {place_of(one): msgspec.convert(one.verdict, Verdict) for one in given}
        for one in questions_about(store, run_id, opened.settings)[1]:
            verdict = said.get(place_of(one))
            if verdict is not None and verdict.why not in NO_REPLY:
                questions.append(one)
                plain[place_of(one)] = verdict
                people[one.case_id] = own[one.case_id]
    return questions[:MOST], plain, people


def _stale(found: Drift, version: str, bar: Bar) -> str:
    """Why a version no longer is the judge that was measured; empty while it may be."""
    if found.before != version or wilson(found.changed, found.asked)[0] <= 1 - bar.consistency:
        return ""
    changed = f"{found.changed} of {count_of(found.asked, 'verdict')}"
    return f"asked again on {found.at[:10]}, it changed {changed} on reviewed answers"
