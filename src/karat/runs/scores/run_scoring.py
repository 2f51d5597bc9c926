"""Scoring a run as a whole: what is stored, what is stored again, and what was recorded elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Executor
from datetime import UTC, datetime
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.bulk.answers import AnswerIndex
from karat.core.bulk.sequence import HELD, in_chunks
from karat.core.installed.extras import require
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem
from karat.core.records import AnyCase, Prediction, truth_hash
from karat.core.remote.display_names import shown
from karat.core.results.result import CaseResult, RunInfo, RunResult
from karat.core.run_notes.notes import checked_notes
from karat.core.run_notes.scores_from_notes import Noted, with_noted_intervals, with_noted_scores
from karat.core.suite import EXPECTATIONS, Suite, SuiteOptions
from karat.runs.calls.stored_answers import with_answers
from karat.runs.project_file.plain_secrets import refuse_secrets
from karat.runs.remote_inputs import fetch_inputs
from karat.runs.scores.kept_results import KeptResults
from karat.runs.scores.scoring import repeats_in, score_cases
from karat.runs.scores.summary import Columns, summarise
from karat.runs.scores.unmatched_predictions import unmatched_problems
from karat.runs.stored_run import stored_cases, stored_settings
from karat.store.records import run_name

if TYPE_CHECKING:
    from karat.runs.live import Live
    from karat.store.leases.lease_holder import Holder
    from karat.store.store import Store


def rescore(
    store: Store,
    run_id: int,
    *,
    cases: Sequence[AnyCase] | None = None,
    options: SuiteOptions | None = None,
    executor: Executor | None = None,
) -> RunResult:
    """Score the stored predictions again, with other cases or options if given. Earlier scores stay."""
    record = store.run(run_id)
    suite = plugins.load_suite(record.suite)
    fetch_inputs(store, run_id, record)
    chosen = cases if cases is not None else stored_cases(store, run_id, suite)
    used = dated(options or stored_settings(run_id, "options", record.options, suite.options), record.today)
    check_setup(suite, chosen, used)
    return score_stored(store, run_id, suite, chosen, used, executor)


def _headline(suite: Suite, cases: Sequence[AnyCase], noted: Noted | None) -> tuple[str, ...]:
    """What a run is judged by first: what its notes say, then what plug-ins and the cases add to that."""
    usual = suite.headline_of(cases)
    if noted is None:
        return usual
    added = [metric.name for metric in suite.metrics if metric.headline and metric.package]
    return tuple(dict.fromkeys((*noted.headline, *added, *(name for name in usual if name == EXPECTATIONS))))


def score_recorded(
    suite: Suite,
    cases: Sequence[AnyCase],
    predictions: Sequence[Prediction],
    options: SuiteOptions,
    *,
    left_out: Collection[str] = (),
    problems: Sequence[Problem] = (),
    notes: JsonMapping = MappingProxyType({}),
    source: str = "",
    executor: Executor | None = None,
) -> RunResult:
    """Score predictions that were made elsewhere. Nothing is called and nothing is stored, so the result holds every
    case. ``left_out``: the ids of cases that were left out on purpose, whose answers are passed over. ``notes``: of the
    run that the answers are from."""
    refuse_secrets(options, f"the suite {suite.name}")
    check_setup(suite, cases, options)
    moment = now()
    options = dated(options, moment[:10])
    repeats = repeats_in(one for one in predictions if one.case_id not in left_out)
    strays = unmatched_problems(cases, (one for one in predictions if one.case_id not in left_out), repeats, source)
    answers = AnswerIndex(predictions)
    kept, wrong = checked_notes(suite, notes)
    noted = suite.noted(kept)
    info = RunInfo(
        suite=suite.name,
        system=shown(source),
        cases=len(cases),
        repeats=repeats,
        truth_set=truth_hash(cases, suite.truth),
        started=moment,
        finished=moment,
        today=options.today,
        karat=version("karat"),
        options=plain(options),
        headline=_headline(suite, cases, noted),
    )
    work = ((case, answers.tries(case, repeats)) for case in cases)
    results = score_cases(suite, work, options, repeats=repeats, executor=executor)
    result = summarise(suite, info, results if noted is None else with_noted_scores(results, noted))
    told = (*problems, *wrong, *strays, *result.problems)
    summary = with_noted_intervals(result.summary, noted)
    return msgspec.structs.replace(result, summary=summary, problems=told, notes=kept)


def score_stored(
    store: Store,
    run_id: int,
    suite: Suite,
    cases: Sequence[AnyCase],
    options: SuiteOptions,
    executor: Executor | None,
    holder: Holder | None = None,
    *,
    live: Live | None = None,
) -> RunResult:
    """Score what is stored, a chunk of cases at a time. The result of a large run reads its cases from the store.
    ``holder``: who holds the run and finishes it by this. ``live``: of the run whose calls have just been made; what it
    has scored is not scored again."""
    record = store.run(run_id)
    notes = store.notes(run_id)
    noted = suite.noted(notes)
    info = RunInfo(
        suite=suite.name,
        id=run_name(run_id),
        name=record.name,
        system=record.system,
        cases=len(cases),
        repeats=record.repeats,
        truth_set=truth_hash(cases, suite.truth),
        started=record.started,
        today=options.today,
        karat=version("karat"),
        options=plain(options),
        tags=record.tags,
        prompt=str(record.config.get("prompt", "")),
        headline=_headline(suite, cases, noted),
    )
    columns = Columns(suite, expects=EXPECTATIONS in info.headline)
    held: list[CaseResult] = []
    kept = KeptResults(0) if live is None else live.kept()
    open_places = (place for place in range(len(cases)) if place not in kept)
    work = with_answers(store, run_id, cases, record.repeats, kept)
    new = score_cases(suite, work, options, repeats=record.repeats, executor=executor)
    if live is not None:
        new = live.watched(open_places, new)
    scoring = store.begin_scoring(run_id, info)
    for chunk in in_chunks(_in_order(len(cases), kept, new)):
        results = with_noted_scores(chunk, noted)
        store.add_results(scoring, results)
        columns.add(results)
        if len(cases) <= HELD:
            held += results
    info = msgspec.structs.replace(info, finished=now())
    summary, problems = columns.figures(info)
    summary = with_noted_intervals(summary, noted)
    store.finish_scoring(scoring, info, summary, holder)
    shown = tuple(held) if len(cases) <= HELD else store.result(run_id, scoring).cases
    return RunResult(info, summary, shown, problems, notes=notes)


def _in_order(count: int, kept: KeptResults, new: Iterator[CaseResult]) -> Iterator[CaseResult]:
    """All results in the order of the cases: those that were kept, and the new ones of all other cases."""
    return (kept.get(place) if place in kept else next(new) for place in range(count)) if len(kept) else new


def check_setup(suite: Suite, cases: Sequence[AnyCase], options: SuiteOptions) -> None:
    """UserError when the cases cannot be scored with what is installed, or a file that the options name cannot be used.
    Nothing has run by then."""
    require(suite.extras(cases, options), suite.name)
    suite.check_options(cases, options)


def dated(options: SuiteOptions, today: str) -> SuiteOptions:
    """The options with the day that relative dates mean filled in."""
    return options if options.today else msgspec.structs.replace(options, today=today)


def plain(record: msgspec.Struct) -> JsonObject:
    """A struct as it will read back from JSON: lists, not tuples."""
    found: JsonObject = msgspec.json.decode(msgspec.json.encode(record))
    return found


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
