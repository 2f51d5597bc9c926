"""The Excel writer: whatever the data says, the file opens, and a cell holds text or a number."""

from __future__ import annotations

import gc
import io
import re
import resource
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.core.report import CELL_LIMIT, Cell, Column, Report, Sheet, Table, utf16_length
from karat.reports.excel import workbook
from karat.reports.excel.workbook import cell_text, sheet_name, write_xlsx

TEXTS = (Column("text"), Column("wrapped", "wrapped"), Column("status", "status"))
PAYLOADS = [
    '=HYPERLINK("http://example.org","x")',
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "{=1}",
    "http://example.org",
    "mailto:a@example.org",
    "internal:Sheet1!A1",
    "<r><t>raw</t></r>",
    "<r><f>1</f><hyperlink/></r>",
    "</t></si>",
    "_x0041_",
    "#N/A",
    "1",
    "TRUE",
    "\x1b[31mred",
    "a\x00b",
    "half \ud83d pair",
    "\ufffe\uffff",
    "naïve 漢字 😀 العربية",
    "line\r\nline\rline\nline",
    "  spaces  ",
    "a, b, c",
]


def opened(report: Report, path: Path) -> Any:
    write_xlsx(report, path)
    return openpyxl.load_workbook(path)


def parts(path: Path) -> str:
    with zipfile.ZipFile(path) as book:
        return "\n".join(book.read(name).decode() for name in book.namelist() if name.endswith((".xml", ".rels")))


def as_documented(text: str) -> str | None:
    """What a reader finds in a cell: the escapes of the module's first paragraph, written down a second time."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    shown = ""
    for character in text:
        code = ord(character)
        if (code < 0x20 and character not in "\n\t") or 0x7F <= code < 0xA0:
            shown += f"\\x{code:02x}"
        elif 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF):
            shown += f"\\u{code:04x}"
        else:
            shown += character
    if shown.startswith("<r>") and shown.endswith("</r>"):
        shown = " " + shown
    return shown or None


def read_back(value: Any) -> Any:
    """Excel turns ``_x005F_`` back into an underscore; openpyxl leaves that to its caller. An empty cell is None."""
    return re.sub("_x005F(_x[0-9a-fA-F]{4}_)", r"\1", value) or None if isinstance(value, str) else value


def one_sheet(columns: tuple[Column, ...], *rows: tuple[Cell, ...], title: str = "Overview") -> Report:
    return Report("a report", (Sheet(title, (Table(columns, rows),)),))


def test_a_list_has_headings_filter_frozen_panes_and_repeated_heading(tmp_path: Path) -> None:
    columns = (Column("id"), Column("macro recall", "score"), Column("n", "count"))
    report = Report(
        "r", (Sheet("Overview", (Table(columns, (("a", 0.5, 3), ("b", None, 4))),), freeze_columns=1, print_columns=2),)
    )
    sheet = opened(report, tmp_path / "r.xlsx")["Overview"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["id", "macro recall", "n"],
        ["a", 0.5, 3],
        ["b", "n/a", 4],
    ]
    assert sheet.freeze_panes == "B2"
    assert sheet.auto_filter.ref == "A1:C3"
    assert sheet.print_title_rows == "$1:$1"
    assert sheet.print_area == "'Overview'!$A$1:$B$3"
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.sheet_properties.pageSetUpPr.fitToPage
    assert sheet["A2"].alignment.vertical == "top"


def test_scores_have_a_colour_scale_and_it_turns_round_when_lower_is_better(tmp_path: Path) -> None:
    columns = (Column("good", "score"), Column("bad", "score", higher_is_better=False), Column("plain", "number"))
    sheet = opened(one_sheet(columns, (1.0, 0.0, 3.0)), tmp_path / "r.xlsx")["Overview"]
    scales = {
        str(item.sqref): [c.rgb[2:] for c in item.rules[0].colorScale.color] for item in sheet.conditional_formatting
    }
    assert scales == {"A2": ["CC6A5B", "FAF2E0", "A3CFB4"], "B2": ["A3CFB4", "FAF2E0", "CC6A5B"]}


def test_a_score_that_a_right_answer_need_not_reach_has_no_colour(tmp_path: Path) -> None:
    columns = (Column("recall", "score"), Column("P@10", "score", shaded=False))
    sheet = opened(one_sheet(columns, (1.0, 0.1)), tmp_path / "r.xlsx")["Overview"]
    assert [str(item.sqref) for item in sheet.conditional_formatting] == ["A2"]


def test_a_text_that_is_longer_than_its_row_has_a_mark(tmp_path: Path) -> None:
    columns = (Column("id", "wrapped", 10), Column("why", "wrapped", 20))
    rows = [("a", "line\n" * 30), ("b", "line\n" * 11), ("c", "x" * 20 * 13)]
    sheet = opened(one_sheet(columns, *rows), tmp_path / "r.xlsx")["Overview"]
    said = sorted(str(item.sqref) for item in sheet.data_validations.dataValidation)
    assert said == ["B2", "B4"] and "Open the cell" in sheet.data_validations.dataValidation[0].prompt
    assert [sheet[cell].border.bottom.style for cell in ("A2", "B2", "B3", "B4")] == [
        "thin",
        "mediumDashed",
        "thin",
        "mediumDashed",
    ]
    assert sheet["B2"].value == "line\n" * 30, "all of it is there"


def test_numbers_that_are_none_are_shown_as_undefined(tmp_path: Path) -> None:
    columns = (Column("s", "score"), Column("n", "number"), Column("c", "count"))
    sheet = opened(one_sheet(columns, (None, float("nan"), None), (float("inf"), 2.5, 7)), tmp_path / "r.xlsx")[
        "Overview"
    ]
    assert [c.value for c in sheet[2]] == ["n/a", "n/a", "n/a"]
    assert [c.value for c in sheet[3]] == ["n/a", 2.5, 7]


def test_decimals_and_wrapping_are_in_the_formats(tmp_path: Path) -> None:
    columns = (Column("s", "score"), Column("m", "number", decimals=3), Column("c", "count"), Column("w", "wrapped"))
    sheet = opened(one_sheet(columns, (0.5, 0.5, 5, "a\nb\nc")), tmp_path / "r.xlsx")["Overview"]
    assert [sheet.cell(2, i).number_format for i in (1, 2, 3)] == ["0.00", "#,##0.000", "#,##0"]
    assert sheet["D2"].alignment.wrap_text
    assert sheet.row_dimensions[2].height == pytest.approx(3 + 3 * workbook.LINE_HEIGHT, abs=0.5)


def test_a_long_cell_does_not_make_a_row_that_fills_the_screen(tmp_path: Path) -> None:
    sheet = opened(one_sheet((Column("w", "wrapped"),), ("line\n" * 500,)), tmp_path / "r.xlsx")["Overview"]
    assert sheet.row_dimensions[2].height < 200


def test_several_tables_stand_under_each_other_with_their_titles(tmp_path: Path) -> None:
    first = Table((Column("metric"), Column("mean", "number")), (("macro recall", 0.5),), "Metrics", "How to read it.")
    second = Table((Column("tag"),), (("weo",), ("bis",)), "By tag")
    sheet = opened(Report("r", (Sheet("Statistics", (first, second)),)), tmp_path / "r.xlsx")["Statistics"]
    assert [row[0].value for row in sheet.iter_rows()] == [
        "Metrics",
        "How to read it.",
        "metric",
        "macro recall",
        None,
        "By tag",
        "tag",
        "weo",
        "bis",
    ]
    assert sheet.freeze_panes is None


def test_no_rows_no_columns_no_tables_no_sheets(tmp_path: Path) -> None:
    report = Report("", (Sheet("Empty", (Table((Column("id"), Column("s", "score")), ()),)), Sheet("None", ())))
    book = opened(report, tmp_path / "r.xlsx")
    assert [c.value for c in book["Empty"][1]] == ["id", "s"]
    write_xlsx(Report("", ()), tmp_path / "bare.xlsx")
    assert openpyxl.load_workbook(tmp_path / "bare.xlsx").sheetnames


def test_payloads_in_every_field_make_neither_formula_nor_link(tmp_path: Path) -> None:
    path = tmp_path / "r.xlsx"
    for payload in PAYLOADS:
        columns = tuple(Column(payload, kind) for kind in ("text", "wrapped", "status", "score", "number", "count"))
        table = Table(columns, ((payload,) * 6,), payload, payload)
        listed = Table(columns, ((payload,) * 6,))
        book = opened(Report(payload, (Sheet(payload, (table,)), Sheet(payload, (listed,)))), path)
        text = parts(path)
        assert not re.search(r"<f[ >/]", text), payload
        assert "<hyperlink" not in text, payload
        assert "relationships/hyperlink" not in text, payload
        expected = as_documented(payload)
        cells = [
            read_back(cell.value)
            for sheet in book
            for row in sheet.iter_rows()
            for cell in row
            if cell.value is not None
        ]
        assert cells == [expected] * (2 + 12 + 12), payload
        assert all(
            cell.data_type == "s"
            for sheet in book
            for row in sheet.iter_rows()
            for cell in row
            if cell.value is not None
        )


def test_text_at_and_over_the_limit_of_a_cell(tmp_path: Path) -> None:
    exact, over, wide = "a" * CELL_LIMIT, "b" * 60_000, "😀" * 20_000
    sheet = opened(one_sheet((Column("w", "wrapped"),), (exact,), (over,), (wide,)), tmp_path / "r.xlsx")["Overview"]
    assert sheet["A2"].value == exact
    cut = sheet["A3"].value
    found = re.fullmatch(r"(b+)… truncated, ([\d,]+) more characters", cut)
    assert found and len(found[1]) + int(found[2].replace(",", "")) == 60_000
    assert len(cut) <= CELL_LIMIT
    emoji = re.fullmatch(r"(😀+)… truncated, ([\d,]+) more characters", sheet["A4"].value)
    assert emoji and len(emoji[1]) + int(emoji[2].replace(",", "")) == 20_000
    assert utf16_length(sheet["A4"].value) <= CELL_LIMIT


def test_escapes_count_before_the_cut() -> None:
    assert utf16_length(cell_text("\x00" * 20_000)) <= CELL_LIMIT
    assert cell_text("<r>" + "x" * 40_000 + "</r>").endswith("more characters")


def test_sheet_names_are_made_legal_and_unique() -> None:
    assert sheet_name("Overview", []) == "Overview"
    assert sheet_name("a/b:c*d?[e]\\f", []) == "a b c d  e  f"
    assert sheet_name("'quoted'", []) == "quoted"
    assert sheet_name("  ", []) == "Sheet"
    assert sheet_name("History", []) == "History sheet"
    assert sheet_name("errors", ["Errors"]) == "errors 2"
    assert len(sheet_name("x" * 50, [])) == 31
    assert sheet_name("x" * 50, ["x" * 31]) == "x" * 29 + " 2"
    assert utf16_length(sheet_name("😀" * 40, [])) <= 31


def test_more_rows_than_a_sheet_holds_go_on_in_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MAX_ROWS", 5)
    book = opened(one_sheet((Column("n", "count"),), *((number,) for number in range(10))), tmp_path / "r.xlsx")
    assert book.sheetnames == ["Overview", "Overview 2", "Overview 3"]
    found = [[row[0].value for row in sheet.iter_rows()] for sheet in book]
    assert found == [["n", 0, 1, 2, 3], ["n", 4, 5, 6, 7], ["n", 8, 9]]


def test_a_sheet_of_several_tables_says_what_does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MAX_ROWS", 16)
    table = Table((Column("n", "count"),), tuple((number,) for number in range(5)), "T")
    sheet = opened(Report("r", (Sheet("S", (table, table)),)), tmp_path / "r.xlsx")["S"]
    values = [row[0].value for row in sheet.iter_rows()]
    assert values.count("… and 3 more rows, which do not fit on this sheet") == 2


def test_a_large_report_is_written_row_by_row_with_the_same_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = one_sheet((*TEXTS, Column("s", "score")), *((text, text, text, 0.5) for text in PAYLOADS))
    usual = [[read_back(c.value) for c in row] for row in opened(report, tmp_path / "a.xlsx")["Overview"].iter_rows()]
    monkeypatch.setattr(workbook, "MANY_CELLS", 10)
    large = [[read_back(c.value) for c in row] for row in opened(report, tmp_path / "b.xlsx")["Overview"].iter_rows()]
    assert usual == large
    assert not re.search(r"<f[ >/]", parts(tmp_path / "b.xlsx"))


def test_an_old_report_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "new" / "r.xlsx"
    write_xlsx(one_sheet((Column("a"),), ("old",)), path)
    assert opened(one_sheet((Column("a"),), ("new",)), path)["Overview"]["A2"].value == "new"
    assert [file.name for file in path.parent.iterdir()] == ["r.xlsx"]


def test_a_place_that_cannot_be_written_is_the_users_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="cannot write"):
        write_xlsx(one_sheet((Column("a"),), ("b",)), tmp_path / "file" / "r.xlsx")


@pytest.mark.parametrize("room", [1_000, 20_000])
def test_a_disk_that_fills_is_one_message_without_a_traceback_behind_it(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the temporary file of a sheet, and at the end, with the file itself."""
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with pytest.raises(UserError, match=r"cannot write .*: File too large"):
            write_xlsx(Report("r", tuple(Sheet(f"s{n}", ()) for n in range(60))), tmp_path / "r.xlsx")
        gc.collect()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (ignored, list(tmp_path.iterdir())) == ([], [])


any_text = st.text(st.characters(exclude_categories=()), max_size=40)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(title=any_text, heading=any_text, cell=any_text, note=any_text, table_title=any_text, report_title=any_text)
def test_any_text_reads_back(
    tmp_path: Path, title: str, heading: str, cell: str, note: str, table_title: str, report_title: str
) -> None:
    columns = tuple(Column(heading, kind) for kind in ("text", "wrapped", "status", "score"))
    first = Sheet(title, (Table(columns, ((cell,) * 4,)),))
    second = Sheet(title, (Table(columns, ((cell,) * 4,), table_title or "t", note or "n"),))
    path = tmp_path / "r.xlsx"
    write_xlsx(Report(report_title, (first, second)), path)
    book = openpyxl.load_workbook(io.BytesIO(path.read_bytes()))
    listed, titled = (sheet for sheet in book)
    expected_heading, expected_cell = as_documented(heading), as_documented(cell)
    assert [read_back(c.value) for c in listed[1]] == [expected_heading] * 4
    assert [read_back(listed.cell(2, i).value) for i in (1, 2, 3, 4)] == [expected_cell] * 4
    assert read_back(titled["A1"].value) == as_documented(table_title or "t")
    assert read_back(titled["A2"].value) == as_documented(note or "n")
    assert [read_back(titled.cell(4, i).value) for i in (1, 2, 3, 4)] == [expected_cell] * 4
    assert not re.search(r"<f[ >/]|<hyperlink", parts(path))


def test_whole_numbers_among_measures_stay_whole(tmp_path: Path) -> None:
    """A table of several figures has counts and shares in one column: 18 questions, recall 0.9053."""
    columns = (Column("figure"), Column("value", "number"), Column("fixed", "number", decimals=2))
    page = opened(
        Report("r", (Sheet("S", (Table(columns, (("passed", 18, 18), ("recall", 0.9053, 0.9))),)),)),
        tmp_path / "a.xlsx",
    )
    cells = page.worksheets[0]
    assert [cells.cell(row, 2).number_format for row in (2, 3)] == ["#,##0", "[>=100]#,##0;[>=1]0.00;0.0000"]
    assert {cells.cell(row, 3).number_format for row in (2, 3)} == {"#,##0.00"}
