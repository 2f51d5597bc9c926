"""The spider2 profile's algorithm said once more, word by word from its specification: slow, plain, with no shortcut.

What the fast functions must agree with. Every function gives True or False, or raises what a match would raise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

NUMBER = re.compile(r"(?:\b\d{1,3}(?:,\d{3})+\b|\b\d+\b)(?:\.\d+)?%?")


def string_match(pred: str, gold: Any, conj: str = "or", exclude: Any = None) -> bool:
    found = pred.lower()
    golds = [gold] if isinstance(gold, str) else gold
    excluded = [exclude] if isinstance(exclude, str) else exclude or []
    for text in excluded:
        if text.lower() in found:
            return False
    hits = [text.lower() in found for text in golds]
    return any(hits) if conj == "or" else all(hits)


def number(text: str) -> float:
    plain = text.replace(",", "")
    return float(plain[:-1]) / 100 if plain.endswith("%") else float(plain)


def number_match(pred: str, gold: Any, percentage: bool = False, precision: int = 4, conj: str = "or") -> bool:
    found = [number(match.group()) for match in NUMBER.finditer(pred)]
    only_one = isinstance(gold, (str, float)) or (isinstance(gold, list) and len(gold) == 1)
    if only_one and len(found) != 1:
        return False
    hits = []
    for value in gold if isinstance(gold, list) else [gold]:
        expected = number(value) if isinstance(value, str) else value
        accepted = [expected, expected * 100] if percentage else [expected]
        hits.append(any(abs(one - other) <= 10**-precision for one in found for other in accepted))
    return any(hits) if conj == "or" else all(hits)


def columns(frame: pd.DataFrame) -> list[list[Any]]:
    """The columns as lists, as pandas gives them when the frame is turned: all as floats where all are numbers."""
    turned: list[list[Any]] = frame.transpose().values.tolist()
    return turned


def same_cell(one: Any, other: Any) -> bool:
    if pd.isna(one) or pd.isna(other):
        return bool(pd.isna(one) and pd.isna(other))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-2)
    return bool(one == other)


def same_column(gold: list[Any], found: list[Any], ignore_order: bool, nulls: str) -> bool:
    if nulls == "zero":
        gold = [0 if pd.isna(cell) else cell for cell in gold]
        found = [0 if pd.isna(cell) else cell for cell in found]
    if ignore_order:
        gold = sorted(gold, key=lambda cell: (pd.isna(cell), str(cell), isinstance(cell, (int, float))))
        found = sorted(found, key=lambda cell: (pd.isna(cell), str(cell), isinstance(cell, (int, float))))
    return len(gold) == len(found) and all(same_cell(one, other) for one, other in zip(gold, found, strict=True))


def frames_match(found: pd.DataFrame, gold: pd.DataFrame, chosen: Any, ignore_order: Any, nulls: str) -> bool:
    if chosen:
        gold = gold.iloc[:, chosen]
    candidates = columns(found)
    return all(
        any(same_column(column, candidate, bool(ignore_order), nulls) for candidate in candidates)
        for column in columns(gold)
    )


def table_match(
    result: str,
    gold: str | list[str],
    condition_cols: Any = None,
    ignore_order: Any = False,
    *,
    nulls: str = "equal",
    flat: bool = False,
) -> bool:
    found = pd.read_csv(result)
    if isinstance(gold, str):
        return frames_match(found, pd.read_csv(gold), condition_cols, ignore_order, nulls)
    for index, path in enumerate(gold):
        chosen = chosen_of(condition_cols, index, flat)
        if frames_match(found, pd.read_csv(path), chosen, ignore_order, nulls):
            return True
    return False


def chosen_of(condition_cols: Any, index: int, flat: bool) -> Any:
    """The columns that count in gold ``index`` of several."""
    if not condition_cols or condition_cols == [[]]:
        return []
    if flat and not isinstance(condition_cols[0], list):
        return condition_cols
    return condition_cols[index]


def tables_match(
    result: Sequence[str],
    gold: Sequence[str],
    condition_cols: Any = None,
    ignore_orders: Any = None,
    *,
    nulls: str = "equal",
) -> bool:
    for index, path in enumerate(gold):
        if index >= len(result):
            return False
        ignore = ignore_orders[index] if ignore_orders else False
        chosen = chosen_of(condition_cols, index, False)
        if not frames_match(pd.read_csv(result[index]), pd.read_csv(path), chosen, ignore, nulls):
            return False
    return True


def duckdb_match(
    result: str,
    gold: str,
    condition_tabs: list[str] | None = None,
    condition_cols: Any = None,
    ignore_orders: Any = None,
    *,
    nulls: str = "equal",
) -> bool:
    import duckdb

    def read(path: str, table: str) -> pd.DataFrame:
        with duckdb.connect(path, read_only=True) as connection:
            return connection.execute(f'SELECT * FROM "{table}"').fetchdf()

    def tables(path: str) -> list[str]:
        with duckdb.connect(path, read_only=True) as connection:
            return [row[0] for row in connection.execute("SHOW TABLES").fetchall()]

    for index, table in enumerate(condition_tabs or tables(gold)):
        if table not in tables(result):
            return False
        ignore = ignore_orders[index] if ignore_orders else False
        chosen = chosen_of(condition_cols, index, False)
        if not frames_match(read(result, table), read(gold, table), chosen, ignore, nulls):
            return False
    return True
