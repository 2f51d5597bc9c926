"""What is different between two answers to one case, in the suite's own terms: the difference of two explanations.

Each change names a part (a dimension, a cell, a line of code), what was given there before and after, and whether gold
asks for that. Only what both explanations say is used:

- A part that a scored answer does not list is as expected there, if that answer is right or lists other parts.
- Of two tables the explanation has the first rows that differ. A row that a wrong answer does not list may differ or
  not: nothing is said of it.
- Where the parts do not tell why an answer is wrong, its headline does.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from karat.core.explanation import CellRow, Cells, Explanation, Line, Part

NOTHING = "nothing"
MOST_CELLS = 5
"""Cells of a case that are shown; the rest are counted."""
MOST_LINES = 5
MOST_PAIRS = 400
"""Pairs of lines that are tried to find which belong together; longer stretches are shown line by line."""
MOST_TERMS = 12
_COMMENTS = ("#", "--")


class Given(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one answer has in a part. ``right``: as gold has it; None: nobody can say that here."""

    terms: tuple[str, ...] = ()
    right: bool | None = None
    note: str = ""

    @property
    def text(self) -> str:
        """As one line; ``nothing`` where nothing was given."""
        shown = ", ".join(self.terms[:MOST_TERMS]) or NOTHING
        shown += f" and {len(self.terms) - MOST_TERMS:,} more" if len(self.terms) > MOST_TERMS else ""
        return f"{shown} ({self.note})" if self.note else shown


class PartChange(msgspec.Struct, frozen=True):
    """A part that is not the same in both answers."""

    label: str
    before: Given
    after: Given


def answer_changes(before: Explanation, after: Explanation) -> tuple[PartChange, ...]:
    """Every part in which two answers to a case differ, and why each of them is wrong where the parts do not tell.

    Empty where both are explained alike.
    """
    if "error" in (before.outcome, after.outcome) or "missing" in (before.outcome, after.outcome):
        return (PartChange("answer", _whole(before), _whole(after)),)
    found = [*_parts(before, after), *_cells(before, after), *_lines(before.lines, after.lines, before, after)]
    sides = ((before, [change.before for change in found]), (after, [change.after for change in found]))
    if all(_is_explained(side, given) for side, given in sides) and found:
        return tuple(found)
    reason = PartChange("reason" if found else "answer", _whole(before), _whole(after))
    return tuple(found) if reason.before == reason.after else (reason, *found)


def only_answer(before: Explanation | None, after: Explanation | None) -> tuple[PartChange, ...]:
    """A case that one of the runs does not have: whether the answer of the other is right, or what is wrong with it."""
    absent = Given(("not in this run",))
    sides = (absent if side is None else _whole(side) for side in (before, after))
    return (PartChange("answer", *sides),) if before or after else ()


def _is_explained(side: Explanation, given: Sequence[Given]) -> bool:
    """Whether the changes say why this answer is wrong, or there is nothing to say."""
    return side.outcome == "right" or not side.headline or any(one.right is False for one in given)


def _whole(side: Explanation) -> Given:
    """The answer as a whole: right, or what is wrong with it."""
    words = {"right": "right", "needs_review": "needs review", "not_applicable": "left out"}
    text = words.get(side.outcome, side.outcome)
    if side.outcome != "right" and side.headline:
        text = f"{text}: {side.headline}" if side.outcome in ("error", "missing") else side.headline
    return Given((text,), {"right": True, "wrong": False}.get(side.outcome))


# -- parts ------------------------------------------------------------------------------------------------------------


def _parts(before: Explanation, after: Explanation) -> Iterator[PartChange]:
    old, new = _numbered(before.parts), _numbered(after.parts)
    for key in dict.fromkeys((*old, *new)):
        was, now = old.get(key), new.get(key)
        if was is None and now is not None and _silence_is_right(before):
            was = _as_expected(now)
        if now is None and was is not None and _silence_is_right(after):
            now = _as_expected(was)
        first, second = _given(was, now, before), _given(now, was, after)
        if first != second and (was or now):
            yield PartChange(key[0], first, second)


def _numbered(parts: Iterable[Part]) -> dict[tuple[str, int], Part]:
    """By label, and the how-manieth of that label."""
    found: dict[tuple[str, int], Part] = {}
    for part in parts:
        number = 0
        while (part.label, number) in found:
            number += 1
        found[part.label, number] = part
    return found


def _silence_is_right(side: Explanation) -> bool:
    return side.outcome == "right" or bool(side.parts)


def _as_expected(part: Part) -> Part:
    """What a silent answer has there. Where the other one lacks something and gives nothing, what it lacks may be named
    in words of the rule: it is not said that these were given."""
    return Part(part.label, part.expected if part.given else ("as expected",))


def _given(own: Part | None, other: Part | None, side: Explanation) -> Given:
    if own is None:
        return Given(("not said",))
    right = own.state == "found" or side.outcome == "right"
    lost = () if other is None else tuple(t for t in own.missing if t not in other.missing and t not in other.given)
    if lost and not own.given:
        # A right answer may lack what was asked for and does not count: that is not right because the answer is.
        return Given((f"lacks {', '.join(lost[:MOST_TERMS])}",), None if right else False, own.note)
    notes = [own.note] if own.note else []
    notes += [f"without {', '.join(lost[:MOST_TERMS])}"] if lost else []
    return Given(own.given, right, "; ".join(notes))


# -- cells of tables --------------------------------------------------------------------------------------------------


def _cells(before: Explanation, after: Explanation) -> list[PartChange]:
    """Cell by cell; a row that is missing or too much as a whole is one change."""
    old, new = _differing(before.cells), _differing(after.cells)
    found = []
    for key in dict.fromkeys((*old, *new)):
        expected = (old.get(key) or new.get(key) or ("", ""))[0]
        first, second = (_cell(own.get(key), expected, side) for own, side in ((old, before), (new, after)))
        if first != second:
            found.append(PartChange(key, first, second))
    return _first(found, MOST_CELLS, "cells or rows")


def _first(found: list[PartChange], most: int, what: str) -> list[PartChange]:
    """The first few, and how many more there are."""
    if len(found) <= most:
        return found
    more = len(found) - most + 1
    return [*found[: most - 1], PartChange(f"{more:,} more {what}", Given(("…",)), Given(("…",)))]


def _differing(cells: Cells | None) -> dict[str, tuple[str, str]]:
    """``row 7, net_sales`` → (expected, given), for what differs; where no row is listed, column by column."""
    found: dict[str, tuple[str, str]] = {}
    if cells is None:
        return found
    for row in cells.rows:
        found |= _row(row, cells.columns)
    for column, near, change in () if found else cells.nearest:
        found[f"column {column}"] = ("all cells equal", f"{near}: {change}" if near else change or "not given")
    return found


def _row(row: CellRow, columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    marks = {cell.mark for cell in row.cells}
    if marks == {"missing"}:
        return {row.label: (", ".join(cell.expected for cell in row.cells), "no such row")}
    if marks == {"extra"}:
        return {row.label: ("no such row", ", ".join(cell.given for cell in row.cells))}
    named = zip(columns, row.cells, strict=False)
    return {f"{row.label}, {name}": (cell.expected, cell.given) for name, cell in named if cell.mark != "same"}


def _cell(own: tuple[str, str] | None, expected: str, side: Explanation) -> Given:
    if own is not None:
        return Given((own[1],), side.outcome == "right")
    return Given((expected,), True) if side.outcome == "right" else Given(("not among the rows shown",))


# -- lines of texts ---------------------------------------------------------------------------------------------------


def _lines(was: Sequence[Line], now: Sequence[Line], before: Explanation, after: Explanation) -> list[PartChange]:
    """The lines that only one of the answers has, beside each other. ``line 3`` is that of the answer after."""
    old, new = ([line for line in lines if line.mark != "missing"] for lines in (was, now))
    if not was or not now:
        return []
    matcher = difflib.SequenceMatcher(None, [line.text for line in old], [line.text for line in new], autojunk=False)
    found = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        for left, right in _beside(old[a:b], new[c:d]):
            first = old[a + left] if left is not None else None
            second = new[c + right] if right is not None else None
            number = (c + right if right is not None else a + (left or 0)) + 1
            label = f"line {number:,}" + ("" if second is not None else " before")
            found.append(PartChange(label, _line(first, before), _line(second, after)))
    return _first(found, MOST_LINES, "lines")


def _beside(old: Sequence[Line], new: Sequence[Line]) -> Iterator[tuple[int | None, int | None]]:
    """Places of lines that belong together, in order. Where one side has more lines, those stand alone for which the
    others are most like their counterparts: a comment above a changed line is not what became of the line."""
    if len(old) == len(new) or not old or not new or len(old) * len(new) > MOST_PAIRS:
        for place in range(max(len(old), len(new))):
            yield place if place < len(old) else None, place if place < len(new) else None
        return
    few, many = (old, new) if len(old) < len(new) else (new, old)
    # best[i][j]: the likeness in all of the first i of the few among the first j of the many
    best = [[0.0] * (len(many) + 1)] + [[-1.0] * (len(many) + 1) for _ in few]
    for i, line in enumerate(few, start=1):
        for j in range(i, len(many) - len(few) + i + 1):
            likeness = difflib.SequenceMatcher(None, line.text, many[j - 1].text, autojunk=False).ratio()
            best[i][j] = max(best[i - 1][j - 1] + likeness, best[i][j - 1])
    partner: list[int | None] = [None] * len(many)
    i = len(few)
    for j in range(len(many), 0, -1):
        if i and best[i][j] > best[i][j - 1]:
            i -= 1
            partner[j - 1] = i
    for place, other in enumerate(partner):
        yield (other, place) if few is old else (place, other)


def _line(line: Line | None, side: Explanation) -> Given:
    """A line of a right answer is right; of a wrong one, a line that the reference has too may be or not, and a comment
    or an empty line is no reason."""
    if line is None:
        return Given(("no such line",))
    text = line.text.strip()
    idle = line.mark == "same" or text.startswith(_COMMENTS) or not text
    return Given((text or "empty line",), True if side.outcome == "right" else None if idle else False)
