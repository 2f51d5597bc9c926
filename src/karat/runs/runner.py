"""The one runner: plan, call, store, score; and the same again from where a killed run stopped.

Everything a run needs to go on is in the store before the first call: its cases, its system's settings, its options. So
a resumed run asks what its start would have asked, whatever has happened to the files since.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, suppress
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar  # Any: targets that are not read here, and stored settings as JSON

import msgspec

from karat.core import plugins
from karat.core.bulk.sequence import in_chunks
from karat.core.files.limits import wrong_repeats
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import Case, truth_hash
from karat.core.remote.display_names import as_stored, is_copy, shown
from karat.core.results.result import RunResult
from karat.core.run_notes.notes import checked_notes
from karat.core.suite import SuiteOptions
from karat.core.system import System, SystemType
from karat.runs import sharing
from karat.runs.calls.calling import Called, still_to_call
from karat.runs.calls.follow_up import unfinished
from karat.runs.calls.prompts import ready, run_hash
from karat.runs.calls.reuse import check_reuse, keep_note, open_reuse
from karat.runs.calls.stopping import GRACE
from karat.runs.calls.stored_answers import NoAnswers, StoredAnswers
from karat.runs.calls.system_calls import asks_at_random, call_system, follows_up, misplaced, open_system, run_async
from karat.runs.case_order import seed_of
from karat.runs.job import Job
from karat.runs.live import Live, Scored
from karat.runs.project_file.plain_secrets import refuse_secrets, refuse_written_out
from karat.runs.remote_inputs import fetch_inputs
from karat.runs.run_lease import signs_of_life
from karat.runs.scores.run_scoring import check_setup, dated, now, plain, score_stored
from karat.runs.started_by import started_by
from karat.runs.stored_run import stored_cases, stored_settings
from karat.runs.tracing.spans import Traces, check_traces, tracing_of
from karat.store.leases.lease_holder import Holder, this_process
from karat.store.live import LiveRuns
from karat.store.records import RunRecord, run_name

if TYPE_CHECKING:
    from karat.store.store import Store

Watch = Callable[[Called], None]
Settings = TypeVar("Settings", bound=msgspec.Struct)


class Interrupted(Exception):
    """Ctrl-C: all that had come is stored, and the run can be resumed."""

    def __init__(self, run: str, done: int, total: int) -> None:
        super().__init__(f"stopped: {done} of {count_of(total, 'call is', 'calls are')} stored")
        self.run = run
        self.done = done
        self.total = total


def start(
    store: Store,
    job: Job,
    *,
    watch: Watch = lambda _: None,
    on_run: Callable[[str, int], None] = lambda _run, _calls: None,
    on_scored: Scored = lambda _: None,
    executor: Executor | None = None,
) -> RunResult:
    """A new run: stored, called, scored. ``on_run`` hears the run's name, and how many calls it makes, before the first
    one; ``on_scored`` hears of cases as they are scored."""
    if wrong := wrong_repeats(job.repeats):
        raise UserError(wrong)
    refuse_secrets(job.config, f"the system {job.system}".rstrip())
    refuse_secrets(job.options, f"the suite {job.suite.name}")
    check_setup(job.suite, job.cases, job.options)
    moment = now()
    options = dated(job.options, moment[:10])
    # What cannot be asked or opened must not leave a run behind.
    job = replace(job, config=ready(job.config, job.suite, job.cases, options))
    for settings, what in ((job.config, "system"), (options, "suite")):
        refuse_written_out(settings, f"the {what}")
    job = replace(job, opened=job.opened or open_system(job))
    check_reuse(job)
    check_traces(job.traces)
    prompt = run_hash(job.config, job.suite, job.cases, options)
    truth_set = truth_hash(job.cases, job.suite.truth)
    job = replace(job, seed=seed_of(truth_set) if asks_at_random(job) else None)
    record = RunRecord(
        suite=job.suite.name,
        name=job.name,
        system=job.system,
        started=moment,
        today=options.today,
        truth_set=truth_set,
        cases=len(job.cases),
        repeats=job.repeats,
        karat=version("karat"),
        options=plain(options),
        config={
            "system": {key: as_stored(value) for key, value in plain(job.config).items()},
            "cases_path": as_stored(job.cases_path),
            **({"prompt": prompt} if prompt else {}),
            "order": "file" if job.seed is None else "random",
            **({} if job.seed is None else {"seed": job.seed}),
            **({"who": who} if (who := started_by()) else {}),
        },
        tags=job.tags,
    )
    encode = msgspec.json.Encoder().encode
    holder = this_process()
    run_id = store.create_run(record, holder)
    with signs_of_life(store, run_id, holder):
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
        on_scored=on_scored,
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
    reuse: str = "",
    traces: Traces | None = None,
    watch: Watch = lambda _: None,
    on_run: Callable[[str, int], None] = lambda _run, _calls: None,
    on_scored: Scored = lambda _: None,
    executor: Executor | None = None,
) -> RunResult:
    """Resume a run: ask only what has no stored answer (and, if wanted, what failed), then score. One process at a
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
    options = stored_settings(run_id, "options", record.options, suite.options)
    check_setup(suite, cases, options)
    job = Job(
        suite=suite,
        cases=cases,
        options=options,
        config=stored_settings(run_id, "settings", settings, kind.config),
        system=record.system,
        name=record.name,
        repeats=record.repeats,
        seed=record.config.get("seed"),
        grace=grace,
        reuse=reuse,
        traces=traces,
        opened=system,
    )
    if record.status == "finished" and not _calls_left(job, StoredAnswers(store, run_id), retry_errors):
        on_run(run_name(run_id), 0)
        return store.result(run_id)
    job = replace(job, problems=_changed_hints(job, record))
    if record.status != "running":
        LiveRuns(store).forget_stop(run_id)
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
        on_scored=on_scored,
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


def _with_source(case: Case[Any]) -> Case[Any]:
    """The case as it is stored: one from a remote file says so by its URL."""
    if not is_copy(case.source.file):
        return case
    return msgspec.structs.replace(case, source=msgspec.structs.replace(case.source, file=shown(case.source.file)))


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
    on_scored: Scored,
    executor: Executor | None,
) -> RunResult:
    called, before = Called(0, watch), 0
    problems: tuple[Problem, ...] = ()
    live = Live(store, run_id, job, options, executor, on_scored)
    try:
        with signs_of_life(store, run_id, holder), live, ExitStack() as traced:
            tracing = None
            fresh = isinstance(stored, NoAnswers) or not store.answered(run_id)
            before = 0 if fresh else _answered(store, run_id, retry_errors)
            leads, more = store.leads(run_id), follows_up(job)
            if more and leads and not fresh:
                for chunk in in_chunks(job.cases):
                    stored.begun |= unfinished(job.suite, chunk, options, stored.of(chunk))
            called = Called(_calls_left(job, stored, retry_errors), watch)
            if called.total or (more and not leads):
                system = job.opened or open_system(job)
                problems = (*system.problems, *_keep_notes(store, run_id, job, system, fresh), *misplaced(job, system))
                on_run(run_name(run_id), called.total)
                share: sharing.Share = sharing.Everything(job, stored)
                if store.can_share:
                    stored = StoredAnswers(store, run_id, stored.begun)
                    share = sharing.Parts(store, run_id, holder, job, options, stored, follow_up=more)
                if system.measures_time:  # answers that are at hand need no watching: they are scored at the end
                    live.score_as_they_come()
                reused, told = open_reuse(job.reuse, job.config, system)
                try:
                    tracing = traced.enter_context(tracing_of(job, run_name(run_id), system))
                    run_async(
                        call_system(
                            store, run_id, job, system, stored, share, called, live, retry_errors, reused, tracing
                        )
                    )
                finally:
                    if reused is not None:
                        reused.close()
                        keep_note(store, run_id, reused)
                        told = reused.problems()
                problems = (*problems, *told, *share.problems())
            if sharing.may_score(store, run_id, holder, lambda: live.stop_asked):
                result = score_stored(store, run_id, job.suite, job.cases, options, executor, holder, live=live)
                live.forget()
                if tracing is not None:
                    tracing.scored(result)
            else:
                live.forget()
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


def _calls_left(job: Job, stored: StoredAnswers, retry_errors: bool) -> int:
    """Stored answers are read in the order in which they came, as far as that is known: each block of them once."""
    in_order = (chunk for _, chunk in job.case_order.chunks(job.cases))
    chunks = in_chunks(job.cases) if isinstance(stored, NoAnswers) else in_order
    return still_to_call(chunks, job.repeats, stored.of, retry_errors)


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
