"""``karat doctor``: what works on this machine, and what to install for the rest."""

from __future__ import annotations

import typer

from karat.cli import exits
from karat.cli.options import ConfigOption, JsonOption, StoreOption


def doctor(json: JsonOption = None, store: StoreOption = None, config: ConfigOption = None) -> None:
    """Show versions, suites, systems, plug-ins, extras, sandbox layers, the project file and the store. Exit code 1 if something is broken."""
    from karat.cli.printing import stdout, write_json_value

    found = _findings(config, store)
    if json is not None:
        write_json_value([{"what": w, "state": s, "note": n} for w, s, n in found], json)
    if json != "-":
        console = stdout()
        for what, state, note in found:
            mark, style = {"ok": ("✓", "green"), "absent": ("·", "dim"), "broken": ("✗", "bold red")}[state]
            console.print(f"{mark} {what:<22} {note}", style=style, markup=False, soft_wrap=True)
    if any(state == "broken" for _, state, _ in found):
        raise typer.Exit(exits.BROKEN)


NEEDED = ("codegen",)
"""Suites that score nothing without the extra of their name. The others need theirs only for some of their cases."""


def _findings(config: object, store: str | None) -> list[tuple[str, str, str]]:
    """(what, ok | absent | broken, note)."""
    import platform

    import yaml

    import karat
    from karat.core import plugins
    from karat.core.extras import EXTRAS, install_command, missing
    from karat.core.problems import UserError

    found = [
        ("karat", "ok", f"{karat.__version__} on Python {platform.python_version()}, {platform.system()}"),
        (
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
                note = str(plugins.load(group, name).summary)
                if group == plugins.SUITES and name in NEEDED and missing(name):  # it is there, but cannot run
                    found.append((f"suite {name}", "absent", f"{note}; to run it: {install_command(name)}"))
                else:
                    found.append((f"{group.rpartition('.')[2][:-1]} {name}", "ok", note))
            except Exception as error:
                found.append((f"{group.rpartition('.')[2][:-1]} {name}", "broken", f"{type(error).__name__}: {error}"))
    found += _plugins()
    for extra in EXTRAS.values():
        absent = missing(extra.name)
        note = f"{extra.enables}: {install_command(extra.name)}" if absent else extra.enables
        found.append((f"extra {extra.name}", "absent" if absent else "ok", note))
    found += _sandbox()
    found.append(_project(config))
    try:
        found.append(_store(config, store))
    except UserError as error:
        found.append(("store", "broken", error.message))
    return found


def _plugins() -> list[tuple[str, str, str]]:
    """What other packages add, each with its package; what cannot be used says why."""
    import warnings

    from karat.core import plugins
    from karat.core.plugin_findings import describe_metrics, describe_suite, describe_system, plugin_findings
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
            (item.what, "broken", item.fault)
            if item.fault
            else (item.what, "ok", f"{item.summary} (plug-in of the package {item.package})")
            for group in plugins.GROUPS
            for item in plugin_findings(group, describe[group])
        ]


def _sandbox() -> list[tuple[str, str, str]]:
    """The sandbox layers; a layer that is off says what to install."""
    from karat.core.problems import UserError
    from karat.sandbox import layers
    from karat.sandbox.layers import plan

    found = [
        (
            f"sandbox {layer.name}",
            "ok" if layer.on else "absent",
            f"{layer.detail}: {layer.install}" if layer.install and not layer.on else layer.detail,
        )
        for layer in layers()
    ]
    try:
        plan(unsafe=False)
    except UserError as error:
        found.append(("sandbox", "absent", f"generated code cannot run here: {error.message}"))
    return found


def _project(config: object) -> tuple[str, str, str]:
    from pathlib import Path

    from karat.cli.project import project_here
    from karat.core.problems import UserError

    try:
        project = project_here(config if isinstance(config, Path) else None)
    except UserError as error:
        return "project", "broken", str(error)
    if project is None:
        return "project", "absent", "no karat.yaml here: karat init creates one"
    return "project", "ok", f"{project.name}: {', '.join(e.suite for e, _ in project.suites) or 'no suites'}"


def _store(config: object, store: str | None) -> tuple[str, str, str]:
    from pathlib import Path

    from karat.cli.project import open_store_for, project_here
    from karat.core.problems import count_of
    from karat.runs.project import DEFAULT_STORE, store_url

    project = project_here(config if isinstance(config, Path) else None)
    url = (
        store_url(store, Path.cwd()) if store else (project.store if project else store_url(DEFAULT_STORE, Path.cwd()))
    )
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        return "store", "absent", "created on first run"
    with open_store_for(config if isinstance(config, Path) else None, store, create=False) as opened:
        count = len(opened.runs(1000))
        return "store", "ok", f"{count_of(count, 'run')}{' or more' if count == 1000 else ''}"
