"""Arrays of plotly: lists, or ``{"dtype": "i1", "bdata": "BQME"}``, which is base64 of numbers in little-endian order
(here 5, 3, 4), with ``shape`` where there are two dimensions."""

from __future__ import annotations

import base64
import binascii

import numpy as np

from karat.core.json_types import Json
from karat.suites.codegen.plots.dates import plain_date
from karat.suites.codegen.plots.records import Value
from karat.suites.codegen.plots.unreadable import CannotRead

DTYPES = {"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "u1c"}
MOST = 1_000_000


def array_of(found: Json) -> list[Json] | None:
    """The values of an array; None for what is none."""
    if isinstance(found, list):
        return found
    if not isinstance(found, dict) or "bdata" not in found:
        return None
    kind, data, shape = found.get("dtype"), found.get("bdata"), found.get("shape")
    if kind not in DTYPES or not isinstance(data, str):
        raise CannotRead(f'an array of type "{str(kind)[:20]}"')
    try:
        raw = base64.b64decode(data, validate=True)
        numbers = np.frombuffer(raw, dtype=np.dtype("u1" if kind == "u1c" else kind).newbyteorder("<"))
    except (ValueError, binascii.Error) as error:
        raise CannotRead(f"an array that is no base64 of {kind}") from error
    if numbers.size > MOST:
        raise CannotRead(f"an array of {numbers.size:,} values")
    if shape is None:
        return list(numbers.tolist())
    sizes = (
        [int(part) for part in str(shape).split(",")] if all(p.strip().isdigit() for p in str(shape).split(",")) else []
    )
    if not sizes or int(np.prod(sizes)) != numbers.size:
        raise CannotRead(f'an array of shape "{str(shape)[:40]}" with {numbers.size} values')
    return list(numbers.reshape(sizes).tolist())


def values_of(found: Json) -> list[Value] | None:
    """The same as values of a plot."""
    items = array_of(found)
    return None if items is None else [value_of(item) for item in items]


def value_of(item: Json) -> Value:
    """One value: dates in their one form, NaN as nothing, whole numbers without a point."""
    if isinstance(item, bool):
        return str(item)
    if isinstance(item, float):
        if item != item or item in (float("inf"), float("-inf")):
            return None
        return int(item) if item.is_integer() and abs(item) < 2**53 else item
    if isinstance(item, str):
        return plain_date(item)
    if item is None or isinstance(item, int):
        return item
    if isinstance(item, list):  # categories of several levels
        return ", ".join(str(part) for part in item)
    raise CannotRead("a value that is an object")
