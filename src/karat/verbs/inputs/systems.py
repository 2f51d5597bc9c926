"""The system that is asked: settings of a type, a system of karat.yaml by its name, a Python function, or recorded
predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core import plugins
from karat.core.json_types import JsonMapping
from karat.core.problems import UnknownName, UserError
from karat.core.remote.paths import local_input, rooted_text
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import RecordedConfig, System, SystemConfig, SystemType
from karat.runs.project_file.project import Project, from_settings, options_from
from karat.verbs.inputs.loading import Cases, Predictions
from karat.verbs.inputs.projects import project_here
from karat.verbs.inputs.streamed_inputs import GatheredCases, gather_predictions, paired_answers

REPLAY = "replay"
"""The type of system that answers from a recording."""
RECORDED = "recorded"
"""The name of a system that is nothing but recorded predictions."""
IN_PYTHON = "given in Python"

Asked = str | JsonMapping | SystemConfig | Callable[..., object]


def is_type(system: str | None) -> bool:
    """Whether this is a type of system, not the name of one."""
    return system is not None and system in plugins.names("karat.systems")


def named_system(name: str, settings: Sequence[str], project: Project | None) -> SystemConfig:
    """The settings of a system: of the project's by that name, or of a type. ``settings``: ``KEY=VALUE`` words that
    come before them."""
    if project is not None and name in project.systems:
        config = project.systems[name]
        if not settings:
            return _rooted(config, project.root)
        given = [word.partition("=")[0].strip() for word in settings]
        kept = {k: v for k, v in msgspec.to_builtins(config).items() if k not in given}
        fixed = {"type": config.type, **_required(config, given)}
        changed = from_settings(type(config), settings, "--system-option", fixed)
        values = {k: v for k, v in msgspec.to_builtins(changed).items() if k in given}
        return _rooted(msgspec.convert(kept | values, type(config)), project.root)
    if not is_type(name):
        known = [*(project.systems if project else ()), *plugins.names("karat.systems")]
        raise UnknownName(f'there is no system "{name}"', name, known)
    kind: SystemType = plugins.load("karat.systems", name)
    found: SystemConfig = from_settings(kind.config, settings, "--system-option", {"type": name})
    return found


def _required(config: SystemConfig, given: Sequence[str]) -> dict[str, str]:
    """The text settings that a system cannot do without, so that the others can be read beside them."""
    names = [f.name for f in msgspec.structs.fields(config) if f.required and f.name not in ("type", *given)]
    return {name: str(getattr(config, name)) for name in names}


def _rooted(config: SystemConfig, root: Path) -> SystemConfig:
    """Recorded files and prompt files are named relative to the project file."""
    from karat.systems.prompts.prompt import rooted

    config = rooted(config, root)
    if config.depends_on:
        depends_on = tuple(rooted_text(path, root) for path in config.depends_on)
        config = msgspec.structs.replace(config, depends_on=depends_on)
    return msgspec.structs.replace(config, **{name: rooted_text(path, root) for name, path in _files(config).items()})


def _files(config: SystemConfig) -> dict[str, str]:
    """The settings that name files, and what is given for them."""
    named = {name: getattr(config, name) for name in plugins.load(plugins.SYSTEMS, config.type).paths}
    return {name: str(path) for name, path in named.items() if path}


def with_copies(config: SystemConfig) -> SystemConfig:
    """The settings with local copies in place of URLs, so that no secret of a URL is stored with them."""
    copies = {name: str(local_input(path)) for name, path in _files(config).items()}
    return msgspec.structs.replace(config, **copies) if copies else config


def settle_system(
    system: Asked, predictions: Predictions | None, suite: Suite, cases: Cases, options: SuiteOptions
) -> tuple[SystemConfig, str]:
    """What is asked, and the name people know it by. Nothing is opened or read."""
    if predictions is not None:
        if callable(system) or system:
            raise UserError("both a system and predictions are given", hint="Keep one of the two.")
        kind: SystemType = plugins.load("karat.systems", REPLAY)
        path = str(Path(predictions).absolute()) if isinstance(predictions, str | Path) else IN_PYTHON
        return options_from(kind.config, {"type": REPLAY, "predictions": path}), RECORDED
    if callable(system):
        kind = plugins.load("karat.systems", "function")
        name = f"{getattr(system, '__module__', '')}:{getattr(system, '__qualname__', repr(system))}"
        return options_from(kind.config, {"type": kind.name, "function": name}), kind.name
    if isinstance(system, SystemConfig):
        return system, system.type
    if isinstance(system, Mapping):
        kind = plugins.load("karat.systems", str(system.get("type", "")))
        return options_from(kind.config, system, "system setting", ("type",)), kind.name
    if system:
        return named_system(system, (), None if is_type(system) else project_here(None)), system
    own = suite.default_system(Path(cases).absolute(), options) if isinstance(cases, str | Path) else None
    if own is None:
        raise UserError(f"{suite.name}: no system was given", hint="Give a system, or recorded predictions.")
    return own, own.type


def open_given(
    system: Asked,
    predictions: Predictions | None,
    config: SystemConfig,
    suite: Suite,
    folder: str | Path,
    cases: Cases,
    gathered: GatheredCases,
) -> System | None:
    """The system, where it is a Python function or a recording. The others are opened by their settings when the run
    starts."""
    if config.type == REPLAY:
        from karat.systems.replay import ReplaySystem

        recorded = config.predictions if isinstance(config, RecordedConfig) else ""
        loaded = paired_answers(
            suite, gathered, cases, gather_predictions(suite, predictions or recorded, folder), folder
        )
        return ReplaySystem(loaded.predictions, loaded.problems, loaded.notes)
    if callable(system):
        from karat.systems.function import open_callable

        return open_callable(system)
    return None
