"""The Python API: the same verbs as on the command line, with typed results instead of printed ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from karat.core import plugins
from karat.core.problems import Problem, UserError
from karat.core.records import Case, Prediction
from karat.core.remote.paths import local_input
from karat.core.results.result import RunResult
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import System, SystemConfig, SystemType
from karat.given import given_cases, given_predictions
from karat.runs.calling import Called
from karat.runs.choose import Choice, choose
from karat.runs.project import DEFAULT_STORE, options_from, store_url

Rows = Iterable[Mapping[str, Any]] | Any
"""Dicts, or a DataFrame of pandas, polars or Arrow."""
Cases = str | Path | Sequence[Case[Any]] | Rows
Predictions = str | Path | Iterable[Prediction] | Rows


def score(
    suite: str,
    cases: Cases,
    predictions: Predictions,
    *,
    options: Mapping[str, Any] | SuiteOptions | None = None,
    folder: str | Path = "",
    workers: int | None = None,
    executor: Executor | None = None,
) -> RunResult:
    """Score recorded predictions. Nothing is called and nothing is stored.

    ``cases`` and ``predictions`` are paths, lists of dicts, or DataFrames. A dict has the shape of a case file, or of a line of recorded
    predictions; file names in it are relative to ``folder``, the working folder by default. Cases and predictions that cannot be read
    are skipped and listed in ``result.problems``.
    ``workers`` spreads the scoring over processes; ``executor`` over any ``concurrent.futures.Executor``.

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
    cases, predictions = local_input(cases), local_input(predictions)
    loaded, problems = _cases(chosen, cases, folder)
    recorded, more = _predictions(chosen, predictions, folder)
    source = str(predictions) if isinstance(predictions, str | Path) else ""
    with scoring_executor(chosen, workers, executor) as pool:
        return score_recorded(
            chosen,
            loaded,
            recorded,
            _options(chosen, options),
            problems=(*problems, *more),
            source=source,
            executor=pool,
        )


def run(
    suite: str = "",
    cases: Cases = (),
    system: str | Mapping[str, Any] | Callable[..., Any] = "",
    *,
    predictions: Predictions | None = None,
    options: Mapping[str, Any] | SuiteOptions | None = None,
    folder: str | Path = "",
    name: str = "",
    repeats: int = 1,
    limit: int | None = None,
    tags: Sequence[str] = (),
    case_ids: Sequence[str] = (),
    store: str | Path = DEFAULT_STORE,
    resume: str = "",
    retry_errors: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
    watch: Callable[[Called], None] = lambda _: None,
) -> RunResult:
    """Run the cases against a system, store every answer as it comes, score them all.

    ``cases`` are as in :func:`score`. ``system`` is a Python function, or settings such as ``{"type": "openai", "base_url": …, "model": …}``;
    or give ``predictions``, recorded answers as in :func:`score`. ``resume="r-0012"`` resumes a run that was stopped: stored answers are not
    requested again.

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
    from karat.runs import runner
    from karat.runs.baseline import find_run
    from karat.runs.job import Job
    from karat.store import open_store
    from karat.systems.function import open_callable

    with open_store(store_url(str(store), Path.cwd())) as opened:
        function: System | None = open_callable(system) if callable(system) else None
        if resume:
            run_id = find_run(opened, resume, stopped=True)
            chosen = plugins.load_suite(opened.run(run_id).suite)
            with scoring_executor(chosen, workers, executor) as pool:
                return runner.resume(
                    opened, run_id, retry_errors=retry_errors, system=function, watch=watch, executor=pool
                )
        chosen = plugins.load_suite(suite)
        cases, predictions = local_input(cases), local_input(predictions)
        loaded, problems = _cases(chosen, cases, folder)
        settings = _options(chosen, options)
        if predictions is not None and not isinstance(predictions, str | Path):
            from karat.systems.replay import ReplaySystem

            recorded, more = _predictions(chosen, predictions, folder)
            function, predictions = ReplaySystem(recorded, more), "given in Python"
        config, label = _system(system, predictions, chosen, cases, settings)
        asked = choose(loaded, Choice(tuple(tags), tuple(case_ids), limit))
        job = Job(
            suite=chosen,
            cases=asked,
            left_out=frozenset(one.id for one in loaded) - {one.id for one in asked},
            options=settings,
            config=config,
            system=label,
            name=name,
            cases_path=str(Path(cases).absolute()) if isinstance(cases, str | Path) else "",
            repeats=repeats,
            problems=tuple(problems),
            opened=function,
        )
        with scoring_executor(chosen, workers, executor) as pool:
            return runner.start(opened, job, watch=watch, executor=pool)


def load_run(run: str = "latest", *, store: str | Path = DEFAULT_STORE) -> RunResult:
    """A stored run with its newest scores: ``r-0012``, ``12``, ``latest``, or a run's name or tag.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["lemon"]}], [{"id": "q1", "results": ["lemon"]}]
    >>> result = karat.run(suite="retrieval", cases=cases, predictions=answers, store="doctest_load.db")
    >>> karat.load_run("latest", store="doctest_load.db").summary == result.summary
    True
    """
    from karat.runs.baseline import find_run
    from karat.store import open_store

    with open_store(store_url(str(store), Path.cwd()), create=False) as opened:
        return opened.result(find_run(opened, run))


def check(
    suite: str,
    cases: Cases,
    *,
    structures: Sequence[str | Path] = (),
    options: Mapping[str, Any] | None = None,
    folder: str | Path = "",
) -> tuple[Problem, ...]:
    """Every mistake in the cases, and with structures every unknown code and drifted name.

    >>> import karat
    >>> for problem in karat.check(suite="retrieval", cases=[{"id": "q1", "relevent": ["lemon"]}]):
    ...     print(problem.message, "|", problem.hint)
    case 1: unknown key "relevent" in a given case | Did you mean "relevant"?
    """
    chosen = plugins.load_suite(suite)
    cases, structures = local_input(cases), local_input([*structures])
    loaded = (
        chosen.load_cases(Path(cases)) if isinstance(cases, str | Path) else given_cases(chosen, cases, Path(folder))
    )
    checked = chosen.check_cases(loaded.cases, [Path(file) for file in structures], _options(chosen, options))
    return (*loaded.problems, *checked.problems)


@contextmanager
def scoring_executor(suite: Suite, workers: int | None, executor: Executor | None = None) -> Iterator[Executor | None]:
    """Where scoring runs: on what was given; on processes when asked for, or when the suite is heavy; else right here."""
    if executor is not None:
        yield executor
        return
    count = workers if workers is not None else (None if suite.cpu_heavy else 1)
    if count == 1 or not sys.executable:  # a program that has Python inside it may not say where one is
        yield None
        return
    from karat.runs.workers import Workers

    with Workers(count) as pool:
        yield pool


def _cases(suite: Suite, cases: Cases, folder: str | Path) -> tuple[tuple[Case[Any], ...], tuple[Problem, ...]]:
    if isinstance(cases, str | Path):
        loaded, where = suite.load_cases(Path(cases)), f" in {cases}"
    else:
        loaded, where = given_cases(suite, cases, Path(folder)), ""
        if not loaded.cases and not loaded.problems:
            raise UserError("no cases were given", hint="Give a path, a list of dicts or a DataFrame.")
    if not loaded.cases:
        raise UserError(f"none of the cases{where} can be read", problems=loaded.problems)
    return loaded.cases, loaded.problems


def _predictions(
    suite: Suite, predictions: Predictions, folder: str | Path
) -> tuple[tuple[Prediction, ...], tuple[Problem, ...]]:
    if isinstance(predictions, str | Path):
        loaded = suite.read_predictions(Path(predictions))
    else:
        loaded = given_predictions(suite, predictions, Path(folder))
        if loaded.problems and not loaded.predictions:
            raise UserError("none of the predictions can be read", problems=loaded.problems)
    return loaded.predictions, loaded.problems


def _options(suite: Suite, options: Mapping[str, Any] | SuiteOptions | None) -> SuiteOptions:
    return options if isinstance(options, SuiteOptions) else options_from(suite.options, options or {})


def _system(
    system: str | Mapping[str, Any] | Callable[..., Any],
    predictions: str | Path | None,
    suite: Suite,
    cases: Cases,
    options: SuiteOptions,
) -> tuple[SystemConfig, str]:
    if predictions is not None:
        system = {"type": "replay", "predictions": str(Path(predictions).absolute())}
    elif callable(system):
        name = f"{getattr(system, '__module__', '')}:{getattr(system, '__qualname__', repr(system))}"
        system = {"type": "function", "function": name}
    elif isinstance(system, str) and system:
        raise UserError(
            f'"{system}" is only the name of a system',
            hint='Give its settings, such as {"type": "openai", "base_url": …, "model": …}, or a function. '
            "The names in karat.yaml are for karat run --system NAME.",
        )
    elif isinstance(system, str):
        own = suite.default_system(Path(cases).absolute(), options) if isinstance(cases, str | Path) else None
        if own is not None:
            return own, own.type
        raise UserError(
            "no system was given",
            hint='Give a function, settings such as {"type": "http", "url": …}, or predictions="recorded.jsonl".',
        )
    kind: SystemType = plugins.load("karat.systems", str(system.get("type", "")))
    return options_from(kind.config, system), str(system["type"])
