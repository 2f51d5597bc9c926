"""What a verb works on: the project file where there is one, overruled by what is on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from karat.core import plugins
from karat.core.problems import Problem, UserError, did_you_mean
from karat.core.remote.paths import local_input, local_path
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import RecordedConfig
from karat.runs.case_selection import Choice
from karat.runs.project_file.environments import takes_environments, with_environments
from karat.runs.project_file.project import Project, RunOptions, from_settings
from karat.stats.gates.verdicts import Gate
from karat.verbs.inputs.projects import environments_here, project_here
from karat.verbs.inputs.systems import REPLAY, is_type, named_system

if TYPE_CHECKING:
    from karat.core.records import AnyCase
    from karat.core.system import SystemConfig

DEFAULT_RUN = RunOptions()


@dataclass(frozen=True)
class Work:
    """One suite to work on, with everything it takes resolved to absolute paths."""

    suite: Suite
    options: SuiteOptions
    cases: Path
    predictions: Path | None = None
    config: SystemConfig | None = None
    system: str = ""
    name: str = ""
    run: RunOptions = DEFAULT_RUN
    executor: str = ""
    gates: tuple[Gate, ...] = ()


def unasked(work: Work, cases: Sequence[AnyCase]) -> list[Problem]:
    """The cases that a live system cannot be asked, because they have no question. Recorded answers need none."""
    from karat.runs.calls.calling import without_question

    if work.config is None or work.config.type == REPLAY or work.predictions is not None:
        return []
    hint = "Add the question to the case (in a gold row: instruction or question). Recorded answers do not need one."
    return [
        Problem(
            f'case "{case.id}" has no question to send to {work.system}',
            file=case.source.file,
            line=case.source.line,
            hint=hint,
        )
        for case in cases
        if without_question(case)
    ]


def recorded_of(work: Work) -> Path:
    """The recorded predictions of a suite: named, or those of a system that is a recording."""
    replayed = Path(work.config.predictions) if isinstance(work.config, RecordedConfig) else None
    recorded = work.predictions or replayed
    if recorded is None:
        hint = (
            f"karat run calls the system {work.system!r}; score needs --predictions or a RUN."
            if work.system
            else "Give --predictions."
        )
        raise UserError(f"{work.suite.name}: no recorded predictions to score", hint=hint)
    return recorded


def choice_of(
    work: Work, tags: Sequence[str] | None = None, cases: Sequence[str] | None = None, limit: int | None = None
) -> Choice:
    """Which cases to take: those of the command line, else those of the project file. A case that is named is taken,
    whatever is there."""
    if cases:
        return Choice(tuple(tags or ()), tuple(cases), limit)
    return Choice(tuple(tags or work.run.tags), (), limit or work.run.limit)


ALONE = {
    "run": "karat run --suite data_query --cases cases/ --system function --system-option function=my_module:ask",
    "score": "karat score --suite data_query --cases cases/ --predictions answers.jsonl",
    "check": "karat check cases/",
    "cases": "karat cases list --suite data_query --cases cases/",
}
"""How each verb goes without a project file."""


def work_to_do(
    verb: Literal["run", "score", "check", "cases"],
    *,
    config: Path | None,
    suite: str | None,
    cases: Path | None,
    predictions: Path | None = None,
    system: str | None = None,
    system_settings: Sequence[str] = (),
    settings: Sequence[str] = (),
) -> list[Work]:
    """Every suite of the project, or the one that was named, or the one described on the command line alone."""
    cases, predictions = local_input(cases), local_input(predictions)
    alone = suite is not None and cases is not None
    project = (
        None if alone and config is None and (predictions is not None or is_type(system)) else project_here(config)
    )
    if project is None:
        if suite is None or cases is None:
            raise UserError(
                "there is no karat.yaml here, and --suite and --cases are not given",
                hint=f"karat init starts a project. Without a project: {ALONE[verb]}",
            )
        return [_from_flags(suite, cases, predictions, system, system_settings, settings)]
    entries = [(e, o) for e, o in project.suites if suite is None or e.suite == suite]
    if not entries:
        if suite is not None and cases is not None:
            return [_from_flags(suite, cases, predictions, system, system_settings, settings, project)]
        known = [e.suite for e, _ in project.suites]
        if suite is None:
            raise UserError("this project has no suites", hint='Add one under "suites:" in karat.yaml.')
        plugins.load_suite(suite)  # one that is nowhere is another mistake
        raise UserError(f'this project has no suite "{suite}"', hint=f"{did_you_mean(suite, known)} Or give --cases.")
    if cases is not None and len(entries) > 1:
        names = list(dict.fromkeys(e.suite for e, _ in entries))
        if len(names) > 1:
            hint = f"--suite {' | '.join(names)}"
            raise UserError("--cases needs --suite, because this project has several suites", hint=hint)
        if verb == "check":  # nothing but the suite's own rules: it does not matter which of the entries is meant
            return [_from_flags(names[0], cases, predictions, system, system_settings, settings, project)]
        hint = (
            "Their options and systems may differ. "
            f"Add {cases} to karat.yaml, or use a separate project file with --config."
        )
        raise UserError(f"--cases is ambiguous: this project has several {names[0]} suites", hint=hint)
    found = []
    for entry, options in entries:
        loaded = plugins.load_suite(entry.suite)
        recorded = predictions
        if recorded is None and entry.predictions and not system and verb != "check":
            recorded = local_path(entry.predictions, project.root)
        name = system or (entry.system if not predictions else "")
        found.append(
            Work(
                suite=loaded,
                options=overruled(loaded, options, settings),
                cases=cases or local_path(entry.cases, project.root),
                predictions=recorded,
                config=named_system(name, system_settings, project) if name else None,
                system=name,
                name=project.name,
                run=project.run,
                executor=project.executor,
                gates=project.gates,
            )
        )
    return found


def _from_flags(
    suite: str,
    cases: Path,
    predictions: Path | None,
    system: str | None,
    system_settings: Sequence[str],
    settings: Sequence[str],
    project: Project | None = None,
) -> Work:
    loaded = plugins.load_suite(suite)
    options = overruled(loaded, loaded.options(), settings)
    if takes_environments(options):
        options = with_environments(options, environments_here() if project is None else project.environments)
    return Work(
        suite=loaded,
        options=options,
        cases=cases,
        predictions=predictions,
        config=named_system(system, system_settings, project) if system else None,
        system=system or "",
    )


def overruled(suite: Suite, options: SuiteOptions, settings: Sequence[str]) -> SuiteOptions:
    """Options with those of the command line in their place."""
    if not settings:
        return options
    given = [word.partition("=")[0].strip() for word in settings]
    changed = from_settings(suite.options, settings, "--option")
    return msgspec.structs.replace(options, **{name: getattr(changed, name) for name in given})
