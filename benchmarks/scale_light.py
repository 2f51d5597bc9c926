"""The smallest suite there is, for runs of a million cases: ``python -m benchmarks.scale_light function|replay``.

``cases.jsonl`` of the working folder is read as a plug-in's suite would read it, and answered by a function or from
``answers.jsonl``. What is measured is the runner and the store, not the scoring of a suite.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.harness_karat import TRIVIAL, Answer, ask
from karat.core.case_files.case_rows import CaseFiles, CaseRow
from karat.core.case_files.recorded import read_recorded, stream_recorded
from karat.core.suite import SuiteOptions
from karat.core.system import System, SystemConfig
from karat.runs.job import Job
from karat.runs.runner import start
from karat.store import open_store
from karat.systems.function import open_callable
from karat.systems.replay import ReplaySystem
from karat.verbs.inputs.streamed_inputs import gather_cases, gather_predictions


class Row(CaseRow, frozen=True, kw_only=True):
    """A case as it is in the file."""

    answer: str


FILES = CaseFiles(Row, lambda row: Answer(row.answer))
LIGHT = replace(
    TRIVIAL,
    load_cases=FILES.load,
    stream_cases=FILES.stream,
    read_predictions=read_recorded,
    stream_predictions=stream_recorded,
)


def main(system: str) -> None:
    cases = gather_cases(LIGHT, Path("cases.jsonl")).cases
    opened: System = open_callable(ask)
    if system == "replay":
        opened = ReplaySystem(gather_predictions(LIGHT, Path("answers.jsonl")).predictions)
    config = SystemConfig(type="function", concurrency=16)
    with open_store("sqlite:///karat.db") as store:
        result = start(store, Job(LIGHT, cases, SuiteOptions(), config, system, opened=opened))
    same = result.metric("same")
    assert (same.mean, same.n, len(result.cases)) == (1.0, len(cases), len(cases))


if __name__ == "__main__":
    main(sys.argv[1])
