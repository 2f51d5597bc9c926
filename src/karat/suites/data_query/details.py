"""The evidence of a case as plain JSON values: dimensions with their terms, label drift, datasets, periods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from karat.suites.data_query.comparison import Comparison, DimensionComparison
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection import as_plain


def details(turns: Sequence[tuple[int, Comparison]]) -> dict[str, Any]:
    """The evidence of a case as plain JSON values."""
    found: dict[str, Any] = {
        "dimensions": [_dimension_details(turn, d, c.options) for turn, c in turns for d in c.dimensions],
        "label_drift": [msgspec.structs.asdict(drift) for _, c in turns for drift in c.drifts],
        "datasets": [
            {
                "turn": turn,
                "expected": list(c.expected_datasets),
                "found": list(c.found_datasets),
                "unexpected": list(c.unexpected_datasets),
            }
            for turn, c in turns
        ],
    }
    alternatives = {turn: c.alternative for turn, c in turns if c.alternative is not None}
    if alternatives:
        found["alternative"] = alternatives if len(turns) > 1 else next(iter(alternatives.values()))
    periods = [period for turn, c in turns for period in _period_details(turn, c)]
    if periods:
        found["period"] = periods
    return found


def _period_details(turn: int, comparison: Comparison) -> list[dict[str, Any]]:
    """What was expected and found; with the dataset where the entries of an answer differ."""
    rows = {(one.expected, one.found): one.dataset for one in comparison.periods}
    several = len(rows) > 1
    return [
        {"turn": turn, "expected": msgspec.to_builtins(expected), "found": msgspec.to_builtins(found)}
        | ({"dataset": dataset} if several else {})
        for (expected, found), dataset in rows.items()
    ]


def _dimension_details(turn: int, dimension: DimensionComparison, options: Options) -> dict[str, Any]:
    counts, zero = dimension.counts, options.zero_division
    uncounted = dimension.uncounted
    found: dict[str, Any] = {
        "dimension": dimension.dimension,
        "turn": turn,
        "in_target": dimension.in_target,
        "precision": None if uncounted else counts.precision(zero),
        "recall": None if uncounted else counts.recall(zero),
        "f1": None if uncounted else counts.f(1.0, zero),
        "true_positives": as_plain(dimension.true_positives),
        "false_positives": as_plain(dimension.false_positives),
        "false_negatives": as_plain(dimension.false_negatives),
    }
    if dimension.everything:
        found["everything_selected"] = True
    if dimension.everything_expected:
        found["everything_expected"] = True
    if dimension.default:
        found["is_default"] = True
    return found
