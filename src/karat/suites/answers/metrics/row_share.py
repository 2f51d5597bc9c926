"""``row_share``: the share of gold rows that the answer has, as whole rows under the best alignment. Only for tables."""

from __future__ import annotations

from karat.core.scores import Score, not_applicable
from karat.core.suite import Metric
from karat.suites.answers.comparison import Comparison


def score(comparison: Comparison) -> Score:
    value = comparison.strict.row_share
    tables = any(
        entry.func.endswith(("table_match", "tables_match", "duckdb_match")) for entry in comparison.gold.entries
    )
    return Score(value) if tables and value is not None else not_applicable("no table to compare row by row")


metric = Metric("row_share", "share of rows", "gold rows found / gold rows", score)
