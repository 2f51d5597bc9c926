"""Which cases are not as they were: changed status, worse, better, or in one run only; in this order, largest change
first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.results.columns.columns import Columns
from karat.stats.compare.case_changes import CHANGES, CaseChanges
from karat.stats.compare.pairing import Pairs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

SAME = 1e-9
"""Values closer than this are equal: means over turns differ in their last digits."""


def changed_cases(pairs: Pairs, metrics: Sequence[Metric]) -> CaseChanges:
    """``metrics``: those that a case is judged by. A case whose status changed is reported once, with the first of
    them."""
    import numpy as np

    a, b = pairs.a, pairs.b
    first = metrics[0].name if metrics else ""
    rows, kinds, named = _moved(pairs, metrics)
    differ = np.flatnonzero(a.statuses[pairs.places_a] != b.statuses[pairs.places_b])
    gone, new = pairs.only_a, pairs.only_b
    nowhere = np.full(len(gone) + len(new), -1, dtype=np.int64)
    both_a, both_b = (np.concatenate((places[differ], places[rows])) for places in (pairs.places_a, pairs.places_b))
    place_a = np.concatenate((both_a, gone, nowhere[: len(new)]))
    place_b = np.concatenate((both_b, nowhere[: len(gone)], new))
    first_code = 0 if first else -1
    metric = np.full(len(place_a), first_code, dtype=np.int32)
    metric[len(differ) : len(differ) + len(rows)] = named
    kind = np.concatenate(
        (
            np.full(len(differ), CHANGES.index("status")),
            kinds,
            np.full(len(gone), CHANGES.index("only_a")),
            np.full(len(new), CHANGES.index("only_b")),
        )
    ).astype(np.int8)
    names = [item.name for item in metrics]
    arrays = {"a": place_a, "b": place_b, "kind": kind, "metric": metric}
    arrays |= {"value_a": _values(a, place_a, metric, names), "value_b": _values(b, place_b, metric, names)}
    arrays |= {"status_a": _statuses(a, place_a), "status_b": _statuses(b, place_b)}
    if _twice(pairs):  # an id is in a run twice: its last case is shown
        arrays["a"], arrays["b"] = _last(a.case_ids, place_a), _last(b.case_ids, place_b)
    return CaseChanges((a.case_ids, b.case_ids), names, arrays)


def _twice(pairs: Pairs) -> bool:
    """Whether an id may be in one of the runs twice."""
    import numpy as np

    seen = np.zeros(len(pairs.b), dtype=np.bool_)
    seen[pairs.places_b] = True
    if int(seen.sum()) < len(pairs):
        return True
    sides = ((pairs.a.case_ids, pairs.only_a), (pairs.b.case_ids, pairs.only_b))
    return any(len({ids[place] for place in places.tolist()}) < len(places) for ids, places in sides)


def _last(ids: Sequence[str], places: Integers) -> Integers:
    """For each place, the last one with the same id; -1 stays."""
    import numpy as np

    last = {case: place for place, case in enumerate(ids)}
    return np.array([last[ids[place]] if place >= 0 else -1 for place in places.tolist()], dtype=np.int64)


def _moved(pairs: Pairs, metrics: Sequence[Metric]) -> tuple[Integers, NDArray[np.int8], NDArray[np.int32]]:
    """(pair, kind, metric) of the cases with a value in both runs that is another one, by more than the metric's own
    noise; the worse ones first, and the largest move on top."""
    import numpy as np

    alike = pairs.a.statuses[pairs.places_a] == pairs.b.statuses[pairs.places_b]
    rows, gains, named = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0, np.int32)]
    for code, metric in enumerate(metrics):
        column = pairs.columns[metric.name]
        gain = np.where(column.known, column.b - column.a, 0.0) * (1 if metric.higher_is_better else -1)
        found = np.flatnonzero((np.abs(gain) > max(SAME, metric.noise)) & alike)
        rows.append(found)
        gains.append(gain[found])
        named.append(np.full(len(found), code, dtype=np.int32))
    row, gain, name = np.concatenate(rows), np.concatenate(gains), np.concatenate(named)
    order = np.lexsort((-np.abs(gain), gain > 0))  # stable: ties stay in the order of metrics and cases
    kinds = np.where(gain[order] > 0, CHANGES.index("better"), CHANGES.index("worse")).astype(np.int8)
    return row[order], kinds, name[order]


def _values(columns: Columns, places: Integers, metric: NDArray[np.int32], names: Sequence[str]) -> Floats:
    import numpy as np

    found = np.full(len(places), np.nan)
    for code, name in enumerate(names):
        rows = np.flatnonzero((metric == code) & (places >= 0))
        if len(rows):
            found[rows] = columns.column(name)[places[rows]]
    return found


def _statuses(columns: Columns, places: Integers) -> NDArray[np.int8]:
    import numpy as np

    if not len(columns):
        return np.full(len(places), -1, dtype=np.int8)
    return np.where(places >= 0, columns.statuses[places], -1).astype(np.int8)
