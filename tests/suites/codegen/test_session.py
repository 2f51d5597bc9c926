"""Live sessions: the contract's shapes, several writers, crashes, files that cannot be read, ids that are none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from karat.core.problems import UserError
from karat.suites.codegen.session import Session, summary_of

TABLES = {"staff": {"age": [25, 40, 35], "salary": [10, 30, 20]}}
QUESTION = "What is the average salary of staff with age above 30?"
RIGHT = 'result = staff[staff["age"] > 30]["salary"].mean()'


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("history")
    session = Session("s-1", root)
    session.record(QUESTION, RIGHT, TABLES, expected=25)
    broken = RIGHT.replace('"age"', '"years"')
    session.record(QUESTION, broken, TABLES, attempts=[broken, RIGHT], reference=RIGHT)
    return root / "s-1"


def test_code_that_crashed_for_good_is_wrong_also_where_nothing_says_what_is_right(tmp_path: Path) -> None:
    session = Session("crashes", tmp_path)
    crashed = session.record(QUESTION, "result = staff.years.mean()", TABLES, attempts=["result = staff.wage.mean()"])
    assert (crashed["correctness_score"], crashed["error_recovery"]["recovery_success"]) == (0.0, False)
    assert "correctness" not in crashed["left_out"]
    mended = session.record(QUESTION, "result = staff.years.mean()", TABLES, attempts=[RIGHT])
    assert mended["correctness_score"] is None and "correctness" in mended["left_out"]
    assert crashed["overall_score"] < mended["overall_score"]
    known = session.record(QUESTION, "result = staff.years.mean()", TABLES, expected=25)
    assert known["correctness_score"] == 0.0
    silent = session.record(QUESTION, "import os\nos._exit(0)", TABLES)
    assert silent["correctness_score"] == 0.0


def test_a_disguised_constant_is_found_out_in_a_session(tmp_path: Path) -> None:
    entry = Session("constant", tmp_path).record(QUESTION, "result = 25 + 0 * len(staff)", TABLES, reference=RIGHT)
    assert entry["correctness_score"] is not None and entry["correctness_score"] <= 0.5


def test_entries_have_the_contracts_shapes(recorded: Path) -> None:
    first, second = json.loads((recorded / "metrics.json").read_bytes())
    assert set(first["prompt_understanding"]) == {"understanding_score", "details"}
    assert set(first["prompt_understanding"]["details"]) == {
        "column_extraction_score",
        "nl_parsing_score",
        "statistical_understanding_score",
        "extracted_columns",
        "mentioned_columns",
        "statistical_operations",
    }
    assert set(first["requirement_coverage"]["details"]) == {
        "filter_conditions_coverage",
        "groupby_columns_coverage",
        "sorting_coverage",
        "join_conditions_coverage",
        "missing_requirements",
    }
    assert (first["correctness_score"], first["error_recovery"]["has_error"]) == (1.0, False)
    assert first["left_out"].keys() == {"performance", "recovery"}
    recovery = second["error_recovery"]
    assert (recovery["error_message"], recovery["recovery_attempts_count"]) == ("KeyError: 'years'", 2)
    assert recovery["recovery_details"] == [
        {"attempt_number": 1, "success": False, "error": "KeyError: 'years'", "fix_quality": 0.1},
        {"attempt_number": 2, "success": True, "error": None, "fix_quality": 1.0},
    ]
    assert recovery["error_fix_quality"] == pytest.approx(0.55)
    assert recovery["recovery_score"] == pytest.approx(0.548, abs=0.001)
    assert second["code"] == RIGHT
    assert first["result_digest"] == second["result_digest"]


def test_the_summary_of_these_two(recorded: Path) -> None:
    summary = json.loads((recorded / "metrics_summary.json").read_bytes())["summary"]
    assert summary["average_understanding_score"] == 1.0
    assert (summary["errors_encountered"], summary["total_recovery_attempts"]) == (1, 2)
    assert (summary["successful_recoveries"], summary["recovery_success_rate"]) == (1, 1.0)


def entry(*, error: bool, recovered: bool = False) -> dict[str, Any]:
    return {
        "prompt_understanding": {"understanding_score": 0.85},
        "requirement_coverage": {"coverage_score": 0.9},
        "error_recovery": {
            "has_error": error,
            "recovery_success": recovered,
            "recovery_attempts_count": 2 if error else 0,
            "recovery_score": 0.65 if error else None,
        },
        "overall_score": 0.5,
    }


def test_eight_of_ten_errors_recovered_is_080() -> None:
    entries = [entry(error=True, recovered=number < 8) for number in range(10)] + [entry(error=False)] * 5
    summary = summary_of(entries)["summary"]
    assert summary["recovery_success_rate"] == 0.8
    assert (summary["errors_encountered"], summary["successful_recoveries"]) == (10, 8)
    assert summary["average_recovery_score"] == pytest.approx(0.65)
    assert summary_of([])["summary"]["recovery_success_rate"] is None


def test_what_the_model_wrote_never_raises(tmp_path: Path) -> None:
    session = Session("odd", tmp_path)
    for code in ("", '{"error": "no"}', "result = (", "\ud800"):
        assert session.record("?", code, {})["prompt_understanding"]["understanding_score"] <= 1
    assert len(session.entries()) == 4


WRITER = """
import sys
from karat.suites.codegen.session import Session
session = Session("shared", sys.argv[1])
for number in range(5):
    session.record(f"{sys.argv[2]}-{number}", "result = t.x.sum()", {"t": {"x": [1, 2]}})
"""


def test_several_processes_lose_nothing(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(n)]) for n in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    session = Session("shared", tmp_path)
    asked = [found["question"] for found in session.entries()]
    assert sorted(asked) == sorted(f"{writer}-{number}" for writer in range(3) for number in range(5))
    kept = json.loads((session.folder / "metrics_summary.json").read_bytes())
    assert kept == session.summary()
    assert kept["summary"]["entries"] == 15


def test_a_crash_in_the_middle_of_a_write_leaves_the_file_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session("s", tmp_path)
    session.record(QUESTION, RIGHT, TABLES)
    before = (session.folder / "metrics.json").read_bytes()

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", dies)
    with pytest.raises(KeyboardInterrupt):
        session.record(QUESTION, RIGHT, TABLES)
    monkeypatch.undo()
    assert (session.folder / "metrics.json").read_bytes() == before
    assert not list(session.folder.glob("*.part"))
    session.record(QUESTION, RIGHT, TABLES)
    assert len(session.entries()) == 2


@pytest.mark.parametrize("data", [b'[{"a": 1', b'{"no": "list"}', b"\xff\xfe", b"[" * 5_000])
def test_a_corrupt_file_is_kept_aside(tmp_path: Path, data: bytes) -> None:
    session = Session("s", tmp_path)
    session.folder.mkdir()
    (session.folder / "metrics.json").write_bytes(data)
    with pytest.raises(UserError, match=r"set aside as metrics\.unreadable-") as caught:
        session.record(QUESTION, RIGHT, TABLES)
    (aside,) = session.folder.glob("metrics.unreadable-*.json")
    assert aside.name in str(caught.value)
    assert aside.read_bytes() == data
    session.record(QUESTION, RIGHT, TABLES)
    assert len(session.entries()) == 1
    assert aside.read_bytes() == data


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\\b", ".hidden", "a\0b", "a\n", "x" * 129, "é"])
def test_ids_that_are_no_folder_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="cannot be the id of a session"):
        Session(name, tmp_path)


def test_a_reference_that_fails_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the reference fails"):
        Session("s", tmp_path).record(QUESTION, RIGHT, TABLES, reference="result = nothing")
    assert Session("s", tmp_path).entries() == []


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([{"a": 1}], "entry 1 has the wrong shape: Object missing required field `prompt_understanding`"),
        ([entry(error=False), 7], "entry 2 has the wrong shape: Expected `object`, got `int`"),
        ([{**entry(error=False), "error_recovery": []}], r"entry 1 .* at `\$.error_recovery`"),
        ([{**entry(error=False), "overall_score": "high"}], r"entry 1 .* at `\$.overall_score`"),
        ([{**entry(error=False), "requirement_coverage": {"coverage_score": None}}], "coverage_score"),
    ],
)
def test_entries_of_another_shape_are_a_clear_error_and_nothing_is_written(
    tmp_path: Path, entries: list[Any], said: str
) -> None:
    session = Session("s", tmp_path)
    session.folder.mkdir()
    data = json.dumps(entries).encode()
    (session.folder / "metrics.json").write_bytes(data)
    with pytest.raises(UserError, match=said) as caught:
        session.record(QUESTION, RIGHT, TABLES)
    assert "metrics.json" in caught.value.message and "Nothing was recorded" in caught.value.hint
    assert (session.folder / "metrics.json").read_bytes() == data
    assert {file.name for file in session.folder.iterdir()} == {"metrics.json", ".lock"}
    with pytest.raises(UserError, match=said):
        session.summary()
    assert session.entries() == entries


def test_entries_of_the_bare_contract_are_summed(tmp_path: Path) -> None:
    session = Session("s", tmp_path)
    session.folder.mkdir()
    bare = entry(error=True, recovered=True)
    del bare["overall_score"]
    (session.folder / "metrics.json").write_text(json.dumps([bare]))
    assert session.summary()["summary"]["average_overall_score"] is None
    session.record(QUESTION, RIGHT, TABLES)
    assert session.summary()["summary"]["entries"] == 2
