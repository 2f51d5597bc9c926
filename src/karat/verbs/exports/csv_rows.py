"""Rows as CSV that a spreadsheet opens without running anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from karat.core.json_types import JsonMapping

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet takes for a formula."""


def as_csv(columns: Sequence[str], rows: Sequence[JsonMapping]) -> bytes:
    """The rows as CSV; no value is an empty cell, several tags are ``a; b``."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_cell(column) for column in columns])
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _cell(value: object) -> object:
    """A text that a spreadsheet would run as a formula gets an apostrophe before it."""
    if isinstance(value, list):
        value = "; ".join(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
