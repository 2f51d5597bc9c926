"""A store with four runs of each suite, from the examples: one as it ran, two copies of it in which other cases are
missing, so that they differ, and a copy that is still under way. Two people have reviewed cases of the first."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
from typer.testing import CliRunner

from karat.cli.main import app
from karat.core.plugins import load_suite
from karat.core.results.live import LiveBatch, live_case
from karat.core.results.result import CaseResult, RunResult
from karat.store import RunRecord, Store, open_store, run_name
from karat.store.leases.lease_holder import this_process
from karat.store.live import LiveRuns
from tests.quick_codegen import try_few_tables

SUITES = ("data_query", "answers", "retrieval", "codegen")
EXAMPLES = Path(__file__).parents[2] / "examples"
SOME_FAILED = (0, 1, 3)
"""Exit codes of a run that has a failed call or a gate that does not hold, as the examples do."""


class Pair(msgspec.Struct, frozen=True):
    """The runs of a suite, and the position and id of a case that is wrong in the first."""

    base: str
    run: str
    third: str
    live: str
    wrong: int
    wrong_id: str


def build(path: Path) -> tuple[str, dict[str, Pair]]:
    """(the store's URL, suite → its runs)."""
    url = f"sqlite:///{path}/karat.db"
    here = Path.cwd()
    for suite in SUITES:
        project = path / suite
        shutil.copytree(EXAMPLES / suite, project)
        if suite == "codegen":
            try_few_tables(project, "scales: [1]")
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
    base = _copy(store, record, result, "finished")
    store.add_scoring(base, _part(result, result.cases[::2]))
    third = _copy(store, record, result, "finished")
    store.add_scoring(third, _part(result, result.cases[1:]))
    wrong = [place for place, case in enumerate(result.cases) if 0.0 in [score.value for score in case.scores.values()]]
    place = wrong[0] if wrong else 0
    _review(store, run, result)
    live = _under_way(store, record, result)
    return Pair(run_name(base), run_name(run), run_name(third), run_name(live), place, result.cases[place].id)


def _copy(store: Store, record: RunRecord, result: RunResult, status: Literal["finished", "running"]) -> int:
    """A run with the same cases and answers, not scored yet."""
    fresh = msgspec.structs.replace(record, id=0, name="", created="", status=status)
    copy = store.create_run(fresh, this_process() if status == "running" else None)
    store.add_cases(copy, [(case.id, data) for case, data in zip(result.cases, store.cases(record.id), strict=True)])
    store.add_predictions(copy, store.case_predictions(record.id, [case.id for case in result.cases]))
    store.add_notes(copy, store.notes(record.id))
    return copy


def _part(result: RunResult, cases: Sequence[CaseResult]) -> RunResult:
    info = msgspec.structs.replace(result.run, cases=len(cases))
    return msgspec.structs.replace(result, run=info, cases=cases)


def _under_way(store: Store, record: RunRecord, result: RunResult) -> int:
    """A run whose process is this one, with all cases but the last scored so far."""
    copy = _copy(store, record, result, "running")
    metrics = tuple(metric.name for metric in load_suite(result.run.suite).metrics if metric.headline)
    now = time.time()
    lines = [
        live_case(result.run.suite, place, case, metrics, now - 30 + place / 10)
        for place, case in enumerate(result.cases[:-1])
    ]
    LiveRuns(store).add(copy, LiveBatch(metrics, tuple(lines), at_random=True))
    return copy


def _review(store: Store, run: int, result: RunResult) -> None:
    """Two people agree on the first case, not on the second, and one of them settles the third."""
    ids = [case.id for case in result.cases[:3]]
    store.add_review(run, ids[0], "pass", reviewer="ada", comment="the same in other words")
    store.add_review(run, ids[0], "pass", reviewer="ben", blind=True)
    store.add_review(run, ids[1], "pass", reviewer="ada")
    store.add_review(run, ids[1], "fail", reviewer="ben", comment="not what was asked")
    if len(ids) > 2:
        store.add_review(run, ids[2], "gold_wrong", reviewer="ada", adjudication=True)
