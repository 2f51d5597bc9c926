"""Texts on pies and heatmaps, and tables beside a plot: whether they say what the wedges, fields and series show."""

from __future__ import annotations

import math
from typing import Any, Iterable, Sequence  # Any: wedges, tables and axes of matplotlib

from .said_fields import are_proportional, are_shares, fields_problem
from .said_numbers import MOST, Label, Mark, Shown, claims, marks_of, other_values
from .texts import Note, notes_of

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
    wrong = wrong or ("" if are_proportional(sizes) or are_shares(sizes) else sizes[0][0])
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
    said: list[tuple[list[str], tuple[float, float, float]]] = []
    for note in notes:
        gaps = [abs(x - note.x) + abs(y - note.y) for x, y in middles]
        at = min(range(len(gaps)), key=gaps.__getitem__)
        box = axes.bbox
        if box.x0 <= note.x <= box.x1 and box.y0 <= note.y <= box.y1:
            said.append((claims(note.text), fields[at]))
    wrong = fields_problem(said, fields)
    return f'a text says "{wrong[:40]}" at a field that shows another number' if wrong else ""


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
