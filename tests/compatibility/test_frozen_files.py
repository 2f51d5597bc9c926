"""Project files, cases, answers, stores and JSON results that earlier versions wrote are read by this one, and mean the
same."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import karat
from tests.conftest import ROOT
from tests.warm import warm_karat

FROZEN = Path(__file__).resolve().parent
ARCHIVES = sorted(FROZEN.glob("*/*.zip"))
SCHEMA = json.loads((ROOT / "src" / "karat" / "reports" / "result.schema.json").read_text(encoding="utf-8"))

CORRECTED = {"0.1.0-answers": {"row_share", "piers row_share"}}
"""Figures that were wrong then, each with a fragment in ``changes/``: ``row_share`` counted rows too many."""


@pytest.fixture(params=ARCHIVES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project as that version left it."""
    with zipfile.ZipFile(request.param) as archive:
        archive.extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = warm_karat(*words)
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=240)


def frozen(project: Path) -> Any:  # JSON
    return json.loads((project / "result.json").read_text(encoding="utf-8"))


def keys(value: object, at: str = "") -> Iterator[str]:
    """The path of every key. Rows of a list count as one; ``details`` and ``notes`` are the suite's own."""
    if isinstance(value, dict):
        for name, inside in value.items():
            yield f"{at}.{name}"
            if name not in ("details", "notes"):
                yield from keys(inside, f"{at}.{name}")
    elif isinstance(value, list):
        for inside in value:
            yield from keys(inside, f"{at}[]")


def figures(result: Any) -> dict[str, Any]:  # JSON
    """Metric → its mean, interval and count; case and metric → its state and score. A later version may add metrics."""
    wanted = ("mean", "n", "low", "high", "undefined")
    means = {row["metric"]: [rounded(row.get(name)) for name in wanted] for row in result["summary"]}
    return means | {
        f"{case['id']} {metric}": [case["status"], rounded(value)]
        for case in result["cases"]
        for metric, value in case["scores"].items()
    }


def rounded(value: Any) -> Any:  # JSON
    """To more digits than any report prints: how sums are rounded is not part of the promise."""
    return float(f"{value:.12g}") if isinstance(value, float) else value


def test_every_published_version_is_frozen_once() -> None:
    versions = {file.parent.name for file in ARCHIVES}
    assert "0.1.0" in versions
    for version in versions:
        names = {file.stem for file in ARCHIVES if file.parent.name == version}
        assert names == {"answers", "codegen", "data_query", "retrieval"}


def test_the_store_opens_and_its_figures_are_the_same(project: Path) -> None:
    was = frozen(project)
    stored = karat.load_run(was["run"]["id"])
    assert stored.run.truth_set == was["run"]["truth_set"]
    for row in was["summary"]:
        now = stored.metric(row["metric"])
        assert now.mean == pytest.approx(row["mean"], abs=1e-12) and now.n == row["n"], row["metric"]
    assert {case.id for case in stored.cases} == {case["id"] for case in was["cases"]}
    checked = run(project, "store", "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_cases_answers_and_project_file_are_read_and_score_the_same(
    project: Path, request: pytest.FixtureRequest
) -> None:
    was = frozen(project)
    check = run(project, "check")
    assert check.returncode == 0, check.stdout + check.stderr
    again = run(project, "run", "--json", "again.json")
    assert again.returncode in (0, 3), again.stdout + again.stderr
    now = json.loads((project / "again.json").read_text(encoding="utf-8"))
    assert now["run"]["truth_set"] == was["run"]["truth_set"]
    before, after = figures(was), figures(now)
    corrected = CORRECTED.get(request.node.callspec.id, set())
    assert {name for name in before if after.get(name) != before[name]} == corrected
    assert sorted(set(keys(was)) - set(keys(now))) == []


def without_required(schema: Any) -> Any:  # JSON
    """A schema that lets any key be absent: a later version may write keys that this one did not."""
    if isinstance(schema, dict):
        return {name: without_required(inside) for name, inside in schema.items() if name != "required"}
    return [without_required(inside) for inside in schema] if isinstance(schema, list) else schema


def test_no_key_of_the_json_of_then_has_gone_or_changed_its_type(project: Path) -> None:
    jsonschema.validate(frozen(project), without_required(SCHEMA))
