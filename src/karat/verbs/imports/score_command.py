"""The command that scores answers which were just written, such that it works when it is typed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.core.problems import UserError
from karat.core.records import AnyCase
from karat.core.remote.paths import local_path
from karat.core.suite import Suite
from karat.verbs.inputs.projects import project_here

PATH = "PATH"


def score_command(
    suite: Suite, path: Path, cases: Sequence[AnyCase], predictions: Path
) -> tuple[list[str], tuple[str, ...]]:
    """The words of the command, and the options in it that the user has to fill in. Cases of the project are scored
    with the project's options; others need each option that they cannot be scored without."""
    words = ["karat", "score", "--suite", suite.name]
    if _of_project(suite, path):
        return [*words, "--predictions", str(predictions)], ()
    needed = tuple(suite.needed_options(cases, suite.options()))
    words += ["--cases", str(path), "--predictions", str(predictions)]
    return words + [word for name in needed for word in ("--option", f"{name}={PATH}")], needed


def _of_project(suite: Suite, path: Path) -> bool:
    """Whether these are the cases of the only entry that the project of this folder has for the suite."""
    try:
        project = project_here(None)
    except UserError:  # its mistakes are the concern of the next command
        return False
    entries = [] if project is None else [entry for entry, _ in project.suites if entry.suite == suite.name]
    if project is None or len(entries) != 1:
        return False
    return Path(local_path(entries[0].cases, project.root)).resolve() == Path(local_path(path)).resolve()
