"""Texts that are drawn over and beside the data of matplotlib: numbers at bars and points, names at categories and
lines, and numbers beside an axis that has none of its own."""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Sequence  # Any: texts, axes and artists of matplotlib

from ..environment.libraries import numpy
from .axis import AxisReader
from .bars import Bars
from .lines import Line
from .said_numbers import MOST, Label, Mark, Shown, marks_of, other_values
from .tick_numbers import number_parts, other_numbers

NEAR, FAR = 0.06, 0.12
"""How far from the end of a bar a text about it is, as a share of the panel: surely, and at most."""
BESIDE = 0.03
"""How far from a point, or from the end of a line, a text about it is."""
Found = dict[str, Any]


class Note(NamedTuple):
    """A text and the place in pixels that it is about."""

    text: str
    x: float
    y: float


class Panel(NamedTuple):
    """What texts are compared with."""

    axes: Any
    groups: list[Bars]
    lines: list[Line]
    x: AxisReader
    y: AxisReader
    series: list[Found]


def notes_of(axes: Any, figure: Any) -> list[Note]:
    """The texts of a panel that are to be seen."""
    found = []
    for one in [*axes.texts, *figure.texts][:MOST]:
        if not one.get_visible() or not str(one.get_text()).strip() or one.get_alpha() == 0:
            continue
        note = _note(one, axes)
        if note.x == note.x and note.y == note.y:
            found.append(note)
    return found


def _note(one: Any, axes: Any) -> Note:
    """A text with the place that it is about: that of an arrow's end, if it has one."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.text import Annotation

    if isinstance(one, Annotation):
        anchor: Any = Annotation  # its base class, which has no name, says where it points to
        x, y = anchor._get_position_xy(one, RendererAgg(8, 8, axes.figure.get_dpi()))
    else:
        x, y = one.get_transform().transform(one.get_unitless_position())
    return Note(str(one.get_text()), float(x), float(y))


def texts_problem(panel: Panel, figure: Any) -> str:
    """What a text says that the data does not; empty where none does."""
    notes = notes_of(panel.axes, figure)
    if not notes:
        return ""
    try:
        wrong = other_values([*_at_bars(panel, notes), *_at_points(panel, notes)], _value_name(panel), _names(panel))
        if wrong:
            return f'a text says "{wrong[:40]}" at a mark that shows another number'
        wrong = _names_elsewhere(panel, notes) or _series_elsewhere(panel, notes)
        if wrong:
            return f'the text "{wrong[:40]}" stands at another place than what it names'
        wrong = _beside_axis(panel, notes)
    except (ValueError, TypeError, AttributeError, ArithmeticError, IndexError):
        return "a text whose place cannot be read"
    return f'a text beside the axis says "{wrong[:40]}", which is not the number at its place' if wrong else ""


def _value_name(panel: Panel) -> str:
    flat = any(group.horizontal for group in panel.groups)
    return str((panel.axes.get_xlabel if flat else panel.axes.get_ylabel)())


def _names(panel: Panel) -> list[str]:
    series = [str(one.get("name", "")) for one in panel.series]
    return [*panel.x.labels.values(), *panel.y.labels.values(), *series]


def _at_bars(panel: Panel, notes: Sequence[Note]) -> Iterator[Label]:
    bars = [(number, group.horizontal, bar) for number, group in enumerate(panel.groups) for bar in group.bars]
    if not bars:
        return
    marks = marks_of([Shown(round(bar.middle, 6), number, bar.length, bar.end) for number, _, bar in bars])
    rows = [
        (bar.begin, bar.left, bar.end, bar.left + bar.width)
        if flat
        else (bar.left, bar.begin, bar.left + bar.width, bar.end)
        for _, flat, bar in bars
    ]
    corners = panel.axes.transData.transform(numpy.asarray(rows, dtype=float).reshape(-1, 2)).reshape(-1, 4)
    size = panel.axes.bbox.width, panel.axes.bbox.height
    for note in notes:
        inside, near, far = [], [], []
        for (_, flat, _), box, mark in zip(bars, corners, marks):
            along, across = (0, 1) if flat else (1, 0)
            at = (note.x, note.y)
            low, high = sorted((box[across], box[across + 2]))
            if not low - 0.1 * (high - low) <= at[across] <= high + 0.1 * (high - low):
                continue
            begin, end = box[along], box[along + 2]
            away = abs(at[along] - end) / size[along]
            if min(begin, end) <= at[along] <= max(begin, end):
                inside.append(mark)
            if away <= NEAR:
                near.append(mark)
            elif away <= FAR:
                far.append((away, mark))
        about = [*inside, *near] or [mark for _, mark in sorted(far, key=lambda item: item[0])[:1]]
        yield Label(note.text, tuple(about))


def _at_points(panel: Panel, notes: Sequence[Note]) -> Iterator[Label]:
    drawn = [line for line in panel.lines if line.drawn and line.shows and len(line.x) <= MOST]
    shown = [
        Shown(float(at), number, float(value), float(value))
        for number, line in enumerate(drawn)
        for at, value in zip(line.x, line.y)
        if value == value and at == at
    ]
    if not shown or len(shown) > 20 * MOST:
        return
    marks = marks_of(shown)
    ends = panel.axes.transData.transform([(one.place, one.value) for one in shown])
    size = numpy.array([panel.axes.bbox.width, panel.axes.bbox.height])
    for note in notes:
        away = numpy.abs(ends - (note.x, note.y)) / size
        near = away.max(axis=1)
        least = float(near.min()) if len(near) else 1.0
        if least > 2 * BESIDE:
            continue
        about = numpy.flatnonzero(near <= max(least + 1e-9, 0.0 if least < 1e-6 else BESIDE))
        yield Label(note.text, tuple(_with_place(marks[at], shown[at]) for at in about))


def _with_place(mark: Mark, shown: Shown) -> Mark:
    return Mark((*mark.plain, float(str(shown.place))), mark.derived)


def _names_elsewhere(panel: Panel, notes: Sequence[Note]) -> str:
    """A text that is the name of one category and stands at another."""
    others = {_folded(str(one.get("name", ""))) for one in panel.series}
    for across, reader in enumerate((panel.x, panel.y)):
        names = {_folded(name): place for place, name in reader.labels.items() if name.strip()}
        if len(names) < 2 or len(names) != len(reader.labels):
            continue
        origin = [panel.axes.get_xlim()[0], panel.axes.get_ylim()[0]]
        rows = [[place if across == 0 else origin[0], place if across else origin[1]] for place in names.values()]
        where = dict(zip(names, panel.axes.transData.transform(rows)[:, across]))
        spacing = min(abs(one - other) for one in where.values() for other in where.values() if one != other)
        for note in notes:
            name = _folded(note.text)
            at = (note.x, note.y)[across]
            if name not in where or name in others:
                continue
            nearest = min(where, key=lambda one: abs(where[one] - at))
            if nearest != name and abs(where[nearest] - at) <= 0.3 * spacing:
                return note.text
    return ""


def _series_elsewhere(panel: Panel, notes: Sequence[Note]) -> str:
    """A text that is the name of one line and stands at the end of another."""
    named = [line for line in panel.lines if line.shows and line.drawn and str(line.label)[:1] not in ("_", "")]
    size = numpy.array([panel.axes.bbox.width, panel.axes.bbox.height])
    for note in notes if 1 < len(named) <= 100 else ():
        away = {}
        for line in named:
            at = panel.axes.transData.transform(numpy.column_stack([line.x, line.y]))
            gaps = numpy.abs(at - (note.x, note.y)) / size
            away[id(line)] = float(numpy.nanmin(gaps.max(axis=1))), float(numpy.nanmin(gaps[[0, -1]].max(axis=1)))
        own = [line for line in named if _folded(str(line.label)) == _folded(note.text)]
        if len(own) != 1 or away[id(own[0])][0] <= 2 * BESIDE:
            continue
        if any(away[id(line)][1] <= BESIDE for line in named if line is not own[0]):
            return note.text
    return ""


def _beside_axis(panel: Panel, notes: Sequence[Note]) -> str:
    """Numbers beside an axis of values whose own are hidden."""
    box = panel.axes.bbox
    for across, reader in enumerate((panel.x, panel.y)):
        if reader.is_category or reader.dates or reader.shows_numbers():
            continue
        low, high = (box.y0, box.y1) if across == 0 else (box.x0, box.x1)
        room = 0.25 * (high - low)
        found = []
        for note in notes:
            at = (note.x, note.y)[1 - across]
            if number_parts(note.text) is None or not (low - room <= at <= low + 1 or high - 1 <= at <= high + room):
                continue
            place = panel.axes.transData.inverted().transform((note.x, note.y))[across]
            if reader.view[0] <= place <= reader.view[1]:
                found.append((float(place), note.text))
        wrong = other_numbers(found, str(reader.axis.label.get_text())) if len(found) > 1 else ""
        if wrong:
            return wrong
    return ""


def _folded(text: str) -> str:
    return "".join(text.split()).casefold()
