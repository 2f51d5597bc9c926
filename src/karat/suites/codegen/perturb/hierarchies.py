"""Rows that name other rows of their own table: an employee's boss, a category's parent, a reply's message.

In a copy each still names a row that is there, never itself, and nobody is above his own boss: code that walks up to
the top comes to an end.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from karat.suites.codegen.records import Cell

_WORDS = frozenset(
    {
        "ancestor",
        "boss",
        "chief",
        "head",
        "lead",
        "leader",
        "manager",
        "mentor",
        "mgr",
        "next",
        "parent",
        "predecessor",
        "prev",
        "previous",
        "referrer",
        "reply",
        "reports",
        "successor",
        "superior",
        "supervisor",
        "upline",
    }
)


def names_own_rows(label: str, values: Sequence[object], keys: Sequence[object]) -> bool:
    """Whether a column is called so and no row names itself. That its values are keys is for the caller to see: small
    whole numbers lie in many keys by chance."""
    words = set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", label).lower()))
    return bool(words & _WORDS) and all(value != key for value, key in zip(values, keys, strict=True))


def rejoined(keys: Sequence[Cell], above: Sequence[Cell], pick: random.Random) -> list[Cell]:
    """The row above each row, another one where it is not there or where the way up would come round in a circle;
    nothing where no other row is left."""
    known, found = set(keys), dict[Cell, Cell]()
    for key, wanted in zip(keys, above, strict=True):
        if wanted is not None and (wanted not in known or _is_above(key, wanted, found)):
            free = [one for one in found if not _is_above(key, one, found)]
            wanted = pick.choice(free) if free else None
        found[key] = wanted
    return [found[key] for key in keys]


def rooted(keys: Sequence[Cell], above: Sequence[Cell]) -> list[int]:
    """The rows from which the way up comes to an end at a row without one above."""
    way = dict(zip(keys, above, strict=True))
    found = []
    for row, key in enumerate(keys):
        seen = set[Cell]()
        while key is not None and key in way and key not in seen:
            seen.add(key)
            key = way[key]
        if key is None:
            found.append(row)
    return found


def _is_above(key: Cell, start: Cell, way: dict[Cell, Cell]) -> bool:
    """Whether a row is met on the way up from another one, that one included."""
    seen = set[Cell]()
    while start is not None and start not in seen:
        if start == key:
            return True
        seen.add(start)
        start = way.get(start)
    return False
