"""A sheet is parsed once by each command, however many parts of Karat read it. What is counted are texts that the
scanner begins to read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import karat
from karat.cli.main import app
from karat.core.problems import UserError
from karat.sheet.text.scanner import Scanner
from karat.suites.retrieval import suite
from karat.suites.retrieval.sheets.cases import load_sheet
from karat.suites.retrieval.sheets.system import SheetConfig, open_sheet

SHEET = """!manual()
table Stock
    [item]
override
[item]
"{first}"
"green pear"

!evaluation()
!manual()
table Asked
    !evaluation_question()
    [question]
    !evaluation_field("Stock[item]")
    [items]
override
[question],[items]
"a red apple, please","{first}"
"which pear?","green pear"
"""


@pytest.fixture
def sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A sheet that no other test has parsed: its text has the name of the test in it."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "fruit.sheet"
    file.write_text(SHEET.format(first=f"red apple of {request.node.name}"))
    return file


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were parsed, in order."""
    files: list[str] = []
    scan: Callable[[Scanner], Scanner] = Scanner.scan

    def counted(scanner: Scanner) -> Scanner:
        files.append(scanner.file)
        return scan(scanner)

    monkeypatch.setattr(Scanner, "scan", counted)
    return files


RUN = ("run", "--suite", "retrieval", "--cases", "fruit.sheet", "--option", "models=[bm25]")


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(RUN, id="run"),
        pytest.param((*RUN, "--xlsx", "run.xlsx", "--html", "run.html"), id="run with reports"),
        pytest.param(("check", "fruit.sheet"), id="check"),
        pytest.param(("tune", "fruit.sheet", "--models", "bm25"), id="tune"),
    ],
)
def test_a_command_parses_its_sheet_once(sheet: Path, parsed: list[str], words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    assert len(parsed) == 1, parsed


def test_the_python_api_parses_it_once_too(sheet: Path, parsed: list[str]) -> None:
    result = karat.run(suite="retrieval", cases=sheet, options={"models": ["bm25"]}, store="k.db")
    assert len(result.cases) == 2
    assert len(parsed) == 1, parsed


def test_a_sheet_that_was_changed_is_parsed_again(sheet: Path, parsed: list[str]) -> None:
    before = load_sheet(sheet).cases
    sheet.write_text(sheet.read_text().replace("which pear?", "which pear is green?"))
    after = load_sheet(sheet).cases
    assert [case.id for case in before] != [case.id for case in after]
    assert len(parsed) == 2


def test_a_mistake_is_reported_every_time_under_the_name_it_was_asked_by(sheet: Path) -> None:
    sheet.write_text("table T\n    [x] = (1\n")
    for _ in range(2):
        assert load_sheet(sheet).problems[0].file == str(sheet)
        with pytest.raises(UserError) as caught:
            open_sheet(SheetConfig(type="sheet", sheet=str(sheet)), suite)
        assert caught.value.problems[0].file == "fruit.sheet"
