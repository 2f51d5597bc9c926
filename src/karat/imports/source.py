"""What every reader gives: rows of named cells, and in words what the file is."""

from __future__ import annotations

from dataclasses import dataclass, field

from karat.core.json_types import JsonObject
from karat.core.problems import Problem


@dataclass
class SourceRow:
    """One row: where it is, and its cells by the name of their column."""

    line: int
    cells: JsonObject


@dataclass
class Source:
    """A file that was read. ``known`` are columns whose field the format itself says, such as ``target`` of an
    inspect_ai log."""

    format: str
    rows: list[SourceRow]
    known: dict[str, str] = field(default_factory=dict)
    """Field → column."""
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def columns(self) -> list[str]:
        """Every column, in the order in which they come first."""
        return list(dict.fromkeys(name for row in self.rows for name in row.cells))
