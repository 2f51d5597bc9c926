"""``karat compare`` on runs that were really made: functions as systems, a store in a temporary folder."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import openpyxl
import pytest
from typer.testing import CliRunner, Result

import karat
from karat.cli.main import app
from karat.core import plugins
from karat.core.problems import UserError
from karat.core.records import Case, Turn

CASES = 300


def cases(count: int = CASES) -> list[Case[Any]]:
    """Questions with one right country each; every third is critical."""
    target = {
        "indicator_selection": [
            {"dataset_id": "A:B", "dimensions": [{"dimension_name": "COUNTRY", "values": [{"id": "X", "name": "X"}]}]}
        ]
    }
    read = msgspec.convert(target, plugins.load_suite("data_query").target)
    return [
        Case(
            f"c{i:03d}",
            (Turn("user", f"c{i:03d}: which country?", read),),
            tags=("critical",) if i % 3 == 0 else ("rest",),
        )
        for i in range(count)
    ]


def answering(right: set[int]) -> Callable[..., Any]:
    """A system that knows the answer to some of the questions."""

    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        code = "X" if int(asked["id"][1:]) in right else "WRONG"
        return {
            "indicator_selection": [
                {
                    "dataset_id": "A:B",
                    "dimensions": [{"dimension_name": "COUNTRY", "values": [{"id": code, "name": code}]}],
                }
            ]
        }

    return answer


def planted(rate: float, seed: int) -> set[int]:
    """So many of the cases, chosen at random."""
    return set(random.Random(seed).sample(range(CASES), round(rate * CASES)))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """r-0001: 60 % right. r-0002: the same answers. r-0003: 15 more cases right, none lost: 5 points better."""
    path = tmp_path_factory.mktemp("store") / "karat.db"
    before = planted(0.6, 1)
    more = before | set(sorted(set(range(CASES)) - before)[:15])
    for name, right in (("baseline", before), ("same", before), ("better", more)):
        karat.run(
            suite="data_query",
            cases=cases(),
            system=answering(right),
            name=name,
            store=path,
        )
    return path


def invoke(store: Path, *words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(app, ["compare", *words, "--store", str(store)], env={"COLUMNS": "120"})
    if code == 2:
        assert isinstance(done.exception, UserError), done.output
    else:
        assert done.exit_code == code, f"{done.output}\n{done.exception}"
    return done


def compared(store: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(invoke(store, *words, "--json", "-").stdout)
    return found


def test_a_planted_difference_of_five_points_is_found(store: Path) -> None:
    (found,) = compared(store, "baseline", "better")["comparisons"]
    (right,) = (metric for metric in found["metrics"] if metric["metric"] == "fully_right")
    difference = right["difference"]
    assert (difference["n"], round(difference["mean"], 9)) == (300, 0.05)
    assert 0 < difference["low"] < 0.05 < difference["high"] < 0.1
    assert right["outcome"] == "better"
    assert right["p_adjusted"] < 0.001
    assert (right["mcnemar"]["only_a"], right["mcnemar"]["only_b"]) == (0, 15)
    assert found["counts"]["better"] == 15
    change = found["cases"][0]
    assert "WRONG" in change["a"]["answer"] and "WRONG" not in change["b"]["answer"]
    assert found["warnings"] == []


def test_no_difference_is_not_claimed(store: Path) -> None:
    (found,) = compared(store, "r-0001", "2")["comparisons"]
    assert {metric["outcome"] for metric in found["metrics"] if metric["headline"]} == {"no clear difference"}
    assert found["cases"] == []
    text = invoke(store, "1", "2").stdout
    assert "none changed" in text
    assert "better" not in text and "worse" not in text


def test_the_terminal_and_every_file(store: Path, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("out.json", "out.md", "out.xlsx", "out.html")]
    flags = ("--json", "--markdown", "--xlsx", "--html")
    words = [word for flag, file in zip(flags, files, strict=True) for word in (flag, str(file))]
    text = invoke(store, "1", "latest", *words).stdout
    assert text.startswith("A r-0001 → B r-0003   data_query · 300 cases in both")
    assert "better is better than baseline: 15 more of 300 cases right, none newly wrong" in text
    assert "cases          15 newly right" in text
    assert "10 more in --html, --json" in text
    assert all(file.is_file() for file in files)
    assert "Cases" in openpyxl.load_workbook(files[2]).sheetnames
    assert files[1].read_text(encoding="utf-8") == invoke(store, "1", "3", "--markdown", "-").stdout


def test_more_than_two_runs_are_a_matrix(store: Path, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    text = invoke(store, "1", "2", "3", "--html", str(page)).stdout
    assert text.startswith("Three runs") and "r-0001 (baseline)" in text
    assert "A r-0001 → B r-0002" in text and "A r-0001 → B r-0003" in text, "then each against the first"
    found = compared(store, "1", "2", "3")["matrix"]
    assert found["runs"] == ["r-0001", "r-0002", "r-0003"] and found["baseline"] == "r-0001"
    assert all(set(case["verdicts"]) > {"right"} or len(set(case["verdicts"])) > 1 for case in found["cases"])
    html = page.read_text(encoding="utf-8")
    assert '<table class="m">' in html and "script-src" not in html and "<script" not in html
    assert "### Three runs" in invoke(store, "1", "2", "3", "--markdown", "-").stdout


def test_more_than_two_runs_and_a_tag(store: Path) -> None:
    first, second = compared(store, "1", "2", "3")["comparisons"]
    assert (first["run_b"]["id"], second["run_b"]["id"]) == ("r-0002", "r-0003")
    assert second["run_a"]["id"] == "r-0001"
    (found,) = compared(store, "1", "3", "--tag", "critical")["comparisons"]
    assert found["n_shared"] == 100
    assert {tag["tag"] for tag in found["tags"]} == {"critical"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["1"], "needs two runs"),
        (["1", "99"], "there is no run r-0099"),
        (["1", "1"], "is given twice"),
        (["1", "bettr"], 'Did you mean "better"'),
        (["1", "3", "--tag", "critcal"], 'Did you mean "critical"'),
        (["1", "3", "--json", "-", "--markdown", "-"], "only one of the outputs"),
    ],
)
def test_mistakes(store: Path, words: list[str], said: str) -> None:
    assert said in str(invoke(store, *words, code=2).exception)
