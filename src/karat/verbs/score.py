"""``karat score`` and ``karat.score``: score recorded predictions, or score a stored run again. Nothing is called."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.problems import UserError
from karat.core.records import AnyCase, truth_hash
from karat.core.remote.paths import local_input
from karat.core.results.result import RunResult
from karat.runs.case_selection import Choice, choose
from karat.runs.workers import scoring_executor
from karat.verbs.inputs.loading import Cases, Options, Predictions, load_cases, load_predictions, options_for
from karat.verbs.inputs.steps import step

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
    executor: Executor | None = None,
) -> RunResult:
    """Score recorded predictions. Nothing is called and nothing is stored.

    ``cases`` and ``predictions`` are paths, URLs, lists of dicts, or DataFrames. A dict has the shape of a case file,
    or of a line of recorded predictions; file names in it are relative to ``folder``, the working folder by default.
    Cases and predictions that cannot be read are skipped and listed in ``result.problems``; if not one can be read,
    that is an error. ``tags``, ``case_ids`` and ``limit`` choose cases. ``source`` is what the result calls the
    predictions; their path by default. ``workers`` spreads the scoring over processes; ``executor`` over any
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
    from karat.runs.runner import score_recorded

    chosen = plugins.load_suite(suite)
    settings = options_for(chosen, options)
    cases, predictions = local_input(cases), local_input(predictions)
    loaded = load_cases(chosen, cases, folder)
    asked = choose(loaded.cases, Choice(tuple(tags), tuple(case_ids), limit))
    recorded = chosen.pair(loaded.cases, load_predictions(chosen, predictions, folder))
    # What answers a case that was left out on purpose is nothing to report; what answers no case at all is.
    kept = {c.id for c in asked} | {p.case_id for p in recorded.predictions} - {c.id for c in loaded.cases}
    with step("scored"), scoring_executor(chosen, workers, executor) as pool:
        return score_recorded(
            chosen,
            asked,
            [p for p in recorded.predictions if p.case_id in kept],
            settings,
            problems=(*loaded.problems, *recorded.problems),
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
    executor: Executor | None = None,
) -> Rescored:
    """Score the stored answers of a run again, against its own cases or those of other files. Earlier scores stay.

    ``suite``, where it is given, must be that of the run. ``settings`` are ``KEY=VALUE`` options in place of those of
    the run.
    """
    from karat.runs.baseline import find_run
    from karat.runs.runner import rescore
    from karat.store import run_name
    from karat.verbs.inputs.work import overruled

    run_id = find_run(store, run)
    record = store.run(run_id)
    if suite not in ("", record.suite):
        raise UserError(f"{run_name(run_id)} is a run of {record.suite}, not of {suite}", hint="Leave --suite out.")
    chosen = plugins.load_suite(record.suite)
    options = overruled(chosen, msgspec.convert(record.options, chosen.options), settings)
    loaded = _asked(load_cases(chosen, cases).cases, chosen, store, run_id) if cases is not None else None
    with step("scored"), scoring_executor(chosen, workers, executor) as pool:
        result = rescore(store, run_id, cases=loaded, options=options, executor=pool)
    if result.run.truth_set != record.truth_set:
        note = "these are not the cases of the run, so its earlier figures are not comparable"
        return Rescored(result, (note,))
    path = str(record.config.get("cases_path", ""))
    if cases is None and path and _have_changed(path, chosen, store, run_id, record):
        words = "the case files have changed since the run; to score against them"
        return Rescored(result, (f"{words}: karat score {run} --cases {path}",))
    return Rescored(result)


def _asked(cases: Sequence[AnyCase], suite: Suite, store: Store, run_id: int) -> tuple[AnyCase, ...]:
    """Those of the cases that the run has."""
    ids = {case.id for case in suite.decode_cases(store.cases(run_id))}
    return tuple(case for case in cases if case.id in ids)


def _have_changed(path: str, suite: Suite, store: Store, run_id: int, record: RunRecord) -> bool:
    if not Path(path).exists():
        return False
    now = _asked(suite.load_cases(Path(path)).cases, suite, store, run_id)
    return truth_hash(now, suite.truth) != record.truth_set
