"""Texts on pies and heatmaps, and tables beside a plot: whether they say what the wedges, fields and series show."""

from __future__ import annotations

import math
from typing import Any, Iterable, Sequence  # Any: wedges, tables and axes of matplotlib

from .said_numbers import MOST, Label, Mark, Shown, claims, marks_of, other_values
from .texts import Note, notes_of
from .tick_numbers import number_parts, says

FEW = 4
"""From so many fields on, numbers that are a straight line of the shown ones say the same (standard scores)."""
ROUNDED = 0.51
"""Of the last digit."""
EXACT = 1e-3
Found = dict[str, Any]


def pie_problem(axes: Any, figure: Any, wedges: Sequence[Any]) -> str:
    """What a text on a pie says that its wedge does not."""
    notes = notes_of(axes, figure) if wedges else []
    names = {str(wedge.get_label()) for wedge in wedges}
    words = {name.strip().casefold() for name in names}
    labels: list[tuple[Label, float]] = []
    for note in notes:
        wedge, away = _wedge_at(axes, note, wedges)
        if wedge is None:
            continue
        if away > 0.9 and note.text in names and note.text != str(wedge.get_label()):
            own = str(wedge.get_label())
            if not own.startswith("_"):
                return f'the text "{note.text[:40]}" stands at another place than what it names'
        if away > 0.3:
            share = abs(wedge.theta2 - wedge.theta1) / 360
            labels.append((Label(note.text, (Mark((), {"share": share}),)), share))
    shares = [label for label, _ in labels if "%" in label.text]
    wrong = other_values(_only(shares, "%", words))
    sizes = [(claim, share) for label, share in labels for claim in claims(label.text, words) if "%" not in claim]
    wrong = wrong or ("" if _proportional(sizes) or _shares(sizes) else sizes[0][0])
    return f'a text says "{wrong[:40]}" at a wedge of another size' if wrong else ""


def _only(labels: Iterable[Label], unit: str, names: set[str]) -> list[Label]:
    """The claims of this unit, each as a text of its own."""
    return [Label(claim, label.marks) for label in labels for claim in claims(label.text, names) if unit in claim]


def _wedge_at(axes: Any, note: Note, wedges: Sequence[Any]) -> tuple[Any, float]:
    """The wedge in whose direction a text stands, and how far out, in radii of its ring."""
    best: tuple[Any, float] = (None, math.inf)
    for wedge in wedges:
        middle = axes.transData.inverted().transform((note.x, note.y)) - wedge.center
        away = float(math.hypot(*middle)) / (wedge.r or 1.0)
        low, high = sorted((wedge.theta1, wedge.theta2))
        angle = math.degrees(math.atan2(middle[1], middle[0]))
        turned = low + (angle - low) % 360
        if turned <= high and away < 2 and abs(away - 1) < best[1]:
            best = wedge, abs(away - 1)
    if best[0] is None:
        return None, 0.0
    middle = axes.transData.inverted().transform((note.x, note.y)) - best[0].center
    return best[0], float(math.hypot(*middle)) / (best[0].r or 1.0)


def field_problem(axes: Any, figure: Any, fields: Sequence[tuple[float, float, float]]) -> str:
    """What a text on a heatmap says that its field does not. ``fields``: where the middle of each is, and its value."""
    notes = notes_of(axes, figure)
    if not notes or not fields or len(fields) > MOST:
        return ""
    middles = axes.transData.transform([(x, y) for x, y, _ in fields])
    said: list[tuple[str, tuple[float, float, float]]] = []
    for note in notes:
        gaps = [abs(x - note.x) + abs(y - note.y) for x, y in middles]
        at = min(range(len(gaps)), key=gaps.__getitem__)
        box = axes.bbox
        inside = box.x0 <= note.x <= box.x1 and box.y0 <= note.y <= box.y1
        if inside:
            said += [(f"{place}\0{claim}", fields[at]) for place, claim in enumerate(claims(note.text))]
    groups: dict[tuple[str, str], list[tuple[str, tuple[float, float, float]]]] = {}
    for text, field in said:
        place, _, claim = text.partition("\0")
        found = number_parts(claim)
        groups.setdefault((place, found[2] if found else ""), []).append((claim, field))
    for group in groups.values():
        wrong = fields_wrong(group, fields)
        if wrong:
            return f'a text says "{wrong[:40]}" at a field that shows another number'
    return ""


def fields_wrong(
    group: Sequence[tuple[str, tuple[float, float, float]]], fields: Sequence[tuple[float, float, float]]
) -> str:
    """The first text of a heatmap that says neither the value, nor its share, nor what it is a share of."""
    wrong = [claim for claim, (_, _, value) in group if not (says(claim, value, 1.0) or says(claim, value, 0.01))]
    if not wrong:
        return ""
    for axis in (0, 1, None):
        sums: dict[object, float] = {}
        for field in fields:
            key = None if axis is None else field[axis]
            sums[key] = sums.get(key, 0.0) + field[2]
        shares = [(claim, f[2] / total) for claim, f in group if (total := sums[None if axis is None else f[axis]])]
        if len(shares) == len(group) and _shares(shares):
            return ""
        lines: dict[object, list[tuple[str, float]]] = {}
        for claim, field in group:
            lines.setdefault(None if axis is None else field[axis], []).append((claim, field[2]))
        if all(_proportional(line) for line in lines.values()) and len(group) > len(lines):
            return ""
        if all(len(line) >= FEW and _straight(line) for line in lines.values()):
            return ""
    return wrong[0]


def _shares(said: Sequence[tuple[str, float]]) -> bool:
    return any(all(says(claim, share, factor) for claim, share in said) for factor in (0.01, 1.0))


def _proportional(said: Sequence[tuple[str, float]]) -> bool:
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


def table_problem(axes: Any, series: Sequence[Found]) -> str:
    """What a table beside the plot says of its categories that the plot does not."""
    shown = [
        (str(point[0]), number, float(point[1]), str(one.get("name", "")))
        for number, one in enumerate(series)
        if one["type"] in ("bar", "line", "step", "area")
        for point in one["points"]
        if len(point) == 2 and isinstance(point[1], (int, float))
    ]
    marks = marks_of([Shown(place, number, value, value) for place, number, value, _ in shown])
    places = {_folded(place) for place, _, _, _ in shown}
    for table in axes.tables if places else ():
        texts = {at: str(cell.get_text().get_text()) for at, cell in table.get_celld().items()}
        for turned in (False, True):
            cells = {(column, row) if turned else (row, column): text for (row, column), text in texts.items()}
            heads = {column: _folded(text) for (row, column), text in cells.items() if row == min(r for r, _ in cells)}
            if not places <= set(heads.values()):
                continue
            labels = []
            for (row, column), text in cells.items():
                about = [(mark, one) for mark, one in zip(marks, shown) if _folded(one[0]) == heads.get(column)]
                name = _folded(next((cells[at] for at in sorted(cells) if at[0] == row and at[1] < 0), ""))
                own = [mark for mark, one in about if _folded(one[3]) == name]
                alone = len({one[0] for one in cells if one[0] > min(r for r, _ in cells)}) == 1
                if own or (alone and column in heads and row != min(r for r, _ in cells)):
                    labels.append(Label(text, tuple(own or [mark for mark, _ in about])))
            wrong = other_values(labels)
            if wrong:
                return f'a table says "{wrong[:40]}" of a category that shows another number'
    return ""


def _folded(text: str) -> str:
    return "".join(text.split()).casefold()
