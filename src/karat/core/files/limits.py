"""How much of somebody else's input is taken, and how to take more: an environment variable for each limit.

A limit makes a broken or hostile file a clear error, in bounded time and memory, instead of a machine that hangs.
Honest files stay far below. The table in ``docs/config.md`` lists the same limits.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from karat.core.problems import UserError


class Limit(NamedTuple):
    """A limit: the variable that raises it, what it is unless raised, and what it bounds."""

    variable: str
    default: int
    meaning: str

    @property
    def value(self) -> int:
        """The limit that holds now."""
        return _given(self.variable, os.environ.get(self.variable, "").strip(), self.default)

    @property
    def hint(self) -> str:
        """How to raise it."""
        return f"Is it the right file? To allow more, set {self.variable} (now {self.value:,})."


def _given(variable: str, text: str, default: int) -> int:
    if not text:
        return default
    number = text.replace("_", "")
    if not (number.isascii() and number.isdigit() and 0 < len(number) < 16 and int(number)):
        raise UserError(
            f'{variable} must be a whole number above 0, not "{text[:40]}"', hint=f"Its default is {default}."
        )
    return int(number)


FILE_MB = Limit("KARAT_MAX_FILE_MB", 2048, "size of a file that is read, in MiB")
UNPACKED_MB = Limit("KARAT_MAX_UNPACKED_MB", 1024, "size of a gzip file once unpacked, in MiB")
LINE_MB = Limit("KARAT_MAX_LINE_MB", 64, "length of one line where a file is read line by line, in MiB")
YAML_MB = Limit("KARAT_MAX_YAML_MB", 256, "size of a YAML file, in MiB")
DEPTH = Limit("KARAT_MAX_DEPTH", 200, "levels of nesting in JSON and YAML")
ALIASED = Limit("KARAT_MAX_YAML_ALIASED", 100_000, "values that the aliases of a YAML document expand to")
REPEATS = Limit(
    "KARAT_MAX_REPEATS", 1_000, "tries at a case: run.repeats, --repeats, and repeat in recorded predictions"
)
CELLS = Limit("KARAT_MAX_CELLS", 200_000_000, "cells of a table in a DuckDB or Parquet file")
READ_SECONDS = Limit("KARAT_MAX_READ_SECONDS", 120, "seconds to look through a DuckDB or Parquet file")
REMOTE_MB = Limit("KARAT_MAX_REMOTE_MB", 16_384, "size of all files fetched from one URL, in MiB")
REMOTE_FILES = Limit("KARAT_MAX_REMOTE_FILES", 100_000, "files in a folder fetched from one URL")

LIMITS = (
    FILE_MB,
    UNPACKED_MB,
    LINE_MB,
    YAML_MB,
    DEPTH,
    ALIASED,
    REPEATS,
    CELLS,
    READ_SECONDS,
    REMOTE_MB,
    REMOTE_FILES,
)
MIB = 1024 * 1024


def wrong_repeats(repeats: int) -> str:
    """Why a case cannot be tried so often; empty when it can."""
    if repeats < 1:
        return "repeats must be at least 1"
    most = REPEATS.value
    return f"repeats must be at most {most:,} ({REPEATS.variable} raises it)" if repeats > most else ""
