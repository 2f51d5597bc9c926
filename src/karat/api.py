"""The Python API: the same words as on the command line, typed results instead of printed ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from karat.core import plugins
from karat.core.problems import Problem, UserError
from karat.core.records import CallError, Case, Prediction, join_attempts, misplaced
from karat.core.result import RunResult
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import SystemConfig, SystemType
from karat.runs.calling import Called
from karat.runs.choose import Choice, choose
from karat.runs.project import DEFAULT_STORE, options_from, store_url

Cases = str | Path | Sequence[Case[Any]]
Predictions = str | Path | Iterable[Prediction | Mapping[str, Any]]


def score(
    *,
    suite: str,
    cases: Cases,
    predictions: Predictions,
    options: Mapping[str, Any] | SuiteOptions | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
) -> RunResult:
    """Score recorded predictions. Nothing is called and nothing is stored.

    ``cases`` and ``predictions`` are paths, or records: a prediction may be given as a mapping in the suite's own form.
    ``workers`` spreads the scoring over processes; ``executor`` over any ``concurrent.futures.Executor``.
    Files that cannot be read cost only themselves; they are listed in ``result.problems``.
    """
    from karat.runs.runner import score_recorded

    chosen = plugins.load_suite(suite)
    loaded, problems = _cases(chosen, cases)
    recorded, more = _predictions(chosen, predictions)
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
    *,
    suite: str = "",
    cases: Cases = (),
    system: str | Mapping[str, Any] | Callable[..., Any] = "",
    predictions: str | Path | None = None,
    options: Mapping[str, Any] | SuiteOptions | None = None,
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
    """Put the cases to a system, store every answer as it comes, score them all.

    ``system`` is a Python function, or settings such as ``{"type": "openai", "base_url": …, "model": …}``; or give ``predictions``, a
    recorded file. ``resume="r-0012"`` goes on with a run that was stopped: nothing that is stored is asked again.
    """
    from karat.runs import runner
    from karat.store import open_store
    from karat.systems.function import open_callable

    with open_store(store_url(str(store), Path.cwd())) as opened:
        function = open_callable(system) if callable(system) else None
        if resume:
            run_id = opened.find_run(resume)
            chosen = plugins.load_suite(opened.run(run_id).suite)
            with scoring_executor(chosen, workers, executor) as pool:
                return runner.resume(
                    opened, run_id, retry_errors=retry_errors, system=function, watch=watch, executor=pool
                )
        chosen = plugins.load_suite(suite)
        loaded, problems = _cases(chosen, cases)
        settings = _options(chosen, options)
        config, label = _system(system, predictions, chosen, cases, settings)
        job = runner.Job(
            suite=chosen,
            cases=choose(loaded, Choice(tuple(tags), tuple(case_ids), limit)),
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
    """A stored run with its newest scores: ``r-0012``, ``12`` or ``latest``."""
    from karat.store import open_store

    with open_store(store_url(str(store), Path.cwd()), create=False) as opened:
        return opened.result(opened.find_run(run))


def check(
    *, suite: str, cases: str | Path, structures: Sequence[str | Path] = (), options: Mapping[str, Any] | None = None
) -> tuple[Problem, ...]:
    """Every mistake in the case files, and with structures every unknown code and drifted name."""
    chosen = plugins.load_suite(suite)
    loaded = chosen.load_cases(Path(cases))
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


def _cases(suite: Suite, cases: Cases) -> tuple[tuple[Case[Any], ...], tuple[Problem, ...]]:
    if not isinstance(cases, str | Path):
        if not cases:
            raise UserError("no cases were given", hint="Give a path, or a sequence of Case records.")
        return tuple(cases), ()
    loaded = suite.load_cases(Path(cases))
    if not loaded.cases:
        raise UserError(f"no case in {cases} can be read", problems=loaded.problems)
    return loaded.cases, loaded.problems


def _predictions(suite: Suite, predictions: Predictions) -> tuple[tuple[Prediction, ...], tuple[Problem, ...]]:
    if isinstance(predictions, str | Path):
        loaded = suite.read_predictions(Path(predictions))
        return loaded.predictions, loaded.problems
    return tuple(item if isinstance(item, Prediction) else _prediction(item) for item in predictions), ()


def _prediction(item: Mapping[str, Any]) -> Prediction:
    """A prediction in a suite's own form, as a mapping: its id, turn and figures, and itself as the response."""
    if "id" not in item:
        raise UserError('a prediction without "id"', hint='It needs the id of its case: {"id": …, …}.')
    try:
        repeat = int(item.get("repeat", 0))
    except (TypeError, ValueError):
        raise UserError(f'the prediction for "{item["id"]}" has a "repeat" that is no whole number') from None
    if fault := misplaced(item.get("turn"), repeat):
        raise UserError(f'the prediction for "{item["id"]}" cannot be placed: {fault}')
    error = item.get("error")
    tried = item.get("attempts")
    response = msgspec.json.encode(dict(item))
    if isinstance(tried, list | tuple) and tried and all(isinstance(text, str) for text in tried):
        response = join_attempts([text.encode() for text in tried])
    return Prediction(
        case_id=str(item["id"]),
        turn=item.get("turn"),
        repeat=repeat,
        response=response,
        error=CallError("recorded", str(error)) if error else None,
        latency=item.get("latency"),
        tokens=item.get("tokens"),
        cost=item.get("cost"),
    )


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
