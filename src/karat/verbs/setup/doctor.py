"""``karat doctor``: what works on this machine, and what to install for the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from karat.core.problems import UserError
from karat.verbs.inputs.projects import open_store_here, project_here, store_here

State = Literal["ok", "absent", "broken"]


class Finding(msgspec.Struct, frozen=True):
    """One thing that Karat uses, and whether it is there."""

    what: str
    state: State
    note: str


def findings(store: str | Path | None = None, config: str | Path | None = None) -> list[Finding]:
    """Versions, suites, systems, extras, sandbox layers, the project file with its environments, and the store."""
    import platform
    from importlib.metadata import version

    import yaml

    from karat.core import plugins
    from karat.core.installed.extras import EXTRAS, install_command, missing

    found = [
        Finding("karat", "ok", f"{version('karat')} on Python {platform.python_version()}, {platform.system()}"),
        Finding(
            "yaml",
            "ok" if yaml.__with_libyaml__ else "broken",
            "libyaml" if yaml.__with_libyaml__ else "PyYAML without libyaml: install PyYAML from a wheel",
        ),
    ]
    for group in (plugins.SUITES, plugins.SYSTEMS):
        for name in plugins.names(group):
            if not plugins.is_own(group, name):
                continue
            try:
                loaded = plugins.load(group, name)
                note = str(loaded.summary)
                needed = loaded.extras((), loaded.options()) if group == plugins.SUITES else ()
                if lacking := [extra for extra in needed if missing(extra)]:  # it is there, but scores nothing
                    command = install_command(lacking[0])
                    found.append(Finding(f"suite {name}", "absent", f"{note}; to run it: {command}"))
                else:
                    found.append(Finding(f"{group.rpartition('.')[2][:-1]} {name}", "ok", note))
            except Exception as error:
                found.append(
                    Finding(f"{group.rpartition('.')[2][:-1]} {name}", "broken", f"{type(error).__name__}: {error}")
                )
    found += _plugins()
    for extra in EXTRAS.values():
        absent = missing(extra.name)
        note = f"{extra.enables}: {install_command(extra.name)}" if absent else extra.enables
        found.append(Finding(f"extra {extra.name}", "absent" if absent else "ok", note))
    found += sandbox_findings()
    found.append(_project(config))
    found += environment_findings(config)
    try:
        found.append(_store(store, config))
    except UserError as error:
        found.append(Finding("store", "broken", error.message))
    return [*found, *_copies()]


def _copies() -> list[Finding]:
    """The copies of remote files, where there are any."""
    from karat.core.problems import count_of
    from karat.core.remote.cache import cache_folder, kept_size

    count, size = kept_size()
    if not count:
        return []
    folder = cache_folder()
    note = f"{count_of(count, 'remote file')}, {size / 1e6:,.1f} MB, in {folder}; you can delete the folder"
    return [Finding("cache", "ok", note)]


def _plugins() -> list[Finding]:
    """What other packages add, each with its package; what cannot be used says why."""
    import warnings

    from karat.core import plugins
    from karat.core.installed.plugin_findings import describe_metrics, describe_suite, describe_system, plugin_findings
    from karat.engines.opening import describe_engine
    from karat.search.models import describe_model

    describe = {
        plugins.SUITES: describe_suite,
        plugins.METRICS: describe_metrics,
        plugins.SYSTEMS: describe_system,
        plugins.MODELS: describe_model,
        plugins.ENGINES: describe_engine,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", plugins.PluginWarning)  # each is a finding of its own
        return [
            Finding(item.what, "broken", item.fault)
            if item.fault
            else Finding(item.what, "ok", f"{item.summary} (plug-in of the package {item.package})")
            for group in plugins.GROUPS
            for item in plugin_findings(group, describe[group])
        ]


def sandbox_findings() -> list[Finding]:
    """The sandbox layers; a layer that is off says what to install."""
    from karat.sandbox import layers
    from karat.sandbox.layers import plan

    found = [
        Finding(
            f"sandbox {layer.name}",
            "ok" if layer.on else "absent",
            f"{layer.detail}: {layer.install}" if layer.install and not layer.on else layer.detail,
        )
        for layer in layers()
    ]
    try:
        plan(unsafe=False)
    except UserError as error:
        found.append(Finding("sandbox", "absent", f"generated code cannot run here: {error.message}"))
    return [*found, _timing()]


def _timing() -> Finding:
    """What the times of code are taken by."""
    from karat.sandbox.kernel_counters import counter_trouble

    trouble = counter_trouble()
    if trouble:
        return Finding("sandbox timing", "ok", f"pairs of runs by the clock; no counter of instructions: {trouble}")
    return Finding("sandbox timing", "ok", "the processor's counter of instructions")


def environment_findings(config: str | Path | None) -> list[Finding]:
    """One for each environment of the project, started and measured; what is not built says the command."""
    from karat.verbs.setup.doctor_environments import environment_facts, is_built

    try:
        project = project_here(config)
    except UserError:  # said where the project file itself is looked at
        return []
    found = []
    for name, environment in (project.environments if project is not None else {}).items():
        what = f"environment {name}"
        if (missing := is_built(name, environment)) is not None:
            state: State = "broken" if environment.path else "absent"
            found.append(Finding(what, state, f"{missing.message}: {missing.hint}"))
            continue
        try:
            facts = environment_facts(name, environment)
            found.append(Finding(what, "broken" if facts.open else "ok", facts.words()))
        except UserError as error:
            found.append(Finding(what, "broken", error.message))
    return found


def _project(config: str | Path | None) -> Finding:
    try:
        project = project_here(config)
    except UserError as error:
        return Finding("project", "broken", str(error))
    if project is None:
        return Finding("project", "absent", "no karat.yaml here: karat init creates one")
    suites = ", ".join(entry.suite for entry, _ in project.suites) or "no suites"
    return Finding("project", "ok", f"{project.name}: {suites}")


def _store(store: str | Path | None, config: str | Path | None) -> Finding:
    from karat.core.problems import count_of

    url = store_here(store, config)
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        return Finding("store", "absent", "created on first run")
    with open_store_here(store, config) as opened:
        count = len(opened.runs(1000))
        return Finding("store", "ok", f"{count_of(count, 'run')}{' or more' if count == 1000 else ''}")
