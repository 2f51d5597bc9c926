"""Many new texts at once, each in the form of the one before it but not always as long: ``Moss, Jen`` may become
``Moss, Jenarol`` and ``/item/12`` ``/item/127``.

Code that cuts texts at a fixed place, or takes parts of two to five letters, is right until a longer one comes. A part
gets another length only where the texts of the column differ in it already: letters and digits of a code that is always
as long stay as many. Parts that the reference names stay as they are.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence

from karat.suites.codegen.perturb.change import Change
from karat.suites.codegen.perturb.kinds.grids import renamed
from karat.suites.codegen.perturb.random_values import closed
from karat.suites.codegen.records import Columns

SHARES = (0.5, 0.5, 1.0)
"""Of the texts that are replaced, by seed, each in all of its rows, so that groups stay as large as they were."""
LONGER = 3
"""Characters more than the longest part in this place."""
SHORTEST_NAMED = 2
_PART = re.compile(r"[^\W\d_]+|\d+")
_NUMBER = re.compile(r"\d[.,:]\d|[$€£%]|\b(?:19|20)\d\d\b")
"""Amounts, times and years: not every other digit makes one."""


def other_texts(change: Change) -> Columns:
    made = dict(change.columns)
    named = [one for one in change.hints.named if isinstance(one, str) and one.strip() and one not in change.columns]
    for name, about in change.profile.columns.items():
        texts = [value for value in change.columns[name] if value is not None]
        loose = change.profile.block(name) == (name,) and name not in change.profile.named_keys
        if about.kind != "text" or about.parent is not None or not loose or name not in change.hints.missing.used:
            continue
        different = set(texts)
        if len(different) < 3 or closed(different) or change.all_named(different) or not any(map(_PART.search, texts)):
            continue
        parts, numbers = _parts(texts), any(map(_NUMBER.search, texts))
        new = {
            text: _other(text, parts, named, change, numbers=numbers)
            for text in sorted(different)
            if text not in named and change.pick.random() < SHARES[change.seed]
        }
        made[name] = renamed(change.columns[name], new)
    return made


def _parts(texts: Sequence[str]) -> dict[tuple[int, bool], set[str]]:
    """The parts of the texts, by their place and whether they are digits."""
    found: dict[tuple[int, bool], set[str]] = {}
    for text in texts:
        for place, part in enumerate(_PART.findall(text)):
            found.setdefault((place, part.isdigit()), set()).add(part)
    return found


def _other(
    text: str, parts: Mapping[tuple[int, bool], set[str]], named: Sequence[str], change: Change, *, numbers: bool
) -> str:
    """The text with another part in one place; itself where none is free."""
    free = [
        (place, found)
        for place, found in enumerate(_PART.finditer(text))
        if not (numbers and found.group().isdigit()) and not _is_named(found, text, named)
        if len(parts[place, found.group().isdigit()]) > 1  # what all texts share stays
    ]
    if not free:
        return text
    place, found = change.pick.choice(free)
    known = {len(part) for part in parts[place, found.group().isdigit()]}
    length = len(found.group()) if len(known) == 1 else change.pick.randint(min(known), max(known) + LONGER)
    return text[: found.start()] + _part_like(found.group(), length, change) + text[found.end() :]


def _is_named(found: re.Match[str], text: str, named: Sequence[str]) -> bool:
    """Whether a part belongs to something that the reference names, also inside a pattern: ``^/item/``."""
    part = found.group()
    if any(part in one for one in named if len(part) >= SHORTEST_NAMED or part == one):
        return True
    return any(
        start <= found.start() < start + len(one) or found.start() <= start < found.end()
        for one in named
        if len(one) >= SHORTEST_NAMED
        for start in (hit.start() for hit in re.finditer(re.escape(one), text))
    )


def _part_like(part: str, length: int, change: Change) -> str:
    if part.isdigit():
        first = "0" if part.startswith("0") else str(change.pick.randint(1, 9))
        return first + "".join(change.pick.choice(string.digits) for _ in range(length - 1))
    signs = string.ascii_uppercase if part.isupper() and len(part) > 1 else string.ascii_lowercase
    made = part[: max(1, length // 2)]
    made += "".join(change.pick.choice(signs) for _ in range(length - len(made)))
    return made if made != part else made[:-1] + change.pick.choice(signs)
