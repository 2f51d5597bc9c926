"""The tables of a sheet as CSV and Excel files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.files.atomic import write_bytes
from karat.core.problems import UserError
from karat.core.report import Cell, Column, Report, Sheet, Table
from karat.sheet.values import NA, Array, Failure, Value, shown

if TYPE_CHECKING:
    from karat.sheet import EvaluatedTable, Workbook

_NOT_IN_NAMES = re.compile(r"[^\w .-]+")


def write_csv(workbook: Workbook, out: str) -> list[str]:
    """One table to a file; several into a folder, a file for each. Returns the names of the files."""
    if len(workbook.tables) == 1:
        write_bytes(Path(out), table_csv(workbook.tables[0]))
        return [str(Path(out))]
    if Path(out).is_file():
        raise UserError(
            f"--csv {out} is a file, but the sheet has several tables",
            hint="Give a folder, or choose one table with --only TABLE.",
        )
    written: list[str] = []
    for table in workbook.tables:
        path = Path(out) / f"{_NOT_IN_NAMES.sub('_', table.name)}.csv"
        if str(path) in written:
            path = path.with_stem(f"{path.stem}_{len(written)}")
        write_bytes(path, table_csv(table))
        written.append(str(path))
    return written


def table_csv(table: EvaluatedTable) -> bytes:
    """One table as CSV."""
    names = table.shown_columns()
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(
        [_csv_cell(cell) for cell in row] for row in zip(*(table.columns[name] for name in names), strict=True)
    )
    return text.getvalue().encode("utf-8", "backslashreplace")


def _csv_cell(cell: Value) -> str:
    """NA is empty; an array is ``a;b``, as truths are written, so that it can be read back."""
    if cell is NA:
        return ""
    return ";".join(shown(item).replace(";", "';") for item in cell.items) if isinstance(cell, Array) else shown(cell)


def write_workbook(workbook: Workbook, title: str, path: Path) -> None:
    """A sheet for each table, and one for what went wrong."""
    from karat.reports.excel.workbook import write_xlsx

    sheets = [_sheet(table) for table in workbook.tables]
    if workbook.problems:
        columns = (Column("place", "wrapped", 30), Column("what", "wrapped", 70), Column("what to do", "wrapped", 50))
        rows = tuple((problem.place, problem.message, problem.hint) for problem in workbook.problems)
        sheets.append(Sheet("Errors", (Table(columns, rows),)))
    write_xlsx(Report(title, tuple(sheets)), path)


def _sheet(table: EvaluatedTable) -> Sheet:
    names = table.shown_columns()
    columns = tuple(_column(name, table.columns[name]) for name in names)
    kinds = [column.kind for column in columns]
    values = zip(*(table.columns[name] for name in names), strict=True)
    rows = tuple(tuple(_cell(cell, kind) for cell, kind in zip(row, kinds, strict=True)) for row in values)
    tables = [Table(columns, rows)]
    for total in table.totals:
        own = tuple(Column(name, "wrapped", 20) for name in total)
        tables.append(Table(own, (tuple(_cell(value, "wrapped") for value in total.values()),), "Total"))
    return Sheet(table.name, tuple(tables))


def _column(name: str, cells: Sequence[Value]) -> Column:
    longest = max((len(shown(cell)) for cell in cells[:200]), default=0)
    width = min(60, max(10, longest + 2, len(name) + 2))
    kind = column_kind(cells)
    return Column(name, "count" if kind == "count" else "number" if kind == "number" else "wrapped", width)


def column_kind(cells: Sequence[Value]) -> str:
    """``count``, ``number``, or ``wrapped`` for a column that holds anything else."""
    kinds = {type(cell) for cell in cells if cell is not NA}
    if kinds and kinds <= {int}:
        return "count"
    return "number" if kinds and kinds <= {int, float} else "wrapped"


def _cell(value: Value, kind: str) -> Cell:
    if value is NA:
        return None if kind != "wrapped" else ""
    if isinstance(value, int | float) and kind != "wrapped":
        return value
    return f"error: {value.message}" if isinstance(value, Failure) else shown(value)
