"""What became of each entry of a task's ``tests``."""

from __future__ import annotations

from typing import Literal

import msgspec

from karat.core.json_types import JsonObject

State = Literal["held", "failed", "error"]


class TestResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry. ``error``: the entry itself is wrong, so that it says nothing about the answer and is left out."""

    __test__ = False  # no class of tests, whatever pytest makes of the name

    name: str
    """``test 2 (property sorted)``, or ``row_order`` for a relation that the task does not state."""
    state: State
    """``held``, ``failed``, or ``error`` if the test itself is faulty."""
    reason: str = ""
    """Why it failed."""
    relation: str = ""
    """The relation that was tried; empty for other tests."""
    line: int = 0
    """The line of the code that failed; 0 if none did."""
    decides: bool = True
    """Whether it decides if the answer is right. A relation that the task does not state is only reported."""
    smallest: JsonObject = {}
    """The smallest table found on which a relation fails, with the result there."""


class TestResults(msgspec.Struct, frozen=True):
    """All entries of one task for one answer."""

    __test__ = False

    parts: tuple[TestResult, ...] = ()
    """Each test."""
    not_tried: dict[str, str] = {}
    """Relation → why it was not tried."""

    @property
    def counted(self) -> tuple[TestResult, ...]:
        """The stated entries that say something about the answer."""
        return tuple(entry for entry in self.parts if entry.decides and entry.state != "error")

    @property
    def relations(self) -> tuple[TestResult, ...]:
        """The stated relations; without any, those that were tried all the same."""
        tried = [entry for entry in self.parts if entry.relation and entry.state != "error"]
        return tuple([entry for entry in tried if entry.decides] or tried)

    @property
    def left_out(self) -> tuple[TestResult, ...]:
        return tuple(entry for entry in self.parts if entry.state == "error")

    @property
    def failed(self) -> tuple[TestResult, ...]:
        return tuple(entry for entry in self.counted if entry.state == "failed")


def share(entries: tuple[TestResult, ...]) -> float | None:
    """Entries that hold / entries; None without any."""
    return sum(entry.state == "held" for entry in entries) / len(entries) if entries else None
