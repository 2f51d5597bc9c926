"""``karat run --release`` and ``karat report --trend``: releases in order, breaks, and when a case was mended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from typer.testing import CliRunner

from karat.cli.main import app
from karat.core.problems import UserError


def run(folder: Path, release: str, right: str, ids: str = "abc", edited: str = "") -> None:
    """A run in which the answers to these cases are right; of the edited ones something else is expected."""

    def selection(code: str) -> dict[str, Any]:
        values = [{"id": code, "name": code}]
        return {
            "indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": values}]}]
        }

    targets = {one: selection("C" if one in edited else "A") for one in ids}
    cases = [
        {"id": one, "conversation": [{"role": "user", "content": "q", "target": target}]}
        for one, target in targets.items()
    ]
    (folder / "cases.json").write_text(json.dumps(cases))
    answers = [{"id": one, **selection("B" if one not in right else "C" if one in edited else "A")} for one in ids]
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)))
    words = ["run", "--suite", "data_query", "--cases", str(folder / "cases.json"), "--predictions"]
    words += [str(folder / "answers.jsonl"), "--store", str(folder / "k.db"), "--release", release]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output


def test_releases_in_order_with_breaks_and_histories(tmp_path: Path) -> None:
    run(tmp_path, "1.0", "a")
    run(tmp_path, "1.1", "")  # tried again below: only the newest run of a release counts
    run(tmp_path, "1.1", "ab")
    run(tmp_path, "1.2", "bcd", "bcd")
    store, out, book = (str(tmp_path / name) for name in ("k.db", "t.json", "t.xlsx"))
    page = tmp_path / "t.html"
    words = ["report", "--trend", "--store", store, "--json", out, "--xlsx", book, "--html", str(page)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    found = json.loads(Path(out).read_text())
    releases = found["releases"]
    assert [(one["release"], one["cases"], one["comparable"], one["shared_cases"]) for one in releases] == [
        ("1.0", 3, True, None), ("1.1", 3, True, 3), ("1.2", 3, False, 2),
    ]  # fmt: skip
    assert [one["metrics"]["fully_right"]["mean"] for one in releases] == pytest.approx([1 / 3, 2 / 3, 1.0])
    change = releases[2]["differences"]["fully_right"]
    assert (change["n"], change["before"], change["after"]) == (2, 0.5, 1.0)  # over b and c
    assert releases[0]["main_reasons"] == {"wrong_term": 2}
    assert found["judged_by"] == "fully_right"
    assert sorted((one["case"], one["wrong_since"], one["right_since"]) for one in found["cases"]) == [
        ("b", "1.0", "1.1"), ("c", "1.0", "1.2"),
    ]  # fmt: skip
    assert "strokeDash" in page.read_text() and "Over common cases" in page.read_text()
    cells = list(load_workbook(book)["Trend"].iter_rows(values_only=True))
    common = [row[:5] for row in cells if row[2:4] == ("fully right", 2) and isinstance(row[0], int)]
    assert common == [(2, "1.1", "fully right", 2, 0.5), (3, "1.2", "fully right", 2, 1.0)]
    sheet = load_workbook(book)["Trend"]
    assert {"1.0", "1.1", "1.2"} <= {cell.value for cell in sheet["B"]}
    assert "other cases than before: 2 are the same" in {cell.value for cell in sheet["F"]}
    assert "Cases that were wrong" in page.read_text(encoding="utf-8")


def test_no_release_is_an_error_with_the_remedy(tmp_path: Path) -> None:
    run(tmp_path, "1.0", "a")
    done = CliRunner().invoke(app, ["report", "--trend", "--suite", "answers", "--store", str(tmp_path / "k.db")])
    assert isinstance(done.exception, UserError) and "no stored run has a release" in str(done.exception)
    done = CliRunner().invoke(app, ["report", "--suite", "data_query", "--store", str(tmp_path / "k.db")])
    assert isinstance(done.exception, UserError) and "only with --trend" in str(done.exception)


def test_a_case_whose_target_was_edited_is_another_case(tmp_path: Path) -> None:
    run(tmp_path, "1.0", "a")
    run(tmp_path, "1.1", "ab", edited="b")
    out, book = str(tmp_path / "t.json"), str(tmp_path / "t.xlsx")
    words = ["report", "--trend", "--store", str(tmp_path / "k.db"), "--json", out, "--xlsx", book]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    found = json.loads(Path(out).read_text())
    second = found["releases"][1]
    assert (second["comparable"], second["shared_cases"], second["cases_with_other_truth"]) == (False, 2, 1)
    change = second["differences"]["fully_right"]
    assert (change["n"], change["before"], change["after"]) == (2, 0.5, 0.5)  # over a and c: nothing was mended
    assert sorted((one["case"], one["right_since"], one["other_truth_since"]) for one in found["cases"]) == [
        ("b", "", "1.1"), ("c", "", ""),
    ]  # fmt: skip
    notes = {cell.value for cell in load_workbook(book)["Trend"]["F"]}
    assert "other cases than before: 2 are the same, 1 case with another truth" in notes


def test_an_edited_case_is_another_one_after_a_release_without_it(tmp_path: Path) -> None:
    run(tmp_path, "1.0", "a")
    run(tmp_path, "1.1", "ac", "ac")
    run(tmp_path, "1.2", "abc", edited="b")
    out = tmp_path / "t.json"
    done = CliRunner().invoke(app, ["report", "--trend", "--store", str(tmp_path / "k.db"), "--json", str(out)])
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text())
    assert [one["cases_with_other_truth"] for one in found["releases"]] == [0, 0, 1]
    assert ("b", "", "1.2") in {(one["case"], one["right_since"], one["other_truth_since"]) for one in found["cases"]}


def test_an_unknown_suite_is_said_to_be_unknown(tmp_path: Path) -> None:
    run(tmp_path, "1.0", "a")
    done = CliRunner().invoke(app, ["report", "--trend", "--suite", "data_qery", "--store", str(tmp_path / "k.db")])
    assert isinstance(done.exception, UserError)
    assert 'suite "data_qery"' in str(done.exception) and "data_query" in done.exception.hint
