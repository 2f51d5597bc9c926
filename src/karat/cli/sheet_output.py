"""The tables of a sheet in the terminal, as CSV and in Excel."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.problems import UserError, count_of
from karat.core.report import Cell, Column, Report, Sheet, Table
from karat.sheet.values import NA, Array, Failure, Value, shown

if TYPE_CHECKING:
    from rich.text import Text

    from karat.sheet import EvaluatedTable, Workbook

MOST_ROWS = 40
"""Rows of a table in the terminal; the files have them all."""
_NOT_IN_NAMES = re.compile(r"[^\w .-]+")


def print_workbook(workbook: Workbook, written: Sequence[str]) -> None:
    """Every table with its first rows and its totals."""
    from rich.table import Table as Grid
    from rich.text import Text

    from karat.cli.printing import stdout
    from karat.reports.console.page import plain

    console = stdout()
    for number, table in enumerate(workbook.tables):
        if number:
            console.print()
        names = table.shown_columns()
        console.print(Text(f"{plain(table.name)} · {count_of(table.count, 'row')}", style="bold"))
        grid = Grid(box=None, pad_edge=False, header_style="dim")
        for name in names:
            right = _kind(table.columns[name]) != "wrapped"
            grid.add_column(Text(plain(name)), justify="right" if right else "left", overflow="fold")
        columns = [table.columns[name][:MOST_ROWS] for name in names]
        for row in zip(*columns, strict=True):
            grid.add_row(*(_text(cell) for cell in row))
        for total in table.totals:
            grid.add_section()
            grid.add_row(*(Text(_short(total[name]), style="bold") if name in total else Text() for name in names))
        if names:
            console.print(grid)
        if table.count > MOST_ROWS:
            more = f"… {table.count - MOST_ROWS:,} more: --json, --csv and --xlsx write all"
            console.print(more, markup=False, style="dim")
        for total in table.totals:
            for name in total.keys() - set(names):
                console.print(Text(f"{plain(name)}  {_short(total[name])}"), style="bold")
    for name, choice in workbook.choices.items():
        proven = "optimal" if choice.optimal else "the best found within the time limit"
        console.print(
            f"\nchosen for {name}, {proven}: {choice.passed} of {choice.questions} questions pass", markup=False
        )
        for pick in choice.picks:
            console.print(f"  {plain(pick.field)}  n {pick.n}  {pick.model}  {pick.tokens:,} tokens", markup=False)
    for name in written:
        console.print(f"saved {name}", markup=False, soft_wrap=True)


def _text(cell: Value) -> Text:
    from rich.text import Text

    style = "red" if isinstance(cell, Failure) else "dim" if cell is NA else ""
    return Text(_short(cell), style=style)


def _short(cell: Value) -> str:
    from karat.reports.console.page import plain

    if isinstance(cell, float):
        return f"{cell:.6g}"
    return "error" if isinstance(cell, Failure) else plain(shown(cell))


# -- CSV ----------------------------------------------------------------------------------------------------------------


def write_csv(workbook: Workbook, out: str) -> list[str]:
    """One table to a file or to the terminal; several into a folder, a file for each."""
    from karat.core.files.atomic import write_bytes

    if out == "-":
        if len(workbook.tables) != 1:
            raise UserError("--csv - can print only one table", hint="Choose one with --only TABLE.")
        from karat.cli.terminal import write_out

        write_out(_csv(workbook.tables[0]))
        return []
    if len(workbook.tables) == 1:
        write_bytes(Path(out), _csv(workbook.tables[0]))
        return [out]
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
        write_bytes(path, _csv(table))
        written.append(str(path))
    return written


def _csv(table: EvaluatedTable) -> bytes:
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


# -- Excel --------------------------------------------------------------------------------------------------------------


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
    kind = _kind(cells)
    return Column(name, "count" if kind == "count" else "number" if kind == "number" else "wrapped", width)


def _kind(cells: Sequence[Value]) -> str:
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
