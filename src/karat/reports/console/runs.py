"""The runs of a store in the terminal: a line each; on a narrow screen what people call a run goes on a line below
it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from karat.reports.console.page import Page, plain
from karat.store.records import run_name

if TYPE_CHECKING:
    from rich.console import Console

    from karat.store.records import RunRow

LONGEST = 200
"""Characters of a name that are shown."""
CALLED = ("name", "tags", "system", "truth set")
"""Columns that go below where there is no room beside the others."""


def print_runs(rows: Sequence[RunRow], titles: Mapping[str, Mapping[str, str]], console: Console) -> None:
    """Print the runs. ``titles`` has the titles of each suite's metrics by name."""
    page = Page(console)
    table = [_cells(row, titles.get(row.suite, {})) for row in rows]
    columns = [name for name in table[0] if any(cells[name] for cells in table)]
    widths = {name: max(len(name), *(len(cells[name]) for cells in table)) for name in columns}
    if page.cuts and sum(widths.values()) + 2 * (len(columns) - 1) > page.width:
        columns = [name for name in columns if name not in CALLED]
    page.line([(_line({name: name for name in columns}, columns, widths), "dim")], whole=True)
    for cells in table:
        page.line([(_line(cells, columns, widths), "")], whole=True)
        below = [cells[name] for name in CALLED if name not in columns and cells[name]]
        if below:
            page.wrapped(" " * 8, [(" · ".join(below), "dim")])


def _cells(row: RunRow, titles: Mapping[str, str]) -> dict[str, str]:
    known = [item for item in row.summary if item.mean is not None][:2]
    cells = {
        "run": run_name(row.id),
        "started": row.started[:16].replace("T", " "),
        "suite": row.suite,
        "name": row.name,
        "tags": ", ".join(row.tags),
        "system": row.system,
        "truth set": row.truth_set,
        "cases": str(row.cases),
        "status": row.status,
        "figures": "  ".join(f"{titles.get(item.metric, item.metric)} {item.mean:.3f}" for item in known),
    }
    return {name: plain(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…") for name, text in cells.items()}


def _line(cells: Mapping[str, str], columns: Sequence[str], widths: Mapping[str, int]) -> str:
    from rich.cells import cell_len

    def padded(name: str) -> str:
        blanks = " " * (widths[name] - cell_len(cells[name]))
        return blanks + cells[name] if name == "cases" else cells[name] + blanks

    return "  ".join(map(padded, columns)).rstrip()
