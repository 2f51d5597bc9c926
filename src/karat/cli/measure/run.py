"""``karat run``: run the cases against a system, store every answer as it arrives, and score them all."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli import exit_codes
from karat.cli.options.shared import (
    CaseOption,
    CasesOption,
    ConfigOption,
    ExecutorOption,
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
    from karat.core.results.result import RunResult
    from karat.runs.job import Job
    from karat.runs.runner import Interrupted
    from karat.runs.tracing.spans import Traces
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
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="With --resume: retry failed calls, the judge's too.")
    ] = False,
    join: Annotated[
        bool,
        typer.Option("--join", help="With --resume: share a run that other processes are working on (PostgreSQL)."),
    ] = False,
    name: Annotated[str | None, typer.Option("--name", help="A name for the run.")] = None,
    release: Annotated[
        str | None,
        typer.Option("--release", metavar="LABEL", help="The release that is measured, for karat report --trend."),
    ] = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    order: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="ORDER",
            help="Order in which the cases are asked: random, so that figures are fair estimates while the run goes "
            "on, or file. Results keep the file's order. [default: random]",
        ),
    ] = None,
    grace: Annotated[
        float | None,
        typer.Option(
            "--grace",
            min=0,
            metavar="SECONDS",
            help="After Ctrl-C, give calls in flight this long to finish. [default: 10]",
        ),
    ] = None,
    no_judge: Annotated[
        bool, typer.Option("--no-judge", help="Do not ask the judge that karat.yaml names (judge:).")
    ] = False,
    reuse: Annotated[
        Path | None,
        typer.Option(
            "--reuse",
            metavar="FILE",
            help="Take answers to unchanged questions from this cache file, and add new ones. Created on first run.",
        ),
    ] = None,
    traces: Annotated[
        str | None,
        typer.Option(
            "--traces",
            metavar="TARGET",
            help="Record the run with OpenTelemetry: a file, or otlp for a collector (OTEL_EXPORTER_OTLP_ENDPOINT).",
        ),
    ] = None,
    traces_content: Annotated[
        bool, typer.Option("--traces-content", help="With --traces: also record the texts of prompts and answers.")
    ] = False,
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

    To share a run with the process that started it:  karat run --resume r-0012 --join
    """
    from karat.cli.options.standard_input import kept
    from karat.cli.printing.judged import ask_projects_judge
    from karat.cli.printing.outputs import Outputs
    from karat.cli.printing.progress import print_store_waits
    from karat.cli.printing.results import leave, show, store_flags, typed
    from karat.core.problems import UserError
    from karat.runs.calls.stopping import stop_as_ctrl_c
    from karat.runs.executors.choice import check_choice, settled
    from karat.runs.project_file.project import RunOptions
    from karat.runs.scores.run_scoring import check_setup
    from karat.stats.gates.verdicts import parse_gate
    from karat.verbs.exports.trend import release_tag
    from karat.verbs.gate import baselines_here, refuse_unknown
    from karat.verbs.inputs.projects import open_store_here, project_here
    from karat.verbs.inputs.work import work_to_do
    from karat.verbs.run import KEEPS, plan_work, refuse_beside, traces_to
    from karat.verbs.runs import origin_of, tag_run

    signal.signal(signal.SIGTERM, stop_as_ctrl_c)
    print_store_waits()
    if retry_errors and resume is None:
        raise UserError(
            "--retry-errors needs --resume RUN", hint="For example: karat run --resume latest --retry-errors"
        )
    if join and resume is None:
        raise UserError("--join needs --resume RUN", hint="For example: karat run --resume latest --join")
    check_choice(executor, workers)
    if traces_content and traces is None:
        raise UserError("--traces-content needs --traces TARGET", hint="For example: --traces traces.jsonl")
    recorded = traces_to(traces, traces_content)
    labels = [release_tag(release)] if release is not None else []
    outputs = Outputs(json, xlsx, html)
    extra = [parse_gate(rule) for rule in gate or ()]
    flags = store_flags(config, store)
    if resume is not None:
        beside: dict[str, object] = {"--suite": suite, "--cases": cases, "--predictions": predictions}
        beside |= {"--system": system, "--system-option": system_settings, "--option": settings, "--repeats": repeats}
        beside |= {"--limit": limit, "--tag": tag, "--case": case, "--name": name, "--order": order}
        refuse_beside("--resume", beside, KEEPS)
        with open_store_here(store, config) as opened:
            project = project_here(config)
            options = project.run if project else RunOptions()
            opened.patience.seconds = options.store_retry
            chosen = settled(workers, executor, None, project.executor if project else "")
            seconds = options.grace if grace is None else grace
            result = _resumed(
                opened, resume, retry_errors, join, *chosen, seconds, _baseline_name(config), reuse or "", recorded
            )
            if labels:
                tag_run(opened, result.run.id, labels)
            origin = origin_of(opened, result, flags)
            if not no_judge:
                result = ask_projects_judge(opened, result, config, retry_errors=retry_errors)
        found = baselines_here(store, config, result.run.suite, result.run.id)
        gates = (*(project.gates if project else ()), *extra)
        leave([show(result, outputs, gates=gates, saved=[f"run {result.run.id}"], baselines=found, origin=origin)])
        return
    work = work_to_do(
        "run",
        config=config,
        suite=suite,
        cases=cases,
        predictions=predictions,
        system=system,
        system_settings=system_settings or (),
        settings=settings or (),
    )
    refuse_unknown(extra, [part.suite.name for part in work])
    work = [replace(part, predictions=part.predictions and kept(part.predictions)) for part in work]
    jobs = [
        plan_work(
            part,
            name=name or "",
            repeats=repeats,
            order=order,
            grace=grace,
            tags=tag or (),
            case_ids=case or (),
            limit=limit,
            reuse=reuse or "",
            traces=recorded,
        )
        for part in work
    ]
    for job in jobs:  # all of them before the first one runs
        check_setup(job.suite, job.cases, job.options)
    codes = []
    named = _baseline_name(config)
    with open_store_here(store, config, create=True) as opened:
        opened.patience.seconds = work[0].run.store_retry
        for part, job, files in zip(work, jobs, outputs.for_each([part.suite for part in work]), strict=True):
            result = run_job(opened, job, *settled(workers, executor, part.run.workers, part.executor), named)
            if labels:
                tag_run(opened, result.run.id, labels)
            found = baselines_here(store, config, part.suite.name, result.run.id)
            saved = [f"run {result.run.id}"]
            origin = origin_of(opened, result, flags, typed())
            gates = (*part.gates, *extra)
            if not no_judge:
                result = ask_projects_judge(opened, result, config)
            codes.append(show(result, files, gates=gates, saved=saved, baselines=found, origin=origin))
    leave(codes)


def _baseline_name(config: Path | None) -> str:
    """What the project calls its baseline; a run without a sound project file has none."""
    from karat.core.problems import UserError
    from karat.verbs.inputs.projects import project_here

    try:
        project = project_here(config)
    except UserError:
        return ""
    return project.baseline if project else ""


def run_job(store: Store, job: Job, workers: int | None, executor: str | None = None, baseline: str = "") -> RunResult:
    """A new run with a heading and a progress display; Ctrl-C says how to resume. ``baseline``: what the project calls
    so."""
    from karat.cli.printing.consoles import notes
    from karat.cli.printing.live import LiveFigures
    from karat.cli.printing.progress import progress
    from karat.core.problems import count_of
    from karat.runs.runner import Interrupted
    from karat.verbs.run import start_run

    heading = [job.name, job.suite.name, count_of(len(job.cases), "case")] + (
        [f"{job.repeats} times"] if job.repeats > 1 else []
    )
    heading += [f"system {job.system} ({job.config.type})", f"{count_of(job.config.concurrency, 'call')} at once"]
    notes().print(" · ".join(part for part in heading if part), style="bold", markup=False, soft_wrap=True)
    live = LiveFigures(job.suite.metrics, len(job.cases))

    def announce(run: str, calls: int) -> None:
        _announce(run, calls, job.reuse)
        live.begin(store, run, baseline)

    try:
        with progress("calling", live) as watch:
            return start_run(
                store, job, workers=workers, executor=executor, watch=watch, on_run=announce, on_scored=live.add
            )
    except Interrupted as stopped:
        _say_stopped(stopped)
        raise typer.Exit(exit_codes.STOPPED) from None


def _resumed(
    store: Store,
    run: str,
    retry_errors: bool,
    join: bool,
    workers: int | None,
    executor: str | None,
    grace: float,
    baseline: str,
    reuse: str | Path,
    traces: Traces | None,
) -> RunResult:
    from karat.cli.printing.live import LiveFigures
    from karat.cli.printing.progress import progress
    from karat.core import plugins
    from karat.runs.baseline import find_run
    from karat.runs.runner import Interrupted
    from karat.verbs.run import resume_run

    live = LiveFigures(plugins.load_suite(store.run(find_run(store, run, stopped=True)).suite).metrics)

    def announce(found: str, calls: int) -> None:
        _announce(found, calls, str(reuse))
        if calls:
            live.begin(store, found, baseline)

    try:
        with progress("resuming", live) as watch:
            return resume_run(
                store,
                run,
                retry_errors=retry_errors,
                join=join,
                workers=workers,
                executor=executor,
                grace=grace,
                reuse=reuse,
                traces=traces,
                watch=watch,
                on_run=announce,
                on_scored=live.add,
            )
    except Interrupted as stopped:
        _say_stopped(stopped)
        raise typer.Exit(exit_codes.STOPPED) from None


def _announce(run: str, calls: int, reuse: str) -> None:
    from karat.cli.printing.consoles import notes
    from karat.core.problems import count_of

    if not calls:
        words = f"{run} is finished: nothing is left to ask. To score it again: karat score {run}"
        notes().print(words, markup=False, style="bold", soft_wrap=True)
        return
    fewer = f", less the answers in {reuse}" if reuse else ""
    notes().print(f"{run}: {count_of(calls, 'call')} to make{fewer}", markup=False, style="dim")


def _say_stopped(stopped: Interrupted) -> None:
    from karat.cli.printing.consoles import stderr

    stderr().print(f"{stopped}; to resume: karat run --resume {stopped.run}", style="bold yellow", markup=False)
