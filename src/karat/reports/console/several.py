"""Several runs in the terminal: a column for each run, a row for each headline figure, then the cases that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.reports.compare.several import NOTE, Matrix, case_lines
from karat.reports.console.page import Page, fit, plain

if TYPE_CHECKING:
    from rich.console import Console

MOST_CASES = 15
WIDEST = 32


def print_matrix(matrix: Matrix, console: Console) -> None:
    """Print all runs beside each other."""
    page = Page(console)
    page.line([(matrix.title, "bold"), (f"   {NOTE.replace('below', 'beside')}", "dim")], whole=True)
    rows = matrix.headline()
    names = [
        plain(name) + (" (baseline)" if place == matrix.baseline else "") for place, name in enumerate(matrix.names)
    ]
    first = max([12, *(len(plain(row.title)) for row in rows)])
    cells = [
        [f"{cell.value} {cell.below}" if cell.below != "baseline" else cell.value for cell in r.cells] for r in rows
    ]
    widths = [max([len(name), *(len(row[place]) for row in cells)]) for place, name in enumerate(names)]
    heads = "".join(f"   {name:>{width}}" for name, width in zip(names, widths, strict=True))
    page.line([(f"  {'figure'.ljust(first)}{heads}", "dim")], whole=True)
    for row, texts in zip(rows, cells, strict=True):
        values = "".join(f"   {text:>{width}}" for text, width in zip(texts, widths, strict=True))
        page.line([(f"  {fit(plain(row.title), first)}{values}", "")], whole=True)
    _cases(page, matrix, names)


def _cases(page: Page, matrix: Matrix, names: list[str]) -> None:
    shown = case_lines(matrix, MOST_CASES)
    if not shown:
        page.line([("Every case has the same verdict in all runs.", "dim")])
        return
    page.line([(f"cases whose verdict is not the same in all: {matrix.differing:,}", "bold")])
    first = min(WIDEST, max(len(plain(case)) for case, _ in shown))
    heads = "".join(f"   {name}" for name in names)
    page.line([(f"  {'case'.ljust(first)}{heads}", "dim")], whole=True)
    for case, signs in shown:
        values = "".join(f"   {sign:^{len(name)}}" for sign, name in zip(signs, names, strict=True))
        page.line([(f"  {fit(plain(case), first)}{values}", "")], whole=True)
    if matrix.differing > len(shown):
        page.line([(f"  {matrix.differing - len(shown):,} more in --html, --json or --markdown", "dim")])
