"""Tables that a reply gives itself, put into CSV files of this process: what the matchers read."""

from __future__ import annotations

import atexit
import csv
import hashlib
import io
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from karat.core.files.atomic import write_bytes
from karat.core.replies.tables import Table


def csv_text(table: Table) -> str:
    """Heading and rows as ``DataFrame.to_csv(index=False)`` writes them; a null is an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(table.rows)
    return text.getvalue()


def csv_files(tables: Sequence[Table]) -> tuple[str, ...]:
    """A file for each table, named for what is in it."""
    return tuple(_file(csv_text(table).encode("utf-8", errors="replace")) for table in tables)


def _file(data: bytes) -> str:
    path = _folder() / f"{hashlib.sha256(data).hexdigest()[:24]}.csv"
    if not path.exists():
        write_bytes(path, data)
    return str(path)


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="karat-tables-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
