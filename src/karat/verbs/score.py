"""``karat score`` and ``karat.score``: score recorded predictions, or score a stored run again. Nothing is called."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.bulk.cases import held_cases
from karat.core.problems import Problem, UserError
from karat.core.records import AnyCase, truth_hash
from karat.core.remote.paths import local_input
from karat.core.results.result import RunResult
from karat.runs.case_selection import Choice
from karat.runs.executors.choice import scoring_executor
from karat.verbs.inputs.loading import Cases, Options, Predictions, options_for
from karat.verbs.inputs.step_timing import step
from karat.verbs.inputs.streamed_inputs import gather_cases, gather_predictions, paired_answers

if TYPE_CHECKING:
    from karat.core.suite import Suite
    from karat.store.records import RunRecord
    from karat.store.store import Store


def score(
    suite: str,
    cases: Cases,
    predictions: Predictions,
    *,
    options: Options = None,
    folder: str | Path = "",
    limit: int | None = None,
    tags: Sequence[str] = (),
    case_ids: Sequence[str] = (),
    source: str = "",
    workers: int | None = None,
    executor: Executor | str | None = None,
) -> RunResult:
    """Score recorded predictions. Nothing is called and nothing is stored.

    ``cases`` and ``predictions`` are paths, URLs, lists of dicts, or DataFrames. A dict has the shape of a case file,
    or of a line of recorded predictions; file names in it are relative to ``folder``, the working folder by default.
    Cases and predictions that cannot be read are skipped and listed in ``result.problems``; if not one can be read,
    that is an error. ``tags``, ``case_ids`` and ``limit`` choose cases. ``source`` is what the result calls the
    predictions; their path by default. ``workers`` spreads the scoring over processes; ``executor`` names
    where it runs (``"processes:4"``, ``"dask-local:4"``, ``"dask://HOST:8786"``) or is any
    ``concurrent.futures.Executor``.

    >>> import karat
    >>> result = karat.score(
    ...     suite="retrieval",
    ...     cases=[{"id": "q1", "question": "What is sour?", "relevant": ["lemon", "lime"]}],
    ...     predictions=[{"id": "q1", "results": ["lemon", "apple", "lime"]}],
    ... )
    >>> result.metric("recall").mean
    1.0
    >>> result.metric("recal")
    Traceback (most recent call last):
    karat.core.problems.UnknownName: the run has no metric "recal"
    Did you mean "recall"?
    """
    from karat.runs.scores.run_scoring import score_recorded

    chosen = plugins.load_suite(suite)
    settings = options_for(chosen, options)
    cases, predictions = local_input(cases), local_input(predictions)
    gathered = gather_cases(chosen, cases, folder, Choice(tuple(tags), tuple(case_ids), limit))
    recorded = paired_answers(chosen, gathered, cases, gather_predictions(chosen, predictions, folder), folder)
    with step("scored"), scoring_executor(chosen, workers, executor) as pool:
        return score_recorded(
            chosen,
            gathered.cases,
            recorded.predictions,
            settings,
            left_out=gathered.left_out,
            problems=(*gathered.problems, *recorded.problems),
            notes=recorded.notes,
            source=source or (str(predictions) if isinstance(predictions, str | Path) else ""),
            executor=pool,
        )


class Rescored(msgspec.Struct, frozen=True):
    """A stored run with its new scores, and what to know about them."""

    result: RunResult
    notes: tuple[str, ...] = ()


def score_again(
    store: Store,
    run: str,
    *,
    suite: str = "",
    cases: str | Path | None = None,
    settings: Sequence[str] = (),
    workers: int | None = None,
    executor: Executor | str | None = None,
) -> Rescored:
    """Score the stored answers of a run again, against its own cases or those of other files. Earlier scores stay.

    ``suite``, where it is given, must be that of the run. ``settings`` are ``KEY=VALUE`` options in place of those of
    the run.
    """
    from karat.runs.baseline import find_run
    from karat.runs.changed_questions import changed_questions
    from karat.runs.scores.run_scoring import rescore
    from karat.store import run_name
    from karat.verbs.inputs.work import overruled
    from karat.verbs.judge.corrected import with_judge

    run_id = find_run(store, run)
    record = store.run(run_id)
    if suite not in ("", record.suite):
        raise UserError(f"{run_name(run_id)} is a run of {record.suite}, not of {suite}", hint="Leave --suite out.")
    chosen = plugins.load_suite(record.suite)
    options = overruled(chosen, msgspec.convert(record.options, chosen.options), settings)
    loaded = _asked(chosen, cases, store.case_ids(run_id)) if cases is not None else None
    with step("scored"), scoring_executor(chosen, workers, executor) as pool:
        result = rescore(store, run_id, cases=loaded, options=options, executor=pool)
    result = with_judge(store, run_id, result)
    if loaded is not None and (changed := changed_questions(store, run_id, chosen, loaded)):
        result = msgspec.structs.replace(result, problems=(*result.problems, changed))
    if result.run.truth_set != record.truth_set:
        note = "these are not the cases of the run, so its earlier figures are not comparable"
        return Rescored(result, (note,))
    path = str(record.config.get("cases_path", ""))
    if cases is None and path and _have_changed(path, chosen, store, run_id, record):
        words = "the case files have changed since the run; to score against them"
        return Rescored(result, (f"{words}: karat score {run} --cases {path}",))
    return Rescored(result)


def _asked(suite: Suite, cases: str | Path, ids: Collection[str]) -> Sequence[AnyCase]:
    """Those of the cases that the run has."""
    known = frozenset(ids)
    found = gather_cases(suite, cases).cases
    return held_cases((case for case in found if case.id in known), suite.target)


def _have_changed(path: str, suite: Suite, store: Store, run_id: int, record: RunRecord) -> bool:
    if not Path(path).exists():
        return False
    known = frozenset(store.case_ids(run_id))
    now = (one for one in suite.each_case(Path(path)) if not isinstance(one, Problem) and one.id in known)
    return truth_hash(now, suite.truth) != record.truth_set
