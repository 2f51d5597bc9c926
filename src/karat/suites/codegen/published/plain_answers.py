"""A result as the text, the number or the items that a published answer is compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime

from karat.sandbox import Plain, Series, Table


def items_of(result: Plain) -> list[Plain] | None:
    """The items of a list, a set, a series or a table of one column; None for a single value."""
    if isinstance(result, list | tuple):
        return list(result)
    if isinstance(result, Series):
        return list(result.column.values)
    if isinstance(result, Table) and len(result.columns) == 1:
        return list(result.columns[0].values)
    return None


def single(result: Plain) -> Plain:
    """The one value of a list, a series or a mapping that holds one; else as it is."""
    items = items_of(result)
    if items is not None and len(items) == 1:
        return single(items[0])
    if isinstance(result, Mapping) and len(result) == 1:
        return single(next(iter(result.values())))
    return result


def text_of(result: Plain) -> str:
    """As an assistant would write it as an answer: items joined by commas, whole floats without a point."""
    if result is None:
        return ""
    if isinstance(result, str):
        return result
    if isinstance(result, float) and math.isfinite(result) and result == int(result) and abs(result) < 1e15:
        return str(int(result))
    if isinstance(result, datetime | date):
        return result.isoformat()
    if isinstance(result, Mapping):
        return ", ".join(f"{text_of(key)}: {text_of(value)}" for key, value in result.items())
    items = items_of(result)
    return str(result) if items is None else ", ".join(text_of(item) for item in items)


def number_of(value: Plain) -> float | None:
    """A number, or a text that is one and nothing else: thousands separated by commas at most."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    try:
        found = float(str(value).strip().replace(",", "") if "," in str(value) else str(value).strip())
    except ValueError:
        return None
    return found if math.isfinite(found) else None
