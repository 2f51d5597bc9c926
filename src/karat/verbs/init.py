"""``karat init``: a project to start from, copied from an example.

The examples are inside the package when it is installed, and beside ``src`` in a checkout.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from karat.core import plugins
from karat.core.problems import UserError, did_you_mean
from karat.core.suite import Suite

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
    package = Path(__file__).resolve().parents[1]
    places = (package / "examples" / suite, package.parent.parent / "examples" / suite)
    return next((place for place in places if (place / "karat.yaml").is_file()), None)


def start_project(
    folder: Path, suite: str = "data_query", *, base_url: str | None = None, model: str = "default"
) -> list[Path]:
    """Start a project in a folder; returns its files. With ``base_url`` it asks that endpoint instead of scoring
    recorded answers."""
    copied = copy_example(suite, folder)
    if base_url is not None:
        _live_project(folder / "karat.yaml", suite, base_url, model)
    return copied


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


def _live_project(file: Path, suite: str, base_url: str, model: str) -> None:
    """Rewrite the project file of a fresh example so that a live endpoint is asked, with the suite's default prompt."""
    import json

    import msgspec

    from karat.core.files.atomic import write_bytes
    from karat.runs.project import load_project

    project = load_project(file)
    entry, options = next((entry, options) for entry, options in project.suites if entry.suite == suite)
    usual = msgspec.to_builtins(type(options)())
    # The day of a recording means nothing for answers of today.
    kept = {k: v for k, v in msgspec.to_builtins(options).items() if v != usual[k] and k != "today"}
    if (file.parent / CODELISTS).is_dir():
        kept["structures"] = [CODELISTS]  # the codes that the default prompt lists
    # JSON strings are YAML strings, whatever an address or a name holds.
    lines = [
        "# A Karat project. Paths are relative to this file. Unknown keys are reported with the nearest known one.",
        f"name: {json.dumps(project.name)}",
        "systems:",
        "  assistant:",
        "    type: openai",
        f"    base_url: {json.dumps(base_url)}",
        f"    model: {json.dumps(model)}",
        f"    prompt: default     # how the question is put; karat init --suite {suite} --show-prompt prints it.",
        "                        # Leave it out for an assistant that has a prompt of its own.",
        "suites:",
        f"  - suite: {suite}",
        f"    cases: {json.dumps(entry.cases)}",
        "    system: assistant",
        *([f"    options: {json.dumps(kept)}"] if kept else []),
    ]
    write_bytes(file, ("\n".join(lines) + "\n").encode())
