"""pass@k and pass^k from n tries of which c passed: what k tries drawn from these n, without replacement, would show.

- ``pass_at_k = 1 - C(n-c, k) / C(n, k)``: at least one of k passes. How good the system is when it may try again.
- ``pass_hat_k = C(c, k) / C(n, k)``: all k pass. How far the system can be relied on.

Both are unbiased for independent tries; ``1 - (1 - c/n)^k`` and ``(c/n)^k`` are not. Both are ``c/n`` at k = 1.
k above n has no unbiased estimate and is refused. As fractions: nothing overflows or rounds, and equal is equal.
"""

from __future__ import annotations

import math
from fractions import Fraction


def pass_at_k(n: int, c: int, k: int) -> Fraction:
    """The chance that at least one of k tries passes."""
    _check(n, c, k)
    return 1 - Fraction(math.comb(n - c, k), math.comb(n, k))


def pass_hat_k(n: int, c: int, k: int) -> Fraction:
    """The chance that all of k tries pass."""
    _check(n, c, k)
    return Fraction(math.comb(c, k), math.comb(n, k))


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n:
        raise ValueError(f"{c} of {n} tries passed: passes lie between 0 and the tries")
    if not 1 <= k <= n:
        raise ValueError(f"k = {k} with {n} tries: k lies between 1 and the number of tries")
