"""How much a child's message may hold before anything is made of it, whatever its bytes say.

The records that came are walked without recursion, and counted: values, heights and levels. Keys become a dictionary
only when their hashes differ: a child that chooses its keys could else make each look-up as long as the dictionary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from karat.sandbox.messages.values import Plain

DEPTH = 64
"""Records inside records. An honest child sends 24 levels of lists."""
DIGITS = 2_000
"""Of a whole number in base 16, as an honest child sends it at most; what Python will still write as text."""
DECIMAL_DIGITS = 4_000
SLACK = 1_000
"""Records beside the values, which an honest child does not count."""
SAME_HASH = 16
"""Different keys of one hash. Among honest keys two are rare."""

_SINGLE = frozenset({type(None), bool, int, float, str})


class TooMuch(ValueError):
    """More values than may be sent."""


class BadValue(ValueError):
    """A record that no honest writer would have sent."""


def check(wire: object, most: int) -> None:
    """Refuse a message with more than ``most`` values, or a table of more rows, or too many levels."""
    left = most + SLACK
    waiting: list[tuple[object, int]] = [(wire, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, msgspec.Struct):
            depth += 1
            if depth > DEPTH:
                raise BadValue(f"more than {DEPTH} levels")
            if getattr(value, "height", 0) > most + SLACK:
                raise TooMuch
            items: Sequence[object] = [getattr(value, name) for name in value.__struct_fields__]
        elif isinstance(value, list | tuple):
            left -= len(value) if isinstance(value, list) else 0
            if left < 0:
                raise TooMuch
            items = value
        else:
            continue
        if not _SINGLE.issuperset(map(type, items)):
            waiting += [(item, depth) for item in items if type(item) not in _SINGLE]


def mapping(keys: list[Plain], values: list[Plain]) -> dict[Plain, Plain] | None:
    """The dictionary; None when two keys are equal as plain data, so that one would take the other's place."""
    try:
        hashes = list(map(hash, keys))
    except TypeError as error:
        raise BadValue(f"a key that cannot be one: {error}") from None
    crowded = {number for number, count in Counter(hashes).items() if count > SAME_HASH}
    first: dict[int, Plain] = {}
    for key, number in zip(keys, hashes, strict=True):
        if number in crowded and first.setdefault(number, key) != key:
            raise BadValue(f"more than {SAME_HASH} keys with one hash")
    made = dict(zip(keys, values, strict=True))
    return made if len(made) == len(keys) else None
