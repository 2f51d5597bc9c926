"""``karat tune`` as a user types it: the contract's example, its JSON, its workbook, and mistakes that a person can
mend."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.warm import warm_karat

INGREDIENTS = """item,price_type
Carrots,Cheap
Potatoes,Cheap
Onions,Cheap
Garlic,Cheap
Saffron,Expensive
Vanilla,Expensive
Lemon juice,Cheap
Olive oil,Medium
Sea salt,Cheap
Smoked salmon,Expensive
"""
SHEET = """!evaluation()
!manual()
table Evaluation
    [Passed] = [Avg Recall] = 1
    [Avg Recall] = AVERAGE(
        RECALL(RETRIEVE(Ingredients[item], Evaluation[Question], Evaluation.EVALUATE_N(Ingredients[item]),
            Evaluation.EVALUATE_MODEL(Ingredients[item])), Evaluation[Ground truth for items]))
    !evaluation_question()
    [Question] = NA
    !evaluation_field("Ingredients[item]")
    [Ground truth for items]
    !evaluation_field("Ingredients'[price_type']")
    [Ground truth for types]
override
[Question],[Ground truth for items],[Ground truth for types]
"Which salt do I have?","Sea salt","Cheap"
"Is there any olive oil, and is it expensive?","Olive oil","Medium;Expensive"
"Lemon juice or smoked salmon?","Lemon juice;Smoked salmon",
"Where are the carots?","Carots",
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kitchen.sheet").write_text(SHEET)
    (tmp_path / "ingredients.csv").write_text(INGREDIENTS)
    return tmp_path


def tune(folder: Path, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        warm_karat("tune", *words),
        cwd=folder,
        env={**os.environ, "COLUMNS": "150"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done


BOUND = ("kitchen.sheet", "--table", "Ingredients=ingredients.csv")


def test_the_answer_comes_first(folder: Path) -> None:
    done = tune(folder, *BOUND)
    lines = done.stdout.splitlines()
    assert lines[0] == "Evaluation · 4 questions · 2 fields · budget 2,000 tokens · bm25, wordllama"
    assert lines[1].split()[:6] == ["field", "model", "n", "tokens", "recall", "MRR"]
    assert lines[2].startswith("  Ingredients[item]")
    assert lines[3].startswith("  Ingredients[price_type]")
    assert lines[4].startswith("  held out     passed ") and "leave one out" in lines[4]
    assert "in-sample" in lines[5] and "passed 3 of 4" in lines[5]
    assert "optimal, proven in" in done.stdout
    assert '"Where are the carots?"' in done.stdout
    assert "missing Carots (not a value; nearest: Carrots)" in done.stdout
    assert "no n passes one more question: the others have truths that are not among the values" in done.stdout
    assert "too few to trust the choice" in done.stderr
    assert any((folder / ".karat" / "vectors").iterdir())


def test_json_and_workbook(folder: Path) -> None:
    tune(folder, *BOUND, "--json", "out.json", "--xlsx", "out.xlsx", "--models", "wordllama, bm25", "--max-n", "8")
    found: dict[str, Any] = json.loads((folder / "out.json").read_text())
    assert [field["field"] for field in found["fields"]] == ["Ingredients[item]", "Ingredients[price_type]"]
    assert set(found["fields"][0]) == {"field", "n", "model", "tokens", "recall", "mrr"}
    assert found["models"] == ["wordllama", "bm25"]
    assert (found["passed"], found["questions"], found["optimal"]) == (3, 4, True)
    assert found["questions_detail"][3] == {
        "question": "Where are the carots?",
        "passed": False,
        "missing": [{"field": "Ingredients[item]", "key": "Carots", "rank": None, "nearest": "Carrots"}],
        "held_out_passed": 0.0,
        "held_out_recall": 0.5,
    }
    assert {"passed", "passed_low", "passed_high", "mean_recall", "questions"} <= set(found["held_out"])
    assert found["pareto"][0]["tokens"] <= found["pareto"][-1]["tokens"]
    assert len(found["curves"]) == 4
    book = openpyxl.load_workbook(folder / "out.xlsx")
    assert book.sheetnames == ["Fields", "Questions", "Curves", "Pareto", "About"]
    assert [cell.value for cell in book["Fields"][3]][:3] == ["Field Name", "N", "Model"]
    with zipfile.ZipFile(folder / "out.xlsx") as parts:
        charts = [parts.read(name).decode() for name in parts.namelist() if name.startswith("xl/charts/chart")]
    assert len(charts) == 4  # a curve for each field, and the front twice
    assert sum("Recall against n: Ingredients[item]" in chart for chart in charts) == 1


def test_json_to_the_terminal_is_nothing_but_json(folder: Path) -> None:
    assert json.loads(tune(folder, *BOUND, "--json", "-").stdout)["questions"] == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*BOUND, "--models", "bm52"), 'Did you mean "bm25"?'),
        ((*BOUND, "--models", ","), "--models is empty"),
        ((*BOUND, "--budget-tokens", "1"), "nothing can be found within a budget of 1 token"),
        (("kitchen.sheet", "--table", "Ingredients"), "is not NAME=FILE"),
        (("kitchen.sheet", "--table", "Ingredients=ingredient.csv"), "ingredients.csv"),
        (("kitchen.sheet",), "Ingredients"),
        (("nothing.sheet",), "nothing.sheet cannot be read"),
        ((*BOUND, "--evaluation", "Evaluations"), "Evaluations is not an evaluation table"),
    ],
)
def test_mistakes(folder: Path, words: tuple[str, ...], said: str) -> None:
    assert said in tune(folder, *words, code=2).stderr


def check(folder: Path, *words: str, code: int = 0) -> str:
    command = warm_karat("check", *words)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_check_takes_the_tables_that_tune_takes(folder: Path) -> None:
    bound = check(folder, *BOUND)
    assert 'kitchen.sheet:19:25: "Carots" is not a value of Ingredients[item]' in bound
    assert bound.endswith("retrieval: 4 cases in 1 file · 0 mistakes · 1 warning\n")
    alone = check(folder, "kitchen.sheet", code=1)
    assert "kitchen.sheet:6:25: there is no table Ingredients" in alone
    assert 'Bind it with --table Ingredients=FILE, or define it in the sheet, with override or INPUT("FILE").' in alone
    (folder / "other.csv").write_text("item,type\nCarrots,Cheap\n")
    other = check(folder, "kitchen.sheet", "--table", "Ingredients=other.csv", code=1)
    assert "Ingredients has no field [price_type]" in other
    (folder / "plain.sheet").write_text("table T\n    [n] = Ingredients.COUNT()\n")
    assert "0 cases in 1 file · no mistakes" in check(folder, "plain.sheet", *BOUND[1:])


def test_a_mistake_in_the_sheet_is_shown_where_it_stands(folder: Path) -> None:
    (folder / "kitchen.sheet").write_text(SHEET.replace("AVERAGE(", "AVERGE("))
    said = tune(folder, *BOUND, code=2).stderr
    assert "kitchen.sheet:5:" in said
    assert "AVERAGE" in said
