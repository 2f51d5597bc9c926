"""``karat run``: run the cases against a system, store every answer as it arrives, and score them all."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli import exits
from karat.cli.options import (
    CaseOption,
    CasesOption,
    ConfigOption,
    GateOption,
    HtmlOption,
    JsonOption,
    LimitOption,
    PredictionsOption,
    SettingsOption,
    StoreOption,
    SuiteOption,
    TagOption,
    WorkersOption,
    XlsxOption,
    complete_runs,
    complete_systems,
)

if TYPE_CHECKING:
    from karat.cli.project import Work
    from karat.core.results.result import RunResult
    from karat.core.suite import Suite
    from karat.runs.job import Job
    from karat.runs.runner import Interrupted
    from karat.stats.gates.verdicts import Gate
    from karat.store.store import Store


def run(
    suite: SuiteOption = None,
    cases: CasesOption = None,
    system: Annotated[
        str | None,
        typer.Option(
            "--system",
            help="A system from karat.yaml, or a type: replay, http, openai, command, function, sheet.",
            autocompletion=complete_systems,
        ),
    ] = None,
    system_settings: Annotated[
        list[str] | None,
        typer.Option(
            "--system-option", metavar="KEY=VALUE", help="Set a system setting, for example concurrency=4. Repeatable."
        ),
    ] = None,
    predictions: PredictionsOption = None,
    settings: SettingsOption = None,
    repeats: Annotated[
        int | None, typer.Option("--repeats", min=1, metavar="N", help="Run every case N times.")
    ] = None,
    limit: LimitOption = None,
    tag: TagOption = None,
    case: CaseOption = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="RUN",
            help="Resume a stopped run. Stored answers are not requested again.",
            autocompletion=complete_runs,
        ),
    ] = None,
    retry_errors: Annotated[bool, typer.Option("--retry-errors", help="With --resume: retry failed calls.")] = False,
    name: Annotated[str | None, typer.Option("--name", help="A name for the run.")] = None,
    workers: WorkersOption = None,
    gate: GateOption = None,
    json: JsonOption = None,
    xlsx: XlsxOption = None,
    html: HtmlOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Run the cases against a system, store every answer as it arrives, and score them.

    With a karat.yaml:  karat run

    Without one:  karat run --suite data_query --cases cases/ --system function --system-option function=my_module:ask

    To resume a stopped or killed run:  karat run --resume latest
    """
    from karat.cli.gate import baselines_here
    from karat.cli.project import check_gates, open_store_for, refuse_beside, work_to_do
    from karat.cli.showing import Outputs, leave, origin_of, show, typed
    from karat.core.problems import UserError
    from karat.runs.runner import check_setup
    from karat.stats.gates.verdicts import parse_gate

    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))  # asked to stop: as clean as Ctrl-C
    if retry_errors and resume is None:
        raise UserError(
            "--retry-errors needs --resume RUN", hint="For example: karat run --resume latest --retry-errors"
        )
    outputs = Outputs(json, xlsx, html)
    extra = [parse_gate(rule) for rule in gate or ()]
    if resume is not None:
        beside: dict[str, object] = {
            "--suite": suite,
            "--cases": cases,
            "--predictions": predictions,
            "--system": system,
        }
        beside |= {"--system-option": system_settings, "--option": settings, "--repeats": repeats, "--limit": limit}
        beside |= {"--tag": tag, "--case": case, "--name": name}
        refuse_beside("--resume", beside, "A resumed run keeps the cases and settings it started with.")
        with open_store_for(config, store, create=False) as opened:
            result, used, gates = _resumed(opened, resume, retry_errors, workers, config)
            origin = origin_of(opened, result, config, store)
        found = baselines_here(config, store, used.name, result.run.id)
        saved = [f"run {result.run.id}"]
        leave([show(result, used, outputs, gates=(*gates, *extra), saved=saved, baselines=found, origin=origin)])
        return
    work = work_to_do(
        "run",
        config=config,
        suite=suite,
        cases=cases,
        predictions=predictions,
        system=system,
        system_settings=system_settings,
        settings=settings,
    )
    check_gates(extra, (part.suite.name for part in work))
    jobs = [job_for(part, name, repeats, limit, tag, case) for part in work]
    for job in jobs:  # all of them before the first one runs
        check_setup(job.suite, job.cases, job.options)
    codes = []
    with open_store_for(config, store) as opened:
        for part, job, files in zip(work, jobs, outputs.for_each([part.suite for part in work]), strict=True):
            result = run_job(opened, job, workers or part.run.workers)
            found = baselines_here(config, store, part.suite.name, result.run.id)
            saved = [f"run {result.run.id}"]
            origin = origin_of(opened, result, config, store, typed())
            gates = (*part.gates, *extra)
            codes.append(show(result, part.suite, files, gates=gates, saved=saved, baselines=found, origin=origin))
    leave(codes)


def job_for(
    work: Work,
    name: str | None = None,
    repeats: int | None = None,
    limit: int | None = None,
    tag: list[str] | None = None,
    case: list[str] | None = None,
) -> Job:
    """What to run, from the project and the command line."""
    from karat.cli.project import choice_of
    from karat.cli.showing import load_for_run
    from karat.cli.standard_input import kept
    from karat.core import plugins
    from karat.core.problems import UserError
    from karat.core.system import SystemType
    from karat.runs.choose import choose
    from karat.runs.job import Job
    from karat.runs.project import from_settings

    config, system = work.config, work.system
    if config is None and work.predictions is not None:
        kind: SystemType = plugins.load("karat.systems", "replay")
        recorded = str(kept(work.predictions).absolute())
        config = from_settings(kind.config, [], "--predictions", {"type": "replay", "predictions": recorded})
        system = "recorded"
    if config is None and (config := work.suite.default_system(work.cases.absolute(), work.options)) is not None:
        system = config.type
    if config is None:
        raise UserError(
            f"{work.suite.name}: no system to run against", hint="Give --system, or --predictions for recorded answers."
        )
    loaded, problems = load_for_run(work.suite, work.cases)
    chosen = choose(loaded, choice_of(work, tag, case, limit))
    return Job(
        suite=work.suite,
        cases=chosen,
        left_out=frozenset(one.id for one in loaded) - {one.id for one in chosen},
        options=work.options,
        config=config,
        system=system,
        name=name or work.name,
        cases_path=str(work.cases.absolute()),
        repeats=repeats or work.run.repeats,
        problems=problems,
    )


def run_job(store: Store, job: Job, workers: int | None) -> RunResult:
    """A new run with a heading and a progress display; Ctrl-C says how to resume."""
    from karat.cli.printing import notes, progress
    from karat.cli.verbosity import step
    from karat.core.problems import count_of
    from karat.runs.runner import Interrupted, start
    from karat.runs.workers import scoring_executor

    heading = [job.name, job.suite.name, count_of(len(job.cases), "case")] + (
        [f"{job.repeats} times"] if job.repeats > 1 else []
    )
    heading += [f"system {job.system} ({job.config.type})", f"{job.config.concurrency} calls at once"]
    notes().print(" · ".join(part for part in heading if part), style="bold", markup=False, soft_wrap=True)
    try:
        with step("called and scored"), progress("calling") as (watch, _), scoring_executor(job.suite, workers) as pool:
            return start(store, job, watch=watch, on_run=_announce, executor=pool)
    except Interrupted as stopped:
        _say_stopped(stopped)
        raise typer.Exit(exits.STOPPED) from None


def _resumed(
    store: Store, run: str, retry_errors: bool, workers: int | None, config: Path | None
) -> tuple[RunResult, Suite, tuple[Gate, ...]]:
    from karat.cli.printing import progress
    from karat.cli.project import project_here
    from karat.core import plugins
    from karat.runs.baseline import find_run
    from karat.runs.runner import Interrupted, resume
    from karat.runs.workers import scoring_executor

    run_id = find_run(store, run, stopped=True)
    suite = plugins.load_suite(store.run(run_id).suite)
    project = project_here(config)
    try:
        with progress("resuming") as (watch, _), scoring_executor(suite, workers) as pool:
            result = resume(store, run_id, retry_errors=retry_errors, watch=watch, on_run=_announce, executor=pool)
    except Interrupted as stopped:
        _say_stopped(stopped)
        raise typer.Exit(exits.STOPPED) from None
    return result, suite, project.gates if project else ()


def _announce(run: str, calls: int) -> None:
    from karat.cli.printing import notes
    from karat.core.problems import count_of

    if not calls:
        words = f"{run} is finished: nothing is left to ask. To score it again: karat score {run}"
        notes().print(words, markup=False, style="bold", soft_wrap=True)
        return
    notes().print(f"{run}: {count_of(calls, 'call')} to make", markup=False, style="dim")


def _say_stopped(stopped: Interrupted) -> None:
    from karat.cli.printing import stderr

    stderr().print(f"{stopped}; to resume: karat run --resume {stopped.run}", style="bold yellow", markup=False)
