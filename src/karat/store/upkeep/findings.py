"""What is found in a store: counts of every table, and what is wrong, row by row up to a bound."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

MOST_FINDINGS = 200
"""Findings that are listed one by one; the rest is counted."""

Watch = Callable[[str, int], None]
"""Hears the table that is read, and how many of its rows so far."""


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is wrong. ``where`` names the row or run; ``lost`` says what a repair leaves out."""

    table: str
    what: str
    where: str = ""
    lost: str = ""

    @property
    def text(self) -> str:
        """In one line."""
        place = f"{self.table} ({self.where})" if self.where else self.table or "the file"
        return f"{place}: {self.what}{f'; {self.lost}' if self.lost else ''}"


class TableCount(msgspec.Struct):
    """A table: the rows that were read, and those that are wrong."""

    rows: int = 0
    bad: int = 0


class Findings(msgspec.Struct):
    """All that is wrong, as far as it is listed."""

    listed: list[Finding] = []
    count: int = 0

    def add(self, finding: Finding) -> None:
        """One more."""
        self.count += 1
        if len(self.listed) < MOST_FINDINGS:
            self.listed.append(finding)


class Checked(msgspec.Struct, frozen=True):
    """The outcome of a check, and of a repair: there ``tables`` counts what is in the new store."""

    store: str
    tables: dict[str, TableCount]
    contents: dict[str, int] = {}
    """Runs, cases, answers and more, each by its noun."""
    findings: tuple[Finding, ...] = ()
    count: int = 0
    """All findings, with those that are not listed."""
    saved_as: str = ""
    """A repaired store: where it is. Empty when nothing was written."""
    kept: str = ""
    """Where the damaged store was put, when the new one took its place."""

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return self.count == 0
