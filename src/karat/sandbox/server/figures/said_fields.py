"""Whether the numbers in the fields of a heatmap, or on the wedges of a pie, say what is shown."""

from __future__ import annotations

from typing import Sequence

from .tick_numbers import number_parts, says

FEW = 4
"""With at least this many fields, numbers linear in the drawn ones say the same (standard scores)."""
ROUNDED = 0.51
"""Of the last digit."""
EXACT = 1e-3
Field = tuple[object, object, float]
"""Its column, its row, its value."""


def fields_problem(said: Sequence[tuple[list[str], Field]], fields: Sequence[Field]) -> str:
    """The first number of a text in a field that is neither the value, nor its share, nor what it is a share of."""
    groups: dict[tuple[int, str], list[tuple[str, Field]]] = {}
    for numbers, field in said:
        for place, claim in enumerate(numbers):
            found = number_parts(claim)
            groups.setdefault((place, found[2] if found else ""), []).append((claim, field))
    return next((wrong for group in groups.values() if (wrong := _wrong(group, fields))), "")


def _wrong(group: Sequence[tuple[str, Field]], fields: Sequence[Field]) -> str:
    wrong = [claim for claim, (_, _, value) in group if not (says(claim, value, 1.0) or says(claim, value, 0.01))]
    if not wrong:
        return ""
    for axis in (0, 1, None):
        sums: dict[object, float] = {}
        for field in fields:
            key = None if axis is None else field[axis]
            sums[key] = sums.get(key, 0.0) + field[2]
        shares = [(claim, f[2] / total) for claim, f in group if (total := sums[None if axis is None else f[axis]])]
        if len(shares) == len(group) and are_shares(shares):
            return ""
        lines: dict[object, list[tuple[str, float]]] = {}
        for claim, field in group:
            lines.setdefault(None if axis is None else field[axis], []).append((claim, field[2]))
        if all(are_proportional(line) for line in lines.values()) and len(group) > len(lines):
            return ""
        if all(len(line) >= FEW and _straight(line) for line in lines.values()):
            return ""
    return wrong[0]


def are_shares(said: Sequence[tuple[str, float]]) -> bool:
    """Whether all numbers are these shares, as percents or not."""
    return any(all(says(claim, share, factor) for claim, share in said) for factor in (0.01, 1.0))


def are_proportional(said: Sequence[tuple[str, float]]) -> bool:
    """Whether all numbers are the values times one factor."""
    if not said:
        return True
    claim, value = max(said, key=lambda one: abs(one[1]))
    number = _number(claim)
    if not value or not number:
        return False
    if all(abs(_number(text) - number / value * other) <= EXACT * abs(number) for text, other in said):
        return True
    return abs(number) >= 10 and all(says(text, number / value * other, 1.0, ROUNDED) for text, other in said)


def _straight(said: Sequence[tuple[str, float]]) -> bool:
    """Whether all numbers are the values times one factor, and one number more."""
    low, high = min(said, key=lambda one: one[1]), max(said, key=lambda one: one[1])
    if high[1] == low[1]:
        return False
    slope = (_number(high[0]) - _number(low[0])) / (high[1] - low[1])
    line = [(text, _number(low[0]) + slope * (value - low[1])) for text, value in said]
    return slope > 0 and all(says(text, there, 1.0, ROUNDED) for text, there in line)


def _number(claim: str) -> float:
    found = number_parts(claim)
    digits = found[0].replace(",", "").replace("'", "").replace(" ", "") if found else ""
    try:
        number = float(digits) * 10.0 ** ((found[1] or 0) if found else 0)
    except ValueError:
        return 0.0
    return -number if found and found[3] else number
