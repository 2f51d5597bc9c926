"""The files that a case file names beside itself: tables, gold, results. They are fetched with it, so that its relative
names lead somewhere.

A name is anything in the text that ends as a data file does. Whether it is one, the store knows; what it does not have
is passed over, and the suite says what is missing.
"""

from __future__ import annotations

import re
from pathlib import Path

from karat.core.files.limits import MIB

MOST_NAMES = 1_000
LARGEST = 16 * MIB
"""A file with more text is no case file that names others."""
_END = r"\.(?:csv|tsv|parquet|duckdb|db|sqlite|json|jsonl|ndjson|xlsx|sql|yaml|yml|txt|py|sheet)(?:\.gz)?"
_NAMES = re.compile(
    rf"""["'`]([^"'`\n]{{1,200}}?{_END})["'`]|(?<![^\s"'`,;:=(\[{{])([^\s"'`<>|,;:=*?()\[\]{{}}]{{1,200}}?{_END})(?![\w/.-])""",
    re.IGNORECASE,
)


def names_in(file: Path) -> list[str]:
    """The relative names below the file's folder that its text holds, each once."""
    if file.stat().st_size > LARGEST:
        return []
    data = file.read_bytes()
    if b"\0" in data[:4096] or b"." not in data:
        return []
    found: dict[str, None] = {}
    for match in _NAMES.finditer(data.decode("utf-8", "ignore")):
        name = (match[1] or match[2]).strip().removeprefix("./")
        if name and ":" not in name and not {"", ".", ".."} & set(name.split("/")):
            found[name] = None
        if len(found) == MOST_NAMES:
            break
    return list(found)
