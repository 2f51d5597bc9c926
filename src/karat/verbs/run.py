"""``karat run`` and ``karat.run``: run the cases against a system, store every answer as it arrives, and score them
all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: a function that is called as a system may return anything

from karat.core import plugins
from karat.core.json_types import JsonMapping
from karat.core.problems import UserError
from karat.core.remote.paths import local_input
from karat.core.results.result import RunResult
from karat.runs.calls.calling import Called
from karat.runs.calls.stopping import GRACE, wrong_seconds
from karat.runs.case_order import read_order
from karat.runs.case_selection import Choice
from karat.runs.executors.choice import scoring_executor
from karat.runs.job import Job
from karat.runs.notebook_progress import notebook_watch
from karat.runs.tracing.spans import Traces
from karat.verbs.inputs.loading import Cases, Options, Predictions, options_for
from karat.verbs.inputs.projects import open_store_here
from karat.verbs.inputs.step_timing import step
from karat.verbs.inputs.streamed_inputs import gather_cases
from karat.verbs.inputs.systems import Asked, open_given, settle_system, with_copies

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

    from karat.core.results.live import LiveBatch
    from karat.core.system import System
    from karat.store.store import Store
    from karat.verbs.inputs.work import Work

Watch = Callable[[Called], None]
Announce = Callable[[str, int], None]
Scored = Callable[["LiveBatch"], None]


def run(
    suite: str = "",
    cases: Cases = (),
    system: str | JsonMapping | Callable[..., Any] = "",
    *,
    predictions: Predictions | None = None,
    options: Options = None,
    folder: str | Path = "",
    name: str = "",
    repeats: int = 1,
    limit: int | None = None,
    tags: Sequence[str] = (),
    case_ids: Sequence[str] = (),
    store: str | Path = "",
    resume: str = "",
    retry_errors: bool = False,
    join: bool = False,
    workers: int | None = None,
    executor: Executor | str | None = None,
    order: str = "",
    grace: float = GRACE,
    reuse: str | Path = "",
    traces: str | Path | TracerProvider | None = None,
    traces_content: bool = False,
    watch: Watch | None = None,
) -> RunResult:
    """Run the cases against a system, store every answer as it comes, score them all.

    ``cases`` are as in :func:`score`. ``system`` is a Python function, settings such as ``{"type": "openai",
    "base_url": …, "model": …}``, or the name of a system in karat.yaml; or give ``predictions``, recorded answers as in
    :func:`score`. ``resume="r-0012"`` resumes a run that was stopped: stored answers are not requested again. With
    ``join=True``, it takes part in a run that other processes are working on, which needs a PostgreSQL store. ``store``
    is the project's store by default, or ``.karat/karat.db`` without a project. Cases are asked in random order, or in
    that of the file with ``order="file"``; the result always has the file's order. After Ctrl-C, calls in flight have
    ``grace`` seconds to finish.

    ``reuse`` is a cache file of answers, created on first use: a question that was asked before with the same prompt,
    model, settings and messages is answered from it, and new answers are added. ``traces`` records the run with
    OpenTelemetry: a file, ``"otlp"`` for a collector, or a ``TracerProvider``; texts are part of the traces only with
    ``traces_content=True``. ``watch`` hears how far the calls are; in a notebook, progress is shown without it.

    >>> import karat
    >>> result = karat.run(
    ...     suite="retrieval",
    ...     cases=[{"id": "q1", "question": "What is sour?", "relevant": ["lemon"]}],
    ...     system=lambda request: {"results": ["lemon"]},
    ...     store="doctest.db",
    ... )
    >>> result.run.id, result.metric("passed").mean
    ('r-0001', 1.0)
    """
    watch = watch or notebook_watch()
    if resume:
        beside = {"suite": suite, "cases": _is_given(cases), "system": not callable(system) and system}
        beside |= {"predictions": predictions is not None, "options": options, "name": name, "repeats": repeats != 1}
        beside |= {"limit": limit, "tags": tags, "case_ids": case_ids, "order": order}
        refuse_beside("resume", beside, KEEPS)
        with open_store_here(store) as opened:
            return resume_run(
                opened,
                resume,
                system,
                retry_errors=retry_errors,
                join=join,
                workers=workers,
                executor=executor,
                grace=grace,
                reuse=reuse,
                traces=traces_to(traces, traces_content),
                watch=watch,
            )
    if retry_errors:
        raise UserError("retry_errors needs resume", hint='For example: resume="latest", retry_errors=True')
    if join:
        raise UserError("join needs resume", hint='For example: resume="r-0012", join=True')
    job = plan_run(
        suite,
        cases,
        system,
        predictions=predictions,
        options=options,
        folder=folder,
        name=name,
        repeats=repeats,
        order=order,
        grace=grace,
        reuse=reuse,
        traces=traces_to(traces, traces_content),
        choice=Choice(tuple(tags), tuple(case_ids), limit),
    )
    with open_store_here(store, create=True) as opened:
        return start_run(opened, job, workers=workers, executor=executor, watch=watch)


KEEPS = "A resumed run keeps the cases and settings it started with."


def refuse_beside(what: str, options: Mapping[str, object], hint: str) -> None:
    """An option that would be passed over in silence is a mistake."""
    given = [name for name, value in options.items() if value]
    if given:
        raise UserError(f"{' and '.join(given)} cannot be combined with {what}", hint=hint)


def traces_to(target: str | Path | TracerProvider | None, content: bool) -> Traces | None:
    """Where spans go; None where none are wanted."""
    if target is None or target == "":
        if content:
            raise UserError("traces_content needs traces", hint='For example: traces="traces.jsonl"')
        return None
    return Traces(target, content)


def _is_given(cases: Cases) -> bool:
    return not (isinstance(cases, tuple) and not cases)


def plan_run(
    suite: str,
    cases: Cases,
    system: Asked = "",
    *,
    predictions: Predictions | None = None,
    options: Options = None,
    folder: str | Path = "",
    name: str = "",
    label: str = "",
    repeats: int = 1,
    order: str = "",
    grace: float = GRACE,
    reuse: str | Path = "",
    traces: Traces | None = None,
    choice: Choice | None = None,
) -> Job:
    """All that a run needs, read and checked, and nothing stored yet. ``label`` is the name people know the system
    by."""
    if wrong := wrong_seconds("grace", grace):
        raise UserError(wrong)
    asking = read_order(order or "random")
    chosen = plugins.load_suite(suite)
    settings = options_for(chosen, options)
    cases, predictions = local_input(cases), local_input(predictions)
    config, called = settle_system(system, predictions, chosen, cases, settings)
    config = with_copies(config)
    gathered = gather_cases(chosen, cases, folder, choice)
    opened = open_given(system, predictions, config, chosen, folder, cases, gathered)
    return Job(
        suite=chosen,
        cases=gathered.cases,
        left_out=gathered.left_out,
        options=settings,
        config=config,
        system=label or called,
        name=name,
        cases_path=str(Path(cases).absolute()) if isinstance(cases, str | Path) else "",
        repeats=repeats,
        order=asking,
        grace=grace,
        problems=gathered.problems,
        reuse=str(reuse),
        traces=traces,
        opened=opened,
    )


def plan_work(
    work: Work,
    *,
    name: str = "",
    repeats: int | None = None,
    order: str | None = None,
    grace: float | None = None,
    tags: Sequence[str] = (),
    case_ids: Sequence[str] = (),
    limit: int | None = None,
    reuse: str | Path = "",
    traces: Traces | None = None,
) -> Job:
    """The same for one suite of a project. What is given here comes before what the project file says."""
    from karat.verbs.inputs.work import choice_of

    return plan_run(
        work.suite.name,
        work.cases,
        work.config or "",
        predictions=work.predictions,
        options=work.options,
        name=name or work.name,
        label=work.system,
        repeats=repeats or work.run.repeats,
        order=order or work.run.order,
        grace=work.run.grace if grace is None else grace,
        reuse=reuse,
        traces=traces,
        choice=choice_of(work, tags, case_ids, limit),
    )


def start_run(
    store: Store,
    job: Job,
    *,
    workers: int | None = None,
    executor: Executor | str | None = None,
    watch: Watch = lambda _: None,
    on_run: Announce = lambda _run, _calls: None,
    on_scored: Scored = lambda _: None,
) -> RunResult:
    """A new run. ``on_run`` hears its name, and how many calls it makes, before the first one; ``on_scored`` hears of
    cases as they are scored."""
    from karat.runs import runner

    with step("called and scored"), scoring_executor(job.suite, workers, executor) as pool:
        return runner.start(store, job, watch=watch, on_run=on_run, on_scored=on_scored, executor=pool)


def resume_run(
    store: Store,
    run: str,
    system: Asked = "",
    *,
    retry_errors: bool = False,
    join: bool = False,
    workers: int | None = None,
    executor: Executor | str | None = None,
    grace: float = GRACE,
    reuse: str | Path = "",
    traces: Traces | None = None,
    watch: Watch = lambda _: None,
    on_run: Announce = lambda _run, _calls: None,
    on_scored: Scored = lambda _: None,
) -> RunResult:
    """Resume a run that was stopped; with ``join``, also one that others work on. ``system`` is needed only
    where a Python function was asked."""
    from karat.runs import runner
    from karat.runs.baseline import find_run
    from karat.systems.function import open_callable

    if wrong := wrong_seconds("grace", grace):
        raise UserError(wrong)
    run_id = find_run(store, run, stopped=True)
    suite = plugins.load_suite(store.run(run_id).suite)
    function: System | None = open_callable(system) if callable(system) else None
    with scoring_executor(suite, workers, executor) as pool:
        return runner.resume(
            store,
            run_id,
            retry_errors=retry_errors,
            system=function,
            grace=grace,
            join=join,
            reuse=str(reuse),
            traces=traces,
            watch=watch,
            on_run=on_run,
            on_scored=on_scored,
            executor=pool,
        )
