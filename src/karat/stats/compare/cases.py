"""Which cases are not as they were: changed status, worse, better, or in one run only; in this order, largest change
first."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.results.result import RunResult
from karat.core.suite import Metric
from karat.stats.compare.pairing import Pairs, value_of
from karat.stats.compare.records import CaseChange, Change

SAME = 1e-9
"""Values closer than this are equal: means over turns differ in their last digits."""


def changed_cases(a: RunResult, b: RunResult, pairs: Pairs, metrics: Sequence[Metric]) -> tuple[CaseChange, ...]:
    """``metrics``: those that a case is judged by. A case whose status changed is reported once, with the first of
    them."""
    first = metrics[0].name if metrics else ""
    status = [
        CaseChange(x.id, "status", first, value_of(x, first), value_of(y, first), x.status, y.status)
        for x, y in pairs.pairs
        if x.status != y.status
    ]
    better: list[tuple[float, CaseChange]] = []
    worse: list[tuple[float, CaseChange]] = []
    for metric in metrics:
        for gain, change in _moved(pairs, metric):
            (better if change.kind == "better" else worse).append((gain, change))
    ids_a, ids_b = {case.id for case in a.cases}, {case.id for case in b.cases}
    gone = [
        CaseChange(x.id, "only_a", first, value_of(x, first), None, x.status, None)
        for x in a.cases
        if x.id not in ids_b
    ]
    new = [
        CaseChange(y.id, "only_b", first, None, value_of(y, first), None, y.status)
        for y in b.cases
        if y.id not in ids_a
    ]
    return (*status, *_by_size(worse), *_by_size(better), *gone, *new)


def _moved(pairs: Pairs, metric: Metric) -> list[tuple[float, CaseChange]]:
    """Cases with a value in both runs that is another one, by more than the metric's own noise, and by how much it is
    better (negative: worse)."""
    import numpy as np

    column = pairs.columns[metric.name]
    gains = np.where(column.known, column.b - column.a, 0.0) * (1 if metric.higher_is_better else -1)
    found: list[tuple[float, CaseChange]] = []
    for row in np.flatnonzero(np.abs(gains) > max(SAME, metric.noise)).tolist():
        x, y = pairs.pairs[row]
        if x.status == y.status:
            gain, before, after = float(gains[row]), float(column.a[row]), float(column.b[row])
            kind: Change = "better" if gain > 0 else "worse"
            found.append((gain, CaseChange(x.id, kind, metric.name, before, after, x.status, y.status)))
    return found


def _by_size(changes: list[tuple[float, CaseChange]]) -> list[CaseChange]:
    return [change for _, change in sorted(changes, key=lambda item: -abs(item[0]))]
