"""Tables with a heading: CSV in any of its dialects, and one sheet of an Excel file."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from karat.core.files.reading import FileRefused, as_text, read_bytes
from karat.core.problems import Problem, UserError
from karat.imports.ambiguity import Unclear
from karat.imports.source import Source, SourceRow
from karat.imports.xlsx import Workbook

SEPARATORS = (",", ";", "\t", "|")
LONGEST_FIELD = 64 * 1024 * 1024
FORMULA = ("=", "+", "-", "@")
MOST_COLUMNS = 16_384
"""As many as Excel has."""
MOST_CELLS = 20_000_000
"""Rows times columns: each row is held with all its columns, however few of them it fills."""


def read_csv(path: Path) -> Source:
    """The rows of a CSV file: UTF-8 or UTF-16, with commas, semicolons, tabs or bars."""
    data = read_bytes(path, utf_16=True)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", errors="replace")
    else:
        text = as_text(data, path)
    separator = _separator(text)
    csv.field_size_limit(LONGEST_FIELD)
    name = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}[separator]
    return _table(path, f"CSV with {name}", _numbered(path, text, separator))


def _numbered(path: Path, text: str, separator: str) -> Iterator[tuple[int, dict[int, object]]]:
    """Line → its cells by their places. Empty cells are left out, except one that a row alone has behind the heading:
    such a row has a separator too many, and its other cells may be in the wrong columns."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    begin, width, ragged = 1, 0, False
    try:
        for row in reader:
            if not width and any(cell.strip() for cell in row):
                width = len(row)
                ragged = _is_ragged(text, separator, width)
            cells: dict[int, object] = {place: _cell(cell) for place, cell in enumerate(row, start=1) if cell != ""}
            if ragged and cells and len(row) > width:
                cells.setdefault(width + 1, "(empty)")
            yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as error:
        raise FileRefused(path, f"not valid CSV: {error}", line=begin) from None


def _is_ragged(text: str, separator: str, width: int) -> bool:
    """Whether some rows have more cells than the heading and some have not. Where all have, each line ends with a
    separator."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        filled = [len(row) for row in reader if any(cell.strip() for cell in row)][1:]
    except csv.Error:
        return False  # said where the rows are read
    return any(length > width for length in filled) and not all(length > width for length in filled)


def _cell(cell: str) -> str:
    """A text without the apostrophe that karat puts before what a spreadsheet would take for a formula."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in FORMULA else cell


def _separator(text: str) -> str:
    """The most frequent one in the first line, outside quotes."""
    counts = dict.fromkeys(SEPARATORS, 0)
    quoted = False
    for sign in text:
        if sign == '"':
            quoted = not quoted
        elif sign == "\n" and not quoted:
            if any(counts.values()):
                break
        elif not quoted and sign in counts:
            counts[sign] += 1
    return max(SEPARATORS, key=lambda sign: counts[sign])


def read_xlsx(path: Path, sheet: str = "") -> Source:
    """The rows of a sheet: the one that is named, or the only one that holds a table."""
    book = Workbook(path)
    if not book.sheets:
        raise UserError(f"{path} has no visible sheet")
    if not sheet:
        filled = [name for name in book.sheets if next(book.rows(name), None) is not None]
        if len(filled) > 1:
            raise Unclear("sheet", f"{path} has several sheets", filled)
        sheet = (filled or list(book.sheets))[0]
    return _table(path, f'Excel, sheet "{sheet}"', book.rows(sheet))


def _table(path: Path, form: str, rows: Iterable[tuple[int, Mapping[int, object]]]) -> Source:
    heading: dict[int, str] | None = None
    found = Source(form, [])
    for line, cells in rows:
        if not any(str(cell).strip() for cell in cells.values()):
            continue
        if heading is None:
            heading = _heading(path, line, cells)
            continue
        without_heading = [place for place, cell in cells.items() if place not in heading and str(cell).strip()]
        if without_heading:
            message = f"skipped: it has a cell in column {without_heading[0]}, which has no heading"
            found.problems.append(
                Problem(message, file=str(path), line=line, hint="Quote cells that contain the separator.")
            )
            continue
        if (len(found.rows) + 1) * len(heading) > MOST_CELLS:
            raise FileRefused(path, f"rows times columns are more than {MOST_CELLS:,} cells", hint="Split the file.")
        found.rows.append(SourceRow(line, {name: cells.get(place) for place, name in heading.items()}))
    if heading is None:
        raise UserError(
            f"{path} is empty: it does not even have a heading", hint="The first row must name the columns."
        )
    return found


def _heading(path: Path, line: int, cells: Mapping[int, object]) -> dict[int, str]:
    heading = {place: str(cell).strip() for place, cell in cells.items() if str(cell).strip()}
    if len(heading) > MOST_COLUMNS:
        raise FileRefused(path, f"it has {len(heading):,} columns; at most {MOST_COLUMNS:,} are read", line=line)
    twice = next((name for name, times in Counter(heading.values()).items() if times > 1), None)
    if twice is not None:
        raise FileRefused(
            path, f'the heading "{twice}" appears twice', line=line, hint="Give every column its own name."
        )
    return heading
