"""The error function of the numpy encoder. The encoder itself is tested by the models that use it."""

from __future__ import annotations

import numpy as np
from scipy.special import erf

from karat.search.models import bert


def test_error_function() -> None:
    numbers = np.linspace(-8, 8, 400_001).astype(np.float32)
    assert np.abs(bert.error_function(numbers.copy()) - erf(numbers.astype(np.float64))).max() < 1.5e-7
