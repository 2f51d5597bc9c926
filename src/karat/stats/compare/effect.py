"""How large a difference is, apart from how sure it is.

- ``cohen_d_z``: mean difference / standard deviation of the differences. By custom 0.2 is small, 0.5 middling, 0.8
  large. None for fewer than two differences, and where all are equal: they have no spread to measure by.
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
