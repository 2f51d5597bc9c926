"""What a choice must keep to: the budget, the largest n, which fields must be retrieved, and when a question passes.

A question passes when enough of its truths are found, counted over all its fields together: ``all`` of them, ``any``
(one is enough), or a share. A share of 0.5 of three truths means two of them: it is rounded up, and one at least is
always needed.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Literal

import msgspec
import numpy as np

from karat.core.problems import UserError
from karat.search.records import Integers

Unit = Literal["tokens", "documents"]


class Limits(msgspec.Struct, frozen=True):
    """The limits of one choice."""

    budget: int
    """The most that all fields together may cost in the worst question, in ``unit``."""
    max_n: int | None = None
    """The most values of one field. None: as many as the budget allows."""
    passes: str = "all"
    """``all``, ``any``, or a share above 0 and up to 1 as a decimal number: ``0.5``."""
    required: tuple[str, ...] = ()
    """Fields that may not be left out: their n is at least 1."""
    unit: Unit = "tokens"
    """What the cost of an option counts. It only changes what is printed."""


def deepest(limits: Limits, texts: Collection[str]) -> int:
    """The largest n that the budget can pay for: every value costs 1 at the least, unless its text is empty."""
    free = sum(not text for text in texts) if limits.unit == "tokens" else 0
    return min(limits.max_n or len(texts), limits.budget + free, len(texts))


def passes_share(passes: str) -> Fraction:
    """The share of a question's truths that must be found; 0: one of them. Raises :class:`UserError` for anything
    else."""
    if passes in ("all", "any"):
        return Fraction(passes == "all")
    try:
        share = Fraction(passes)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 < share <= 1:
        raise UserError(
            f'"{passes}" does not say when a question passes',
            hint="Use all, any, or a share of its truths above 0 and up to 1, such as 0.5.",
        )
    return share


def needed(expected: Integers, passes: str) -> Integers:
    """How many truths must be found for each question to pass, from how many it has. 0 where it has none."""
    share = passes_share(passes)
    whole = -(-expected * share.numerator // share.denominator)  # rounded up, exactly
    return np.asarray(np.minimum(np.maximum(whole, 1), expected))
