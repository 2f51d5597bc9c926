"""The one runner: plan, call, store, score; and the same again from where a killed run stopped.

Everything a run needs to go on is in the store before the first call: its cases, its system's settings, its options. So
a resumed run asks what its start would have asked, whatever has happened to the files since.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar  # Any: targets that are not read here, and stored settings as JSON

import msgspec

from karat.core import plugins
from karat.core.bulk.answers import AnswerIndex
from karat.core.bulk.cases import held_cases
from karat.core.bulk.sequence import HELD, in_chunks
from karat.core.extras import require
from karat.core.files.limits import wrong_repeats
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.notes import checked_notes
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import AnyCase, Case, Prediction, truth_hash
from karat.core.remote.shown import as_stored, is_copy, shown
from karat.core.results.result import CaseResult, RunInfo, RunResult
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import System, SystemType
from karat.runs import sharing
from karat.runs.calling import Called, still_to_call
from karat.runs.follow_up import unfinished
from karat.runs.job import Job
from karat.runs.plain_secrets import refuse_secrets, refuse_written_out
from karat.runs.prompts import ready, run_hash
from karat.runs.remote_inputs import fetch_inputs
from karat.runs.run_lease import signs_of_life
from karat.runs.scoring import repeats_in, score_cases
from karat.runs.stopping import GRACE
from karat.runs.stored_answers import NoAnswers, StoredAnswers, with_answers
from karat.runs.summary import Columns, summarise
from karat.runs.system_calls import call_system, follows_up, misplaced, open_system, run_async
from karat.runs.unmatched_predictions import unmatched_problems
from karat.store.lease_holder import Holder, this_process
from karat.store.records import RunRecord, run_name

if TYPE_CHECKING:
    from karat.store.store import Store

Watch = Callable[[Called], None]
Settings = TypeVar("Settings", bound=msgspec.Struct)


class Interrupted(Exception):
    """Ctrl-C: all that had come is stored, and the run can be resumed."""

    def __init__(self, run: str, done: int, total: int) -> None:
        super().__init__(f"stopped: {done} of {total} calls are stored")
        self.run = run
        self.done = done
        self.total = total


def start(
    store: Store,
    job: Job,
    *,
    watch: Watch = lambda _: None,
    on_run: Callable[[str, int], None] = lambda _run, _calls: None,
    executor: Executor | None = None,
) -> RunResult:
    """A new run: stored, called, scored. ``on_run`` hears the run's name, and how many calls it makes, before the first
    one."""
    if wrong := wrong_repeats(job.repeats):
        raise UserError(wrong)
    refuse_secrets(job.config, f"the system {job.system}".rstrip())
    refuse_secrets(job.options, f"the suite {job.suite.name}")
    check_setup(job.suite, job.cases, job.options)
    now = _now()
    options = dated(job.options, now[:10])
    # What cannot be asked or opened must not leave a run behind.
    job = replace(job, config=ready(job.config, job.suite, job.cases, options))
    for settings, what in ((job.config, "system"), (options, "suite")):
        refuse_written_out(settings, f"the {what}")
    job = replace(job, opened=job.opened or open_system(job))
    prompt = run_hash(job.config, job.suite, job.cases, options)
    record = RunRecord(
        suite=job.suite.name,
        name=job.name,
        system=job.system,
        started=now,
        today=options.today,
        truth_set=truth_hash(job.cases, job.suite.truth),
        cases=len(job.cases),
        repeats=job.repeats,
        karat=version("karat"),
        options=_plain(options),
        config={
            "system": {key: as_stored(value) for key, value in _plain(job.config).items()},
            "cases_path": as_stored(job.cases_path),
            **({"prompt": prompt} if prompt else {}),
        },
        tags=job.tags,
    )
    encode = msgspec.json.Encoder().encode
    holder = this_process()
    run_id = store.create_run(record, holder)
    for chunk in in_chunks(job.cases):
        store.add_cases(run_id, [(case.id, encode(_with_source(case))) for case in chunk])
    return _carry_on(
        store,
        run_id,
        holder,
        job,
        options,
        NoAnswers(store, run_id),
        retry_errors=False,
        watch=watch,
        on_run=on_run,
        executor=executor,
    )


def resume(
    store: Store,
    run_id: int,
    *,
    retry_errors: bool = False,
    system: System | None = None,
    grace: float = GRACE,
    join: bool = False,
    watch: Watch = lambda _: None,
    on_run: Callable[[str, int], None] = lambda _run, _calls: None,
    executor: Executor | None = None,
) -> RunResult:
    """Go on with a run: ask only what has no stored answer (and, if wanted, what failed), then score. One process at a
    time may; with ``join`` it takes part in a run that others work on.

    A run that is finished is left as it is; ``on_run`` hears that it makes no calls.
    """
    if join:
        sharing.wait_for_cases(store, run_id)
    record = store.run(run_id)
    suite = plugins.load_suite(record.suite)
    fetch_inputs(store, run_id, record)
    cases = stored_cases(store, run_id, suite)
    settings = record.config.get("system", {})
    kind: SystemType = plugins.load("karat.systems", str(settings.get("type", "")))
    options = _stored_settings(run_id, "options", record.options, suite.options)
    check_setup(suite, cases, options)
    job = Job(
        suite=suite,
        cases=cases,
        options=options,
        config=_stored_settings(run_id, "settings", settings, kind.config),
        system=record.system,
        name=record.name,
        repeats=record.repeats,
        grace=grace,
        opened=system,
    )
    if record.status == "finished" and not still_to_call(
        cases, job.repeats, StoredAnswers(store, run_id).of, retry_errors
    ):
        on_run(run_name(run_id), 0)
        return store.result(run_id)
    job = replace(job, problems=_changed_hints(job, record))
    holder = this_process()
    if join:
        sharing.join(store, run_id, holder, again=record.status == "finished")
    else:
        store.set_status(run_id, "running", holder)
    return _carry_on(
        store,
        run_id,
        holder,
        job,
        job.options,
        StoredAnswers(store, run_id),
        retry_errors=retry_errors,
        watch=watch,
        on_run=on_run,
        executor=executor,
    )


def _changed_hints(job: Job, record: RunRecord) -> tuple[Problem, ...]:
    """The texts of the prompt are stored with the run; what its hints are made of (databases, structures, tables) is
    not."""
    before = record.config.get("prompt", "")
    if not before or run_hash(job.config, job.suite, job.cases, job.options) == before:
        return ()
    message = "the hints of the prompt (schema, codelists, tables) have changed since the run started"
    return (Problem(message, severity="warning", hint="The remaining calls use the new ones."),)


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
    used = dated(options or _stored_settings(run_id, "options", record.options, suite.options), record.today)
    check_setup(suite, chosen, used)
    return _score(store, run_id, suite, chosen, used, executor)


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
    now = _now()
    options = dated(options, now[:10])
    repeats = repeats_in(one for one in predictions if one.case_id not in left_out)
    strays = unmatched_problems(cases, (one for one in predictions if one.case_id not in left_out), repeats, source)
    answers = AnswerIndex(predictions)
    info = RunInfo(
        suite=suite.name,
        system=shown(source),
        cases=len(cases),
        repeats=repeats,
        truth_set=truth_hash(cases, suite.truth),
        started=now,
        finished=now,
        today=options.today,
        karat=version("karat"),
        options=_plain(options),
        headline=tuple(suite.headline(cases)),
    )
    work = ((case, answers.tries(case, repeats)) for case in cases)
    result = summarise(suite, info, score_cases(suite, work, options, repeats=repeats, executor=executor))
    kept, wrong = checked_notes(suite, notes)
    told = (*problems, *wrong, *strays, *result.problems)
    return msgspec.structs.replace(result, problems=told, notes=kept)


def check_setup(suite: Suite, cases: Sequence[AnyCase], options: SuiteOptions) -> None:
    """UserError when the cases cannot be scored with what is installed, or a file that the options name cannot be used.
    Nothing has run by then."""
    require(suite.extras(cases, options), suite.name)
    suite.check_options(cases, options)


def stored_cases(store: Store, run_id: int, suite: Suite) -> Sequence[AnyCase]:
    """The cases as they were when the run was started."""
    again = "It was stopped before its first call: start it again."
    try:
        decoded = (case for chunk in store.case_chunks(run_id) for case in suite.decode_cases(chunk))
        cases = held_cases(decoded, suite.target)
    except msgspec.DecodeError as error:
        raise _unreadable(run_id, "cases", error) from error
    if not cases:
        raise UserError(f"the run {run_name(run_id)} has no stored cases", hint=again)
    wanted = store.run(run_id).cases
    if len(cases) < wanted:
        message = f"the run {run_name(run_id)} has only {len(cases):,} of its {count_of(wanted, 'case')}"
        raise UserError(message, hint=again)
    return cases


def _with_source(case: Case[Any]) -> Case[Any]:
    """The case as it is stored: one from a remote file says so by its URL."""
    if not is_copy(case.source.file):
        return case
    return msgspec.structs.replace(case, source=msgspec.structs.replace(case.source, file=shown(case.source.file)))


def _unreadable(run_id: int, what: str, error: Exception) -> UserError:
    hint = (
        "This part of the store is damaged. The answers can still be saved: "
        f"karat export {run_name(run_id)} --predictions FILE."
    )
    return UserError(f"the stored {what} of {run_name(run_id)} cannot be read: {error}", hint=hint)


def _stored_settings(run_id: int, what: str, values: Any, kind: type[Settings]) -> Settings:
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise _unreadable(run_id, what, error) from error


def dated(options: SuiteOptions, today: str) -> SuiteOptions:
    """The options with the day that relative dates mean filled in."""
    return options if options.today else msgspec.structs.replace(options, today=today)


def _carry_on(
    store: Store,
    run_id: int,
    holder: Holder,
    job: Job,
    options: SuiteOptions,
    stored: StoredAnswers,
    *,
    retry_errors: bool,
    watch: Watch,
    on_run: Callable[[str, int], None],
    executor: Executor | None,
) -> RunResult:
    called, before = Called(0, watch), 0
    problems: tuple[Problem, ...] = ()
    try:
        with signs_of_life(store, run_id, holder):
            fresh = isinstance(stored, NoAnswers) or not store.answered(run_id)
            before = 0 if fresh else _answered(store, run_id, retry_errors)
            leads, more = store.leads(run_id), follows_up(job)
            if more and leads and not fresh:
                for chunk in in_chunks(job.cases):
                    stored.begun |= unfinished(job.suite, chunk, options, stored.of(chunk))
            called = Called(still_to_call(job.cases, job.repeats, stored.of, retry_errors), watch)
            if called.total or (more and not leads):
                system = job.opened or open_system(job)
                problems = (*system.problems, *_keep_notes(store, run_id, job, system, fresh), *misplaced(job, system))
                on_run(run_name(run_id), called.total)
                share: sharing.Share = sharing.Everything(job, stored)
                if store.can_share:
                    stored = StoredAnswers(store, run_id, stored.begun)
                    share = sharing.Parts(store, run_id, holder, job, options, stored, follow_up=more)
                run_async(call_system(store, run_id, job, system, stored, share, called, retry_errors))
                problems = (*problems, *share.problems())
            if sharing.may_score(store, run_id, holder):
                result = _score(store, run_id, job.suite, job.cases, options, executor)
                store.set_status(run_id, "finished", holder)
            else:
                result = store.result(run_id)
    except KeyboardInterrupt:
        sharing.let_go(store, run_id, holder, "interrupted")
        done = max(called.done, _answered(store, run_id, retry_errors) - before)
        raise Interrupted(run_name(run_id), min(done, called.total), called.total) from None
    except BaseException:
        with suppress(Exception):  # the first error is the one to show, even when the store cannot take the note
            sharing.let_go(store, run_id, holder, "failed")
        raise
    return msgspec.structs.replace(result, problems=(*job.problems, *problems, *result.problems))


def _answered(store: Store, run_id: int, retry_errors: bool) -> int:
    """How many questions have an answer that will not be asked for again."""
    return sum(not (failed and retry_errors) for failed in store.answered(run_id).values())


def _keep_notes(store: Store, run_id: int, job: Job, system: System, fresh: bool) -> Sequence[Problem]:
    """Store what the system says of the run as a whole; what is wrong with it. Notes that stored answers were made with
    stay."""
    notes, problems = checked_notes(job.suite, system.notes)
    if notes:
        store.add_notes(run_id, notes, replace=fresh)
    return problems


def _score(
    store: Store,
    run_id: int,
    suite: Suite,
    cases: Sequence[AnyCase],
    options: SuiteOptions,
    executor: Executor | None,
) -> RunResult:
    """Score what is stored, a chunk of cases at a time. The result of a large run reads its cases from the store."""
    record = store.run(run_id)
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
        options=_plain(options),
        tags=record.tags,
        prompt=str(record.config.get("prompt", "")),
        headline=tuple(suite.headline(cases)),
    )
    columns = Columns(suite)
    held: list[CaseResult] = []
    work = with_answers(store, run_id, cases, record.repeats)
    scoring = store.begin_scoring(run_id, info)
    for results in in_chunks(score_cases(suite, work, options, repeats=record.repeats, executor=executor)):
        store.add_results(scoring, results)
        columns.add(results)
        if len(cases) <= HELD:
            held += results
    info = msgspec.structs.replace(info, finished=_now())
    summary, problems = columns.figures(info)
    store.finish_scoring(scoring, info, summary)
    shown = tuple(held) if len(cases) <= HELD else store.result(run_id, scoring).cases
    return RunResult(info, summary, shown, problems, notes=store.notes(run_id))


def _plain(record: msgspec.Struct) -> JsonObject:
    """A struct as it will read back from JSON: lists, not tuples."""
    found: JsonObject = msgspec.json.decode(msgspec.json.encode(record))
    return found


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
