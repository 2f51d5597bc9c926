"""Which entries of gold count for which answer, and submissions that are none: a clear reason each, and never an
exception."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from karat.suites.answers.records import Answer, Entry, Gold
from karat.suites.answers.spider2 import judge


@pytest.fixture
def gold(tmp_path: Path) -> Gold:
    (tmp_path / "gold.csv").write_text("a,b\n1,x\n2,y\n")
    (tmp_path / "other.csv").write_text("a\n9\n")
    return Gold(
        "one",
        (
            Entry("table_match", {"gold": "other.csv"}, (str(tmp_path / "other.csv"),)),
            Entry("string_match", {"gold": ["Paris"]}),
            Entry("table_match", {"gold": "gold.csv", "ignore_order": True}, (str(tmp_path / "gold.csv"),)),
            Entry("number_match", {"gold": "5", "exclude": ["6"]}),
            Entry("number_match", {"gold": "7"}),
        ),
    )


def submitted(path: Path) -> Answer:
    return Answer("one", "file", paths=(str(path),))


def test_of_words_the_best_entry_counts(gold: Gold) -> None:
    assert judge(gold, Answer("one", "answer", "Paris"))
    assert judge(gold, Answer("one", "answer", "7"))
    failed = judge(gold, Answer("one", "answer", "5"))  # the entry for 5 has a parameter that is none
    assert (failed.state, failed.reason) == ("wrong", "wrong_text")


def test_of_a_file_the_last_table_entry_decides(gold: Gold, tmp_path: Path) -> None:
    (tmp_path / "right.csv").write_text("q,p\ny,2\nx,1\n")
    assert judge(gold, submitted(tmp_path / "right.csv"))
    assert judge(gold, submitted(tmp_path / "other.csv")).reason == "row_count"


def test_an_unknown_parameter_fails_in_the_public_gold_and_not_in_ones_own(gold: Gold, tmp_path: Path) -> None:
    entry = Entry("table_match", {"gold": "gold.csv", "exclude": ["x"]}, (str(tmp_path / "gold.csv"),))
    answer = submitted(tmp_path / "gold.csv")
    verdict = judge(Gold("one", (entry,)), answer)
    assert (verdict.state, verdict.reason) == ("wrong", "gold_error")
    assert "exclude" in verdict.evidence["error"]
    assert judge(Gold("one", (entry,), family="own"), answer)


def test_gold_without_what_it_needs(gold: Gold, tmp_path: Path) -> None:
    assert (
        judge(Gold("one", (Entry("number_match"),), temporal=True), Answer("one", "answer", "5")).reason == "gold_error"
    )
    gone = Entry("table_match", {"gold": "gone.csv"}, (str(tmp_path / "gone.csv"),))
    verdict = judge(Gold("one", (gone,)), submitted(tmp_path / "gold.csv"))
    assert (verdict.reason, verdict.evidence["error"]) == (
        "gold_error",
        "gone.csv: FileNotFoundError: No such file or directory",
    )
    assert judge(Gold("one", (Entry("table_match", {}),)), submitted(tmp_path / "gold.csv")).reason == "gold_error"


def test_an_answer_of_another_type(gold: Gold, tmp_path: Path) -> None:
    files = Answer("one", "files", paths=(str(tmp_path / "gold.csv"),))
    assert judge(gold, files).reason == "shape_differs"
    tables = Gold("one", (Entry("tables_match", {"gold": ["gold.csv"]}, (str(tmp_path / "gold.csv"),)),))
    assert judge(tables, files)
    assert judge(tables, Answer("one", "answer", "5")).reason == "shape_differs"


def test_answers_that_cannot_be_used(gold: Gold, tmp_path: Path) -> None:
    assert judge(gold, Answer("one", "file", problem="result.csv is missing")).reason == "missing_prediction"
    outside = judge(gold, Answer("one", "file", problem="../x.csv lies outside the submission"))
    assert (outside.reason, outside.evidence["error"]) == (
        "unreadable_prediction",
        "../x.csv lies outside the submission",
    )
    assert judge(gold, Answer("one", "file")).reason == "missing_prediction"


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "EmptyDataError"),
        (b"\n\n", "EmptyDataError"),
        (bytes(range(256)) * 40, "Error"),
        (b"a,b\n1,x\n2,y,3,4\n", "Expected 2 fields in line 3, saw 4"),
        ("a,b\n1,é\n2,ü\n".encode("latin-1"), "utf-8"),
        ("a,b\n1,x\n".encode("utf-16"), "Error"),
        (b'a,b\n1,"x\n2,y\n', "EOF inside string"),
    ],
)
def test_files_that_are_no_csv(data: bytes, word: str, gold: Gold, tmp_path: Path) -> None:
    (tmp_path / "result.csv").write_bytes(data)
    verdict = judge(gold, submitted(tmp_path / "result.csv"))
    assert verdict.reason == "unreadable_prediction"
    assert word in verdict.evidence["error"]
    assert str(tmp_path) not in verdict.evidence["error"]


def test_a_file_that_is_too_large_is_not_opened(gold: Gold, tmp_path: Path) -> None:
    with (tmp_path / "result.csv").open("wb") as file:
        file.truncate(2 * 1024**3 + 1)  # takes no room on the disk
    verdict = judge(gold, submitted(tmp_path / "result.csv"))
    assert (verdict.reason, verdict.evidence["error"]) == (
        "unreadable_prediction",
        "result.csv: larger than 2 GiB, the most that is read",
    )


def test_what_is_no_plain_file_is_not_opened(gold: Gold, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    assert judge(gold, submitted(tmp_path / "pipe.csv")).reason == "unreadable_prediction"
    assert judge(gold, submitted(tmp_path)).reason == "unreadable_prediction"
    assert judge(gold, submitted(tmp_path / "gone.csv")).reason == "unreadable_prediction"
    assert judge(gold, submitted(tmp_path / "nul\0.csv")).reason == "unreadable_prediction"


def test_ten_thousand_columns(gold: Gold, tmp_path: Path) -> None:
    width = 10_000
    lines = [",".join(f"{row}{at}" for at in range(width)) for row in ("c", "8", "9")]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    assert judge(gold, submitted(tmp_path / "wide.csv")).reason == "values_differ"
    lines[1] += ",1,x"
    lines[2] += ",2,y"
    (tmp_path / "wide.csv").write_text("\n".join([lines[0] + ",a,b", *lines[1:]]))
    assert judge(gold, submitted(tmp_path / "wide.csv"))


def test_nothing_is_written_beside_the_submission(gold: Gold, tmp_path: Path) -> None:
    folder = tmp_path / "submission"
    folder.mkdir()
    (folder / "result.csv").write_text("a,b\n1.0,x\n2.0,y\n")
    judge(gold, submitted(folder / "result.csv"))
    assert [path.name for path in folder.iterdir()] == ["result.csv"]
