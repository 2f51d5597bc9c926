"""DA-Code: its official figure for tables, and the strict one.

Official: each column of the gold (those of ``condition_cols``) counts when some column of the answer equals it, numbers
within 0.001, with ``ignore_order`` each column sorted by itself; the mean over the columns (``score_rule: divide``), or
all of them (``all``). So rows need not belong together: 1 for a table whose columns are shuffled one by one. Strict:
the columns are those of the gold, and rows are compared as rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from karat.core.json_types import Json
from karat.sandbox import Column, Plain, Table
from karat.suites.codegen.published.csv_columns import csv_columns

CLOSE = 1e-3
SEVERAL = "several"
"""The option with the parts of a task that writes several tables."""


def official(result: Plain, gold: str, options: dict[str, Json]) -> float:
    """The published figure of a table against one gold file."""
    return official_of(result, gold_columns(gold, options), options)


def official_of(result: Plain, wanted: Sequence[Column], options: dict[str, Json]) -> float:
    """The same against the columns that count."""
    given = [list(column.values) for column in result.columns] if isinstance(result, Table) else []
    if not wanted:
        return 0.0
    loose = bool(first(options.get("ignore_order", False)))
    matches = [any(same(column.values, other, loose) for other in given) for column in wanted]
    return float(all(matches)) if first(options.get("score_rule")) == "all" else sum(matches) / len(matches)


def gold_columns(gold: str, options: dict[str, Json]) -> list[Column]:
    """The columns of the gold that count."""
    return chosen_columns(csv_columns(gold), options)


def chosen_columns(columns: list[Column], options: dict[str, Json]) -> list[Column]:
    """Those of ``condition_cols``; all where it names none."""
    chosen = options.get("condition_cols") or []
    places = [place for place in chosen if isinstance(place, int) and -len(columns) <= place < len(columns)]
    return [columns[place] for place in places] if places else columns


def first(value: Json) -> Json:
    return value[0] if isinstance(value, list) and value else value


def same(one: Sequence[Plain], other: Sequence[Plain], loose: bool) -> bool:
    if len(one) != len(other):
        return False
    if loose:
        one, other = sorted(one, key=_key), sorted(other, key=_key)
    return all(map(_equal, one, other))


def _key(value: Plain) -> tuple[bool, str]:
    return value is None, str(value)


def _equal(one: Plain, other: Plain) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(float(one), float(other), abs_tol=CLOSE)
    return bool(one == other)
