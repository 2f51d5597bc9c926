"""The comparison of two trees finds a change of one figure in every kind of file, and takes out only what any two runs
differ in."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import xlsxwriter

from benchmarks.same_demos.compare import Difference, differences
from benchmarks.same_demos.read import read_folder
from tests.warm import warm_karat

RUN = ["run", "--json", "result.json", "--xlsx", "report.xlsx", "--html", "report.html"]


def karat(folder: Path, out: str, *words: str) -> None:
    environment = {**os.environ, "COLUMNS": "160", "PYTHONHASHSEED": "0"}
    done = subprocess.run(warm_karat(*words), cwd=folder, env=environment, capture_output=True)
    assert done.returncode in (0, 3), done.stderr
    if out:
        (folder / out).write_bytes(done.stdout)


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """Two runs of the same example, and one in which a single answer names another country."""
    root = tmp_path_factory.mktemp("sides")
    folders = root / "first_", root / "second", root / "seeded"
    for folder in folders:
        folder.mkdir()
        karat(folder, "", "init", ".", "--suite", "data_query")
        if folder.name == "seeded":
            recorded = folder / "predictions.jsonl"
            text = recorded.read_text(encoding="utf-8")
            assert '"ZAF"' in text
            recorded.write_text(text.replace('"ZAF"', '"ZMB"', 1), encoding="utf-8")
        karat(folder, "run.txt", *RUN)
    return folders


def test_two_runs_of_one_tree_do_not_differ(sides: tuple[Path, Path, Path]) -> None:
    first, second, _ = sides
    assert differences(read_folder(first), read_folder(second)) == []


def test_one_changed_answer_is_found_in_every_file(sides: tuple[Path, Path, Path]) -> None:
    first, _, seeded = sides
    found = differences(read_folder(first), read_folder(seeded))
    files = {difference.file for difference in found}
    assert files == {
        "predictions.jsonl", "result.json", "report.xlsx", "report.html", "run.txt", ".karat/karat.db",
    }  # fmt: skip
    recall = next(item for item in found if item.file == "result.json" and item.place == "summary[0].mean")
    assert float(recall.before) > float(recall.now)
    assert any(item.file == "report.xlsx" and "!" in item.place for item in found)
    assert any(item.file == ".karat/karat.db" and item.place.startswith("summaries(") for item in found)


def test_a_cell_that_only_looks_different(tmp_path: Path) -> None:
    for side, form, bold in (("before", "0.00", False), ("after_", "0.000", True)):
        (tmp_path / side).mkdir()
        with xlsxwriter.Workbook(tmp_path / side / "report.xlsx") as book:
            sheet = book.add_worksheet("Figures")
            sheet.write(0, 0, 0.5, book.add_format({"num_format": form}))
            sheet.write(1, 0, "label", book.add_format({"bold": bold}))
    found = differences(read_folder(tmp_path / "before"), read_folder(tmp_path / "after_"))
    assert [item.place for item in found] == ["Figures!A1", "Figures!A2"]


def test_times_and_folders_are_taken_out_and_nothing_else(tmp_path: Path) -> None:
    texts = {
        "before": "2026-11-16 02:12:14 in {} proven in 0.01 s, 4.18 s per case",
        "after_": "5/5  0.5/s  0 errors  ~0 s left\n2027-01-01 00:00:00 in {} proven in 3 s, 4.19 s per case",
    }
    for side, text in texts.items():
        (tmp_path / side).mkdir()
        (tmp_path / side / "run.txt").write_text(text.format(tmp_path / side), encoding="utf-8")
    found = differences(read_folder(tmp_path / "before"), read_folder(tmp_path / "after_"))
    line = "TIME in FOLDER proven in DURATION, 4.1{} s per case"
    assert found == [Difference("run.txt", "line 1", line.format(8), line.format(9))]


def test_missing_files_and_lines_that_moved(tmp_path: Path) -> None:
    before = {"a.txt": [("", "one"), ("", "two"), ("", "three")], "b.json": [("x", "1")]}
    now = {"a.txt": [("", "one"), ("", "three"), ("", "four")], "c.json": [("x", "1")]}
    assert differences(before, now) == [
        Difference("a.txt", "line 2", "two", ""),
        Difference("a.txt", "line 4", "", "four"),
        Difference("b.json", "the file", "is there", ""),
        Difference("c.json", "the file", "", "is there"),
    ]
