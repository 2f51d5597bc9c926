"""Karat's side of the harness benchmark: ``python -m benchmarks.harness_karat N FOLDER``.

N cases, a function that answers at once, one trivial metric, everything stored: run, cases, predictions, scores. The
suite is made here, from nothing but the public protocol.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Any

import msgspec

from karat.core.case_files.case_checks import CheckedCases
from karat.core.case_files.loaded import LoadedCases, LoadedPredictions
from karat.core.metric import Metric
from karat.core.records import Case, Prediction, Turn
from karat.core.report import Report
from karat.core.scores import Score
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import SystemConfig
from karat.runs.job import Job
from karat.runs.runner import start
from karat.store import open_store
from karat.systems.function import open_callable


class Answer(msgspec.Struct, frozen=True):
    """The trivial target: a text."""

    text: str


def _matches(case: Case[Answer], turn: int, prediction: Prediction, _: SuiteOptions) -> bool:
    target = case.conversation[turn].target
    return target is not None and bool(msgspec.json.decode(prediction.response)["answer"] == target.text)


TRIVIAL = Suite(
    name="trivial",
    summary="is the text the same?",
    target=Answer,
    options=SuiteOptions,
    metrics=(Metric("same", "same", "1 if the texts are equal", lambda same: Score(float(same)), kind="rate"),),
    load_cases=lambda _: LoadedCases(()),
    read_predictions=lambda _: LoadedPredictions(()),
    check_cases=lambda *_: CheckedCases(),
    compare=_matches,
    details=lambda _: {},
    report=lambda *_: Report("", ()),
)


async def ask(_: dict[str, Any]) -> dict[str, str]:
    """A system that costs nothing, so that what is measured is the harness."""
    return {"answer": "4"}


def main(count: int, folder: Path) -> None:
    cases = tuple(Case(f"c{n}", (Turn("user", f"What is 2 + 2? ({n})", Answer("4")),)) for n in range(count))
    config = SystemConfig(type="function", concurrency=16)
    job = Job(TRIVIAL, cases, SuiteOptions(), config, "function", opened=open_callable(ask))
    with open_store(f"sqlite:///{folder / 'karat.db'}") as store:
        result = start(store, job)
        assert len(store.predictions(1)) == count
    same = result.metric("same")
    assert (same.mean, same.n) == (1.0, count)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{count} cases, all stored and scored; peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
