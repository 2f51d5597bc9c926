"""The tuning of a sheet's own search belongs to the run: every command and report has it, whichever questions the run
asks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import openpyxl
import pytest
from typer.testing import CliRunner

import karat
from karat.cli.main import app
from karat.core import plugins
from karat.reports.full_report import whole_report
from karat.search.choose.reporting.result import Tuning
from karat.store import Store, open_store
from karat.store.database import revision
from karat.suites.retrieval import suite
from karat.suites.retrieval.notes import tuning_of
from tests.suites.retrieval.sheets.test_sheets import SHEET

OPTIONS = {"models": ["bm25"], "budget_tokens": 20}
RUN = ["run", "--suite", "retrieval", "--cases", "fruit.sheet", "-o", "models=[bm25]", "-o", "budget_tokens=20"]


@pytest.fixture
def sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fruit.sheet").write_text(SHEET)
    return tmp_path / "fruit.sheet"


def command(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (0, 1), done.output
    return done.output


def mistakes(result: karat.RunResult) -> list[str]:
    """Not the warning about the truth that is no value of the sheet."""
    return [problem.message for problem in result.problems if "yellow quince" not in problem.message]


def tuned_cells(file: str) -> dict[str, list[list[Any]]]:
    """The sheets of a workbook that are about the tuning, cell by cell, without the seconds that it took."""
    book = openpyxl.load_workbook(file)
    own = ("Overview", "Statistics", "Worst questions", "Errors", "Failure groups", "About")
    return {
        page.title: [[cell.value for cell in row] for row in page.iter_rows() if "seconds" not in str(row[0].value)]
        for page in book
        if page.title not in own
    }


def test_a_run_of_one_question_has_the_tuning_of_the_sheet(sheet: Path) -> None:
    command(*RUN, "--xlsx", "all.xlsx")
    whole = tuned_cells("all.xlsx")
    assert whole, "the sheets of karat tune"
    said = command(*RUN, "--case", "pear_or_plum", "--xlsx", "one.xlsx", "--json", "one.json", "--html", "one.html")
    assert tuned_cells("one.xlsx") == whole
    assert "in-sample    passed 2 of 3" in said
    written = json.loads(Path("one.json").read_bytes())
    assert msgspec.convert(written["notes"]["tuning"], Tuning).questions == 3
    assert [list(case["details"]) for case in written["cases"]] == [["fields"]]
    for title in ("Recall against n: Stock[item]", "Questions passed against tokens"):
        assert title in Path("one.html").read_text()
    answers = command("export", "latest", "--predictions", "-").splitlines()
    assert set(json.loads(answers[0])) == {"id", "turn", "fields"}
    assert "tuning" in command("report", "latest", "--json", "-")


def test_scoring_again_reporting_and_resuming_keep_it(sheet: Path) -> None:
    command(*RUN, "--case", "pear_or_plum", "--xlsx", "first.xlsx")
    first = tuned_cells("first.xlsx")
    command("score", "latest", "--xlsx", "score.xlsx", "--json", "score.json")
    command("report", "latest", "--xlsx", "report.xlsx")
    again = karat.run(resume="latest", store=".karat/karat.db")
    assert tuned_cells("score.xlsx") == tuned_cells("report.xlsx") == first
    assert tuning_of(again) == tuning_of(karat.load_run("latest", store=".karat/karat.db"))
    assert tuning_of(again) is not None
    compared = karat.compare("latest", again, store=".karat/karat.db")
    assert compared.changes == ()


def test_the_viewer_has_it(sheet: Path) -> None:
    from starlette.testclient import TestClient

    from karat.web.app import create_app

    karat.run(suite="retrieval", cases=sheet, case_ids=["a_quince"], options=OPTIONS, store="k.db")
    with TestClient(create_app(f"sqlite:///{sheet.parent}/k.db"), base_url="http://127.0.0.1:8765") as viewer:
        assert "Recall against n: Stock[item]" in viewer.get("/runs/r-0001/report").text
        links = [address for address in _addresses(viewer.get("/runs/r-0001").text) if "xlsx" in address]
        Path("viewer.xlsx").write_bytes(viewer.get(links[0]).content)
    assert tuned_cells("viewer.xlsx")


def _addresses(page: str) -> list[str]:
    return [part.partition('"')[0].replace("&amp;", "&") for part in page.split('href="')[1:]]


@pytest.mark.parametrize("answered", [0, 1])
def test_a_resumed_run_has_the_tuning_that_its_stored_answers_were_made_with(sheet: Path, answered: int) -> None:
    """Answers that are stored stay, and so does what they were made with; where none is stored, all come from the new
    tuning."""
    from sqlalchemy import text

    karat.run(suite="retrieval", cases=sheet, options=OPTIONS, store="k.db")
    with open_store("k.db") as store:
        store.add_notes(1, {"tuning": store.notes(1)["tuning"] | {"questions": 77}}, replace=True)
        kept = store.predictions(1)[:answered]
        with store._writing() as connection:
            kinds = "('responses', 'answer_keys', 'answer_words')"
            connection.execute(text(f"DELETE FROM run_blocks WHERE kind IN {kinds}"))
        store.add_predictions(1, kept)
        store.set_status(1, "interrupted")
    tuning = tuning_of(karat.run(resume="latest", store="k.db"))
    assert tuning is not None and tuning.questions == (77 if answered else 3)
    assert tuning_of(karat.load_run("latest", store="k.db")) == tuning


def test_an_export_can_be_scored_and_run_with_it(sheet: Path) -> None:
    command(*RUN, "--xlsx", "all.xlsx")
    command("export", "latest", "--predictions", "answers.jsonl")
    lines = [json.loads(line) for line in Path("answers.jsonl").read_text().splitlines()]
    assert [set(line) - {"turn"} for line in lines] == [{"id", "fields"}] * 3 + [{"notes"}]
    recorded = ["--suite", "retrieval", "--cases", "fruit.sheet", "--predictions", "answers.jsonl"]
    command("score", *recorded, "--xlsx", "score.xlsx")
    command("run", *recorded, "--case", "a_quince", "--xlsx", "run.xlsx")
    assert tuned_cells("score.xlsx") == tuned_cells("run.xlsx") == tuned_cells("all.xlsx")
    assert karat.load_run("latest", store=".karat/karat.db").notes == lines[-1]["notes"]
    given = karat.score(suite="retrieval", cases=sheet, predictions=lines)
    assert (given.notes, mistakes(given)) == (lines[-1]["notes"], [])


def test_what_an_earlier_karat_exported_is_read_too(sheet: Path) -> None:
    result = karat.run(suite="retrieval", cases=sheet, options=OPTIONS, store="k.db")
    command("export", "latest", "--store", "k.db", "--predictions", "answers.jsonl")
    lines = [json.loads(line) for line in Path("answers.jsonl").read_text().splitlines()]
    first, *rest = lines[:3]
    earlier = [first | {"tuning": result.notes["tuning"]}, *rest]
    scored = karat.score(suite="retrieval", cases=sheet, predictions=earlier)
    assert (scored.notes, mistakes(scored), scored.summary) == (result.notes, [], result.summary)


@pytest.mark.parametrize("other", [{"temperature": 0.5}, "fine", 3, {}])
def test_what_another_system_calls_tuning_is_no_note(sheet: Path, other: Any) -> None:
    answer = {"fields": {"Stock[item]": ["red apple"]}, "tuning": other}
    result = karat.run(suite="retrieval", cases=sheet, system=lambda _request: answer, store="k.db")
    assert result.notes == {} and result.cases[0].scores["passed"].value == 1.0
    assert all(sheet.title != "Fields" for sheet in whole_report(result, suite).sheets)
    recorded = karat.score(suite="retrieval", cases=sheet, predictions=[{"id": "a_quince", **answer}])
    assert (recorded.notes, mistakes(recorded)) == ({}, [])


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        ({"tuning": {"fields": []}}, 'the note "tuning" of the run cannot be read and is left out'),
        ({"tunning": {}}, 'the suite retrieval has no note "tunning" of a run'),
        ({"tuning": 5}, 'the note "tuning" of the run cannot be read'),
    ],
)
def test_notes_that_cannot_be_used_are_left_out_with_a_warning(sheet: Path, notes: Any, said: str) -> None:
    lines = [{"id": "a_quince", "fields": {"Stock[item]": ["red apple"]}}, {"notes": notes}]
    for result in (
        karat.score(suite="retrieval", cases=sheet, predictions=lines),
        karat.run(suite="retrieval", cases=sheet, predictions=lines, store="k.db"),
    ):
        assert result.notes == {}
        assert [problem.severity for problem in result.problems if said in problem.message] == ["warning"]


def test_a_run_of_an_older_store_keeps_its_sheets(sheet: Path) -> None:
    """The store as karat wrote it before there were notes: the tuning in the first answer and in the details of its
    case."""
    from alembic import command as alembic
    from sqlalchemy import text

    result = karat.run(suite="retrieval", cases=sheet, options=OPTIONS, store="k.db")
    before = whole_report(result, plugins.load_suite("retrieval"))
    tuning = msgspec.json.encode(result.notes["tuning"]).decode()
    with open_store("k.db") as store:
        with store._writing() as connection:
            alembic.downgrade(revision.alembic_config(connection), "0005")
        _put(store, "predictions", "response", "id", "fields", tuning)
        _put(store, "scores", "data", "position", "details.fields", tuning)
        with store._writing() as connection:
            alembic.downgrade(revision.alembic_config(connection), "0004")
            assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "0004"
    after = karat.load_run("latest", store="k.db")
    assert (after.notes, after.cases) == (result.notes, result.cases)
    assert whole_report(after, plugins.load_suite("retrieval")) == before


def _put(store: Store, table: str, column: str, key: str, place: str, tuning: str) -> None:
    from sqlalchemy import text

    from karat.store.codec import pack, unpack

    with store._writing() as connection:
        row = connection.execute(text(f"SELECT {key}, codec, {column} FROM {table} ORDER BY {key} LIMIT 1")).one()
        value = json.loads(unpack(row[1], row[2]))
        (value["details"] if place.startswith("details") else value)["tuning"] = json.loads(tuning)
        codec, data = pack(json.dumps(value).encode())
        change = text(f"UPDATE {table} SET codec = :codec, {column} = :data WHERE {key} = :key")
        connection.execute(change, {"codec": codec, "data": data, "key": row[0]})


# -- held-out figures -------------------------------------------------------------------------------------------------


def test_held_out_figures_are_metrics_of_the_run(sheet: Path) -> None:
    """Truths at ranks that only their own question needs: chosen without it, a question does not pass."""
    result = karat.run(suite="retrieval", cases=sheet, options=OPTIONS, store="k.db")
    tuning = tuning_of(result)
    assert tuning is not None and (out := tuning.held_out) is not None
    names = [item.metric for item in result.summary]
    assert names[:4] == ["held_out_passed", "held_out_recall", "passed", "recall"]
    passed, recall = result.metric("held_out_passed"), result.metric("held_out_recall")
    assert passed.n == 3
    assert passed.mean == pytest.approx(out.passed / 3)
    assert (passed.low, passed.high) == (out.passed_low / 3, out.passed_high / 3)
    assert (recall.low, recall.high) == (out.recall_low, out.recall_high)
    assert recall.mean == pytest.approx(out.mean_recall)
    values = [case.scores["held_out_passed"].value for case in result.cases]
    assert values == [detail.held_out_passed for detail in tuning.questions_detail]
    titles = [metric.title for metric in suite.metrics_for(result.run.headline)]
    assert titles[:4] == ["passed, held out", "recall, held out", "passed, in-sample", "recall, in-sample"]
    again = karat.load_run("latest", store="k.db")
    assert (again.summary, again.run.headline) == (result.summary, result.run.headline)


def test_they_gate_compare_and_report_like_any_other(sheet: Path) -> None:
    said = command(*RUN, "--gate", "retrieval.held_out_passed>=0.99", "--html", "one.html", "--json", "one.json")
    command("gate", "latest", "--gate", "retrieval.held_out_passed>=0.99", "--junit", "one.xml")
    assert "retrieval.held_out_passed is" in said and "in-sample" in said
    assert CliRunner().invoke(app, [*RUN, "--gate", "retrieval.held_out_passed>=0.99"]).exit_code == 1
    assert CliRunner().invoke(app, [*RUN, "--gate", "retrieval.held_out_recall>=0"]).exit_code == 0
    assert "passed, held out" in Path("one.html").read_text("utf-8")
    assert "held_out_passed" in Path("one.xml").read_text("utf-8")
    page = Path("one.html").read_text("utf-8")
    title = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.S)
    assert title is not None and re.search(r"passed, held out; \d+ of \d+ passed, in-sample", title[1])
    assert page.index("passed, held out") < page.index("recall, held out") < page.index(">passed, in-sample")
    found = json.loads(Path("one.json").read_text("utf-8"))
    assert found["summary"][0]["metric"] == "held_out_passed"
    assert "passed, held out" in command("compare", "r-0001", "r-0002")


def test_recorded_results_have_none_and_a_gate_says_why(sheet: Path) -> None:
    lines = [
        {"id": name, "fields": {"Stock[item]": {"keys": ["red apple"]}}, "held_out": {"passed": 1.0}}
        for name in ("a_red_apple_please", "pear_or_plum", "a_quince")
    ]
    Path("run.jsonl").write_text("\n".join(map(json.dumps, lines)))
    words = ["score", "--suite", "retrieval", "--cases", "fruit.sheet", "--predictions", "run.jsonl"]
    done = CliRunner().invoke(app, [*words, "--gate", "retrieval.held_out_passed>=0.1", "--json", "s.json"])
    assert done.exit_code == 1
    assert "nothing was chosen on these questions" in " ".join(done.output.split())
    found = json.loads(Path("s.json").read_text("utf-8"))
    assert "held_out_passed" not in [item["metric"] for item in found["summary"]]
    assert "in-sample" not in done.output


def test_a_tuning_of_an_earlier_version_is_still_read() -> None:
    """It had no held-out value of each question, and whole numbers where there are fractions now."""
    old = {
        "fields": [{"field": "f", "n": 1, "model": "bm25", "tokens": 2, "recall": 1.0, "mrr": 1.0}],
        "passed": 1, "questions": 2, "mean_recall": 0.5, "tokens": 2,
        "held_out": {
            "method": "leave one out", "folds": 2, "passed": 1, "passed_low": 0.5, "passed_high": 2.0, "questions": 2,
            "mean_recall": 0.5, "recall_low": 0.1, "recall_high": 0.9, "over_budget": 0, "not_proven": 0,
            "fields": [{"field": "f", "recall": 0.5, "mrr": 0.5}],
        },
        "stability": [], "optimal": True, "gap": 0.0, "gap_in": "", "seconds": 0.1, "budget_tokens": 20, "max_n": None,
        "encoding": "o200k_base", "models": ["bm25"],
        "more": [{"questions": 1, "outcome": "never"}, {"questions": 2, "outcome": "never"}],
        "pareto": [{"tokens": 2, "passed": 1, "mean_recall": 0.5, "fields": [], "optimal": True}],
        "pareto_complete": True,
        "questions_detail": [{"question": "a", "passed": True, "missing": []}], "curves": [], "warnings": [],
    }  # fmt: skip
    tuning = msgspec.convert(old, Tuning)
    assert tuning.held_out is not None and tuning.held_out.each == ()
    assert suite.noted({"tuning": old}) is None
