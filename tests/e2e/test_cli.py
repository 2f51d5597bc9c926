"""The command line as a new user meets it: every verb, every exit code, in an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import yaml
from typer.testing import CliRunner

from karat.cli.main import app
from tests.warm import warm_karat


def karat(folder: Path, *words: str, code: int | None = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        warm_karat(*words),
        cwd=folder,
        env={**os.environ, "COLUMNS": "120", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert code is None or done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def project(tmp_path: Path) -> Path:
    karat(tmp_path, "init")
    return tmp_path


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['karat', '--help']\n"
        "from karat.cli.main import app\n"
        "try: app()\nexcept SystemExit: pass\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & "
        "{'rich', 'sqlalchemy', 'alembic', 'httpx', 'numpy', 'yaml', 'xlsxwriter', 'asyncio', 'polars', "
        "'pandas'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "Usage: karat" in done.stdout


@pytest.mark.parametrize("verb", ["run", "score", "check", "runs", "report", "init", "demo", "doctor"])
def test_every_verb_teaches(tmp_path: Path, verb: str) -> None:
    assert "Usage: " in karat(tmp_path, verb, "--help").stdout


def test_version_and_completion(tmp_path: Path) -> None:
    assert karat(tmp_path, "--version").stdout.startswith("karat 0.")
    script = Path(sys.executable).parent / "karat"
    asked = {**os.environ, "_KARAT_COMPLETE": "complete_bash", "COMP_WORDS": "karat r", "COMP_CWORD": "1"}
    done = subprocess.run([script], env=asked, capture_output=True, text=True, timeout=60)
    assert set(done.stdout.split()) == {"run", "runs", "report"}
    asked |= {"COMP_WORDS": "karat run --system o", "COMP_CWORD": "3"}
    assert subprocess.run([script], env=asked, capture_output=True, text=True, timeout=60).stdout.split() == ["openai"]


def test_init_then_run_then_report(project: Path) -> None:
    files = {"karat.yaml", "cases", "codelists", "predictions.jsonl", "README.md", ".karat"}
    assert {p.name for p in project.iterdir()} == files
    done = karat(project, "run", code=3)  # the recorded assistant failed once
    assert "macro recall" in done.stdout
    assert "1 error" in done.stdout
    assert (project / ".karat" / "karat.db").is_file()
    karat(project, "report", "latest", "--xlsx", "report.xlsx")
    sheets = openpyxl.load_workbook(project / "report.xlsx").sheetnames
    assert sheets == [
        "Overview",
        "Statistics",
        "Outcomes",
        "Confusions",
        "Label drift",
        "Errors",
        "Failure groups",
        "About",
    ]
    assert "r-0001" in karat(project, "runs", "list").stdout
    assert "macro recall" in karat(project, "runs", "show").stdout


def test_init_overwrites_nothing(project: Path) -> None:
    done = karat(project, "init", code=2)
    assert "already exists" in done.stderr


def test_one_shot_score_needs_no_project_and_stores_nothing(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    empty = tmp_path_factory.mktemp("empty")
    words = [
        "score",
        "--suite",
        "data_query",
        "--cases",
        str(project / "cases"),
        "--predictions",
        str(project / "predictions.jsonl"),
    ]
    karat(empty, *words, "--json", "out.json", "--xlsx", "out.xlsx", code=3)
    assert {p.name for p in empty.iterdir()} == {"out.json", "out.xlsx"}
    result = json.loads((empty / "out.json").read_text())
    assert set(result) == {"run", "summary", "figures", "failure_groups", "cases"}
    assert {"metric", "mean", "n", "low", "high"} <= set(result["summary"][0])
    names = [item["metric"] for item in result["summary"]]
    assert names[:13] == [
        "macro_recall", "macro_precision", "macro_f1", "macro_precision_target_dims", "macro_recall_by_id",
        "macro_precision_by_id", "micro_recall", "micro_precision", "micro_f1", "f_beta", "dataset_recall",
        "dataset_precision", "unexpected_dataset",
    ]  # fmt: skip
    assert "exact_match" in names
    by_id = {case["id"]: case for case in result["cases"]}
    assert {"id", "status", "scores", "details"} <= set(by_id["population_chile"])
    dimension = by_id["population_chile"]["details"]["dimensions"][0]
    assert {
        "dimension",
        "true_positives",
        "false_positives",
        "false_negatives",
        "precision",
        "recall",
        "in_target",
    } <= set(dimension)
    assert {case["status"] for case in result["cases"]} == {"scored", "error"}


def test_json_on_standard_output_is_nothing_but_json(project: Path) -> None:
    assert json.loads(karat(project, "run", "--json", "-", code=3).stdout)["run"]["id"] == "r-0001"
    assert json.loads(karat(project, "runs", "list", "--json", "-").stdout)[0]["run"] == "r-0001"
    checked = json.loads(karat(project, "check", "--json", "-").stdout)
    assert (checked["problems"], checked["fixed"], len(checked["cases"])) == ([], {}, 14)
    assert all(item["state"] in ("ok", "absent") for item in json.loads(karat(project, "doctor", "--json", "-").stdout))


def test_choosing_cases(project: Path) -> None:
    result = json.loads(karat(project, "score", "--tag", "weo", "--json", "-", code=None).stdout)
    assert 1 < len(result["cases"]) < 14
    result = json.loads(karat(project, "score", "--case", "population_chile", "--json", "-").stdout)
    assert [case["id"] for case in result["cases"]] == ["population_chile"]
    result = json.loads(karat(project, "score", "--limit", "2", "--json", "-", code=None).stdout)
    assert len(result["cases"]) == 2
    done = karat(project, "score", "--case", "population_chili", code=2)
    assert 'Did you mean "population_chile"?' in done.stderr


def test_options_on_the_command_line(project: Path) -> None:
    def recall(*words: str) -> Any:
        found = json.loads(karat(project, "score", "--json", "-", *words, code=None).stdout)
        return next(item for item in found["summary"] if item["metric"] == "macro_recall")

    left_out, zero = recall(), recall("--option", "errors=zero")
    assert zero["n"] == left_out["n"] + 1
    assert zero["mean"] == pytest.approx(left_out["with_errors_as_zero"])
    done = karat(project, "score", "--option", "eror=zero", code=2)
    assert 'Did you mean "errors"?' in done.stderr
    assert "expected one of leave_out, zero" in karat(project, "score", "--option", "errors=none", code=2).stderr


def test_a_broken_gate_is_exit_code_1(project: Path) -> None:
    file = project / "karat.yaml"
    file.write_text(file.read_text().replace("at_least: 0.5", "at_least: 0.99"))
    done = karat(project, "run", code=1)
    assert "gate failed: data_query.macro_recall is 0.7" in done.stderr
    karat(project, "score", "latest", "--gate", "data_query.macro_recall>=0.7", code=3)
    karat(project, "score", "latest", "--gate", "data_query.macro_recall<=0.7", code=1)


def test_run_options_of_the_project_file_are_heeded(project: Path) -> None:
    file = project / "karat.yaml"
    file.write_text(file.read_text() + "\nrun: {repeats: 2, limit: 3, workers: 2}\n")
    result = json.loads(karat(project, "run", "--json", "-", code=None).stdout)
    assert (len(result["cases"]), result["run"]["repeats"]) == (3, 2)
    assert len(json.loads(karat(project, "run", "--json", "-", "--limit", "1", code=None).stdout)["cases"]) == 1
    file.write_text(file.read_text().replace("workers: 2", "workers: 0"))
    assert "workers must be at least 1" in karat(project, "run", code=2).stderr


def test_the_executor_of_the_project_file_is_checked_and_used(project: Path) -> None:
    file = project / "karat.yaml"
    before = file.read_text()
    here = json.loads(karat(project, "run", "--json", "-", code=None).stdout)
    file.write_text(before + "\nexecutor: processes:2\n")
    there = json.loads(karat(project, "run", "--json", "-", code=None).stdout)
    assert [case["scores"] for case in there["cases"]] == [case["scores"] for case in here["cases"]]
    again = json.loads(karat(project, "score", "latest", "--json", "-", "--executor", "in-process", code=None).stdout)
    assert [case["scores"] for case in again["cases"]] == [case["scores"] for case in here["cases"]]
    assert "cannot be combined" in karat(project, "run", "--workers", "2", "--executor", "processes:2", code=2).stderr
    file.write_text(before + "\nexecutor: proceses:2\n")
    said = karat(project, "run", code=2).stderr
    assert f"karat.yaml:{before.count(chr(10)) + 2}:11" in said
    assert 'unknown executor "proceses:2"' in said and 'Did you mean "processes:4"?' in said
    file.write_text(before + "\nexecutor: processes:2\nrun: {workers: 2}\n")
    assert "executor and run.workers cannot be combined" in karat(project, "run", code=2).stderr
    file.write_text(before + "\nexecuter: processes:2\n")
    assert 'Did you mean "executor"?' in karat(project, "run", code=2).stderr


def test_score_takes_the_same_cases_as_run(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    file = project / "karat.yaml"
    plain = file.read_text()

    def cases(*words: str) -> list[str]:
        found: list[list[str]] = []
        for verb in ("run", "score"):
            result = json.loads(CliRunner().invoke(app, [verb, "--json", *words]).stdout)
            found.append([case["id"] for case in result["cases"]])
        assert found[0] == found[1]
        return found[0]

    everything, tagged = cases(), cases("--tag", "critical")
    assert len(everything) == 14
    assert 3 <= len(tagged) < 14
    file.write_text(plain + "\nrun: {limit: 3}\n")
    assert cases() == everything[:3]
    assert len(cases("--limit", "5")) == 5, "the command line wins"
    file.write_text(plain + "\nrun: {tags: [critical], limit: 3}\n")
    assert cases() == tagged[:3]
    assert set(cases("--tag", "weo")) - set(tagged), "the command line wins"
    outside = next(case for case in everything if case not in tagged)
    assert cases("--case", outside) == [outside], "a case that is named is taken"


def test_two_suites_write_two_files(project: Path) -> None:
    file = project / "karat.yaml"
    file.write_text(
        "suites:\n- {suite: data_query, cases: cases, predictions: predictions.jsonl}\n"
        "- {suite: data_query, cases: cases, predictions: predictions.jsonl, options: {errors: zero}}\n"
    )
    karat(project, "score", "--json", "out.json", code=3)
    first, second = (json.loads((project / f"out.{name}.json").read_text()) for name in ("data_query", "data_query-2"))
    assert (first["run"]["options"]["errors"], second["run"]["options"]["errors"]) == ("leave_out", "zero")


def test_mistakes_in_the_project_file_are_shown_with_their_place(project: Path) -> None:
    file = project / "karat.yaml"
    file.write_text(
        "sutes: []\nsystems:\n  a: {type: opneai}\n  b: {type: http, ulr: x}\nsuites:\n- {suite: data_qery, cases: "
        "cases}\n"
    )
    done = karat(project, "run", code=2)
    text = done.stderr.replace("\n", " ")
    for words in (
        'karat.yaml:1:1: unknown key "sutes"',
        'Did you mean "suites"?',
        "3:13",
        'Did you mean "openai"?',
        'unknown key "ulr"',
        'Did you mean "url"?',
    ):
        assert words in text, done.stderr
    file.write_text(
        "gates: [{metric: data_query.macro_recal, at_least: 1}]\nsuites: [{suite: data_query, cases: cases, system: "
        "nobody}]\n"
    )
    text = karat(project, "check", code=2).stderr
    assert 'names the system "nobody"' in text and 'Did you mean "macro_recall"?' in text


def test_no_project_here_says_what_to_do(tmp_path: Path) -> None:
    done = karat(tmp_path, "run", code=2)
    assert "karat init" in done.stderr
    assert karat(tmp_path, "runs", "list", code=2).stderr


def test_the_folder_of_a_project_is_checked_as_the_project(tmp_path: Path) -> None:
    karat(tmp_path, "init", "--suite", "retrieval", "shop")
    assert "no mistakes" in karat(tmp_path, "check", "shop").stdout
    assert "no mistakes" in karat(tmp_path / "shop", "check", ".").stdout


def test_check_lists_every_mistake_and_fixes_names(project: Path) -> None:
    done = karat(project, "check", "--structure", "codelists")
    assert "label drift: GGXWDG_NGDP" in done.stdout
    karat(project, "check", "--structure", "codelists", "--fix-names")
    assert "label drift" not in karat(project, "check", "--structure", "codelists").stdout
    (project / "cases" / "bad.yaml").write_text("id: x\nconversation:\n- {role: user, contnt: y}\n")
    (project / "cases" / "worse.yaml").write_text("id: [")
    done = karat(project, "check", code=1)
    assert 'Did you mean "content"?' in done.stdout
    assert "3 mistakes" in done.stdout  # the unknown key, the missing one, the broken file
    assert "14 cases in 16 files" in done.stdout
    assert "13 scored" in karat(project, "run", code=3).stdout  # the good ones are still run


def test_scoring_a_stored_run_again(project: Path) -> None:
    karat(project, "run", code=3)
    karat(project, "check", "--structure", "codelists", "--fix-names")
    again = karat(project, "score", "r-0001", code=3)
    assert "the case files have changed since" in again.stderr.replace("\n", " ")
    mended = json.loads(karat(project, "score", "latest", "--cases", "cases", "--json", "-", code=3).stdout)
    debt = next(case for case in mended["cases"] if case["id"] == "debt_italy_greece")
    assert debt["scores"]["macro_recall"] == 1.0  # the assistant was right; the case was out of date
    assert "r-0007" in karat(project, "score", "7", code=2).stderr


def test_a_run_is_tagged(project: Path) -> None:
    karat(project, "run", code=3)
    assert karat(project, "runs", "tag", "1", "baseline", "good").stdout == "r-0001: baseline, good\n"
    assert karat(project, "runs", "tag", "latest", "--remove", "good").stdout == "r-0001: baseline\n"
    assert json.loads(karat(project, "runs", "list", "--json").stdout)[0]["tags"] == ["baseline"]
    assert "no tag given" in karat(project, "runs", "tag", "1", code=2).stderr
    assert "r-0001" in karat(project, "runs").stdout  # alone it lists


def test_delete_asks_first(project: Path) -> None:
    karat(project, "run", code=3)
    karat(project, "runs", "delete", "1", code=1)  # nobody answers the question
    assert "r-0001" in karat(project, "runs", "list").stdout
    karat(project, "runs", "delete", "r-0001", "--yes")
    assert "no runs yet" in karat(project, "runs", "list").stdout


def test_ten_thousand_cases(tmp_path: Path) -> None:
    def case(number: int) -> dict[str, Any]:
        values = [{"id": f"I{number}", "name": f"indicator, number {number}"}]
        target = {
            "indicator_selection": [
                {"dataset_id": "X:D", "dimensions": [{"dimension_name": "INDICATOR", "values": values}]}
            ]
        }
        return {"id": f"case {number}", "conversation": [{"role": "user", "content": "Which?", "target": target}]}

    made = [case(number) for number in range(10_000)]
    (tmp_path / "cases.yaml").write_text(yaml.dump_all(made, Dumper=yaml.CSafeDumper))
    with (tmp_path / "p.jsonl").open("w") as handle:
        for item in made:
            handle.write(json.dumps({"id": item["id"], **item["conversation"][0]["target"]}) + "\n")
    words = [
        "score",
        "--suite",
        "data_query",
        "--cases",
        "cases.yaml",
        "--predictions",
        "p.jsonl",
        "--json",
        "o.json",
        "--xlsx",
        "o.xlsx",
    ]
    done = karat(tmp_path, *words)
    assert "10,000 scored" in done.stdout or "10000 scored" in done.stdout
    summary = {item["metric"]: item for item in json.loads((tmp_path / "o.json").read_text())["summary"]}
    assert (summary["exact_match"]["mean"], summary["exact_match"]["n"]) == (1.0, 10_000)


def test_a_store_that_cannot_be_written_is_a_clear_error(project: Path) -> None:
    (project / "file").write_text("in the way")
    done = karat(project, "run", "--store", "file/karat.db", code=2)
    assert "file" in done.stderr
    (project / "other.db").write_text("this is no database at all, but a text that is long enough to be read as one")
    assert "other.db" in karat(project, "run", "--store", "other.db", code=2).stderr


def test_postgresql_by_url_that_is_not_there(project: Path) -> None:
    done = karat(project, "runs", "list", "--store", "postgresql://me:s3cret-canary@127.0.0.1:1/none", code=2)
    assert "s3cret-canary" not in done.stdout + done.stderr


def test_output_into_a_closed_pipe_is_no_error(project: Path) -> None:
    command = f"{sys.executable} -m karat run --help | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=project, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
