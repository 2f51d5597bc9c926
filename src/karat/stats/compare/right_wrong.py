"""Right and wrong in two runs: the two by two table, and in which of its cells each case is.

The figure that says right or wrong is the first headline ``rate``, else the first headline ``share``. A case is right
when that figure has its best value, and counts here when it has a value in both runs: a failed call is neither right
nor wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from karat.core.metric import Metric
from karat.stats.compare.pairing import Pairs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Verdict = Literal["", "right", "newly_wrong", "newly_right", "wrong"]
VERDICTS: tuple[Verdict, ...] = ("", "right", "newly_wrong", "newly_right", "wrong")
"""``right`` and ``wrong``: in both runs. Empty: no value in one of them. A verdict is a place here."""
ROUNDING = 1e-9


class RightWrong(msgspec.Struct, frozen=True):
    """How many cases are in each cell of the table."""

    metric: str
    title: str
    right: int
    newly_wrong: int
    newly_right: int
    wrong: int
    of_a: bytes
    """The verdict of each case of run a, a byte each."""

    @property
    def n(self) -> int:
        """Cases with a value in both runs."""
        return self.right + self.newly_wrong + self.newly_right + self.wrong

    def counts(self) -> dict[str, int | str]:
        """The table as JSON values."""
        return {
            "metric": self.metric,
            "right": self.right,
            "newly_wrong": self.newly_wrong,
            "newly_right": self.newly_right,
            "wrong": self.wrong,
        }

    def verdicts(self) -> NDArray[np.int8]:
        """The verdict of each case of run a: places in ``VERDICTS``."""
        import numpy as np

        return np.frombuffer(self.of_a, dtype=np.int8)


def deciding_metric(metrics: Sequence[Metric]) -> Metric | None:
    """The one that says right or wrong; None where none can."""
    judged = [metric for metric in metrics if metric.headline] or list(metrics)
    rates = [metric for metric in judged if metric.kind == "rate"]
    return next((metric for metric in (*rates, *judged) if metric.kind != "quantity"), None)


def is_best(values: Floats, metric: Metric) -> NDArray[np.bool_]:
    """Where a figure has its best value."""
    import numpy as np

    best = 1.0 if metric.higher_is_better else 0.0
    found: NDArray[np.bool_] = np.abs(values - best) <= ROUNDING
    return found


def right_wrong(pairs: Pairs, metrics: Sequence[Metric]) -> RightWrong | None:
    """None where no metric can say right or wrong. ``pairs`` has a column for each of the metrics."""
    import numpy as np

    metric = deciding_metric(metrics)
    if metric is None:
        return None
    column = pairs.columns[metric.name]
    was, now = (is_best(values, metric) for values in (column.a, column.b))
    cells = (was & now, was & ~now, now & ~was, ~was & ~now)
    codes = np.zeros(len(pairs), dtype=np.int8)
    for code, cell in enumerate(cells, start=1):
        codes[cell & column.known] = code
    of_a = np.zeros(len(pairs.a), dtype=np.int8)
    of_a[pairs.places_a] = codes
    _, right, lost, won, wrong = np.bincount(codes, minlength=len(VERDICTS)).tolist()
    return RightWrong(metric.name, metric.title, right, lost, won, wrong, of_a.tobytes())
