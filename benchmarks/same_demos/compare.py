"""Two sides of files, line by line. Where a line has a place, it is compared with the line of that place; others by
their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from difflib import SequenceMatcher

import msgspec

from benchmarks.same_demos.read import Lines


class Difference(msgspec.Struct, frozen=True):
    """What one side has at a place and the other has not; "" where a side has nothing."""

    file: str
    place: str
    before: str
    now: str

    def text(self) -> str:
        """In three lines, long values cut where they begin to differ."""
        start = next((i for i, pair in enumerate(zip(self.before, self.now, strict=False)) if pair[0] != pair[1]), 0)
        return (
            f"{self.file}: {self.place}\n  before  {_around(self.before, start)}\n  now     {_around(self.now, start)}"
        )


def _around(text: str, start: int, room: int = 200) -> str:
    if not text:
        return "(nothing)"
    begin = max(0, start - 60) if len(text) > room else 0
    return ("…" if begin else "") + text[begin : begin + room] + ("…" if len(text) > begin + room else "")


def differences(before: Mapping[str, Lines], now: Mapping[str, Lines]) -> list[Difference]:
    """All of them, file by file."""
    found = []
    for file in sorted({*before, *now}):
        if file not in before or file not in now:
            found.append(Difference(file, "the file", "is there" * (file in before), "is there" * (file in now)))
            continue
        old, new = _numbered(before[file]), _numbered(now[file])
        if old == new:
            continue
        placed = {place: text for place, text in new if place}
        known = {place: text for place, text in old if place}
        found += [
            Difference(file, place, known.get(place, ""), placed.get(place, ""))
            for place in dict.fromkeys((*known, *placed))
            if known.get(place) != placed.get(place)
        ]
        found += _by_order(file, [text for place, text in old if not place], [text for place, text in new if not place])
    return found


def _numbered(lines: Lines) -> Lines:
    """A place that occurs twice is told apart by a number, so that no line hides another."""
    seen: Counter[str] = Counter()
    numbered = []
    for place, text in lines:
        seen[place] += 1
        numbered.append((f"{place} #{seen[place]}" if place and seen[place] > 1 else place, text))
    return numbered


def _by_order(file: str, old: list[str], new: list[str]) -> list[Difference]:
    found = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for offset in range(max(i2 - i1, j2 - j1)):
            first = old[i1 + offset] if i1 + offset < i2 else ""
            second = new[j1 + offset] if j1 + offset < j2 else ""
            found.append(Difference(file, f"line {min(i1 + offset, i2) + 1}", first, second))
    return found
