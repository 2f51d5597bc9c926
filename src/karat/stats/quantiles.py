"""Quantiles of the normal and of Student's distribution, for a confidence such as 0.95.

The normal one comes from Python itself, so that what needs only that does not wait for scipy to load.
"""

from __future__ import annotations

from statistics import NormalDist

NORMAL = NormalDist()


def normal_quantile(confidence: float) -> float:
    """The z that a standard normal value stays within, on both sides, with this confidence: 1.96 for 0.95."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, this is {confidence}")
    return NORMAL.inv_cdf(0.5 + confidence / 2)


def student_quantile(share: float, freedom: int) -> float:
    """The value that a share of Student's distribution lies below: 2.262 for 0.975 with 9 degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))
