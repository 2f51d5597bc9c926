"""The tables of a sheet in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.core.problems import count_of
from karat.sheet.values import NA, Failure, Value, shown

if TYPE_CHECKING:
    from rich.text import Text

    from karat.sheet import Workbook

MOST_ROWS = 40
"""Rows of a table in the terminal; the files have them all."""


def print_workbook(workbook: Workbook, written: Sequence[str]) -> None:
    """Every table with its first rows and its totals."""
    from rich.table import Table as Grid
    from rich.text import Text

    from karat.cli.printing.consoles import stdout
    from karat.reports.console.page import plain
    from karat.verbs.exports.sheet_files import column_kind

    console = stdout()
    for number, table in enumerate(workbook.tables):
        if number:
            console.print()
        names = table.shown_columns()
        console.print(Text(f"{plain(table.name)} · {count_of(table.count, 'row')}", style="bold"))
        grid = Grid(box=None, pad_edge=False, header_style="dim")
        for name in names:
            right = column_kind(table.columns[name]) != "wrapped"
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
        passed = count_of(choice.questions, "question passes", "questions pass")
        proven = "optimal" if choice.optimal else "the best found within the time limit"
        console.print(
            f"\nchosen for {name}, {proven}: {choice.passed} of {passed}",
            markup=False,
        )
        for pick in choice.picks:
            model = pick.model or "(left out)"
            console.print(f"  {plain(pick.field)}  n {pick.n}  {model}  {pick.tokens:,} tokens", markup=False)
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
