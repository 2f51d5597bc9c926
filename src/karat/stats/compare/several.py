"""Several runs beside each other: each headline figure with its difference to a baseline, and the cases whose
verdict is not the same in all of them.

- A difference is paired on the cases that have a value in both, as when two runs are compared.
- Holm's adjustment is over every headline figure of every run but the baseline: with more runs beside each other, one
  must differ more to be called different.
- A case is flaky when it is right in one run and wrong in another that asked the same system with the same settings
  about the same truth. Where nobody says what a run was made with, nothing is called flaky.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.metric import Kind, Metric
from karat.core.results.columns.columns import Columns
from karat.stats.compare.paired import Difference
from karat.stats.compare.pairing import Pairs, pair_columns
from karat.stats.compare.right_wrong import deciding_metric, is_best
from karat.stats.compare.significance.holm import holm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.int8]

STATES = ("absent", "no verdict", "wrong", "right")
"""A verdict of a case in a run is a place here."""
ABSENT, NONE, WRONG, RIGHT = range(4)


class RunFigure(msgspec.Struct, frozen=True):
    """A figure of one run: its mean over its n cases, and the difference to the baseline, which has none itself."""

    mean: float | None
    n: int
    difference: Difference | None = None
    p_adjusted: float | None = None
    """None where no claim is made."""


class FigureOverRuns(msgspec.Struct, frozen=True):
    """One metric in every run."""

    metric: str
    title: str
    kind: Kind
    headline: bool
    higher_is_better: bool
    runs: tuple[RunFigure, ...]


class CasesOverRuns(msgspec.Struct, frozen=True):
    """The cases whose verdict is not the same in all runs: newly wrong ones first, then newly right ones."""

    ids: list[str]
    verdicts: Codes
    """(case, run) → a place in ``STATES``."""
    flaky: NDArray[np.bool_]
    of: int
    """Cases in any of the runs."""


class SeveralRuns(msgspec.Struct, frozen=True):
    """The whole of it."""

    baseline: int
    figures: tuple[FigureOverRuns, ...]
    deciding: str
    """The title of the metric that says right or wrong; empty where there is none."""
    cases: CasesOverRuns


def compare_several(
    runs: Sequence[Columns],
    metrics: Sequence[Metric],
    baseline: int = 0,
    settings: Sequence[Hashable | None] = (),
) -> SeveralRuns:
    """All runs, in their order, against the one at this place. No case is read as an object.

    ``settings``: what each run was made with; runs where it is equal are tries at the same. None: not known.
    """
    deciding = deciding_metric(metrics)
    judged = [metric for metric in metrics if metric.headline] or list(metrics)
    pairs = [None if place == baseline else pair_columns(runs[baseline], own, judged) for place, own in enumerate(runs)]
    found = [_figure(runs, pairs, metric) for metric in metrics]
    return SeveralRuns(
        baseline,
        _adjusted(found, runs, baseline),
        deciding.title if deciding is not None else "",
        _cases(runs, deciding, baseline, settings or [None] * len(runs)),
    )


def _figure(runs: Sequence[Columns], pairs: Sequence[Pairs | None], metric: Metric) -> FigureOverRuns:
    cells = []
    for own, paired in zip(runs, pairs, strict=True):
        judged = paired is not None and metric.name in paired.columns
        difference = paired.difference(metric.name) if paired is not None and judged else None
        cells.append(RunFigure(*_mean(own, metric.name), difference))
    return FigureOverRuns(
        metric.name, metric.title, metric.kind, metric.headline, metric.higher_is_better, tuple(cells)
    )


def _mean(columns: Columns, metric: str) -> tuple[float | None, int]:
    import numpy as np

    values = columns.column(metric)
    known = values[~np.isnan(values)]
    return (float(known.mean()), len(known)) if len(known) else (None, 0)


def _adjusted(found: Sequence[FigureOverRuns], runs: Sequence[Columns], baseline: int) -> tuple[FigureOverRuns, ...]:
    family = [row for row in found if row.headline] or list(found)
    tested = [
        (row.metric, place, cell.difference.p)
        for row in family
        for place, cell in enumerate(row.runs)
        if cell.difference is not None
    ]
    base = runs[baseline]
    same = [(base.column(metric).tobytes(), runs[place].column(metric).tobytes(), place) for metric, place, _ in tested]
    adjusted = holm([p for *_, p in tested], same)
    known = {(metric, place): p for (metric, place, _), p in zip(tested, adjusted, strict=True)}
    return tuple(
        msgspec.structs.replace(
            row,
            runs=tuple(
                msgspec.structs.replace(cell, p_adjusted=known.get((row.metric, place)))
                for place, cell in enumerate(row.runs)
            ),
        )
        for row in found
    )


def _cases(
    runs: Sequence[Columns], metric: Metric | None, baseline: int, settings: Sequence[Hashable | None]
) -> CasesOverRuns:
    import numpy as np

    known: dict[str, int] = {}
    for own in (runs[baseline], *runs):
        for case in own.case_ids:
            known.setdefault(case, len(known))
    codes = np.zeros((len(known), len(runs)), dtype=np.int8)
    for place, own in enumerate(runs):
        rows = np.fromiter((known[case] for case in own.case_ids), np.int64, len(own))
        verdicts = np.full(len(own), NONE, dtype=np.int8)
        if metric is not None:
            values = own.column(metric.name)
            verdicts[~np.isnan(values)] = WRONG
            verdicts[is_best(values, metric)] = RIGHT
        codes[rows, place] = verdicts
    there = codes != ABSENT
    highest = codes.max(axis=1, initial=0)
    lowest = np.where(there, codes, np.int8(RIGHT)).min(axis=1, initial=RIGHT)
    differ = np.flatnonzero((lowest < highest) & (there.sum(axis=1) > 1)) if metric is not None else np.zeros(0, int)
    some = codes[differ]
    before, after = some[:, baseline], some[:, -1]
    rank = np.full(len(differ), 2)
    rank[(before == WRONG) & (after == RIGHT)] = 1
    rank[(before == RIGHT) & (after != RIGHT)] = 0
    order = np.argsort(rank, kind="stable")
    ids = list(known)
    flaky = _flaky(some, settings)
    return CasesOverRuns([ids[row] for row in differ[order].tolist()], some[order], flaky[order], len(known))


def _flaky(codes: Codes, settings: Sequence[Hashable | None]) -> NDArray[np.bool_]:
    """Which cases are right in one and wrong in another of the runs with the same settings."""
    import numpy as np

    found = np.zeros(len(codes), dtype=np.bool_)
    for one in {own for own in settings if own is not None}:
        some = codes[:, [place for place, own in enumerate(settings) if own == one]]
        found |= (some == RIGHT).any(axis=1) & (some == WRONG).any(axis=1)
    return found
