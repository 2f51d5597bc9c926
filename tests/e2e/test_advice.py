"""What the terminal tells people to type works when it is typed, and ``karat show`` shows what it promises."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.warm import warm_karat

CASES = """\
- id: people
  name: How many
  conversation:
    - role: user
      content: How many people live in France?
      target: {indicator_selection: [{dataset_id: WEO, dimensions: [
        {dimension_name: INDICATOR, values: [{id: LP, name: Population}]},
        {dimension_name: COUNTRY, values: [{id: FRA, name: France}]}]}]}
- id: people_2
  conversation:
    - role: user
      content: How many people live in Spain?
      target: {indicator_selection: [{dataset_id: WEO, dimensions: [
        {dimension_name: COUNTRY, values: [{id: ESP, name: Spain}]}]}]}
"""
DRIFTED = {
    "indicator_selection": [
        {
            "dataset_id": "WEO",
            "dimensions": [
                {"dimension_name": "INDICATOR", "values": [{"id": "LP", "name": "Persons"}]},
                {"dimension_name": "COUNTRY", "values": [{"id": "DEU", "name": "Germany"}]},
            ],
        }
    ]
}
SYSTEM = """\
import pathlib

def ask(request):
    if request["id"] == "people_2" and not pathlib.Path("up").exists():
        raise RuntimeError("the server is down")
    return {"indicator_selection": []}
"""


def karat(folder: Path, *words: str, code: int | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        warm_karat(*words),
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert code is None or done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def advice(text: str) -> list[list[str]]:
    """The words after ``karat`` of every command that is printed after an arrow; a note in brackets is none of them."""
    return [shlex.split(line.partition("   (")[0]) for line in re.findall(r"→ karat (.*)", text)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my cases.yaml").write_text(CASES)
    lines = [{"id": "people", **DRIFTED}, {"id": "people_2", "error": "429 after 5 tries"}]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "codes.csv").write_text("codelist,id,name\nCL_INDICATOR,LP,Persons\nCL_COUNTRY,FRA,France\n")
    (tmp_path / "live.py").write_text(SYSTEM)
    return tmp_path


def test_the_advice_of_a_recorded_run(folder: Path) -> None:
    words = ["--suite", "data_query", "--cases", "my cases.yaml", "--predictions", "answers.jsonl", "--store", "s.db"]
    done = karat(folder, "run", *words, code=3)
    found = advice(done.stdout)
    assert [one[0] for one in found] == ["check", "show", "show", "run"], done.stdout
    assert "--retry-errors" not in done.stdout
    check, worst, failed, again = found
    assert check[check.index("--structure") + 1] == "FILE"
    checked = karat(folder, *["codes.csv" if word == "FILE" else word for word in check])
    assert checked.returncode in (0, 1)
    assert "--fix-names needs" not in checked.stderr
    shown = karat(folder, *worst, code=0).stdout
    assert "How many people live in France?" in shown
    assert "- FRA · France" in shown
    assert "+ DEU · Germany" in shown
    assert "429 after 5 tries" in karat(folder, *failed, code=0).stdout
    mended = [{"id": name, **DRIFTED} for name in ("people", "people_2")]
    (folder / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in mended))
    assert " 2 scored" in karat(folder, *again, code=0).stdout
    assert [one[0] for one in advice(karat(folder, "runs", "show", "1", "--store", "s.db").stdout)] == [
        "check",
        "show",
        "show",
    ]


def test_a_live_run_is_asked_again_only_for_calls_that_failed(folder: Path) -> None:
    (folder / "karat.yaml").write_text(
        "systems: {mine: {type: function, function: 'live:ask', retries: 0}}\n"
        "suites: [{suite: data_query, cases: my cases.yaml, system: mine}]\n"
    )
    first = advice(karat(folder, "run", code=3).stdout)
    assert first[-1] == ["run", "--resume", "r-0001", "--retry-errors"]
    (folder / "up").touch()
    again = karat(folder, *first[-1], code=0)
    assert "2 scored" in again.stdout
    assert "nothing was selected" in karat(folder, *first[0], code=0).stdout


def test_the_cases_of_two_runs_side_by_side_and_how_a_case_is_found(folder: Path) -> None:
    words = ["run", "--suite", "data_query", "--cases", "my cases.yaml", "--predictions"]
    karat(folder, *words, "answers.jsonl")
    (folder / "better.jsonl").write_text(
        json.dumps({"id": "people", **DRIFTED}).replace("Persons", "Population").replace("DEU", "FRA") + "\n"
    )
    karat(folder, *words, "better.jsonl")
    both = karat(folder, "show", "people", "--against", "1", code=0).stdout
    assert "against r-0001" in both
    assert re.search(r"macro recall +\S+ +r-0001 +0\.000", both)
    plain = json.loads(karat(folder, "show", "How many", "--run", "1", "--json", code=0).stdout)
    assert plain["against"] is None
    assert plain["case"]["id"] == "people"
    assert plain["case"]["answers"][0]["expected"]["indicator_selection"][0]["dataset_id"] == "WEO"
    assert {figure["metric"] for figure in plain["case"]["figures"]} >= {"macro_recall", "exact_match"}
    assert karat(folder, "show", "people_", code=0).stdout.startswith("people_2 ")
    assert '2 cases of r-0002 start with "peo": people, people_2' in karat(folder, "show", "peo", code=2).stderr
    assert 'Did you mean "people_2"?' in karat(folder, "show", "poeple_2", code=2).stderr
    assert "is the same run" in karat(folder, "show", "people", "--against", "2", code=2).stderr
