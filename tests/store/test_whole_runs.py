"""A whole run on each database: called, stored, scored, resumed, reported."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import karat
from tests.suites.data_query.building import case, target
from tests.warm import warm_karat

CASES = [case(f"c{n}", target({"A": ["a"]}), tags=("t",)) for n in range(30)]


def answer(request: dict[str, Any]) -> Any:
    if request["id"] == "c7":
        raise ValueError("not this one")
    values = [{"id": "a", "name": "name of a"}]
    return {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": values}]}]}


def test_run_load_and_resume(url: str) -> None:
    result = karat.run(suite="data_query", cases=CASES, system=answer, store=url, repeats=2)
    assert result.status_counts() == {"scored": 29, "error": 1}
    again = karat.load_run("latest", store=url)
    assert (again.run, again.summary, again.cases) == (result.run, result.summary, result.cases)
    resumed = karat.run(resume="latest", system=answer, store=url)
    assert resumed.summary == result.summary


def test_the_command_line_on_each_database(url: str, tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = subprocess.run(warm_karat(*words), cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode in (0, 3), done.stderr
        return done.stdout

    run("init", "project")
    run("run", "--config", "project/karat.yaml", "--store", url)
    assert "r-0001" in run("runs", "list", "--store", url)
    run("report", "latest", "--store", url, "--xlsx", "report.xlsx")
    assert (tmp_path / "report.xlsx").stat().st_size > 5_000
