"""What came of the strategies that were tried after a wrong first answer."""

from __future__ import annotations

from typing import Literal

import msgspec

End = Literal["ran", "no_change", "no_code", "limit", ""]
"""Why a strategy stopped; empty: it goes on."""


class StrategyResult(msgspec.Struct, frozen=True):
    """What came of one strategy after a wrong first answer."""

    strategy: str
    right: bool
    times_asked: int
    ended: End
    latency: float | None = None
    tokens: int | None = None
    cost: float | None = None
