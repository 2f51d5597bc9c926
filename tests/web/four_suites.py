"""A store with two runs of each suite, from the examples: the first as it ran, the second a copy in which half of the
answers are missing, so that the two differ."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import msgspec
from typer.testing import CliRunner

from karat.cli.main import app
from karat.store import Store, open_store, run_name

SUITES = ("data_query", "answers", "retrieval", "codegen")
EXAMPLES = Path(__file__).parents[2] / "examples"
SOME_FAILED = (0, 1, 3)
"""Exit codes of a run that has a failed call or a gate that does not hold, as the examples do."""


class Pair(msgspec.Struct, frozen=True):
    """The two runs of a suite, and the position of a case that is wrong in the first."""

    base: str
    run: str
    wrong: int


def build(path: Path) -> tuple[str, dict[str, Pair]]:
    """(the store's URL, suite → its runs)."""
    url = f"sqlite:///{path}/karat.db"
    here = Path.cwd()
    for suite in SUITES:
        project = path / suite
        shutil.copytree(EXAMPLES / suite, project)
        os.chdir(project)  # as a person would run it
        try:
            done = CliRunner().invoke(app, ["run", "--store", url, "--name", "as recorded", "--quiet"])
        finally:
            os.chdir(here)
        assert done.exit_code in SOME_FAILED, done.output
    with open_store(url) as store:
        return url, {store.run_row(run).suite: _pair(store, run) for run in range(1, len(SUITES) + 1)}


def _pair(store: Store, run: int) -> Pair:
    record, result = store.run(run), store.result(run)
    copy = store.create_run(msgspec.structs.replace(record, id=0, name="", created="", status="finished"))
    store.add_cases(copy, [(case.id, data) for case, data in zip(result.cases, store.cases(run), strict=True)])
    store.add_predictions(copy, [answer for case in result.cases for answer in store.case_predictions(run, [case.id])])
    store.add_notes(copy, store.notes(run))
    store.add_scoring(copy, msgspec.structs.replace(result, cases=result.cases[::2]))
    wrong = [place for place, case in enumerate(result.cases) if 0.0 in [score.value for score in case.scores.values()]]
    return Pair(run_name(copy), run_name(run), wrong[0] if wrong else 0)
