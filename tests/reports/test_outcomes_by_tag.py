"""Right and wrong by tag, by hand: counts, shares, order, and the chart that the workbook draws of them."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import karat
from karat.core.plugins import load_suite
from karat.core.results.result import RunResult
from karat.reports.look.palette import colour
from karat.reports.sections.outcomes_by_tag import outcomes_by_tag
from karat.verbs.report import write_reports

METRICS = load_suite("retrieval").metrics


def scored(tags: dict[str, tuple[str, ...]], right: set[str], silent: set[str] = frozenset()) -> RunResult:  # type: ignore[assignment]  # never changed
    cases = [{"id": name, "question": "?", "relevant": ["a"], "tags": list(own)} for name, own in tags.items()]
    answers = [{"id": name, "results": ["a" if name in right else "b"]} for name in tags if name not in silent]
    return karat.score(suite="retrieval", cases=cases, predictions=answers)


def test_by_hand() -> None:
    tags = {"1": ("x", "y"), "2": ("x",), "3": ("x",), "4": ("y", "y"), "5": ()}
    table = outcomes_by_tag(scored(tags, right={"1", "5"}), METRICS)
    assert table is not None
    assert [row[:4] for row in table.rows] == [("x", 1, 2, 0), ("y", 1, 1, 0)]
    share, low, high = table.rows[0][4:]
    assert share == pytest.approx(1 / 3)
    assert low == pytest.approx(0.0615, abs=1e-3) and high == pytest.approx(0.7923, abs=1e-3)  # Wilson, 1 of 3


def test_without_tags_or_without_a_figure_there_is_no_table() -> None:
    assert outcomes_by_tag(scored({"1": (), "2": ()}, right={"1"}), METRICS) is None
    assert outcomes_by_tag(scored({"1": ("x",)}, right={"1"}), ()) is None


def test_the_workbook_draws_groups_and_tags(tmp_path: Path) -> None:
    tags: dict[str, tuple[str, ...]] = {str(n): (f"tag {n % 20}", "=all") for n in range(60)}
    write_reports(scored(tags, right={str(n) for n in range(30)}), xlsx=tmp_path / "r.xlsx")
    with zipfile.ZipFile(tmp_path / "r.xlsx") as book:
        xml = [book.read(name).decode() for name in sorted(book.namelist()) if re.match(r"xl/charts/chart\d", name)]
    stacked = next(one for one in xml if "Right and wrong by tag" in one)
    fills = re.findall(r'<c:ser>.*?<a:srgbClr val="(\w+)"/>', stacked)
    assert fills == [colour(name)[1:].upper() for name in ("right-fill", "wrong-fill", "neutral-fill")]
    assert '<c:grouping val="stacked"/>' in stacked
    assert any("Largest failure groups" in one for one in xml)
    page: Any = openpyxl.load_workbook(tmp_path / "r.xlsx")["Failure groups"]
    found = [row for row in page.values if row[0] == "=all"]
    assert found and found[0][1:4] == (30, 30, 0)
    assert all(cell.data_type != "f" for row in page.iter_rows() for cell in row)
