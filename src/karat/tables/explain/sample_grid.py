"""The first rows of a table as a person sees them."""

from __future__ import annotations

from karat.core.case_form import Grid
from karat.core.problems import count_of
from karat.tables.explain.cells import cell_text
from karat.tables.explain.sample import TableSample


def sample_grid(title: str, sample: TableSample, *, right: bool | None = None) -> Grid:
    """Its rows with the size of the whole table; columns that are left out are counted."""
    height, width = sample.full_size
    size, left_out = f"{height:,} × {width}", width - len(sample.columns)
    note = f"{size}, {count_of(left_out, 'column')} left out" if left_out > 0 else size
    rows = tuple(tuple(cell_text(cell) for cell in row) for row in sample.rows)
    return Grid(title, sample.columns, rows, note, more=max(height - len(rows), 0), right=right)
