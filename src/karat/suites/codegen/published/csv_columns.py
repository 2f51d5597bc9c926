"""A gold CSV as pandas reads it by default, as it reads the answer's file: numbers, truth values, texts and nulls.

Dates and times stay texts. Names that are there twice, and empty ones, are called as pandas calls them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from karat.core.suite import NotApplicable
from karat.sandbox import Column, Plain

NULLS = frozenset(
    ("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA")
) | {"NULL", "NaN", "None", "n/a", "nan", "null"}
TRUTH = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
_NUMBER = re.compile(
    r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*|\s*[+-]?(?:inf|infinity)\s*", re.IGNORECASE
)


def csv_columns(file: str) -> list[Column]:
    """Raises NotApplicable where the file is no table."""
    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as opened:
            rows = [row for row in csv.reader(opened) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise NotApplicable(f"gold_error: the gold cannot be read: {error}") from error
    names = _names(rows[0] if rows else [])
    cells = [[row[place] if place < len(row) else "" for row in rows[1:]] for place in range(len(names))]
    return [Column(name, "", _typed(texts)) for name, texts in zip(names, cells, strict=True)]


def _names(given: Sequence[str]) -> list[str]:
    found: list[str] = []
    for place, name in enumerate(given):
        wanted = own = name or f"Unnamed: {place}"
        number = 0
        while own in found:
            number += 1
            own = f"{wanted}.{number}"
        found.append(own)
    return found


def _typed(texts: Sequence[str]) -> list[Plain]:
    there = [text for text in texts if text not in NULLS]
    if there and all(_WHOLE.fullmatch(text) for text in there) and max(map(len, there)) < 4_000:
        return [None if text in NULLS else int(text) for text in texts]
    if there and all(_NUMBER.fullmatch(text) for text in there):
        return [None if text in NULLS else float(text) for text in texts]
    if there and all(text in TRUTH for text in there):
        return [TRUTH.get(text) for text in texts]
    return [None if text in NULLS else text for text in texts]
