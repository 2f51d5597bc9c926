"""PandasEval, NumpyEval and DABench as published: all of them load; as many references run as pandas 3.1 and numpy 2.4 let."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.sandbox import Sandbox
from karat.suites.codegen.cases import load_cases, recognises
from karat.suites.codegen.execution import run_code

pytestmark = pytest.mark.shared_data


@pytest.mark.parametrize(("name", "least"), [("PandasEval", 92), ("NumpyEval", 93)])
def test_all_of_them_load_and_most_references_run(shared: Path, name: str, least: int) -> None:
    file = shared / "data" / "codegen" / "pandaseval" / f"{name}.jsonl.gz"
    assert recognises(file)
    loaded = load_cases(file)
    assert (len(loaded.cases), loaded.problems) == (101, ())
    ran = 0
    with Sandbox() as box:
        for case in loaded.cases:
            task = case.conversation[1].target
            assert task is not None
            ran += run_code(box, task, task.reference)[0].ran
    assert ran >= least, f"{ran} of 101 references run"


def test_dabench_loads_with_its_labels_and_tables(shared: Path) -> None:
    loaded = load_cases(shared / "data" / "codegen" / "infiagent_dabench")
    assert (len(loaded.cases), loaded.problems) == (257, ())
    for case in loaded.cases:
        task = case.conversation[1].target
        assert task is not None
        assert task.expected is not None
        assert task.expected.named
        assert Path(task.tables["df"].path).is_file()
