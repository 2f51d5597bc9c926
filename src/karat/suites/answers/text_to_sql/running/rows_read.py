"""How many rows a query reads from tables, where the engine tells: PostgreSQL and DuckDB do, once it has run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any  # Any: a plan has the engine's own shape

import yaml

TELLING = {"postgres": "EXPLAIN (ANALYZE, FORMAT YAML) ", "duckdb": "EXPLAIN (ANALYZE, FORMAT JSON) "}
"""Dialect → what a query is asked with; a driver takes PostgreSQL's JSON apart, and leaves its YAML as text."""


def rows_read(dialect: str, explained: Callable[[str], str], sql: str) -> int | None:
    """Rows that the scans of a query gave or dropped. ``explained`` gives the text of the plan, empty where it
    fails."""
    if dialect not in TELLING:
        return None
    try:
        plan = yaml.safe_load(explained(TELLING[dialect] + sql))
        return _duckdb(plan) if dialect == "duckdb" else _postgres(plan[0]["Plan"])
    except (yaml.YAMLError, AttributeError, ValueError, KeyError, TypeError, IndexError):
        return None


def _postgres(node: Any) -> int:
    read = 0
    if "Scan" in node["Node Type"] and "Relation Name" in node:
        each = node.get("Actual Rows", 0) + node.get("Rows Removed by Filter", 0)
        read = round(each * node.get("Actual Loops", 1))
    return read + sum(_postgres(child) for child in node.get("Plans", ()))


def _duckdb(plan: Any) -> int | None:
    """By the names of DuckDB 2 and of the versions before it."""
    found = plan.get("query", {}).get("total_rows_scanned", plan.get("cumulative_rows_scanned"))
    return int(found) if found is not None else None
