"""Keys of an answer that are nearly ones we know.

Left alone, ``indicator_selecton`` or ``value`` would read as "nothing was selected" and score 0. Such an answer is
unreadable, and the message names the nearest key.
"""

from __future__ import annotations

from collections.abc import Collection

from karat.core.json_types import JsonMapping
from karat.core.problems import nearest
from karat.core.suite import Unreadable

_ALIKE = 82.0
"""How alike two keys are, of 100, from which on one is taken for a slip of the other."""


_OTHER_WORDS = {"label": "name", "title": "name", "code": "id"}
"""Keys that others use for one of ours."""


def refuse_misspelt(holder: JsonMapping, known: Collection[str], what: str) -> None:
    """Raise Unreadable for a key that is not known and nearly equal to one that is known and not there."""
    for key in holder:
        if key in known:
            continue
        other = _OTHER_WORDS.get(key)
        if other in known and other not in holder:
            raise Unreadable(f'unknown key "{key}" in {what}. Did you mean {other}?')
        near = next((name for name in nearest(key, known, count=len(known), cutoff=_ALIKE) if name not in holder), None)
        if near is not None:
            raise Unreadable(f'unknown key "{key}" in {what}. Did you mean {near}?')
