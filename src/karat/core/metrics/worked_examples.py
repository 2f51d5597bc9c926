"""Examples that show what a metric gives, and notes on the reasons why a case is not right, for ``karat explain``.

A suite keeps its examples as JSON in its package (``Suite.worked_examples``): a case and an answer as they would be in
files, and the value of each metric. A test scores them and compares, so that what people read is what Karat computes.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from karat.core.json_types import JsonObject


class WorkedExample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One case with one answer."""

    text: str
    """What is asked, expected and answered, in words, with the counting that leads to the values."""
    values: dict[str, float]
    """Metric → its value here. Metrics that do not apply are left out."""
    case: JsonObject = {}
    """As it would be in a case file. Empty where the values cannot be computed again: times that were measured."""
    answer: JsonObject = {}
    """As it would be in a line of recorded predictions."""
    options: JsonObject = {}
    files: dict[str, str] = {}
    """Name → content of the files that the case or the options name. ``NAME.sqlite``: the SQL that makes it."""
    reasons: tuple[str, ...] = ()
    """The reasons from the suite's closed list that the case gets."""


class ReasonNote(msgspec.Struct, frozen=True):
    """What a reason means, what usually causes it, and an example."""

    meaning: str
    cause: str
    example: str


def read_examples(file: Path | None) -> tuple[WorkedExample, ...]:
    """The examples of a suite; none where it has no file of them."""
    return () if file is None else msgspec.json.decode(file.read_bytes(), type=tuple[WorkedExample, ...])
