"""What is known of a model before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelInfo:
    """A line of ``karat models``."""

    name: str
    summary: str
    ready: bool
    install: str = ""
    """What to do when it is not ready: a command, or the setting that is missing."""
    dimensions: int | None = None
    """Length of its vectors; None when it has none, or when only the first answer shows it."""
    cost: float = 0.0
    """As in :class:`karat.search.records.Model`: only the order counts."""
    package: str = "karat"
    """The distribution that brings it."""
