"""BIRD's reward-based valid efficiency score (``bird_rves``), as its code computes it.

0 unless execution match. Else both queries run N times (100), each time on a new connection, the prediction first; the
time of a run is execute and fetch. τ is the mean of the ratios gold / prediction that lie strictly inside mean ± 3 σ
(σ of the whole population). The reward is 1.25 for τ ≥ 2, 1 for ≥ 1, 0.75 for ≥ 0.5, 0.5 for ≥ 0.25, else 0.25, and the
score 100 · √reward. Where all ratios are equal, or there is one run, nothing lies inside, and the reward is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, pstdev

REWARDS = ((2.0, 1.25), (1.0, 1.0), (0.5, 0.75), (0.25, 0.5))


def reward(ratio: float) -> float:
    """The reward of a ratio of times, gold / prediction."""
    return next((given for least, given in REWARDS if ratio >= least), 0.25)


def public_reward(ratios: Sequence[float]) -> float:
    """The reward of all runs of one question."""
    mean, spread = fmean(ratios), pstdev(ratios)
    inside = [ratio for ratio in ratios if mean - 3 * spread < ratio < mean + 3 * spread]
    return reward(fmean(inside)) if inside else 0.0


def score(given: float) -> float:
    """The score of a reward."""
    return 100 * math.sqrt(given)
