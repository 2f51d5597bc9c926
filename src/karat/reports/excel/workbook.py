"""A report as an Excel workbook. One look for all suites.

Whatever the data says, a cell holds text or a number: no formula, no link. Text is written as it is, with four
exceptions, each of them visible: control characters, halves of surrogate pairs and non-characters are escaped, line
breaks become plain ones (:func:`karat.core.report.visible`); a text longer than a cell is cut and says by how much; and
a text that begins with ``<r>`` and ends with ``</r>`` gets a space in front, because XlsxWriter would take it for its
own markup and write it raw.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core.bulk.gc_pause import no_collecting
from karat.core.files.atomic import write_atomically
from karat.core.json_types import JsonObject
from karat.core.problems import count_of
from karat.core.report import CELL_LIMIT, Cell, Column, Report, Sheet, Table, utf16_length, visible
from karat.reports.excel.charts import draw_charts
from karat.reports.look.palette import colour

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

MAX_ROWS = 1_048_576
"""Rows of a worksheet. A longer table goes on in a second sheet."""
MANY_CELLS = 2_000_000
"""From here on rows go to disk as they are written, so that memory does not grow with the report."""
WRAPPING = ("wrapped", "text")
"""Kinds of columns whose texts go on in a second line where they are longer than the column."""
MAX_LINES = 12
"""Lines of text that a row shows. The rest of a long cell is there, and shows when the cell is opened; the cell has a
mark."""
MOST_MARKED = 2_000
"""Cells of a table that say so when they are chosen; all of them have the dashed line."""
CUT = {
    "input_title": "Longer than the row",
    "input_message": "Open the cell, or make the row taller, to read all of it.",
}
LINE_HEIGHT = 13.2

# Chosen so that low and high differ in lightness too, for readers who do not tell red from green. The number is always
# there.
LOW, MIDDLE, HIGH = colour("wrong-fill"), colour("gold-soft"), colour("right-fill")
ALIGN: dict[str, JsonObject] = {
    "left": {"align": "left"},
    "center": {"align": "center"},
    "right": {"align": "right", "indent": 1},
}

Put = Callable[[int, Cell], object]


def write_xlsx(report: Report, path: Path) -> None:
    """Write the workbook; what stood at the path before is replaced in one step, or kept when this fails."""
    with no_collecting():  # hundreds of thousands of cells: looking for cycles would take a quarter of the time
        write_atomically(path, lambda part: _write(report, part))


def _write(report: Report, path: Path) -> None:
    from xlsxwriter import Workbook
    from xlsxwriter.exceptions import FileCreateError

    cells = sum(len(table.rows) * len(table.columns) for sheet in report.sheets for table in sheet.tables)
    options = {
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "constant_memory": cells > MANY_CELLS,
    }
    # In memory first, compressed as it is: a ZIP file that cannot be finished on a full disk prints a traceback of its
    # own when Python throws it away.
    packed = io.BytesIO()
    book = Workbook(packed, options)
    book.set_properties({"title": visible(report.title)[:255], "comments": "Written by karat"})
    look = _Look(book)
    names: list[str] = []
    for sheet in report.sheets:
        for part in _parts(sheet):
            names.append(sheet_name(part.title, names))
            page = book.add_worksheet(names[-1])
            tops = _write_sheet(page, part, look)
            draw_charts(book, page, part, tops)
    if cells > MANY_CELLS:
        book.use_zip64()
    failed: OSError | None = None
    try:
        book.close()
    except FileCreateError as error:  # wraps the OSError of a temporary file: a full disk
        cause = error.args[0] if error.args else error
        failed = OSError(cause.errno, cause.strerror) if isinstance(cause, OSError) else OSError(str(cause))
        cause.__traceback__ = None  # or it holds the ZIP file, which then ends when ``packed`` is no longer there
    if failed is not None:
        raise failed
    path.write_bytes(packed.getbuffer())


def sheet_name(title: str, taken: Sequence[str]) -> str:
    """A name that Excel accepts: at most 31 characters, none of ``[]:*?/\\``, not "History", unlike the others in any
    case."""
    clean = re.sub(r"[\[\]:*?/\\\n\t]", " ", visible(title)).strip().strip("'").strip() or "Sheet"
    if clean.lower() == "history":
        clean = f"{clean} sheet"
    used = {name.lower() for name in taken}
    name, number = _cut_units(clean, 31).rstrip(" '"), 1
    while name.lower() in used:
        number += 1
        tail = f" {number}"
        name = _cut_units(clean, 31 - len(tail)).rstrip(" '") + tail
    return name


def _parts(sheet: Sheet) -> Iterator[Sheet]:
    """The sheet; as several when its one table has more rows than fit."""
    table = sheet.tables[0] if _is_list(sheet) else None
    room = MAX_ROWS - 1
    if table is None or len(table.rows) <= room:
        yield sheet
        return
    for start in range(0, len(table.rows), room):
        part = msgspec.structs.replace(table, rows=table.rows[start : start + room])
        # A chart speaks of rows of the whole table, which no part has.
        yield msgspec.structs.replace(sheet, tables=(part,), charts=())


def _is_list(sheet: Sheet) -> bool:
    return len(sheet.tables) == 1 and not sheet.tables[0].title and not sheet.tables[0].note


# -- one sheet --------------------------------------------------------------------------------------------------------


def _write_sheet(page: Worksheet, sheet: Sheet, look: _Look) -> list[int]:
    """The tables of a sheet one below the other; the row of each one's heading."""
    tables = sheet.tables
    widths = [
        max(t.columns[i].width for t in tables if i < len(t.columns))
        for i in range(max((len(t.columns) for t in tables), default=0))
    ]
    for index, width in enumerate(widths):
        page.set_column(index, index, width)
    page.hide_gridlines(2)
    page.set_landscape()
    page.set_paper(9)  # A4
    page.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    page.fit_to_pages(1, 0)
    page.set_footer("&L&8&A&R&8page &P of &N")
    if _is_list(sheet):
        last = _write_table(page, tables[0], 0, widths, look)
        page.freeze_panes(1, sheet.freeze_columns)
        page.autofilter(0, 0, last - 1, len(tables[0].columns) - 1)
        page.repeat_rows(0)
        if sheet.print_columns:
            page.print_area(0, 0, last - 1, sheet.print_columns - 1)
        return [0]
    row = 0
    tops: list[int] = []
    room = MAX_ROWS // max(len(tables), 1) - 6
    for table in tables:
        if table.title:
            page.set_row(row, 21)
            page.write_string(row, 0, cell_text(table.title), look.title)
            row += 1
        if table.note:
            page.write_string(row, 0, cell_text(table.note), look.note)
            row += 1
        shown = table if len(table.rows) <= room else msgspec.structs.replace(table, rows=table.rows[:room])
        tops.append(row)
        row = _write_table(page, shown, row, widths, look)
        if len(table.rows) > room:
            left = count_of(len(table.rows) - room, "more row, which does", "more rows, which do")
            page.write_string(row, 0, f"… and {left} not fit on this sheet", look.note)
            row += 1
        row += 1
    return tops


def _write_table(page: Worksheet, table: Table, top: int, widths: Sequence[int], look: _Look) -> int:
    """Heading and rows from ``top`` on; the first row that is free again."""
    page.set_row(
        top, 6 + LINE_HEIGHT * max((_lines(c.title, widths[i] - 1) for i, c in enumerate(table.columns)), default=1)
    )
    for index, column in enumerate(table.columns):
        page.write_string(top, index, cell_text(column.title), look.heading(column))
    puts = [_writer(page, index, column, look) for index, column in enumerate(table.columns)]
    wrapped = [(index, widths[index]) for index, column in enumerate(table.columns) if column.kind in WRAPPING]
    row, marked = top, 0
    for row, cells in enumerate(table.rows, start=top + 1):
        height = 1
        for index, width in wrapped:
            text = cells[index]
            if isinstance(text, str) and (len(text) > width or "\n" in text):
                height = max(height, _lines(text, width))
        page.set_row(row, 3 + LINE_HEIGHT * height)
        for put, cell in zip(puts, cells, strict=True):
            put(row, cell)
        if height == MAX_LINES:
            marked += _mark_cut(page, row, cells, wrapped, look, MOST_MARKED - marked)
    if row > top:
        for index, column in enumerate(table.columns):
            if column.kind == "score" and column.shaded:
                page.conditional_format(top + 1, index, row, index, _scale(column))
    return row + 1


def _lines(text: str, width: int) -> int:
    """How many lines a wrapped text takes, roughly; no more than a row shows."""
    if text.count("\n") >= MAX_LINES:
        return MAX_LINES
    return min(MAX_LINES, _needed(text, width))


def _needed(text: str, width: int) -> int:
    return sum(1 + max(0, len(line) - 1) // max(width, 1) for line in text.split("\n"))


def _mark_cut(
    page: Worksheet, row: int, cells: Sequence[Cell], wrapped: Sequence[tuple[int, int]], look: _Look, said: int
) -> int:
    """A dashed line under each text that is longer than its row, and a hint when the cell is chosen; how many hints."""
    found = 0
    for index, width in wrapped:
        text = cells[index]
        if isinstance(text, str) and _needed(text, width) > MAX_LINES:
            page.write_string(row, index, cell_text(text), look.longer)
            if found < said:
                page.data_validation(row, index, row, index, {"validate": "any", **CUT})
                found += 1
    return found


def _scale(column: Column) -> JsonObject:
    low, high = (LOW, HIGH) if column.higher_is_better else (HIGH, LOW)
    return {
        "type": "3_color_scale",
        "min_type": "num",
        "mid_type": "num",
        "max_type": "num",
        "min_value": 0,
        "mid_value": 0.5,
        "max_value": 1,
        "min_color": low,
        "mid_color": MIDDLE,
        "max_color": high,
    }


# -- one cell ---------------------------------------------------------------------------------------------------------


def cell_text(text: str) -> str:
    """A text as the cell holds it: see the top of this module."""
    text = visible(text)
    if len(text) > CELL_LIMIT // 2 and utf16_length(text) > CELL_LIMIT:
        kept = _cut_units(text, CELL_LIMIT - 40)
        text = f"{kept}… truncated, {len(text) - len(kept):,} more characters"
    return f" {text}" if text.startswith("<r>") and text.endswith("</r>") else text


def _cut_units(text: str, units: int) -> str:
    """The beginning of a text, in no more than this many UTF-16 code units; no character is cut in two."""
    if utf16_length(text) <= units:
        return text
    return text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore")


def _is_text(column: Column) -> bool:
    return column.kind in ("text", "wrapped", "status")


def _writer(page: Worksheet, index: int, column: Column, look: _Look) -> Put:
    """The function that writes the cells of one column. All that can be decided once is decided here."""
    write_string, write_number, write_blank = page.write_string, page.write_number, page.write_blank
    if _is_text(column):
        style = look.wrapped if column.kind in WRAPPING else look.text
        states = look.states if column.kind == "status" else {}

        def put_text(row: int, cell: Cell) -> None:
            if cell is None or cell == "":
                write_blank(row, index, None, style)
            else:
                text = cell_text(cell if isinstance(cell, str) else str(cell))
                write_string(row, index, text, states.get(text, style))

        return put_text

    figure, undefined = look.figure(column), look.undefined(column)
    mixed = column.kind == "number" and column.decimals is None  # counts and measures below each other: 18, 0.9053
    whole = look.figure(msgspec.structs.replace(column, kind="count")) if mixed else figure

    def put_number(row: int, cell: Cell) -> None:
        if cell is None:
            write_string(row, index, "n/a", undefined)
        elif isinstance(cell, str):
            write_string(row, index, cell_text(cell), look.text)
        elif isfinite(cell):
            write_number(row, index, cell, whole if isinstance(cell, int) else figure)
        else:
            write_string(row, index, "n/a", undefined)

    return put_number


class _Look:
    """The formats of one workbook, made once."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._figures: dict[tuple[str, str], Format] = {}
        self._body = {"font_size": 10, "valign": "top", "bottom": 1, "bottom_color": colour("line")}
        head = {
            "font_size": 10,
            "bold": True,
            "font_color": colour("surface"),
            "bg_color": colour("text"),
            "valign": "vcenter",
            "text_wrap": True,
        }
        self._heads = {side: book.add_format(head | align) for side, align in ALIGN.items()}
        self.title = book.add_format({"font_size": 13, "bold": True, "font_color": colour("text"), "valign": "vcenter"})
        self.note = book.add_format({"font_size": 9, "italic": True, "font_color": colour("dim")})
        self.text = book.add_format(self._body)
        self.wrapped = book.add_format(self._body | {"text_wrap": True})
        self.longer = book.add_format(
            self._body | {"text_wrap": True, "bottom": 8, "bottom_color": colour("accent")}  # dashed
        )
        grey = self._body | {"font_color": colour("neutral")}
        self._undefined = {side: book.add_format(grey | ALIGN[side]) for side in ("center", "right")}
        self.states = {
            "error": book.add_format(self._body | {"bold": True, "font_color": colour("wrong")}),
            "missing": book.add_format(self._body | {"bold": True, "font_color": colour("accent")}),
            "not_applicable": book.add_format(self._body | {"font_color": colour("dim")}),
        }

    def heading(self, column: Column) -> Format:
        """The format of a heading, aligned as what is under it."""
        return self._heads["left" if _is_text(column) else "center" if column.kind == "score" else "right"]

    def figure(self, column: Column) -> Format:
        """The format of the numbers of a column."""
        if column.kind == "count":
            form = "#,##0"
        elif column.decimals is not None:
            form = "#,##0" + ("." + "0" * column.decimals if column.decimals else "")
        else:
            form = "0.00" if column.kind == "score" else "[>=100]#,##0;[>=1]0.00;0.0000"
        side = "center" if column.kind == "score" else "right"
        if (form, side) not in self._figures:
            self._figures[form, side] = self._book.add_format(self._body | {"num_format": form} | ALIGN[side])
        return self._figures[form, side]

    def undefined(self, column: Column) -> Format:
        """The format of n/a in a column of numbers."""
        return self._undefined["center" if column.kind == "score" else "right"]
