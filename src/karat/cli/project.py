"""What a verb works on: the project file where there is one, overruled by what stands on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from karat.core import plugins
from karat.core.files.project_folder import find_project
from karat.core.problems import Problem, UserError, did_you_mean
from karat.core.remote.paths import local_path, rooted_text
from karat.core.suite import Suite, SuiteOptions
from karat.runs.choose import Choice
from karat.runs.project import (
    DEFAULT_STORE,
    Project,
    RunOptions,
    from_settings,
    gate_problems,
    load_project,
    store_url,
)
from karat.stats.gates.verdicts import Gate

if TYPE_CHECKING:
    from karat.core.records import Case
    from karat.core.system import SystemConfig
    from karat.store.store import Store


DEFAULT_RUN = RunOptions()
REPLAY = "replay"
"""The system that answers from a recording."""


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
    gates: tuple[Gate, ...] = ()


def unasked(work: Work, cases: Sequence[Case[Any]]) -> list[Problem]:
    """The cases that a live system cannot be asked, because they have no question. Recorded answers need none."""
    from karat.runs.calling import without_question

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


def choice_of(
    work: Work, tags: Sequence[str] | None = None, cases: Sequence[str] | None = None, limit: int | None = None
) -> Choice:
    """Which cases to take: those of the command line, else those of the project file. A case that is named is taken, whatever stands there."""
    if cases:
        return Choice(tuple(tags or ()), tuple(cases), limit)
    return Choice(tuple(tags or work.run.tags), (), limit or work.run.limit)


def project_here(config: Path | None) -> Project | None:
    """The project file that was named, or the one of this folder; None when there is none."""
    found = config or find_project()
    if config is not None and not config.is_file():
        raise UserError(f"there is no project file {config}", hint="karat init starts a project.")
    return load_project(found) if found else None


def open_store_for(config: Path | None, store: str | None, *, create: bool = True, read_only: bool = False) -> Store:
    """The store that was named, or the project's, or the default one of this folder."""
    from karat.store import open_store

    if store is not None:
        url = store_url(store, Path.cwd())
    else:
        project = project_here(config)
        url = project.store if project else store_url(DEFAULT_STORE, Path.cwd())
    return open_store(url, create=create, read_only=read_only)


def refuse_beside(what: str, options: Mapping[str, object], hint: str) -> None:
    """An option that would be passed over in silence is a mistake."""
    given = [name for name, value in options.items() if value]
    if given:
        raise UserError(f"{' and '.join(given)} cannot be combined with {what}", hint=hint)


def check_gates(gates: Sequence[Gate], suites: Iterable[str]) -> None:
    """Rules of the command line that cannot be judged are reported before anything runs."""
    problems = gate_problems(gates, list(dict.fromkeys(suites)))
    if problems:
        raise UserError("--gate is not valid", problems=problems)


ALONE = {
    "run": "karat run --suite data_query --cases cases/ --system function --system-option function=my_module:ask",
    "score": "karat score --suite data_query --cases cases/ --predictions answers.jsonl",
    "check": "karat check cases/",
}
"""How each verb goes without a project file."""


def work_to_do(
    verb: Literal["run", "score", "check"],
    *,
    config: Path | None,
    suite: str | None,
    cases: Path | None,
    predictions: Path | None = None,
    system: str | None = None,
    system_settings: list[str] | None = None,
    settings: list[str] | None = None,
) -> list[Work]:
    """Every suite of the project, or the one that was named, or the one described on the command line alone."""
    alone = suite is not None and cases is not None
    project = (
        None if alone and config is None and (predictions is not None or _is_type(system)) else project_here(config)
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
        hint = f"Their options and systems may differ. Add {cases} to karat.yaml, or use a separate project file with --config."
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
                config=_config(name, system_settings, project) if name else None,
                system=name,
                name=project.name,
                run=project.run,
                gates=project.gates,
            )
        )
    return found


def _from_flags(
    suite: str,
    cases: Path,
    predictions: Path | None,
    system: str | None,
    system_settings: list[str] | None,
    settings: list[str] | None,
    project: Project | None = None,
) -> Work:
    loaded = plugins.load_suite(suite)
    return Work(
        suite=loaded,
        options=overruled(loaded, loaded.options(), settings),
        cases=cases,
        predictions=predictions,
        config=_config(system, system_settings, project) if system else None,
        system=system or "",
    )


def _is_type(system: str | None) -> bool:
    return system is not None and system in plugins.names("karat.systems")


def _config(name: str, settings: list[str] | None, project: Project | None) -> SystemConfig:
    """The settings of a system: of the project's by that name, or of a type with its settings on the command line."""
    import msgspec

    from karat.core.system import SystemType

    if project is not None and name in project.systems:
        config = project.systems[name]
        if not settings:
            return _rooted(config, project.root)
        given = [word.partition("=")[0].strip() for word in settings]
        kept = {k: v for k, v in msgspec.to_builtins(config).items() if k not in given}
        changed = from_settings(
            type(config), settings, "--system-option", {"type": config.type, **_required(config, given)}
        )
        values = {k: v for k, v in msgspec.to_builtins(changed).items() if k in given}
        return _rooted(msgspec.convert(kept | values, type(config)), project.root)
    if not _is_type(name):
        known = [*(project.systems if project else ()), *plugins.names("karat.systems")]
        raise UserError(f'there is no system "{name}"', hint=did_you_mean(name, known))
    kind: SystemType = plugins.load("karat.systems", name)
    found: SystemConfig = from_settings(kind.config, settings or [], "--system-option", {"type": name})
    return found


def _required(config: SystemConfig, given: list[str]) -> dict[str, str]:
    """The text settings that a system cannot do without, so that the others can be read beside them."""
    import msgspec

    names = [f.name for f in msgspec.structs.fields(config) if f.required and f.name not in ("type", *given)]
    return {name: str(getattr(config, name)) for name in names}


def _rooted(config: SystemConfig, root: Path) -> SystemConfig:
    """Recorded files and prompt files are named relative to the project file."""
    import msgspec

    from karat.systems.prompts.prompt import rooted

    config = rooted(config, root)
    recorded = getattr(config, "predictions", None)
    return (
        msgspec.structs.replace(config, predictions=rooted_text(recorded, root))
        if isinstance(recorded, str)
        else config
    )


def overruled(suite: Suite, options: SuiteOptions, settings: list[str] | None) -> SuiteOptions:
    """Options with those of the command line in their place."""
    import msgspec

    if not settings:
        return options
    given = [word.partition("=")[0].strip() for word in settings]
    changed = from_settings(suite.options, settings, "--option")
    return msgspec.structs.replace(options, **{name: getattr(changed, name) for name in given})
