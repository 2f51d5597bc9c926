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


def string_match(pred: str, gold: Any, conj: str = "or", exclude: Any = ()) -> bool:
    found = pred.lower()
    golds = [text.lower() for text in (gold if isinstance(gold, list) else [gold])]
    if any(text.lower() in found for text in exclude):
        return False
    hits = [text in found for text in golds]
    return any(hits) if conj == "or" else all(hits)


def number(text: str) -> float:
    plain = text.replace(",", "")
    return float(plain.replace("%", "")) / 100 if "%" in plain else float(plain)


def number_match(pred: str, gold: Any, percentage: bool = False, precision: int = 4, conj: str = "or") -> bool:
    found = [number(match.group()) for match in NUMBER.finditer(pred)]
    only_one = isinstance(gold, (str, float)) or (isinstance(gold, list) and len(gold) == 1)
    if only_one and len(found) != 1:
        return False
    golds = [number(str(value)) for value in (gold if isinstance(gold, list) else [gold])]
    if percentage:
        golds = [each for value in golds for each in (value, value * 100)]
    hits = [any(abs(one - value) <= 10**-precision for one in found) for value in golds]
    return any(hits) if conj == "or" else all(hits)


def columns(frame: pd.DataFrame) -> list[list[Any]]:
    """The columns as lists, as pandas gives them when the frame is turned: all as floats where all are numbers."""
    turned: list[list[Any]] = frame.transpose().values.tolist()
    return turned


def same_cell(one: Any, other: Any) -> bool:
    if pd.isna(one) and pd.isna(other):
        return True
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-2)
    return bool(one == other)


def same_column(gold: list[Any], found: list[Any], ignore_order: bool, nulls: str) -> bool:
    try:
        if nulls == "zero":
            gold = [0 if pd.isna(cell) else cell for cell in gold]
            found = [0 if pd.isna(cell) else cell for cell in found]
        if ignore_order:
            gold = sorted(gold, key=lambda cell: (cell is None, str(cell), isinstance(cell, (int, float))))
            found = sorted(found, key=lambda cell: (cell is None, str(cell), isinstance(cell, (int, float))))
        return len(gold) == len(found) and all(same_cell(one, other) for one, other in zip(gold, found, strict=True))
    except Exception:  # a column that cannot be compared is another one, and the search goes on
        return False


def frames_match(
    found: pd.DataFrame, gold: Any, chosen: Any, ignore_order: Any, nulls: str, family: str = "contract"
) -> bool:
    if family == "flat":
        if chosen:
            gold = gold.iloc[:, chosen if isinstance(chosen, list) else [chosen]]
    elif chosen != []:
        gold = gold.iloc[:, chosen]
    if isinstance(gold, pd.Series):
        raise TypeError("no column is left whole")
    candidates = columns(found)
    return all(
        any(same_column(column, candidate, bool(ignore_order), nulls) for candidate in candidates)
        for column in columns(gold)
    )


def table_match(
    result: str,
    gold: str | list[str],
    condition_cols: Any = (),
    ignore_order: Any = False,
    *,
    nulls: str = "equal",
    family: str = "contract",
) -> bool:
    conditions = [] if condition_cols == () else condition_cols

    def read(path: str) -> pd.DataFrame:
        return pd.read_csv(path, low_memory=family == "flat")

    found = read(result)
    if isinstance(gold, str):
        return frames_match(found, read(gold), conditions, ignore_order, nulls, family)
    if conditions is None or conditions in ([], [[]], [None]):
        conditions = [[] for _ in gold]
    elif family == "flat" and len(gold) > 1 and not all(isinstance(each, list) for each in conditions):
        conditions = [conditions for _ in gold]
    return any(
        frames_match(found, read(path), conditions[index], ignore_order, nulls, family)
        for index, path in enumerate(gold)
    )


def tables_match(
    result: Sequence[str],
    gold: Sequence[str],
    condition_cols: Any = None,
    ignore_orders: Any = None,
    *,
    nulls: str = "equal",
) -> bool:
    golds, founds = [pd.read_csv(path) for path in gold], [pd.read_csv(path) for path in result]
    return all_match(founds, golds, condition_cols, ignore_orders, nulls)


def all_match(
    founds: list[pd.DataFrame], golds: list[pd.DataFrame], condition_cols: Any, ignore_orders: Any, nulls: str
) -> bool:
    ignore = [False for _ in golds] if ignore_orders is None else ignore_orders
    chosen = [[] for _ in golds] if condition_cols is None else condition_cols
    if not len(founds) == len(golds) == len(ignore) == len(chosen):
        raise AssertionError("lists of different lengths")
    return all(
        frames_match(found, gold, chosen[index], ignore[index], nulls)
        for index, (found, gold) in enumerate(zip(founds, golds, strict=True))
    )


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
            return connection.execute(f"SELECT * FROM {table}").fetchdf()

    def tables(path: str) -> list[str]:
        with duckdb.connect(path, read_only=True) as connection:
            return [row[0] for row in connection.execute("SHOW TABLES").fetchall()]

    names = tables(gold) if condition_tabs is None else condition_tabs
    golds = [read(gold, table) for table in names]
    return all_match([read(result, table) for table in names], golds, condition_cols, ignore_orders, nulls)
