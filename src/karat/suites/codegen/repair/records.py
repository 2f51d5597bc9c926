"""What came of the strategies that were tried after a wrong first answer."""

from __future__ import annotations

from typing import Literal

import msgspec

End = Literal["ran", "no_change", "no_code", "limit", ""]
"""Why a strategy stopped; empty: it goes on."""


class StrategyResult(msgspec.Struct, frozen=True):
    """What came of one strategy after a wrong first answer."""

    strategy: str
    """The strategy's name."""
    right: bool
    """Whether its last answer is right."""
    times_asked: int
    """How often the system was asked."""
    ended: End
    """Why it stopped: ``ran``, ``no_change``, ``no_code`` or ``limit``."""
    latency: float | None = None
    """Seconds that the calls took, if known."""
    tokens: int | None = None
    """Tokens that the calls used, if known."""
    cost: float | None = None
    """What the calls cost, if known."""
