"""The verbs on URLs: the same figures as on files of this machine, URLs in what is shown and stored, and nothing secret
in either."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import karat
from karat.cli.main import app
from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.records import truth_hash
from karat.core.remote import failures
from karat.core.remote.paths import local_path
from karat.store import open_store
from tests.conftest import ROOT
from tests.remote.conftest import Bucket
from tests.remote.servers import Pages

EXAMPLES = ROOT / "examples"
CACHE = ".karat/cache"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "PAUSES", (0.01, 0.01, 0.01, 0.01))
    monkeypatch.setenv("COLUMNS", "200")


def run(*words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(app, words)
    assert done.exit_code == code, f"{words}: {done.exit_code}\n{done.output}\n{done.exception!r}"
    assert CACHE not in done.output, done.output
    return done


def figures(file: Path) -> Any:
    """What a result says, without when it was made and from where."""
    found = json.loads(file.read_bytes())
    for key in ("id", "started", "finished", "system", "name"):
        found["run"].pop(key, None)
    text = json.dumps(found, sort_keys=True)
    return json.loads(text)


def store_text(here: Path) -> str:
    """Everything that the store holds, as text."""
    with sqlite3.connect(here / ".karat" / "karat.db") as db:
        return "\n".join(line for line in db.iterdump())


CASES = {
    "data_query": ("cases", "predictions.jsonl"),
    "answers": ("gold", "submission"),
}


@pytest.mark.parametrize("suite", CASES)
def test_score_reads_cases_and_predictions(bucket: Bucket, here: Path, suite: str) -> None:
    bucket.put_folder(EXAMPLES / suite, f"examples/{suite}")
    cases, predictions = CASES[suite]
    words = ("score", "--suite", suite, "--option", "today=2026-11-01", "--json")
    code = 3 if suite == "data_query" else 0
    own = EXAMPLES / suite
    run(*words, "here.json", "--cases", str(own / cases), "--predictions", str(own / predictions), code=code)
    there = f"s3://data/examples/{suite}"
    run(*words, "there.json", "--cases", f"{there}/{cases}", "--predictions", f"{there}/{predictions}", code=code)
    assert figures(here / "there.json") == figures(here / "here.json")
    result = json.loads((here / "there.json").read_text())
    assert result["run"]["system"] == f"{there}/{predictions}"
    assert CACHE not in (here / "there.json").read_text()


def test_a_task_file_is_read_with_the_tables_that_it_names(bucket: Bucket, here: Path) -> None:
    bucket.put_folder(EXAMPLES / "codegen", "codegen")
    there = "s3://data/codegen"
    words = ("--suite", "codegen", "--limit", "1", "--workers", "1", "--json", "there.json")
    run("score", "--cases", f"{there}/tasks.yaml", "--predictions", f"{there}/careful.jsonl", *words)
    result = json.loads((here / "there.json").read_text())
    assert [case["scores"]["passed"] for case in result["cases"]] == [1.0]
    suite = load_suite("codegen")
    away, own = (
        suite.load_cases(path).cases
        for path in (local_path(f"{there}/tasks.yaml"), EXAMPLES / "codegen" / "tasks.yaml")
    )
    assert truth_hash(away, suite.truth) == truth_hash(own, suite.truth) and len(away) > 1


def test_a_sheet_is_run_tuned_and_shown_with_the_table_beside_it(bucket: Bucket, here: Path) -> None:
    bucket.put_folder(EXAMPLES / "retrieval", "shop")
    there = "s3://data/shop/shop.sheet"
    assert "no mistakes" in run("check", there).output
    run("tune", there, "--budget-tokens", "60", "--models", "bm25", "--json", "there.json")
    run(
        "tune",
        str(EXAMPLES / "retrieval" / "shop.sheet"),
        "--budget-tokens",
        "60",
        "--models",
        "bm25",
        "--json",
        "here.json",
    )
    assert (
        json.loads((here / "there.json").read_text())["fields"]
        == json.loads((here / "here.json").read_text())["fields"]
    )
    run("sheet", there, "--models", "bm25", "--csv", "s3://data/out", "--xlsx", "s3://data/out/shop.xlsx")
    assert bucket.get("out/shop.xlsx").startswith(b"PK")
    written = [one["Key"] for one in bucket.client.list_objects_v2(Bucket="data", Prefix="out/")["Contents"]]
    assert any(key.endswith(".csv") for key in written)
    done = run("run", "--suite", "retrieval", "--cases", there, "--option", "models=[bm25]")
    assert "run r-0001" in done.output
    held = store_text(here)
    assert '"sheet": "s3://data/shop/shop.sheet"' in held or '"sheet":"s3://data/shop/shop.sheet"' in held


def test_answers_reads_both_folders_and_writes_its_reports_there(bucket: Bucket, here: Path) -> None:
    bucket.put_folder(EXAMPLES / "answers", "answers")
    folders = ("--result_dir", "s3://data/answers/submission", "--gold_dir", "s3://data/answers/gold")
    reports = ("--json", "s3://data/out/a.json", "--xlsx", "s3://data/out/a.xlsx", "--html", "s3://data/out/a.html")
    done = run("answers", *folders, *reports)
    for name in ("a.json", "a.xlsx", "a.html"):
        assert f"saved s3://data/out/{name}" in done.output
    assert json.loads(bucket.get("out/a.json"))["run"]["suite"] == "answers"
    assert bucket.get("out/a.xlsx").startswith(b"PK") and b"<html" in bucket.get("out/a.html")
    assert not [path for path in here.iterdir() if path.name != ".karat"], "nothing of it is left in the working folder"


def project(here: Path, bucket: Bucket) -> None:
    bucket.put_folder(EXAMPLES / "answers", "answers")
    (here / "karat.yaml").write_text(
        "name: remote\nsuites:\n"
        "  - {suite: answers, cases: s3://data/answers/gold, predictions: 's3://data/answers/submission/'}\n"
    )


def test_a_project_names_urls_and_a_run_of_it_is_scored_exported_and_resumed_without_the_cache(
    bucket: Bucket, here: Path
) -> None:
    project(here, bucket)
    assert "no mistakes" in run("check").output
    first = run("run", "--json", "first.json")
    assert "run r-0001" in first.output
    held = store_text(here)
    assert "s3://data/answers/gold" in held and "s3://data/answers/submission" in held
    with open_store(f"sqlite:///{here}/.karat/karat.db") as store:
        assert all(b'"file":"s3://data/answers/gold/' in case for case in store.cases(1)), "each says where it is from"
    local = karat.check("answers", EXAMPLES / "answers" / "gold")
    assert not [problem for problem in local if problem.severity == "error"]
    truth = json.loads((here / "first.json").read_text())["run"]["truth_set"]
    own = karat.score("answers", EXAMPLES / "answers" / "gold", EXAMPLES / "answers" / "submission")
    assert own.run.truth_set == truth, "the truth does not depend on where the files are"

    shutil.rmtree(here / ".karat" / "cache")
    run("score", "r-0001", "--json", "again.json")
    assert figures(here / "again.json") == figures(here / "first.json")

    shutil.rmtree(here / ".karat" / "cache")
    with sqlite3.connect(here / ".karat" / "karat.db") as db:  # a run that was stopped before its first answer
        db.execute("update runs set status = 'interrupted'")
        db.execute("delete from run_blocks where kind in ('responses', 'answer_keys', 'answer_words')")
    done = run("run", "--resume", "r-0001", "--json", "resumed.json")
    assert "25 calls to make" in done.output
    assert figures(here / "resumed.json") == figures(here / "first.json")

    run("report", "r-0001", "--xlsx", "s3://data/out/report.xlsx", "--json", "s3://data/out/report.json")
    assert json.loads(bucket.get("out/report.json"))["run"]["id"] == "r-0001"
    run(
        "export", "r-0001", "--predictions", "s3://data/export/answers.jsonl", "--scores", "s3://data/export/scores.csv"
    )
    assert bucket.get("export/scores.csv").startswith(b"id,")
    back = ("--cases", "s3://data/answers/gold", "--predictions", "s3://data/export/answers.jsonl")
    run("score", "--suite", "answers", *back, "--json", "back.json")
    assert figures(here / "back.json")["summary"] == figures(here / "first.json")["summary"]


def test_gates_and_comparisons_are_written_there(bucket: Bucket, here: Path) -> None:
    project(here, bucket)
    run("run")
    run("run")
    run(
        "gate",
        "latest",
        "--gate",
        "answers.strict>=0",
        "--junit",
        "s3://data/out/g.xml",
        "--markdown",
        "s3://data/out/g.md",
    )
    assert b"<testsuite" in bucket.get("out/g.xml") and b"|" in bucket.get("out/g.md")
    run("compare", "1", "2", "--markdown", "s3://data/out/c.md", "--xlsx", "s3://data/out/c.xlsx")
    assert bucket.get("out/c.xlsx").startswith(b"PK")


def test_mistakes_are_shown_with_their_url_line_and_text(bucket: Bucket, here: Path) -> None:
    bucket.put("cases/bad.yaml", "- id: a\n  conversatoin: []\n")
    done = run("check", "s3://data/cases", "--suite", "data_query", "--json", "found.json", code=1)
    assert "s3://data/cases/bad.yaml:" in done.output and "conversatoin" in done.output and "^" in done.output
    problems = json.loads((here / "found.json").read_text())["problems"]
    assert {problem["file"] for problem in problems} == {"s3://data/cases/bad.yaml"}
    found = karat.check("data_query", "s3://data/cases/bad.yaml")
    assert {problem.file for problem in found} == {"s3://data/cases/bad.yaml"}


def test_remote_files_are_not_changed_in_place(bucket: Bucket, here: Path) -> None:
    bucket.put_folder(EXAMPLES / "retrieval", "shop")
    untidy = bucket.get("shop/shop.sheet").replace(b"\n", b"   \n") + b"\n\n\n"
    url = bucket.put("shop/shop.sheet", untidy)
    done = CliRunner().invoke(app, ["sheet", "fmt", url])
    assert isinstance(done.exception, UserError) and f"cannot write {url}: it is a remote file" in str(done.exception)
    assert bucket.get("shop/shop.sheet") == untidy == local_path(url).read_bytes()


def test_import_reads_a_remote_file_and_writes_beside_the_working_folder(bucket: Bucket, here: Path) -> None:
    bucket.put("log.csv", "question,expected,answer\nWhat is 1+1?,2,2\n")
    done = run("import", "s3://data/log.csv", "--suite", "answers")
    assert "s3://data/log.csv" in done.output and (here / "log").is_dir()


def test_python_takes_urls_and_reads_changed_cases_again(bucket: Bucket, here: Path) -> None:
    bucket.put("c.qrels", "q1 0 lemon 1\n")
    bucket.put("p.jsonl", '{"id": "q1", "results": ["lemon"]}\n')
    result = karat.score("retrieval", "s3://data/c.qrels", "s3://data/p.jsonl")
    assert result.metric("recall").mean == 1.0 and result.run.system == "s3://data/p.jsonl"
    bucket.put("c.qrels", "q1 0 lime! 1\n")
    assert karat.score("retrieval", "s3://data/c.qrels", "s3://data/p.jsonl").metric("recall").mean == 0.0
    stored = karat.run("retrieval", "s3://data/c.qrels", predictions="s3://data/p.jsonl", store="runs.db")
    assert stored.run.id == "r-0001"
    with pytest.raises(UserError, match=r"s3://data/nothing\.jsonl"):
        karat.score("retrieval", "s3://data/nothing.jsonl", "s3://data/p.jsonl")


def test_nothing_secret_of_a_url_is_stored_printed_logged_or_reported(
    web: Pages, here: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    web.files["/c.qrels"] = b"q1 0 lemon 1\n"
    web.files["/p.jsonl"] = b'{"id": "q1", "results": ["lemon"]}\n{"id": "q2", \n'
    secret = f"http://me:canary-password@{web.address}"
    words = ("--suite", "retrieval", "--cases", f"{secret}/c.qrels?sig=canary-sig", "--predictions")
    done = run("run", *words, f"{secret}/p.jsonl?token=canary-token", "--html", "r.html", "--json", "r.json", code=3)
    assert f"•••@{web.address}/p.jsonl?•••:2" in done.output
    put = f"{secret}/out.json?X-Amz-Signature=canary-put"
    assert f"http://•••@{web.address}/out.json?•••" in run("report", "latest", "--json", put).output
    assert json.loads(web.files["/out.json"])["run"]["id"] == "r-0001"
    assert "canary" not in done.output
    requests = [record.getMessage() for record in caplog.records if record.name == "httpx"]
    assert any("/c.qrels" in one for one in requests) and any("/out.json" in one for one in requests)
    assert "canary" not in caplog.text, "the HTTP library logs whole URLs"
    for file in here.rglob("*"):
        if file.is_file():
            assert b"canary" not in file.read_bytes(), file
    run("run", "--resume", "r-0001")


def test_what_cannot_be_written_is_said_before_anything_runs(bucket: Bucket, web: Pages, here: Path) -> None:
    bucket.put("c.qrels", "q1 0 lemon 1\n")
    bucket.put("p.jsonl", '{"id": "q1", "results": ["lemon"]}\n')
    done = CliRunner().invoke(
        app, ["run", "--json", "s3://nobucket/r.json", "--suite", "retrieval", "--cases", "s3://data/c.qrels"]
    )
    assert isinstance(done.exception, UserError) and 'there is no bucket "nobucket"' in str(done.exception)
    assert not (here / ".karat").exists()
    web.answers["/r.json"] = 403
    words = [
        "score",
        "--suite",
        "retrieval",
        "--cases",
        "s3://data/c.qrels",
        "--predictions",
        "s3://data/p.jsonl",
        "--json",
    ]
    done = CliRunner().invoke(app, [*words, web.url("/r.json")])
    assert (
        isinstance(done.exception, UserError) and "cannot write" in str(done.exception) and "403" in str(done.exception)
    )


def test_a_report_that_fails_half_way_leaves_the_old_one(bucket: Bucket, here: Path) -> None:
    from karat.core.files.atomic import write_atomically

    bucket.put("r.json", "old")

    def broken(part: Path) -> None:
        part.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError):
        write_atomically(Path("s3://data/r.json"), broken)
    assert bucket.get("r.json") == b"old"


def exported_with_files(bucket: Bucket, here: Path) -> tuple[str, dict[str, bytes]]:
    """A run whose answers are files, and what its export writes beside the answers."""
    project(here, bucket)
    run("run")
    run("export", "r-0001", "--predictions", "local/answers.jsonl")
    folder = here / "local"
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    files.pop("answers.jsonl")
    assert files, "the example has answers that are files"
    return sorted(files)[0], files


def test_files_beside_a_remote_export_are_never_overwritten(bucket: Bucket, here: Path) -> None:
    name, files = exported_with_files(bucket, here)
    bucket.put(f"out/{name}", "somebody else's work")
    done = CliRunner().invoke(app, ["export", "r-0001", "--predictions", "s3://data/out/answers.jsonl"])
    assert isinstance(done.exception, UserError)
    assert "already exists with other content" in str(done.exception) and name in str(done.exception)
    assert bucket.get(f"out/{name}") == b"somebody else's work"

    bucket.put(f"out/{name}", files[name])
    for _ in range(2):  # what is there with the same content is no reason to refuse
        run("export", "r-0001", "--predictions", "s3://data/out/answers.jsonl")
    assert {key: bucket.get(f"out/{key}") for key in files} == files


def test_an_export_fetches_the_copies_that_were_deleted(bucket: Bucket, here: Path) -> None:
    _, files = exported_with_files(bucket, here)
    shutil.rmtree(here / ".karat" / "cache")
    run("export", "r-0001", "--predictions", "again/answers.jsonl")
    assert {key: (here / "again" / key).read_bytes() for key in files} == files


def test_files_at_a_web_server_are_not_overwritten_either(web: Pages, here: Path) -> None:
    from karat.verbs.exports.contents import Exported, write_beside

    web.files["/out/a.csv"] = b"theirs"
    folder = Path(web.url("/out"))
    with pytest.raises(UserError, match="already exists with other content"):
        write_beside(Exported(b"", {Path("a.csv"): b"ours"}), folder)
    write_beside(Exported(b"", {Path("a.csv"): b"theirs", Path("b.csv"): b"new"}), folder)
    assert web.files["/out/a.csv"] == b"theirs" and web.files["/out/b.csv"] == b"new"


def test_doctor_says_where_the_copies_are_and_what_they_take(bucket: Bucket, here: Path) -> None:
    from karat.verbs.setup.doctor import findings

    assert not [one for one in findings() if one.what == "cache"]
    local_path(bucket.put("cases/a.yaml", "x" * 1_500_000))
    (found,) = [one for one in findings() if one.what == "cache"]
    assert found.note.startswith("1 remote file, 1.5 MB, in ") and "you can delete the folder" in found.note
    shutil.rmtree(here / ".karat" / "cache" / "remote")
    assert not [one for one in findings() if one.what == "cache"]


def test_no_secret_of_an_output_or_of_a_recorded_system_is_shown_or_stored(web: Pages, here: Path) -> None:
    web.files["/p.jsonl"] = b'{"id": "q1", "results": ["lemon"]}\n'
    secret = f"http://me:canary@{web.address}"
    (here / "c.qrels").write_text("q1 0 lemon 1\n")
    (here / "karat.yaml").write_text(
        f"name: secret\nsuites:\n  - {{suite: retrieval, cases: c.qrels, predictions: '{secret}/p.jsonl?sig=canary'}}\n"
    )
    assert "canary" not in run("run").output
    assert "canary" not in run("score").output
    karat.run("retrieval", "c.qrels", {"type": "replay", "predictions": f"{secret}/p.jsonl?sig=canary"})
    assert "canary" not in store_text(here)
    for option in ("--scores", "--predictions", "--reviews"):
        done = run("export", "r-0001", option, f"{secret}/out{option}?sig=canary")
        assert "canary" not in done.output and f"•••@{web.address}/out{option}?•••" in done.output


def test_the_engines_of_a_project_are_found_by_the_url_of_its_gold(bucket: Bucket, here: Path) -> None:
    from karat.suites.answers.options import Options
    from karat.verbs.answers.submission import _with_engines_here

    gold = bucket.put_folder(EXAMPLES / "answers" / "gold", "gold")
    engines = "options: {engines: {db: {engine: duckdb, database: %s.duckdb}}}"
    (here / "karat.yaml").write_text(
        f"name: two\nsuites:\n  - {{suite: answers, cases: other, {engines % 'other'}}}\n"
        f"  - {{suite: answers, cases: '{gold}/', {engines % 'own'}}}\n"
    )
    assert "own.duckdb" in str(_with_engines_here(Options(), local_path(gold)).engines)
