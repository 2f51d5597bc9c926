"""One published set: how a row of it is known, and what is made of the row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from karat.core.json_types import JsonMapping
from karat.core.problems import Problem
from karat.core.records import Case, Where
from karat.suites.codegen.benchmarks.companion_files import LeftOut, Neighbours
from karat.suites.codegen.records import Task

Row = TypeVar("Row", bound=msgspec.Struct)
Found = Sequence[Case[Task] | Problem | LeftOut]


@dataclass(frozen=True)
class PublishedSet(Generic[Row]):
    """A set by its rows. ``make`` takes a row with the right fields; a ValueError or SyntaxError of it says what is
    wrong with the row."""

    row_name: str
    """What a row is, for messages: ``a DABstep question``."""
    keys: frozenset[str]
    """A row with all of these keys belongs to the set."""
    row: type[Row]
    make: Callable[[Row, Neighbours, Where], Found]

    def has(self, row: JsonMapping) -> bool:
        """Whether the row belongs to this set."""
        return set(row) >= self.keys

    def read(self, row: JsonMapping, beside: Neighbours, source: Where) -> Found:
        """The row as cases, or why they cannot be asked."""
        try:
            return self.make(msgspec.convert(self._said(row), self.row), beside, source)
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:  # the last two: nested too deeply
            said = (str(error).splitlines() or ["nested too deeply"])[0]
            return [Problem(f"not {self.row_name}: {said}", file=source.file, line=source.line)]

    def _said(self, row: JsonMapping) -> JsonMapping:
        """Without fields that are null and may be left out: files made from tables have every field in every row."""
        needed = {field.encode_name for field in msgspec.structs.fields(self.row) if field.required}
        return {name: value for name, value in row.items() if value is not None or name in needed}
