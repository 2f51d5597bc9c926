"""One assert of a task over a result that was made elsewhere. Runs in the sandbox, in a process that never ran the
answer.

The result arrives as JSON (``hidden_tests.sent_results`` writes it): None, truth values, whole numbers and texts as
they are, everything else as a list that begins with its kind. Frames and series are built anew from plain cells.
"""

from __future__ import annotations

import ast
import base64
import collections
import datetime
import decimal
import json
from collections.abc import Callable, Mapping
from typing import Any  # Any: plain data and frames of pandas, and the JSON that they come from

import numpy
import pandas


def held(code: str, sent: str, tables: Mapping[str, Any]) -> dict[str, object]:
    """Whether an expression is true, or statements end without an error; with the error where they do not."""
    names: dict[str, Any] = {"__name__": "__test__", "pd": pandas, "np": numpy, "tables": dict(tables)}
    names.update({name: table for name, table in tables.items() if name.isidentifier()})
    if len(tables) == 1:
        names.setdefault("df", next(iter(tables.values())))
    names["result"] = restored(json.loads(sent))
    tree = ast.parse(code.strip(), "<test>")
    first = tree.body[0]
    try:
        if len(tree.body) == 1 and isinstance(first, ast.Expr):
            value = eval(compile(ast.Expression(first.value), "<test>", "eval"), names)  # noqa: S307 (the task's own)
            return {"held": True, "error": ""} if value else {"held": False, "error": "it is false"}
        exec(compile(tree, "<test>", "exec"), names)  # noqa: S102 (the task's own)
    except AssertionError as problem:
        return {"held": False, "error": f"AssertionError: {problem}"[:500] if str(problem) else "it is false"}
    except BaseException as problem:  # SystemExit too: a test that leaves early has not held
        return {"held": False, "error": f"{type(problem).__name__}: {problem}"[:500]}
    return {"held": True, "error": ""}


def restored(node: Any) -> Any:
    """The value of a node."""
    return READERS[node[0]](*node[1:]) if isinstance(node, list) else node


def _items(nodes: Any) -> list[Any]:
    return [restored(node) for node in nodes]


def _set(nodes: Any) -> Any:
    """A list when an item cannot be in a set."""
    items = _items(nodes)
    try:
        return set(items)
    except TypeError:
        return items


def _record(kind: str, names: Any, nodes: Any) -> Any:
    return collections.namedtuple(kind, names, rename=True)(*_items(nodes))


def _column(dtype: str, nodes: Any) -> Any:
    """With the dtype it had, where pandas knows that dtype and takes the cells."""
    cells = _items(nodes)
    if dtype != "object":
        try:
            return pandas.Series(cells, dtype=dtype)
        except Exception:  # whatever pandas says of a dtype that it does not know
            return pandas.Series(cells)
    return pandas.Series(cells, dtype=object)


def _index(levels: Any, height: int) -> Any:
    found = [_column(dtype, nodes) for _, dtype, nodes in levels]
    names = [restored(name) for name, _, _ in levels]
    if not found:
        return pandas.RangeIndex(height)
    if len(found) == 1:
        return pandas.Index(found[0], name=names[0])
    return pandas.MultiIndex.from_arrays(found, names=names)


def _table(height: int, columns: Any, levels: Any) -> Any:
    parts = {place: _column(dtype, nodes) for place, (_, dtype, nodes) in enumerate(columns)}
    frame = pandas.DataFrame(parts, index=range(height))
    names = [restored(name) for name, _, _ in columns]
    several = bool(names) and all(isinstance(name, tuple) for name in names)
    frame.columns = pandas.MultiIndex.from_tuples(names) if several else pandas.Index(names, dtype=object)
    frame.index = _index(levels, height)
    return frame


def _series(column: Any, levels: Any) -> Any:
    name, dtype, nodes = column
    series = _column(dtype, nodes)
    series.name, series.index = restored(name), _index(levels, len(series))
    return series


READERS: dict[str, Callable[..., Any]] = {
    "float": float,
    "date": datetime.date.fromisoformat,
    "datetime": pandas.Timestamp,
    "time": datetime.time.fromisoformat,
    "delta": lambda days, seconds, micros: pandas.Timedelta(days=days, seconds=seconds, microseconds=micros),
    "decimal": decimal.Decimal,
    "complex": lambda real, imaginary: complex(float(real), float(imaginary)),
    "bytes": base64.b64decode,
    "list": _items,
    "tuple": lambda nodes: tuple(_items(nodes)),
    "set": _set,
    "dict": lambda pairs: {restored(key): restored(value) for key, value in pairs},
    "record": _record,
    "table": _table,
    "series": _series,
    "other": lambda kind: f"<{kind}>",
}
