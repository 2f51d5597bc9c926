"""Cases from a sheet, and the system that answers them."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import msgspec
import pytest

import karat
from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.core.system import NoAnswer, Request
from karat.search.choose.reporting.result import Tuning
from karat.suites.retrieval import suite
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.sheets.cases import ids_of, load_sheet
from karat.suites.retrieval.sheets.system import default_system, open_sheet

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "retrieval"

SHEET = """
!manual()
table Stock
    [item]
override
[item]
"red apple"
"green pear"
"blue plum"

!evaluation()
!manual()
table Asked
    !evaluation_question()
    [question]
    !evaluation_field("Stock[item]")
    [items]
override
[question],[items]
"a red apple, please","red apple"
"pear or plum","green pear;blue plum"
"a quince","yellow quince"
"""


@pytest.fixture
def sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fruit.sheet").write_text(SHEET)
    return tmp_path / "fruit.sheet"


def test_each_question_is_a_case_with_the_truths_of_each_field(sheet: Path) -> None:
    loaded = load_sheet(sheet)
    assert [problem.severity for problem in loaded.problems] == ["warning"], "yellow quince is no value"
    assert [case.id for case in loaded.cases] == ["a_red_apple_please", "pear_or_plum", "a_quince"]
    target = loaded.cases[1].conversation[0].target
    assert target is not None and target.fields == {"Stock[item]": {"green pear": 1, "blue plum": 1}}


def test_ids_are_made_of_words_and_told_apart() -> None:
    assert ids_of(["Où est l'été?", "ou", "Ou!", "???"]) == ["où_est_l_été", "ou", "ou_2", "question"]
    assert len(ids_of(["x" * 500])[0]) == 60


def test_a_mistake_in_a_sheet_has_its_place(sheet: Path) -> None:
    sheet.write_text(SHEET.replace("Stock[item]", "Stok[item]"))
    problems = load_sheet(sheet).problems
    assert [(problem.line, "Stok" in problem.message, problem.hint) for problem in problems] == [
        (16, True, 'Did you mean "Stock"?')
    ]


def test_a_sheet_without_an_evaluation_table_has_no_cases_and_no_mistakes(sheet: Path) -> None:
    sheet.write_text("table T\n    [a] = 1\n")
    loaded = load_sheet(sheet)
    assert (loaded.cases, loaded.problems) == ((), ())


def test_the_sheets_own_search_answers_its_questions(sheet: Path) -> None:
    result = karat.run(suite="retrieval", cases=sheet, options={"models": ["bm25"], "budget_tokens": 20}, store="k.db")
    passed = {case.id: case.scores["passed"].value for case in result.cases}
    assert passed == {"a_red_apple_please": 1.0, "pear_or_plum": 1.0, "a_quince": 0.0}
    tuning = msgspec.convert(result.notes["tuning"], Tuning)
    assert [(field.field, field.n, field.model) for field in tuning.fields] == [("Stock[item]", 2, "bm25")]
    assert (tuning.passed, tuning.questions) == (2, 3)
    assert result.run.system == "sheet"
    lines = suite.highlights(result)
    assert any(line.startswith("held out ") for line in lines)
    assert any(line.startswith("in-sample    passed 2 of 3") for line in lines)
    again = karat.load_run("latest", store="k.db")
    assert (again.summary, again.notes) == (result.summary, result.notes)


def test_the_page_of_such_a_run_draws_recall_against_n_and_the_front(sheet: Path) -> None:
    from karat.reports.full_report import whole_report
    from karat.reports.html.report import html_report
    from karat.stats.intervals.estimates import estimate

    result = karat.run(suite="retrieval", cases=sheet, options={"models": ["bm25"], "budget_tokens": 20}, store="k.db")
    page = html_report(result, whole_report(result, suite), suite.metrics, estimate)
    for title in ("Recall against n: Stock[item]", "Questions passed against tokens", "Mean recall against tokens"):
        assert f'<h3 dir="auto">{title}</h3>' in page
    assert 'aria-label="What the first k results contain' in page


def test_what_is_stored_is_read_again(sheet: Path) -> None:
    config = default_system(sheet, Options(models=("bm25",)))
    assert config is not None
    system = open_sheet(config, suite)

    found = asyncio.run(system.call(Request("a_red_apple_please", 0, 0, ())))
    case = load_sheet(sheet).cases[0]
    comparison = suite.compare(case, 0, Prediction(case.id, 0, 0, found.body), Options())
    assert comparison.fields[0].ranks == (1,)
    with pytest.raises(NoAnswer):
        asyncio.run(system.call(Request("no such question", 0, 0, ())))


def test_other_files_have_no_system_of_their_own(tmp_path: Path) -> None:
    assert default_system(tmp_path / "qrels.txt", Options()) is None


def test_a_sheet_answers_no_other_suite(sheet: Path) -> None:
    from karat.core import plugins

    config = default_system(sheet, Options())
    assert config is not None
    with pytest.raises(UserError, match="answers the suite retrieval"):
        open_sheet(config, plugins.load_suite("data_query"))


def test_the_example_passes_most_questions_and_says_what_more_would_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "shop")
    monkeypatch.chdir(tmp_path / "shop")
    result = karat.run(suite="retrieval", cases="shop.sheet", options={"budget_tokens": 60}, store="k.db")
    assert result.metric("passed").n == 22
    assert (result.metric("passed").mean or 0) > 0.5
    lines = suite.highlights(result)
    assert any("held out" in line for line in lines)
    assert any("two more questions would cost" in line for line in lines)


def test_advice_on_more_questions_names_model_and_n() -> None:
    from karat.search.choose.next_questions import More
    from karat.search.choose.outcome import Pick
    from karat.search.choose.reporting.text import more_sentence

    picks = (Pick("fruit", 2, "wordllama", 5), Pick("herb", 1, "bm25", 3))
    said = more_sentence(More(2, "found", 8, 3, picks))
    assert said == "two more questions would cost 3 more tokens (fruit: n = 2 with wordllama, herb: n = 1 with bm25)"


def test_a_passed_column_that_counts_otherwise_is_a_warning(sheet: Path) -> None:
    """The sheet's own rule looks at the first value only, and the choice takes two."""
    from typer.testing import CliRunner

    from karat.cli.main import app

    rule = '    [passed] = RECALL(FIRST(RETRIEVE(Stock[item], [question], N, "bm25"), 1), [items]) = 1\n'
    before = "    !evaluation_question()\n"
    options = {"models": ["bm25"], "budget_tokens": 20}
    said = (
        'counts 1 question as passed, but the choice of n and model counts 2; the first that differs is "pear or plum"'
    )
    for n in ("2", "EVALUATE_N(Stock[item])"):
        sheet.write_text(SHEET.replace(before, rule.replace("N,", f"{n},") + before))
        result = karat.run(suite="retrieval", cases=sheet, options=options, store="k.db")
        (warning,) = [problem for problem in result.problems if "counts" in problem.message]
        assert said in warning.message
        assert (warning.severity, warning.line) == ("warning", 14)
    done = CliRunner().invoke(app, ["sheet", str(sheet), "--models", "bm25", "--budget-tokens", "20"])
    assert said in " ".join(done.output.split())
    assert done.exit_code == 0
    sheet.write_text(sheet.read_text().replace("FIRST(", "(").replace(', "bm25"), 1)', ', "bm25"))'))
    assert not any(
        "counts" in problem.message
        for problem in karat.run(suite="retrieval", cases=sheet, options=options, store="k.db").problems
    )
