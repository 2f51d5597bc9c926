"""A sheet with truths in the cells of one question. Only those cells of its ``override`` change."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from karat.core.problems import UserError
from karat.sheet import Sheet, parse
from karat.sheet.evaluation_table import evaluation_fields, reference_text, the_evaluation_table
from karat.sheet.text.escapes import cell_literal
from karat.sheet.text.tree import At, Override, Table
from karat.sheet.truths import split_truths
from karat.sheet.values import Wrong

_CELL = re.compile(
    r"""[^\S\r\n]*
    ( "(?:[^"']|'[\s\S]|"")*" | \{[^\r\n]*?\}(?=[^\S\r\n]*(?:,|\r|\n|\Z)) | [^,"\r\n]*? )
    [^\S\r\n]*(?:,|\r\n|\r|\n|\Z)""",
    re.VERBOSE,
)
"""A cell of an override, as far as its end needs to be known. What comes out is read back, and must be what was
meant."""
_LINE_END = re.compile(r"\r\n|\r|\n")


def with_truths(data: bytes, question: str, truths: Mapping[str, Sequence[str]], file: str) -> bytes:
    """The sheet with these truths for the question: field, as in ``Shelf[product]``, → values."""
    text = data.decode("utf-8")
    sheet = parse(data, file)
    try:
        table = the_evaluation_table(sheet)
        fields = evaluation_fields(table)
    except Wrong as error:
        raise UserError(str(error)) from error
    columns = {reference_text(*searched): name for name, searched in fields.truths}
    override, row = _row_of(table, fields.question, question)
    cells = list(override.rows[row])
    for field, values in truths.items():
        written = joined(values)
        if columns.get(field) not in override.columns:
            raise UserError(f"the truths of {field} are not typed in, so there is no cell to write to")
        place = override.columns.index(columns[field])
        text = _with_cell(text, override.lines[row], place, written)
        cells[place] = written
    result = text.encode("utf-8")
    if _tables(parse(result, file)) != _tables(
        sheet, table.name, (*override.rows[:row], tuple(cells), *override.rows[row + 1 :])
    ):
        raise UserError("the truths cannot be inserted into the sheet without changing something else")
    return result


def _row_of(table: Table, column: str, question: str) -> tuple[Override, int]:
    """The row in which the question was typed in."""
    override = table.override
    if override is None or column not in override.columns:
        raise UserError("the question is not typed in, so there is no row to write to")
    place = override.columns.index(column)
    rows = [number for number, row in enumerate(override.rows) if len(row) > place and row[place] == question]
    if len(rows) != 1:
        raise UserError("the question is in no row of the sheet" if not rows else "the question is in several rows")
    return override, rows[0]


def joined(values: Sequence[str]) -> str:
    """Truths as one cell holds them: ``;`` between them, ``';`` for one inside a value."""
    inside = [re.sub(r"('*);", r"\1\1';", value) for value in values]
    written = ";".join([re.sub(r"('*)$", r"\1\1", value) for value in inside[:-1]] + inside[-1:])
    if split_truths(written) != tuple(dict.fromkeys(values)):
        raise UserError("a value of the answer cannot be written as a truth: it starts or ends with a space")
    return written


def _with_cell(text: str, line: int, place: int, written: str) -> str:
    """The text with another cell in the row that begins on this line."""
    found = _cell(text, line, place)
    if found is None:
        raise UserError("the cell of the truths was not found in its row")
    return text[: found[0]] + cell_literal(written) + text[found[1] :]


def _cell(text: str, line: int, place: int) -> tuple[int, int] | None:
    """Where a cell of the row that begins on this line starts and ends in the text."""
    start = 1 if text.startswith("\ufeff") else 0
    for _ in range(line - 1):
        found = _LINE_END.search(text, start)
        start = found.end() if found else len(text)
    for number in range(place + 1):
        cell = _CELL.match(text, start)
        if cell is None:
            break
        if number == place:
            return cell.span(1)
        if not text[: cell.end()].endswith(","):
            break
        start = cell.end()
    return None


def cell_place(text: str, line: int, place: int) -> At | None:
    """Line, column and width of a cell, for messages; of one over several lines only the first counts."""
    found = _cell(text, line, place)
    if found is None:
        return None
    start, end = found
    before = list(_LINE_END.finditer(text, 0, start))
    begins = before[-1].end() if before else (1 if text.startswith("\ufeff") else 0)
    shown = _LINE_END.split(text[start:end])[0]
    return At(len(before) + 1, start - begins + 1, max(1, len(shown)))


def _tables(sheet: Sheet, name: str = "", rows: object = None) -> list[object]:
    """What the tables say, the rows of one of them replaced."""
    return [
        (table.name, table.fields, table.apply, table.totals, table.decorators, table.docs)
        + ((table.override.columns, rows if table.name == name else table.override.rows) if table.override else ())
        for table in sheet.tables
    ]
