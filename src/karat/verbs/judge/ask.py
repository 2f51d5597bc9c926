"""``karat judge RUN``: ask the judge about the answers of a stored run that no rule settled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.core.suite import Suite
from karat.judge.asking import Estimate, ask_all
from karat.judge.judge_client import Judge, Judging
from karat.judge.questions import Question, questions_of
from karat.judge.settings import JudgeSettings
from karat.judge.version import model_of, same_model
from karat.runs.baseline import find_run
from karat.runs.case_order import seed_of
from karat.runs.stored_run import stored_settings
from karat.store.records import run_name
from karat.store.verdicts.judgements import JudgeRecords, JudgeVersion
from karat.verbs.inputs.projects import open_store_here, project_here
from karat.verbs.judge.open_judge import GivenJudge, OpenJudge, finished, open_judge_here, remember
from karat.verbs.judge.pools import rate_of

if TYPE_CHECKING:
    from karat.store.store import Store

_CHUNK = 500


class Judged(msgspec.Struct, frozen=True):
    """What asking came to."""

    run: str
    version: str
    asked: int
    right: int
    wrong: int
    abstained: dict[str, int]
    suspicious: int
    calls: int
    cached: int
    tokens: int
    cost: float
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def ask_judge(
    run: str = "latest",
    judge: GivenJudge | None = None,
    *,
    fresh: bool = False,
    retry_errors: bool = False,
    store: str | Path = "",
    config: str | Path | None = None,
    watch: Callable[[Judging], None] = lambda _: None,
    announce: Callable[[Estimate], None] = lambda _: None,
) -> list[Judged]:
    """Ask a judge about the answers of a stored run that no rule settled. Its verdicts are stored beside the scores and
    change none of them.

    ``judge`` is the name of a system in karat.yaml or a Python function; by default the project's ``judge:``. Answers
    that the same judge has seen before are not asked about again, unless ``fresh``; nor are those for which the call
    failed or the budget was spent, unless ``retry_errors``.
    """
    project = project_here(config)
    opened = open_judge_here(judge, project)
    with open_store_here(store, config) as kept:
        run_id = find_run(kept, run)
        return [ask_about(kept, run_id, opened, fresh=fresh, retry_errors=retry_errors, watch=watch, announce=announce)]


def ask_about(
    store: Store,
    run_id: int,
    opened: OpenJudge,
    *,
    fresh: bool = False,
    retry_errors: bool = False,
    watch: Callable[[Judging], None] = lambda _: None,
    announce: Callable[[Estimate], None] = lambda _: None,
) -> Judged:
    """The same for an open store and judge."""
    if not store.scorings(run_id):
        name = run_name(run_id)
        raise UserError(f"{name} has no scores yet", hint=f"karat run --resume {name} finishes it.")
    suite, questions = questions_about(store, run_id, opened.settings)
    judge = opened.for_suite(suite)
    version = remember(store, judge)
    records = JudgeRecords(store)
    asking = ask_all(
        records, run_id, judge, questions, fresh=fresh, retry_errors=retry_errors, watch=watch, announce=announce
    )
    _, state = finished(asking)
    warnings = _served(records, version, state) + _same_model(store, run_id, judge, opened.settings)
    return _judged(run_id, judge, state, warnings + _drifted(store, opened, suite, state))


def questions_about(store: Store, run_id: int, settings: JudgeSettings) -> tuple[Suite, list[Question]]:
    """Every answer of a run that the judge is asked about."""
    record = store.run(run_id)
    suite = plugins.load_suite(record.suite)
    result = store.result(run_id)
    rate = rate_of(suite, result.run.headline)
    options = stored_settings(run_id, "options", record.options, suite.options)
    seed = str(seed_of(record.truth_set))
    found: list[Question] = []
    results = iter(result.cases)
    for chunk in store.case_chunks(run_id, _CHUNK):
        cases = suite.decode_cases(chunk)
        scored = {one.id: one for one in (next(results, None) for _ in cases) if one is not None}
        wanted = [case.id for case in cases if case.id in scored and scored[case.id].status == "scored"]
        answers: dict[str, list[Prediction]] = {}
        for answer in store.case_predictions(run_id, wanted):
            answers.setdefault(answer.case_id, []).append(answer)
        for case in cases:
            if case.id in scored:
                found += questions_of(
                    suite, case, scored[case.id], answers.get(case.id, ()), settings, options, rate, seed
                )
    return suite, found


def _served(records: JudgeRecords, version: JudgeVersion, state: Judging) -> tuple[str, ...]:
    """Whether the server still calls its model what it did; a version whose model changed is stale from now on."""
    names = sorted({name for name, _ in state.models if name})
    if not names:
        return (f"{version.version} is stale: {version.stale}",) if version.stale else ()
    fingerprint = next((mark for _, mark in sorted(state.models) if mark), version.fingerprint)
    before = version.model or names[0]
    stale = version.stale
    if set(names) != {before}:
        stale = f"the server called its model {before}, and now {', '.join(name for name in names if name != before)}"
    records.mark_version(version.version, model=before, fingerprint=fingerprint, stale=stale)
    return (f"{version.version} is stale: {stale}",) if stale else ()


def system_model(store: Store, run_id: int) -> str:
    """The model that a run's system names; empty where it names none."""
    system = store.run(run_id).config.get("system")
    return str(system.get("model") or "") if isinstance(system, dict) else ""


def _same_model(store: Store, run_id: int, judge: Judge, settings: JudgeSettings) -> tuple[str, ...]:
    asked = system_model(store, run_id)
    if not same_model(asked, model_of(judge.config)):
        return ()
    counted = "" if settings.same_model == "allow" else ", so it is not counted (judge.same_model: allow counts it)"
    return (f"the judge is of the same model as the system, {asked}{counted}",)


def _drifted(store: Store, opened: OpenJudge, suite: Suite, state: Judging) -> tuple[str, ...]:
    """What came of asking about reviewed answers again, where it was time to and the budget is not spent."""
    from karat.verbs.judge.drift import check_drift  # it asks questions by itself

    left = opened.settings.budget.less(state.calls, state.cost)
    if not state.total or 0 in (left.calls, left.cost):
        return ()
    try:
        found = check_drift(store, opened, suite, budget=left)
    except UserError as error:
        return (f"reviewed answers could not be asked about again: {error.message}",)
    return (f"reviewed answers asked again: {found}",) if found is not None else ()


def _judged(run_id: int, judge: Judge, state: Judging, warnings: tuple[str, ...]) -> Judged:
    return Judged(
        run_name(run_id),
        judge.version,
        state.total,
        state.right,
        state.wrong,
        dict(state.abstained),
        state.suspicious,
        state.calls,
        state.cached,
        state.tokens,
        state.cost,
        tuple(state.notes),
        warnings,
    )
