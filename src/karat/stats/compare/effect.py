"""How large a difference is, apart from how sure it is.

- ``cohen_d_z``: mean difference / standard deviation of the differences. By custom 0.2 is small, 0.5 middling, 0.8
  large. None for fewer than two differences, and where all are equal: they have no spread to measure by.
- ``cliff_delta``: (pairs where b is above a) - (pairs where it is below), as a share of all n² pairs of a value of a
  with one of b. -1…1. It sees only the order of the values, so it fits quantities with long tails (seconds, money).
- Pass or fail: ``McNemar.odds``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def cohen_d_z(differences: Sequence[float] | Floats) -> float | None:
    """Cohen's d for pairs."""
    import numpy as np

    gaps = np.asarray(differences, dtype=np.float64)
    if len(gaps) < 2:
        return None
    spread = float(np.std(gaps, ddof=1))
    return None if spread <= 1e-9 * float(np.abs(gaps).max()) else float(gaps.mean()) / spread


def cliff_delta(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Cliff's delta of b over a, in n log n; None when one of them is empty."""
    import numpy as np

    if not len(a) or not len(b):
        return None
    ordered = np.sort(np.asarray(a, dtype=np.float64))
    below = np.searchsorted(ordered, b, side="left")
    not_above = np.searchsorted(ordered, b, side="right")
    above = len(ordered) - not_above
    return float((below.sum() - above.sum()) / (len(a) * len(b)))
