"""``karat check`` of a sheet finds what is wrong with its questions and truths before a run, each at its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from karat.cli.main import app
from karat.core.problems import Problem
from karat.suites.retrieval.sheets.cases import load_sheet

SHEET = """!manual()
table Shop
    [item]
override
[item]
"Lamp"
"Chair"
"Table, round"

!evaluation()
!manual()
table Evaluation
    !evaluation_question()
    [Question]
    !evaluation_field("Shop[item]")
    [Wanted]
override
[Question],[Wanted]
"""
FIRST = SHEET.count("\n") + 1
"""The line of the first question."""


def problems(tmp_path: Path, rows: str, sheet: str = SHEET) -> list[Problem]:
    (tmp_path / "shop.sheet").write_text(sheet + rows)
    return list(load_sheet(tmp_path / "shop.sheet").problems)


def test_nothing_is_wrong(tmp_path: Path) -> None:
    assert problems(tmp_path, '"what gives light","Lamp"\n"what is round","Table, round;Chair"\n') == []


def test_a_truth_that_is_no_value_has_the_nearest_one_and_its_place(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, '"what gives light","Lamp"\n"where to sit",  "Chiar"\n')
    assert found.message == '"Chiar" is not a value of Shop[item]: no search can find it'
    assert found.hint == 'Did you mean "Chair"?'
    assert (found.line, found.column, found.width, found.severity) == (FIRST + 1, 18, 7, "warning")


def test_a_truth_with_commas_looks_like_a_list(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, '"furniture","Lamp, Chair"\n')
    assert found.hint == "It looks like a list with commas: values are separated by ; as in Lamp;Chair."


@pytest.mark.parametrize(("second", "severity"), [("Lamp", "warning"), ("Chair", "error"), ("Lamp;Chair", "error")])
def test_the_same_question_twice(tmp_path: Path, second: str, severity: str) -> None:
    (found,) = problems(tmp_path, f'"what gives light","Lamp"\n"what  gives light","{second}"\n')
    assert "is asked twice" in found.message
    assert ("its truths differ" in found.message) == (severity == "error")
    assert (found.line, found.severity) == (FIRST + 1, severity)
    assert f"line {FIRST}" in found.message


def test_truths_without_a_question_and_a_question_without_truths(tmp_path: Path) -> None:
    first, second = problems(tmp_path, ',"Lamp"\n"what is dark",\n"what gives light","Lamp"\n')
    assert first.message.startswith("this row has truths and no question")
    assert (first.line, first.severity) == (FIRST, "warning")
    assert second.message == 'the question "what is dark" has no truth in any field'
    assert (second.line, second.severity) == (FIRST + 1, "warning")


@pytest.mark.parametrize(
    ("rows", "apply", "expected"),
    [
        ('NA,"Lamp"\n"a","Lamb"\n', "", [(0, "no question"), (1, '"Lamb" is not a value')]),  # NA is no question
        ('"a","Lamb"\n"b","Lamp"\n', 'filter [Question] <> "b"', [(0, '"Lamb" is not a value')]),
        ('"a","Lamp"\n"b","Lamb"\n', 'filter [Question] <> "a"', [(1, '"Lamb" is not a value')]),
        ('"a","Lamp"\n"b","Lamb"\n"c","Chiar"\n', "sort -[Question]", [(1, '"Lamb"'), (2, '"Chiar"')]),
    ],
)
def test_places_hold_where_not_every_row_is_a_question_in_its_order(
    tmp_path: Path, rows: str, apply: str, expected: list[tuple[int, str]]
) -> None:
    parts = SHEET.rpartition("override\n")
    sheet = f"{parts[0]}apply\n    {apply}\n{parts[1]}{parts[2]}" if apply else SHEET
    first = sheet.count("\n") + 1
    found = problems(tmp_path, rows, sheet)
    assert [one.line - first for one in found] == [row for row, _ in expected]
    assert all(words in one.message for one, (_, words) in zip(found, expected, strict=True))


def test_a_row_whose_question_a_formula_gives_has_one(tmp_path: Path) -> None:
    sheet = SHEET.replace("    [Question]\n    !eval", '    [Question] = "what gives light"\n    !eval')
    assert problems(tmp_path, ',"Lamp"\n', sheet) == []


FORMULAS = SHEET.replace(
    "    [Wanted]\noverride", "    [Wanted]\n    [r] = RETRIEVE(Shop[item], [Question], N, MODEL)\noverride"
)


@pytest.mark.parametrize(
    ("n", "model", "said", "hint"),
    [
        ("2", '"bm52"', 'there is no model "bm52"', "bm25"),
        ('"two"', '"bm25"', 'n of RETRIEVE must be a number, but is the text "two"', ""),
        ("1.5", '"bm25"', "n of RETRIEVE must be a whole number from 0 on, but is 1.5", ""),
        ("-1", '"bm25"', "n of RETRIEVE must be a whole number from 0 on, but is -1", ""),
        ('"nan"', '"bm25"', "n of RETRIEVE must be a whole number from 0 on, but is nan", ""),
    ],
)
def test_models_and_n_in_formulas(tmp_path: Path, n: str, model: str, said: str, hint: str) -> None:
    sheet = FORMULAS.replace("N, MODEL", f"{n}, {model}")
    (found,) = problems(tmp_path, '"what gives light","Lamp"\n', sheet)
    assert said in found.message
    assert hint in found.hint
    line = next(number for number, text in enumerate(sheet.split("\n"), 1) if "RETRIEVE" in text)
    written = model if hint else n
    assert (found.line, found.severity) == (line, "error")
    assert found.column == sheet.split("\n")[line - 1].index(written) + 1


@pytest.mark.parametrize("model", ['"bm25"', '"openai:text-embedding-3-small"', '"rrf(bm25, wordllama)"', "[Question]"])
def test_what_may_be_a_model_is_not_accused(tmp_path: Path, model: str) -> None:
    assert problems(tmp_path, '"what gives light","Lamp"\n', FORMULAS.replace("N, MODEL", f'"2", {model}')) == []


INPUT = SHEET.replace("!manual()\ntable Shop\n    [item]\noverride\n[item]\n", "").split("\n", 3)[3].lstrip("\n")


def test_a_missing_file_or_column_has_its_place(tmp_path: Path) -> None:
    text = 'table Shop\n    dim [r] = INPUT("stock.csv")\n    [item] = [r][itm]\n\n' + INPUT
    (missing,) = problems(tmp_path, '"what gives light","Lamp"\n', text)
    assert "there is no file" in missing.message
    assert (missing.line, missing.column > 0) == (2, True)
    (tmp_path / "stock.csv").write_text("item\nLamp\n")
    (column,) = problems(tmp_path, '"what gives light","Lamp"\n', text)
    assert "no field [itm]" in column.message and "item" in column.hint
    assert (column.line, column.column > 0) == (3, True)


ANYWHERE = """
table Stock
    dim [r] = INPUT("stock.csv")
    [n] = [r][numbr]
    [red] = INPUT("stock.csv").FILTER($[colour] = "red").COUNT()
    [both] = INPUT("stock.csv")[[item], [prize]].COUNT()

table Other
    dim [s] = Stock[r].FILTER($[item] = "Lamp")
    [i] = [s][itm]

table Cut
    dim [c] = CHUNKS("texts/*.md", 200, 20)
    [t] = [c][txt]
"""


@pytest.mark.parametrize("evaluated", [True, False])
def test_files_and_columns_are_looked_for_in_every_table(tmp_path: Path, evaluated: bool) -> None:
    """Also where no question needs them, and in a sheet without questions."""
    sheet, rows = (SHEET, '"what gives light","Lamp"\n' + ANYWHERE) if evaluated else ("", ANYWHERE)
    first = sheet.count("\n") + (2 if evaluated else 1)

    def found() -> list[tuple[int, str]]:
        return [(one.line - first, one.message) for one in problems(tmp_path, rows, sheet) if one.severity == "error"]

    missing = 'there is no file "stock.csv" in the folder of the sheet'
    unmatched = 'no file in the folder of the sheet matches "texts/*.md"'
    assert found() == [
        (2, missing), (4, missing), (5, missing), (12, unmatched), (13, "it has no field [txt]"),
    ]  # fmt: skip
    (tmp_path / "stock.csv").write_text("item,number,color,price\nLamp,1,red,2\n")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.md").write_text("words")
    assert found() == [
        (3, "it has no field [numbr]"), (4, "it has no field [colour]"), (5, "it has no field [prize]"),
        (9, "it has no field [itm]"), (13, "it has no field [txt]"),
    ]  # fmt: skip


def test_a_sheet_with_tables_from_outside_is_checked_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.csv").write_text("item\nLamp\nChair\n")
    start = SHEET.index("!evaluation()")
    Path("shop.sheet").write_text(SHEET[start:] + '"where to sit","Chiar"\n"where to sit","Chair"\n')
    done = CliRunner().invoke(app, ["check", "shop.sheet", "--table", "Shop=shop.csv"])
    line = SHEET[start:].count("\n") + 1
    assert f'shop.sheet:{line}:16: "Chiar" is not a value of Shop[item]' in done.output
    assert f'shop.sheet:{line + 1}:1: the question "where to sit" is asked twice' in done.output
    assert done.exit_code == 1


def test_the_command_shows_the_line_with_a_caret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.sheet").write_text(SHEET + '"where to sit","Chiar"\n')
    done = CliRunner().invoke(app, ["check", "shop.sheet"])
    assert f"shop.sheet:{FIRST}:16" in done.output
    assert '"where to sit","Chiar"' in done.output and "^" in done.output
