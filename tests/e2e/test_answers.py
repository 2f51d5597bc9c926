"""``karat answers`` as a user types it: the example, the contract's own call, files that lie, and gold that cannot be
changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.warm import warm_karat

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "answers"


def run(folder: Path, *words: str, code: int = 0) -> str:
    program, *rest = words
    done = subprocess.run(
        warm_karat(*rest) if program == "karat" else [sys.executable, "-m", *words],
        cwd=folder,
        env={**os.environ, "COLUMNS": "150"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout


def answers(folder: Path, submission: Path, gold: Path, *more: str, code: int = 0) -> dict[str, Any]:
    out = run(
        folder,
        "karat",
        "answers",
        "--result_dir",
        str(submission),
        "--gold_dir",
        str(gold),
        "--json",
        "-",
        *more,
        code=code,
    )
    found: dict[str, Any] = json.loads(out)
    return found


def test_the_example_shows_both_profiles_flips_and_reasons(tmp_path: Path) -> None:
    out = run(
        tmp_path, "karat", "answers", "--result_dir", str(EXAMPLE / "submission"), "--gold_dir", str(EXAMPLE / "gold"),
        "--json", "o.json", "--xlsx", "o.xlsx"
    )  # fmt: skip
    assert "gold 25 · submitted 24 · missing 1 · unknown 0" in out
    assert out.index("  strict ") < out.index("  spider2 ")  # gold of our own: strict comes first
    assert "4 verdicts flip between the profiles" in out
    assert "1 spider2 passes, strict fails    1 rows_scrambled" in out
    result = json.loads((tmp_path / "o.json").read_text())
    by_id = {case["id"]: case for case in result["cases"]}
    scrambled = by_id["tickets_by_line"]
    assert (scrambled["scores"]["spider2"], scrambled["scores"]["strict"]) == (1.0, 0.0)
    assert scrambled["details"]["reason"] == "rows_scrambled"
    assert scrambled["details"]["evidence"]
    assert by_id["home_port"]["scores"]["strict"] is None  # "not …": for a person to settle
    assert by_id["lost_property"]["status"] == "missing"
    assert by_id["lost_property"]["scores"]["strict_of_gold"] == 0.0
    sheets = openpyxl.load_workbook(tmp_path / "o.xlsx").sheetnames
    assert sheets == ["Overview", "Statistics", "Reasons", "Flips", "Errors", "Failure groups", "About"]


def test_the_contracts_own_call_and_the_one_shot_form_agree(tmp_path: Path) -> None:
    words = ["--result_dir", str(EXAMPLE / "submission"), "--gold_dir", str(EXAMPLE / "gold")]
    contract = run(tmp_path, "karat.answers", *words)
    assert "gold 25 · submitted 24" in contract
    shot = json.loads(
        run(tmp_path, "karat", "score", "--suite", "answers", "--cases", str(EXAMPLE / "gold"), "--predictions",
            str(EXAMPLE / "submission"), "--json", "-")
    )  # fmt: skip
    assert shot["cases"] == answers(tmp_path, EXAMPLE / "submission", EXAMPLE / "gold")["cases"]


def test_several_workers_give_the_same_verdicts(tmp_path: Path) -> None:
    one = answers(tmp_path, EXAMPLE / "submission", EXAMPLE / "gold")
    two = answers(tmp_path, EXAMPLE / "submission", EXAMPLE / "gold", "--workers", "2")
    assert one["cases"] == two["cases"]


def make(folder: Path, rows: dict[str, str], answers_: dict[str, bytes]) -> tuple[Path, Path]:
    """Gold with one two-row table for each instance, and a flat submission of these files."""
    gold, submission = folder / "gold", folder / "submission"
    submission.mkdir(parents=True)
    lines = []
    for name, text in rows.items():
        (gold / name).mkdir(parents=True)
        (gold / name / "g.csv").write_text(text)
        lines.append(
            json.dumps({"instance_id": name, "evaluation": {"func": "table_match", "parameters": {"gold": "g.csv"}}})
        )
    (gold / "karat_gold.jsonl").write_text("\n".join(lines))
    for name, data in answers_.items():
        (submission / f"{name}.csv").write_bytes(data)
    return gold, submission


def test_files_that_are_no_tables_have_a_reason_each_and_harm_no_other(tmp_path: Path) -> None:
    good = "a,b\n1,x\n2,y\n"
    bad = {
        "binary": bytes(range(256)) * 40,
        "ragged": b"a,b\n1,x\n2,y,z,q\n",
        "latin": "a,b\n1,caf\xe9\n".encode("latin-1"),
        "wide": ",".join(f"c{n}" for n in range(10_000)).encode() + b"\n" + b",".join(b"1" for _ in range(10_000)),
        "empty": b"",
        "fine": good.encode(),
    }
    gold, submission = make(tmp_path, dict.fromkeys(bad, good), bad)
    before = {p: p.read_bytes() for p in gold.rglob("*") if p.is_file()}
    result = answers(tmp_path, submission, gold)
    found = {case["id"]: (case["scores"]["strict"], case["details"].get("reason")) for case in result["cases"]}
    assert found.pop("fine") == (1.0, "")
    assert all(score == 0.0 and reason for score, reason in found.values()), found
    assert {found[name][1] for name in ("binary", "ragged", "latin", "empty")} == {"unreadable_prediction"}
    assert {p: p.read_bytes() for p in gold.rglob("*") if p.is_file()} == before


def test_a_submission_cannot_read_outside_its_folder(tmp_path: Path) -> None:
    gold, submission = make(tmp_path, dict.fromkeys(("up", "absolute", "link"), "a\n1\n"), {})
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    (submission / "link").mkdir()
    (submission / "link" / "out.csv").symlink_to(secret)
    rows = [("up", "../../secret.csv"), ("absolute", str(secret)), ("link", "out.csv")]
    lines = [json.dumps({"instance_id": n, "answer_type": "file", "answer_or_path": p}) for n, p in rows]
    (submission / "results_metadata.jsonl").write_text("\n".join(lines))
    result = answers(tmp_path, submission, gold)
    assert [case["scores"]["strict"] for case in result["cases"]] == [0.0, 0.0, 0.0]
    assert [case["scores"]["spider2"] for case in result["cases"]] == [0.0, 0.0, 0.0]


def test_a_row_that_cannot_be_read_is_exit_code_3_and_the_rest_is_scored(tmp_path: Path) -> None:
    gold, submission = make(tmp_path, {"one": "a\n1\n", "two": "a\n1\n"}, {})
    (submission / "two").mkdir()
    (submission / "two" / "r.csv").write_text("a\n1\n")
    (submission / "results_metadata.jsonl").write_text(
        '{"instance_id": "one", broken\n{"instance_id": "two", "answer_type": "file", "answer_or_path": "r.csv"}\n'
    )
    result = answers(tmp_path, submission, gold, code=3)
    assert {case["id"]: case["status"] for case in result["cases"]} == {"one": "missing", "two": "scored"}


def test_sql_instead_of_results(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "shop.sqlite") as shop:
        shop.execute("CREATE TABLE sales (region TEXT, total REAL)")
        shop.executemany("INSERT INTO sales VALUES (?, ?)", [("north", 10.5), ("south", 7.0)])
    gold, submission = make(
        tmp_path, dict.fromkeys(("local1", "local2", "local3"), "region,total\nnorth,10.5\nsouth,7.0\n"), {}
    )
    (submission / "local1.sql").write_text("SELECT region, total FROM sales ORDER BY region")
    (submission / "local2.sql").write_text("```sql\nDELETE FROM sales\n```")
    (submission / "local3.sql").write_text("SELECT nothing FROM nowhere")
    engines = "engines={local: {engine: sqlite, database: shop.sqlite}}"
    result = answers(tmp_path, submission, gold, "--mode", "sql", "--option", engines)
    found = {
        case["id"]: (case["scores"]["strict"], case["scores"]["spider2"], case["details"]["reason"])
        for case in result["cases"]
    }
    assert found == {"local1": (1.0, 1.0, ""), "local2": (0.0, 0.0, "sql_error"), "local3": (0.0, 0.0, "sql_error")}
    with sqlite3.connect(tmp_path / "shop.sqlite") as shop:
        assert shop.execute("SELECT count(*) FROM sales").fetchone() == (2,)


def test_gold_that_several_submissions_contradict_alike_is_suspect(tmp_path: Path) -> None:
    gold, mine = make(tmp_path, dict.fromkeys(("a", "b"), "x\n1\n2\n"), {"a": b"x\n1\n3\n", "b": b"x\n1\n9\n"})
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.csv").write_text("y,z\n3,p\n1,q\n")
    (other / "b.csv").write_text("x\n1\n2\n")
    result = answers(tmp_path, mine, gold, "--others", str(other), "--option", "as_of=2024-01-01")
    status = {case["id"]: case["details"].get("gold_status", "good") for case in result["cases"]}
    assert status == {"a": "suspect", "b": "good"}


def test_files_that_are_too_large_are_refused_with_a_reason(tmp_path: Path) -> None:
    gold, submission = make(tmp_path, {"a": "x\n1\n"}, {"a": b"x\n" + b"1\n" * 1_000})
    (case,) = answers(tmp_path, submission, gold, "--option", "max_bytes=500")["cases"]
    assert (case["scores"]["strict"], case["details"]["reason"]) == (0.0, "unreadable_prediction")
    assert "max_bytes" in case["details"]["evidence"]["problem"]


@pytest.mark.shared_data
def test_the_public_example_submissions(shared: Path, tmp_path: Path) -> None:
    data = shared / "data" / "spider2"
    for suite, folder, right, submitted in (
        ("old", "example_submission_folder", 1, 7),
        ("lite", "example_submission_folder_csv", 1, 6),
    ):
        base = data / suite / "evaluation_suite"
        result = answers(tmp_path, base / folder, base / "gold")
        scores = [case["scores"]["spider2"] for case in result["cases"] if case["status"] == "scored"]
        assert (sum(scores), len(scores)) == (right, submitted), suite


@pytest.mark.shared_data
def test_the_gold_linter_finds_the_public_defects(shared: Path, tmp_path: Path) -> None:
    data = shared / "data" / "spider2"
    problems = []
    for suite in ("lite", "old"):
        out = run(tmp_path, "karat", "check", str(data / suite / "evaluation_suite" / "gold"), "--json", "-", code=1)
        problems += [p["message"] for p in json.loads(out)["problems"] if p.get("severity", "error") == "error"]
    text = "\n".join(problems)
    for name in ("sf_bq236", "bq060", "bq169", "bq389", "sf_bq166", "ga003", "bq119", "sf_bq093"):
        assert name in text, name


def test_a_missing_database_is_an_error_on_the_terminal(tmp_path: Path) -> None:
    import sqlite3

    (tmp_path / "gold/exec_result").mkdir(parents=True)
    (tmp_path / "sub").mkdir()
    rows = []
    for name in ("local1", "local2"):
        (tmp_path / f"gold/exec_result/{name}_a.csv").write_text("a\n1\n")
        (tmp_path / f"sub/{name}.sql").write_text("SELECT 1 AS a")
        rows.append(json.dumps({"instance_id": name, "condition_cols": [], "ignore_order": True}))
    (tmp_path / "gold/x_eval.jsonl").write_text("\n".join(rows))
    with sqlite3.connect(tmp_path / "local1.sqlite") as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    engines = 'engines={"local": {"engine": "sqlite", "database": "{id}.sqlite"}}'
    words = ("answers", "--result_dir", "sub", "--gold_dir", "gold", "--mode", "sql", "--option", engines)
    done = subprocess.run(
        warm_karat(*words),
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "150"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3, done.stderr
    assert "error: 1 answer not judged (local2): the database local2.sqlite does not exist" in done.stderr
    assert "submitted 2 · missing 0 · unknown 0 · errors 1" in done.stdout
    assert "of submitted (1)" in done.stdout
