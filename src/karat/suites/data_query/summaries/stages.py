"""Where terms were lost, over all cases: the recall of every stage, and what was lost there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from karat.core.json_types import JsonObject
from karat.core.report import Cell, Chart, Column, Series, Sheet, Table
from karat.core.results.result import CaseResult, Estimate, Estimator
from karat.suites.data_query.details import Details
from karat.suites.data_query.selection.stages import StageCount

Kept = Sequence[tuple[CaseResult, Details]]


class StageRow(msgspec.Struct, frozen=True):
    """A stage over all cases that have it."""

    stage: str
    recall: Estimate
    found: int
    """Target terms that it had, over all cases."""
    expected: int
    candidates: float
    lost: int
    by_tag: dict[str, int]


def rows(kept: Kept, estimate: Estimator) -> list[StageRow]:
    """Every stage in its order. The recall is the mean over the cases in which the target has terms in scope."""
    counts: dict[str, list[list[StageCount]]] = {}
    tags: dict[str, Counter[str]] = {}
    for case, details in kept:
        here: dict[str, list[StageCount]] = {}
        for turn in details.stages or ():
            for count in turn.steps:
                here.setdefault(count.stage, []).append(count)
            for term in turn.lost:
                tags.setdefault(term.stage, Counter()).update(case.tags)
        for name, found in here.items():
            counts.setdefault(name, []).append(found)
    found_rows = []
    for name, cases in counts.items():
        shares = [_mean([one.found / one.expected for one in turns if one.expected]) for turns in cases]
        every = [one for turns in cases for one in turns]
        candidates = sum(one.candidates for one in every) / len(every)
        recall = estimate([share for share in shares if share is not None], "share")
        by_tag = dict(sorted(tags.get(name, Counter()).items(), key=lambda item: (-item[1], item[0])))
        had, expected = sum(one.found for one in every), sum(one.expected for one in every)
        found_rows.append(StageRow(name, recall, had, expected, candidates, sum(one.lost for one in every), by_tag))
    return found_rows


def figures(kept: Kept, estimate: Estimator) -> list[JsonObject]:
    """The stages of a run for its JSON."""
    return [
        {
            "stage": row.stage,
            "recall": row.recall.mean,
            "low": row.recall.low,
            "high": row.recall.high,
            "n": row.recall.n,
            "terms_found": row.found,
            "terms_expected": row.expected,
            "candidates": row.candidates,
            "lost": row.lost,
            "lost_by_tag": row.by_tag,
        }
        for row in rows(kept, estimate)
    ]


def sheet(kept: Kept, estimate: Estimator) -> Sheet | None:
    """The sheet ``Stages``; None where no response lists its stages."""
    found = rows(kept, estimate)
    if not found:
        return None
    columns = (
        Column("stage", width=22),
        Column("recall", "score", 10, decimals=3),
        Column("low", "number", 9, decimals=3),
        Column("high", "number", 9, decimals=3),
        Column("n", "count", 7),
        Column("candidates", "number", 12),
        Column("lost here", "count", 10),
        Column("of these by tag", "wrapped", 40),
    )
    cells: tuple[tuple[Cell, ...], ...] = tuple(
        (
            row.stage,
            row.recall.mean,
            row.recall.low,
            row.recall.high,
            row.recall.n,
            row.candidates,
            row.lost,
            ", ".join(f"{tag} {count}" for tag, count in row.by_tag.items()),
        )
        for row in found
    )
    note = (
        "Recall: target terms that the stage had, of those in dimensions that some stage names; the mean over n cases. "
        "A missed term is lost at the stage after the last one that had it."
    )
    last = len(cells) - 1
    recall = Series("recall", 0, 1, 0, last, low=2, high=3)
    charts = (
        Chart("Recall by stage, with 95 % intervals", "stage", "recall", (recall,), kind="bar", y_most=1.0),
        Chart("Terms lost by stage", "stage", "terms", (Series("lost here", 0, 6, 0, last),), kind="bar"),
    )
    lost: tuple[tuple[Cell, ...], ...] = tuple(
        (case.id, term.dimension, term.id, term.name, term.stage, term.score)
        for case, details in kept
        for turn in details.stages or ()
        for term in turn.lost
    )
    terms = Table(
        (
            Column("case", "wrapped", 30),
            Column("dimension", width=16),
            Column("id", width=16),
            Column("name", "wrapped", 40),
            Column("lost at", width=16),
            Column("last score", "number", 11),
        ),
        lost,
        "Lost terms",
    )
    tables = (Table(columns, cells, "Stages", note), *((terms,) if lost else ()))
    return Sheet("Stages", tables, charts=charts)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
