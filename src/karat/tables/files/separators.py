"""Whether a file that should be CSV with commas is separated by something else."""

from __future__ import annotations

import csv
import re
from itertools import islice
from pathlib import Path

from karat.core.problems import count_of

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_NAMED = re.compile(r"sep=\S", re.IGNORECASE)
_SAMPLE = 65_536
_ROWS = 20


def other_separator(path: Path) -> str:
    """What separates the fields of this file instead of commas, in one sentence; empty when commas may well do.

    The header is one field by commas, and the first rows have as many fields as the header by another separator.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_SAMPLE).decode("utf-8-sig", errors="replace")
    except OSError:
        return ""
    lines = [line for line in text.splitlines()[: _ROWS + 1] if line.strip()]
    if lines and _NAMED.fullmatch(lines[0]):
        lines = lines[1:]  # Excel's own way of naming the separator
    if len(lines) < 2 or len(_fields(lines[:1], ",")[0]) != 1:
        return ""
    for letter, name in _SEPARATORS.items():
        widths = {len(row) for row in _fields(lines, letter)}
        if len(widths) == 1 and (width := widths.pop()) > 1:
            return (
                f"{path.name} is separated by {name} ({count_of(width, 'column')}); "
                "commas are expected, and with commas it has one column. Save the file with commas"
            )
    return ""


def _fields(lines: list[str], separator: str) -> list[list[str]]:
    try:
        return list(islice(csv.reader(lines, delimiter=separator), _ROWS + 1))
    except csv.Error:
        return [[]]
