"""A row of the result of a query."""

from __future__ import annotations

from typing import Any, TypeAlias

Row: TypeAlias = tuple[Any, ...]
"""Cells as the engine types them: numbers, text, bytes, dates, None."""
