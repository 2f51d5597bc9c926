"""How large a difference is, apart from how sure it is.

- ``cohen_d_z``: mean difference / standard deviation of the differences. By custom 0.2 is small, 0.5 middling, 0.8
  large. None for fewer than two differences, and where all are equal: they have no spread to measure by.
- Pass or fail: ``McNemar.odds``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.stats.intervals.counted import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]


def cohen_d_z(differences: Sequence[float] | Floats, counts: Counts | None = None) -> float | None:
    """Cohen's d for pairs. ``counts``: how often each of the differences comes."""
    import numpy as np

    gaps, own = counted(np.asarray(differences, dtype=np.float64), counts)
    count = int(own.sum())
    if count < 2:
        return None
    mean = float((own * gaps).sum()) / count
    spread = math.sqrt(float((own * np.square(gaps - mean)).sum()) / (count - 1))
    return None if spread <= 1e-9 * float(np.abs(gaps).max()) else mean / spread
