"""CHUNKS in sheets: rows, alternatives, spans as truths, figures, and the choice over every way to cut."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat
from karat.core.problems import UserError
from karat.sheet.check.checker import check_sheet
from karat.sheet.functions import FUNCTIONS
from karat.sheet.text.formatter import format_sheet
from karat.sheet.text.parser import parse
from tests.sheet.evaluated import column, mistake_of, value_of

GUIDE = "Press the red button to start the pump. Wait ten seconds.\n\nTo stop the pump, pull the green lever.\n"
CARE = "Clean the filter once a month. Replace the seal every year.\n"

SHEET = '''table Docs
    dim [c] = CHUNKS("docs/*.md", {sizes})
    [text] = [c][text]

!evaluation()
!manual()
table Evaluation
    !evaluation_question()
    [Question]
    !evaluation_field("Docs[text]")
    [Truth]
    [Found] = RETRIEVE(Docs[text], [Question], Evaluation.EVALUATE_N(Docs[text]), Evaluation.EVALUATE_MODEL(Docs[text]))
    [Recall] = RECALL([Found], [Truth])
    [Missing] = MISSING([Found], [Truth])
override
[Question],[Truth]
"how to start the pump","guide.md ""red button to start"""
"when to replace the seal","care.md#31-60"
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text(GUIDE, encoding="utf-8")
    (tmp_path / "docs" / "care.md").write_text(CARE, encoding="utf-8")
    return tmp_path


def test_chunks_are_rows_with_their_place(folder: Path) -> None:
    sheet = 'table Docs\n    dim [c] = CHUNKS("docs/*.md", 8, 2)\n    [doc] = [c][doc]\n    [from] = [c][start]\n'
    sheet += "    [to] = [c][end]\n    [text] = [c][text]\n"
    docs, starts, ends, texts = (column(sheet, "Docs", name, folder) for name in ("doc", "from", "to", "text"))
    whole = {"docs/guide.md": GUIDE, "docs/care.md": CARE}
    assert docs == sorted(docs) and set(docs) == set(whole)
    for doc, start, end, text in zip(docs, starts, ends, texts, strict=True):
        assert whole[doc][start:end] == text
    assert len(texts) > 4


def test_every_combination_is_there(folder: Path) -> None:
    sheet = 'table Docs\n    dim [c] = CHUNKS("docs/*.md", 8 | 16, 0|2)\n    [way] = [c][size] & "/" & [c][overlap]\n'
    assert list(dict.fromkeys(column(sheet, "Docs", "way", folder))) == ["8/0", "8/2", "16/0", "16/2"]
    parsed = parse(sheet, "test.sheet")
    assert 'CHUNKS("docs/*.md", 8|16, 0|2)' in format_sheet(parsed)
    assert parse(format_sheet(parsed), "test.sheet").tables == parsed.tables


def test_the_choice_is_over_every_way_to_cut(folder: Path) -> None:
    (folder / "pump.sheet").write_text(SHEET.format(sizes="8|20, 0|4"), encoding="utf-8")
    found = karat.tune("pump.sheet", models=["bm25", "rrf(bm25, wordllama)"], budget_tokens=40).tuning
    assert len(found.models) == 8 and "bm25 @ 20/4" in found.models
    assert found.passed == 2
    chosen = found.fields[0]
    assert " @ " in str(chosen.model)
    for sizes in ("8|20, 0|4", "20, 0"):
        sheet = SHEET.format(sizes=sizes)
        assert column(sheet, "Evaluation", "Recall", folder) == [1, 1]
        assert column(sheet, "Evaluation", "Missing", folder) == [[], []]


def test_a_span_is_found_when_enough_of_it_is(folder: Path) -> None:
    """Two of the four chunks that hold the span: less than all of it, more than a third."""
    for cover, expected in (("", 0), (", 0.3", 1)):
        field = f'CHUNKS("docs/care.md", 4, 0{cover})[text]'
        assert value_of(f'RECALL({field}.FIRST(2), "care.md#0-50")', folder=folder) == expected
    whole = 'CHUNKS("docs/care.md", 4, 0)[text]'
    assert value_of(f'RR({whole}, "care.md#0-1;care.md#0-50")', folder=folder) == 1
    assert value_of(f'MISSING({whole}.FIRST(1), "care.md#0-1;care.md#0-50;guide.md#0-3")', folder=folder) == [
        "care.md#0-50",
        "guide.md#0-3",
    ]
    assert "is not a span" in mistake_in(f'RECALL({whole}, "Lamp")', folder)


def mistake_in(formula: str, folder: Path) -> str:
    from tests.sheet.evaluated import evaluated

    book = evaluated(f"table Example\n    [value] = {formula}\n", folder)
    (problem,) = book.problems
    return f"{problem.message} {problem.hint}"


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ('CHUNKS("docs/*.txt", 8, 0)', 'no file in the folder of the sheet matches "docs/*.txt"'),
        ('CHUNKS("docs/guid.md", 8, 0)', 'Did you mean "docs/guide.md"?'),
        ('CHUNKS("../*.md", 8, 0)', "does not name files in the folder"),
        ('CHUNKS("/etc/passwd", 8, 0)', "does not name files in the folder"),
        ('CHUNKS("docs/*.md", 8, 8)', "must be 0 or more and below the size of 8"),
        ('CHUNKS("docs/*.md", 0, 0)', "1 token or more"),
        ('CHUNKS("docs/*.md", 8, 0, 2)', "cover to be above 0 and up to 1"),
        ('CHUNKS("docs/*.md", 8, 0, 1, "o100k")', 'no token encoding "o100k"'),
        ('RETRIEVE(CHUNKS("docs/*.md", 4|8, 0)[text], "pump", 1, "bm25")', "cut in 2 ways: 4/0, 8/0"),
    ],
)
def test_what_cannot_be_cut(folder: Path, formula: str, message: str) -> None:
    assert message in mistake_in(formula, folder)


def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("a secret", encoding="utf-8")
    (folder / "docs" / "link.md").symlink_to(outside)
    assert "secret" not in " ".join(value_of('CHUNKS("docs/*.md", 50, 0)[text]', folder=folder))


def test_bars_belong_to_chunks_alone() -> None:
    sheet = parse("table T\n    [x] = SUM(1|2)\n", "test.sheet")
    (problem,) = check_sheet(sheet, "test.sheet", FUNCTIONS)
    assert "only be given to CHUNKS" in problem.message and problem.column == 15
    with pytest.raises(UserError, match="OR"):
        parse('table T\n    [x] = "a" | "b"\n', "test.sheet")


def test_a_truth_that_is_no_span_is_found_before_anything_is_ranked(folder: Path) -> None:
    (folder / "pump.sheet").write_text(SHEET.format(sizes="8, 0").replace("care.md#31-60", "care.md#31-99"), "utf-8")
    with pytest.raises(UserError, match=r"docs/care.md has 60 characters"):
        karat.tune("pump.sheet", models=["bm25"])


def test_mistakes_stay_in_their_cell() -> None:
    assert "no file" in mistake_of('CHUNKS("nothing.md", 8, 0)')
