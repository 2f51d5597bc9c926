"""``karat sheet`` as a user types it."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from pathlib import Path

import openpyxl
import pytest

from tests.sheet.contract import contract_example
from tests.warm import warm_karat

SHEET = """!manual()
table Fruit
    key [name]
    [kind]
    [price]
override
[name],[kind],[price]
"Apple","sweet",3
"Lemon","sour",2
"Pear","sweet",4

table Sweet
    dim [r] = Fruit.FILTER($[kind] = "sweet")
    [name] = [r][name]
    [tags] = {[r][kind], "a;b"}
    [half] = [r][price] / 2
apply
sort -[half]
total
[half] = [half].SUM()
"""


def run(folder: Path, *words: str, code: int = 0) -> tuple[str, str]:
    done = subprocess.run(
        warm_karat("sheet", *words),
        cwd=folder,
        env={**os.environ, "COLUMNS": "120", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fruit.sheet").write_text(SHEET)
    return tmp_path


def test_the_tables_are_printed_and_written(folder: Path) -> None:
    out, _ = run(folder, "fruit.sheet", "--json", "out.json", "--xlsx", "out.xlsx", "--csv", "tables")
    lines = [line.split() for line in out.splitlines()]
    assert ["Sweet", "·", "2", "rows"] in lines
    assert ["Pear", "sweet;", "a;b", "2"] in lines
    assert ["3.5"] in lines, "the total stands under the table"
    assert lines[-1] == ["saved", "out.json"]
    found = json.loads((folder / "out.json").read_text())
    assert found["problems"] == []
    assert [table["name"] for table in found["tables"]] == ["Fruit", "Sweet"]
    assert found["tables"][1]["rows"][0]["name"] == "Pear"
    assert found["tables"][1]["rows"][0]["tags"] == ["sweet", "a;b"]
    assert found["tables"][1]["totals"] == [{"half": 3.5}]
    with (folder / "tables" / "Sweet.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["name", "tags", "half"],
            ["Pear", "sweet;a';b", "2"],
            ["Apple", "sweet;a';b", "1.5"],
        ]
    book = openpyxl.load_workbook(folder / "out.xlsx")
    assert book.sheetnames == ["Fruit", "Sweet"]
    assert [cell.value for cell in book["Fruit"][2]] == ["Apple", "sweet", 3]


def test_options_may_stand_before_the_file_and_one_table_can_be_printed_alone(folder: Path) -> None:
    out, _ = run(folder, "--only", "Fruit", "fruit.sheet", "--csv", "-")
    assert out == "name,kind,price\nApple,sweet,3\nLemon,sour,2\nPear,sweet,4\n"
    out, err = run(folder, "fruit.sheet", "--only", "Friut", code=2)
    assert 'Did you mean "Fruit"?' in err


def test_a_cell_that_fails_is_told_and_the_rest_is_shown(folder: Path) -> None:
    (folder / "bad.sheet").write_text(SHEET + '\ntable Bad\n    [x] = 1 / "a"\n    [y] = 5\n')
    out, err = run(folder, "bad.sheet", "--json", "-", code=1)
    assert json.loads(out)["tables"][2]["rows"] == [
        {"x": {"error": '/ needs a number, but was given the text "a"'}, "y": 5}
    ]
    assert "bad.sheet:23:13: Bad[x], row 1: / needs a number" in err
    assert "|             ^" in err


def test_mistakes_in_the_file_are_told_before_anything_is_computed(folder: Path) -> None:
    (folder / "bad.sheet").write_text("table T\n    [x] = Frut[a]\n    [y] = SUMM(1)\n")
    out, err = run(folder, "bad.sheet", code=2)
    assert out == ""
    assert "bad.sheet:2:11" in err
    assert 'Did you mean "SUM"?' in err
    _, err = run(folder, "nothing.sheet", code=2)
    assert "nothing.sheet cannot be read" in err


@pytest.mark.shared_data
def test_the_contract_with_its_table_from_a_file(folder: Path, shared: Path) -> None:
    (folder / "kitchen.sheet").write_text(contract_example(shared))
    (folder / "i.csv").write_text(
        "item,price_type\nCarrots,Cheap\nPotatoes,Cheap\nOnions,Cheap\nGarlic,Cheap\nSalmon,Dear\n"
    )
    words = [
        "kitchen.sheet",
        "--table",
        "Ingredients=i.csv",
        "--only",
        "EvaluationResult",
        "--models",
        "bm25",
        "--json",
        "-",
    ]
    out, _ = run(folder, *words)
    found = json.loads(out)
    assert found["tables"][0]["rows"] == [{"Number of passed": 1, "Avg recall": 1}]
    assert found["choices"]["Evaluation"]["passed"] == 1
    assert found["choices"]["Evaluation"]["fields"][0]["field"] == "Ingredients[item]"
    out, _ = run(folder, "plan", "kitchen.sheet", "--table", "Ingredients=i.csv")
    assert "Evaluation Evaluation → Field Name, N, Model #1" in out
    assert "Retrieve RETRIEVE" in out
    out, _ = run(folder, "plan", "kitchen.sheet", "--table", "Ingredients=i.csv", "--mermaid")
    assert out.startswith("flowchart LR\n")
    _, err = run(folder, "kitchen.sheet", code=2)
    assert "Ingredients" in err
    _, err = run(folder, "kitchen.sheet", "--table", "Ingredients=j.csv", code=2)
    assert "there is no such file" in err


def test_fmt_lays_out_in_place_and_check_changes_nothing(folder: Path) -> None:
    rough = "# about\ntable   T\n  [x]=1+2 # why\n"
    (folder / "rough.sheet").write_text(rough)
    out, _ = run(folder, "fmt", "rough.sheet", "--check", code=1)
    assert "would change rough.sheet" in out
    assert (folder / "rough.sheet").read_text() == rough
    run(folder, "fmt", "rough.sheet")
    after = (folder / "rough.sheet").read_text()
    assert "    [x] = 1 + 2" in after
    assert "# about" in after
    assert "# why" in after
    out, _ = run(folder, "fmt", "rough.sheet", "--check")
    assert "already formatted" in out
    (folder / "broken.sheet").write_text("table\n")
    (folder / "rough.sheet").write_text(rough)
    _, err = run(folder, "fmt", "broken.sheet", "rough.sheet", code=2)
    assert "broken.sheet:1" in err
    assert (folder / "rough.sheet").read_text() == after, "a broken file does not keep the others from being laid out"


def test_a_field_that_the_choice_leaves_out_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "shop.sheet").write_text(
        """!manual()
table Shop
    [name]
    [advice]
override
[name],[advice]
"Lamp","a text of far too many words for such a budget"

!evaluation()
!manual()
table Wanted
    !evaluation_question()
    [Question]
    !evaluation_field("Shop[name]")
    [Name]
    !evaluation_field("Shop[advice]")
    [Advice]
    [n] = EVALUATE_N(Shop[advice])
override
[Question],[Name],[Advice]
"a lamp","Lamp",
"""
    )
    out, _ = run(tmp_path, "shop.sheet", "--models", "bm25", "--budget-tokens", "3")
    assert "Shop[advice]  n 0  (left out)  0 tokens" in out
