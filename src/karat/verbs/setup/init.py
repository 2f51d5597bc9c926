"""``karat init``: a project to start from, copied from an example.

The examples are inside the package when it is installed, and beside ``src`` in a checkout.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from karat.core import plugins
from karat.core.files.atomic import write_bytes
from karat.core.installed.extras import EXTRAS, install_command, missing
from karat.core.problems import UserError, did_you_mean
from karat.core.suite import Suite
from karat.verbs.setup.new_project import (
    ASSISTANT,
    CI,
    Kind,
    add_schemas,
    assistant_file,
    ci_files,
    live_project,
    options_to_keep,
    system_lines,
)

CODELISTS = "codelists"


def suites_with_example() -> list[str]:
    """Karat's own suites that have an example project, in the order of their names."""
    return [
        name
        for name in plugins.names(plugins.SUITES)
        if plugins.is_own(plugins.SUITES, name) and _folder(name) is not None
    ]


def _folder(suite: str) -> Path | None:
    if suite in plugins.names(plugins.SUITES) and not plugins.is_own(plugins.SUITES, suite):
        return _folder_of_plugin(plugins.load_suite(suite))
    package = Path(__file__).resolve().parents[2]
    places = (package / "examples" / suite, package.parent.parent / "examples" / suite)
    return next((place for place in places if (place / "karat.yaml").is_file()), None)


def start_project(
    folder: Path,
    suite: str = "data_query",
    *,
    kind: Kind = "recorded",
    base_url: str | None = None,
    model: str = "default",
    ci: CI = "none",
) -> list[Path]:
    """Start a project in a folder; returns its files. ``kind``: what answers the cases; ``base_url`` is the address of
    an endpoint."""
    if base_url is not None and kind == "recorded":
        kind = "openai"
    if kind in ("openai", "http") and base_url is None:
        raise UserError(f"a system of type {kind} needs an address", hint="Give --base-url URL.")
    chosen = plugins.load_suite(suite)
    more = ci_files(ci, extras_of(suite))
    if kind in ("function", "command"):
        more[ASSISTANT] = assistant_file(chosen)
    for name in more:
        if (folder / name).exists():
            raise UserError(f"{folder / name} already exists", hint="Choose an empty folder: karat init FOLDER")
    copied = copy_example(suite, folder)
    if kind != "recorded":
        system = system_lines(kind, suite, base_url or "", model)
        _live_project(folder / "karat.yaml", suite, system, in_ci=ci != "none")
    for name, text in more.items():
        write_bytes(folder / name, text.encode())
        copied.append(folder / name)
    add_schemas(folder, suite, copied)
    return copied


def extras_to_install(suite: str) -> list[str]:
    """The commands that install what the example of a suite needs and is not there."""
    return [install_command(name) for name in extras_of(suite) if missing(name)]


def extras_of(suite: str) -> list[str]:
    """The extras that cases of the example need, for the line that installs Karat in CI."""
    return [suite] if suite in EXTRAS else []


def _folder_of_plugin(suite: Suite) -> Path:
    """The example that a suite of another package brings."""
    package = plugins.packages(plugins.SUITES, suite.name)[0]
    if suite.example is None:
        message = f'the suite "{suite.name}" of the package "{package}" has no example project'
        raise UserError(message, hint="Write a karat.yaml and cases by hand, as the package documents them.")
    if not (suite.example / "karat.yaml").is_file():
        raise plugins.broken(plugins.SUITES, suite.name, f"has no karat.yaml in its example folder {suite.example}")
    return suite.example


def copy_example(suite: str, folder: Path) -> list[Path]:
    """Copy the example into a folder; what is there already is never overwritten."""
    source = _folder(suite)
    if source is None:
        raise UserError(f'there is no example for "{suite}"', hint=did_you_mean(suite, plugins.names(plugins.SUITES)))
    files = sorted(file for file in source.rglob("*") if file.is_file() and not _private(file.relative_to(source)))
    clash = [file.relative_to(source) for file in files if (folder / file.relative_to(source)).exists()]
    if clash:
        raise UserError(f"{folder / clash[0]} already exists", hint="Choose an empty folder: karat init FOLDER")
    copied = []
    for file in files:
        place = folder / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
        copied.append(place)
    return copied


def _private(path: Path) -> bool:
    return any(part.startswith((".", "__")) for part in path.parts)


def _live_project(file: Path, suite: str, system: list[str], *, in_ci: bool) -> None:
    """Rewrite the project file of a fresh example so that a live system is asked. What nobody has measured yet gets no
    floor; but karat gate, which CI runs, needs a gate."""
    from karat.runs.project_file.project import load_project

    project = load_project(file)
    entry, options = next((entry, options) for entry, options in project.suites if entry.suite == suite)
    kept = options_to_keep(options)
    if (file.parent / CODELISTS).is_dir():
        kept["structures"] = [CODELISTS]  # the codes that the default prompt lists
    floors = [f"- {{metric: {gate.figure}, at_least: {gate.at_least}}}" for gate in project.gates[:1]]
    gates = ["# gates:", *(f"#   {floor}" for floor in floors)]
    if in_ci:
        readable = f"  - {{metric: {suite}.errors, at_most: 0.1}}   # failed calls, and answers that cannot be read"
        gates = ["gates:", readable, *(f"  # {floor}" for floor in floors)]
    write_bytes(file, live_project(file.resolve().parent.name, suite, entry.cases, kept, system, gates).encode())
