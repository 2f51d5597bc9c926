"""A result as the CSV file that ``DataFrame.to_csv(index=False)`` would have written."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from karat.core.files.atomic import write_bytes
from karat.engines.protocol import ResultTable


def csv_text(table: ResultTable) -> str:
    """Header and rows; a null is an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(table.rows())
    return text.getvalue()


def write_csv(table: ResultTable, path: Path) -> None:
    """The file, whole or not at all. A lone surrogate, which UTF-8 cannot hold, becomes a question mark."""
    write_bytes(path, csv_text(table).encode("utf-8", errors="replace"))
