"""Charts are native: the workbook holds them with their series, and the series point at the cells of the table."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import openpyxl

from karat.core.report import Chart, Column, Report, Series, Sheet, Table
from karat.reports.excel.workbook import write_xlsx

FIGURES = Table(
    (Column("model"), Column("n", "count"), Column("recall", "score")), (("a", 1, 0.5), ("a", 4, 1.0), ("b", 2, 0.25))
)


def charts(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as book:
        return [book.read(name).decode() for name in sorted(book.namelist()) if re.match(r"xl/charts/chart\d", name)]


def test_series_point_at_their_rows(tmp_path: Path) -> None:
    drawn = Chart(
        "Recall against n", "n", "recall", (Series("a", 1, 2, 0, 1), Series("=b", 1, 2, 2, 2, marked=True)), y_most=1.0
    )
    path = tmp_path / "out.xlsx"
    write_xlsx(Report("r", (Sheet("Curves of x", (FIGURES,), charts=(drawn,)),)), path)
    (xml,) = charts(path)
    assert re.findall(r"<c:xVal>.*?<c:f>(.*?)</c:f>", xml) == ["'Curves of x'!$B$2:$B$3", "'Curves of x'!$B$4"]
    assert re.findall(r"<c:yVal>.*?<c:f>(.*?)</c:f>", xml) == ["'Curves of x'!$C$2:$C$3", "'Curves of x'!$C$4"]
    assert re.findall(r"<c:tx><c:v>(.*?)</c:v>", xml) == ["a", " =b"]  # a name, never a formula
    assert '<c:max val="1' in xml
    page: Any = openpyxl.load_workbook(path).worksheets[0]
    (chart,) = page._charts
    assert chart.anchor._from.col == 4  # to the right of the three columns


def test_a_chart_below_a_titled_table_starts_at_its_rows(tmp_path: Path) -> None:
    second = Table(FIGURES.columns, FIGURES.rows, "Second", "a note")
    drawn = Chart("t", "x", "y", (Series("a", 1, 2, 0, 2),), table=1, kind="scatter")
    path = tmp_path / "out.xlsx"
    write_xlsx(Report("r", (Sheet("S", (FIGURES, second), charts=(drawn, drawn)),)), path)
    found = charts(path)
    assert len(found) == 2
    # Heading and three rows, an empty one, title and note: the second heading stands in row 8, its rows from 9 on.
    assert "S!$C$9:$C$11" in found[0]


def test_bars_are_named_by_the_text_and_the_first_row_is_on_top(tmp_path: Path) -> None:
    counted = Table(
        (Column("reason"), Column("ran", "count"), Column("right", "count")), (("a", 3, 2), ("=b", 1, 1), ("c", 9, 9))
    )
    series = (Series("ran", 0, 1, 0, 1), Series("right", 0, 2, 0, 1))
    bars = Chart("Why", "reason", "instances", series, kind="bar", y_most=4.0)
    path = tmp_path / "out.xlsx"
    write_xlsx(Report("r", (Sheet("Reasons", (counted,), charts=(bars,)),)), path)
    (xml,) = charts(path)
    assert '<c:barDir val="bar"/>' in xml
    assert re.findall(r"<c:cat>.*?<c:f>(.*?)</c:f>", xml) == ["Reasons!$A$2:$A$3"] * 2
    assert re.findall(r"<c:val>.*?<c:f>(.*?)</c:f>", xml) == ["Reasons!$B$2:$B$3", "Reasons!$C$2:$C$3"]
    names, figures = re.search(r"<c:catAx>.*</c:catAx>", xml), re.search(r"<c:valAx>.*</c:valAx>", xml)
    assert names
    assert figures
    assert '<c:orientation val="maxMin"/>' in names[0]
    assert "<a:t>reason</a:t>" in names[0]
    assert "<a:t>instances</a:t>" in figures[0]
    assert '<c:crosses val="max"/>' in figures[0]  # below, although the names are turned round
    assert '<c:max val="4' in figures[0]
    assert '<c:majorUnit val="1"/>' in figures[0]  # 1, 2, 3: no halves of an instance


def test_bars_of_large_counts_and_of_shares_have_the_marks_that_excel_finds(tmp_path: Path) -> None:
    shares = Table((Column("after"), Column("share", "score")), (("first try", 0.5), ("later", None)))
    bars = Chart("t", "after", "share", (Series("share", 0, 1, 0, 1),), kind="bar")
    path = tmp_path / "out.xlsx"
    write_xlsx(Report("r", (Sheet("S", (shares,), charts=(bars,)),)), path)
    assert "majorUnit" not in charts(path)[0]


def test_no_chart_leaves_the_workbook_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "out.xlsx"
    write_xlsx(Report("r", (Sheet("S", (FIGURES,)),)), path)
    assert charts(path) == []


def test_intervals_dashes_and_stacked_counts(tmp_path: Path) -> None:
    table = Table(
        (Column("stage"), Column("recall"), Column("low"), Column("high"), Column("n", "count")),
        (("found", 0.5, 0.25, 1.0, 3), ("final", 0.25, 0.0, 0.5, 4)),
    )
    whiskers = Chart("r", "stage", "recall", (Series("recall", 0, 1, 0, 1, low=2, high=3),), kind="bar")
    stacked = Chart("m", "stage", "n", (Series("n", 0, 4, 0, 1),), kind="matrix")
    dashed = Chart("t", "n", "recall", (Series("all", 4, 1, 0, 1), Series("c", 4, 1, 0, 1, dashed=True, table=1)))
    path = tmp_path / "out.xlsx"
    second = Table(table.columns, table.rows, "Second")
    write_xlsx(Report("r", (Sheet("S", (table, second), charts=(whiskers, stacked, dashed)),)), path)
    bars, counts, lines = charts(path)
    ends = re.search(r"<c:errBars>.*?</c:errBars>", bars)
    assert ends is not None
    assert re.findall(r"<c:v>(.*?)</c:v>", ends[0]) == ["0.5", "0.25", "0.25", "0.25"]  # up, then down
    assert '<c:grouping val="stacked"/>' in counts
    assert 'prstDash val="dash"' in lines
    first, other = re.findall(r"<c:yVal>.*?<c:f>(.*?)</c:f>", lines)
    assert first != other
