"""Times as the store keeps them."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """``2026-11-18T09:30:00.000Z``"""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
