"""Which id may be meant by one that no case has. Ids are texts and are compared as such: ``2.0`` in a CSV is not ``2``,
as ``007`` is not ``7``, and a guess could judge an answer by another case. So the guess is only named."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from karat.core.problems import nearest

LIKE = 80.0
"""How much alike two ids are, in percent, for one to be the other mistyped."""


def nearest_id(name: str, ids: Iterable[str]) -> str:
    """The same id written otherwise, else the one most like it; empty where none is near. A number has no id that is
    like it: 12 and 13 are two cases."""
    known, form = list(ids), _plain(name)
    same = next((one for one in known if _plain(one) == form), "")
    return same or next(iter([] if form.isdecimal() else nearest(name, known, cutoff=LIKE)), "")


def is_same_id(name: str, other: str) -> bool:
    """Whether two ids are one, written in two ways."""
    return _plain(name) == _plain(other)


def _plain(name: str) -> str:
    """An id without what spreadsheets and programs change: case, blanks, zeros around a number."""
    bare = name.strip().casefold()
    with suppress(ValueError, OverflowError):
        if bare.replace(".", "", 1).isdecimal() and float(bare).is_integer():
            return str(int(bare.partition(".")[0]))
    return bare
