"""What a specification does to its rows: filter, fold, aggregate, bin, timeUnit. Anything else cannot be read."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Sequence

from karat.core.json_types import Json, JsonMapping
from karat.suites.codegen.plots.unreadable import CannotRead
from karat.suites.codegen.plots.vega.values import Row, field_of, in_unit, moment_of

MAXBINS = 10
EPSILON = 1e-14
Op = Callable[[list[Json]], Json]


def transformed(rows: list[Row], steps: Json) -> list[Row]:
    """The rows after these steps."""
    for step in steps if isinstance(steps, list) else []:
        if not isinstance(step, dict):
            raise CannotRead("a transform that is no object")
        if "filter" in step:
            keep = predicate(step["filter"])
            rows = [row for row in rows if keep(row)]
        elif "fold" in step:
            rows = _folded(rows, step)
        elif "aggregate" in step:
            rows = _aggregated(rows, step)
        elif "bin" in step:
            rows = _binned(rows, step)
        elif "timeUnit" in step:
            rows = [
                {**row, _as(step)[0]: in_unit(field_of(row, str(step["field"])), str(step["timeUnit"]))[0]}
                for row in rows
            ]
        else:
            raise CannotRead(f'the transform "{", ".join(str(key) for key in step)[:60]}"')
    return rows


def _as(step: JsonMapping) -> list[str]:
    names = step.get("as")
    found = names if isinstance(names, list) else [names]
    if not all(isinstance(name, str) for name in found):
        raise CannotRead('a transform without "as"')
    return [str(name) for name in found]


def _folded(rows: list[Row], step: JsonMapping) -> list[Row]:
    fields = step.get("fold")
    names = _as(step) if step.get("as") is not None else ["key", "value"]
    if not isinstance(fields, list) or len(names) != 2:
        raise CannotRead("a fold that is in no right form")
    return [{**row, names[0]: str(name), names[1]: field_of(row, str(name))} for row in rows for name in fields]


def _aggregated(rows: list[Row], step: JsonMapping) -> list[Row]:
    wanted, by = step.get("aggregate"), step.get("groupby", [])
    if not isinstance(wanted, list) or not isinstance(by, list):
        raise CannotRead("an aggregate that is in no right form")
    found: list[Row] = []
    for group in grouped(rows, lambda row: tuple(repr(field_of(row, str(name))) for name in by)):
        made: Row = {str(name): field_of(group[0], str(name)) for name in by}
        for one in wanted:
            if not isinstance(one, dict) or not isinstance(one.get("as"), str):
                raise CannotRead("an aggregate without a name")
            made[one["as"]] = reduced(str(one.get("op")), [field_of(row, str(one.get("field", ""))) for row in group])
        found.append(made)
    return found


def grouped(rows: Sequence[Row], key: Callable[[Row], object]) -> list[list[Row]]:
    """The rows in groups of equal keys, in the order in which they appear."""
    groups: dict[object, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return list(groups.values())


def _numbers(values: list[Json]) -> list[float]:
    return [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]


_OPS: dict[str, Op] = {
    "count": len,
    "distinct": lambda values: len({repr(value) for value in values}),
    "sum": lambda values: math.fsum(_numbers(values)),
    "mean": lambda values: statistics.fmean(found) if (found := _numbers(values)) else None,
    "median": lambda values: statistics.median(found) if (found := _numbers(values)) else None,
    "min": lambda values: min(_numbers(values), default=None),
    "max": lambda values: max(_numbers(values), default=None),
}


def reduced(op: str, values: list[Json]) -> Json:
    """Many values as one."""
    name = {"average": "mean"}.get(op, op)
    if name not in _OPS:
        raise CannotRead(f'the aggregate "{op[:40]}"')
    return _OPS[name](values)


# -- bins -------------------------------------------------------------------------------------------------------------


class Bins:
    """Bins as Vega chooses them: steps of 1, 2 or 5 times a power of ten, as many as allowed."""

    def __init__(self, values: list[Json], stated: Json) -> None:
        numbers = _numbers(values)
        asked: JsonMapping = stated if isinstance(stated, dict) else {}
        odd = set(asked) - {"maxbins", "step", "extent", "nice", "binned"}
        if odd:
            raise CannotRead(f'bins with "{min(odd)}"')
        extent = asked.get("extent")
        if isinstance(extent, list) and len(extent) == 2:
            low, high = float(extent[0]), float(extent[1])
        else:
            low, high = float(min(numbers, default=0)), float(max(numbers, default=0))
        span = high - low or abs(low) or 1.0
        most = asked.get("maxbins", MAXBINS)
        if not isinstance(most, int | float) or not 1 <= most <= 10_000:
            raise CannotRead("a number of bins that cannot be used")
        self.step = float(asked["step"]) if isinstance(asked.get("step"), int | float) else _step(span, float(most))
        if self.step <= 0 or span / self.step > 100_000:
            raise CannotRead("a step of bins that cannot be used")
        self.start, self.stop = low, high
        if asked.get("nice", True) is not False:
            precision = 0 if self.step >= 1 else int(-math.log10(self.step)) + 1
            first = math.floor(low / self.step + 10.0 ** (-precision - 1)) * self.step
            self.start = first - self.step if low < first else first
            self.stop = math.ceil(high / self.step) * self.step
        if self.stop == self.start:
            self.stop = self.start + self.step

    def edges(self, value: float) -> tuple[float, float]:
        """The bin that a value is in; the last one holds its upper end."""
        inside = max(self.start, min(value, self.stop - self.step))
        left = self.start + self.step * math.floor(EPSILON + (inside - self.start) / self.step)
        return _clean(left), _clean(left + self.step)


def _step(span: float, most: float) -> float:
    level = math.ceil(math.log10(most))
    step = 10.0 ** (round(math.log10(span)) - level)
    while math.ceil(span / step) > most:
        step *= 10
    for part in (5, 2):
        if span / (step / part) <= most:
            step /= part
    return step


def _clean(value: float) -> float:
    """Without the noise that adding steps leaves."""
    return float(f"{value:.12g}")


def _binned(rows: list[Row], step: JsonMapping) -> list[Row]:
    name, names = str(step.get("field")), _as(step)
    bins = Bins([field_of(row, name) for row in rows], step["bin"])
    found = []
    for row in rows:
        value = field_of(row, name)
        left, right = bins.edges(value) if isinstance(value, int | float) else (None, None)
        found.append({**row, names[0]: left, (names[1] if len(names) > 1 else f"{names[0]}_end"): right})
    return found


# -- filters ----------------------------------------------------------------------------------------------------------

_COMPARISON = re.compile(
    r"""\s*\(?\s*datum(?:\.(?P<name>\w+)|\[\s*(?P<quote>['"])(?P<quoted>[^'"]+)(?P=quote)\s*\])\s*
    (?P<op>===|==|!==|!=|<=|>=|<|>)\s*
    (?:(?P<number>-?\d+(?:\.\d+)?)|(?P<text_quote>['"])(?P<text>[^'"]*)(?P=text_quote)|(?P<word>true|false|null))\s*\)?\s*""",
    re.VERBOSE,
)
Keep = Callable[[Row], bool]


def predicate(found: Json) -> Keep:
    """Whether a row is kept."""
    if isinstance(found, str):
        return _expression(found)
    if not isinstance(found, dict):
        raise CannotRead("a filter in no right form")
    if isinstance(found.get("and"), list):
        parts = [predicate(part) for part in found["and"]]
        return lambda row: all(part(row) for part in parts)
    if isinstance(found.get("or"), list):
        parts = [predicate(part) for part in found["or"]]
        return lambda row: any(part(row) for part in parts)
    if "not" in found:
        part = predicate(found["not"])
        return lambda row: not part(row)
    return _field_predicate(found)


def _field_predicate(found: JsonMapping) -> Keep:
    name = found.get("field")
    tests = {key: found[key] for key in _TESTS if key in found}
    if not isinstance(name, str) or len(tests) != 1 or "timeUnit" in found:
        raise CannotRead("a filter that is no comparison of a field")
    key, wanted = next(iter(tests.items()))
    test = _TESTS[key]
    return lambda row: test(field_of(row, name), wanted)


def _less(one: Json, other: Json, *, equal: bool) -> bool:
    if isinstance(one, str) != isinstance(other, str):
        return False
    if isinstance(one, str):
        left, right = moment_of(one), moment_of(other)
        return left <= right if equal else left < right
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return False
    return one <= other if equal else one < other


def _in_range(value: Json, ends: Json) -> bool:
    if not isinstance(ends, list) or len(ends) != 2:
        raise CannotRead("a range in no right form")
    above = ends[0] is None or _less(ends[0], value, equal=True)
    return above and (ends[1] is None or _less(value, ends[1], equal=True))


_TESTS: dict[str, Callable[[Json, Json], bool]] = {
    "equal": lambda value, wanted: bool(value == wanted),
    "lt": lambda value, wanted: _less(value, wanted, equal=False),
    "lte": lambda value, wanted: _less(value, wanted, equal=True),
    "gt": lambda value, wanted: _less(wanted, value, equal=False),
    "gte": lambda value, wanted: _less(wanted, value, equal=True),
    "range": _in_range,
    "oneOf": lambda value, wanted: isinstance(wanted, list) and value in wanted,
    "valid": lambda value, wanted: (value is not None) == bool(wanted),
}
_SIGNS = {"==": "equal", "===": "equal", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}


def _expression(text: str) -> Keep:
    """Comparisons of fields with constants, joined by && or by ||; nothing else of the language is evaluated."""
    joined = "||" if "||" in text else "&&"
    if "||" in text and "&&" in text:
        raise CannotRead(f"the filter {text[:80]!r}")
    parts = [_COMPARISON.fullmatch(part.strip().strip("()")) for part in text.split(joined)]
    tests: list[Keep] = []
    for part in parts:
        if part is None:
            raise CannotRead(f"the filter {text[:80]!r}")
        name, op = part["name"] or part["quoted"], part["op"]
        wanted: Json = part["text"]
        if part["number"] is not None:
            wanted = float(part["number"])
        elif part["word"] is not None:
            wanted = {"true": True, "false": False, "null": None}[part["word"]]
        tests.append(_compared(name, op, wanted))
    return lambda row: (all if joined == "&&" else any)(test(row) for test in tests)


def _compared(name: str, op: str, wanted: Json) -> Keep:
    if op in ("!=", "!=="):
        return lambda row: bool(field_of(row, name) != wanted)
    test = _TESTS[_SIGNS[op]]
    return lambda row: test(field_of(row, name), wanted)
