"""Texts of a plotly figure: on bars, at points, on pies, in heatmaps, and notes at data must say what is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from karat.core.json_types import Json, JsonMapping
from karat.sandbox.server.figures.said_fields import are_proportional, are_shares, fields_problem
from karat.sandbox.server.figures.said_numbers import Label, Mark, Shown, claims, marks_of, other_values
from karat.suites.codegen.plots.plotly.arrays import array_of, value_of, values_of
from karat.suites.codegen.plots.plotly.axes import label_of, text_of
from karat.suites.codegen.plots.records import Value
from karat.suites.codegen.plots.unreadable import CannotRead

NEAR = 0.12
"""How far above a bar a note about it stands, as a share of the largest value."""
_VARIABLE = re.compile(r"%\{([^{}:]+)(?::[^{}]*)?\}")
_TRUE = re.compile(r"[xyz]|value|label|percent\w*|name|text")
OWN = "\ue000"
"""Stands for what plotly writes of the mark itself."""


def check_texts(traces: Sequence[JsonMapping], layout: JsonMapping) -> None:
    """Raise CannotRead for a text that says another number than its mark."""
    labels: list[Label] = []
    shown: list[tuple[Shown, Value]] = []
    said: list[tuple[str, int]] = []
    names = [text_of(trace.get("name")) for trace in traces]
    stacks: dict[Value, float] = {}
    on = layout.get("barmode") in ("stack", "relative", None)
    for number, trace in enumerate(traces):
        kind = text_of(trace.get("type")) or "scatter"
        if kind == "pie":
            _pie(trace)
        elif kind == "heatmap":
            _heatmap(trace)
        elif kind == "bar" or (kind in ("scatter", "scattergl") and "lines" in text_of(trace.get("mode"))):
            flat = trace.get("orientation") == "h" and kind == "bar"
            for at, (place, value) in enumerate(_points(trace, flat=flat)):
                if isinstance(value, int | float):
                    stacks[place] = stacks.get(place, 0.0) + value
                    end = stacks[place] if kind == "bar" and on else float(value)
                    said += [(text, len(shown)) for text in [_text_at(trace, at, kind)] if text]
                    shown.append((Shown(place, number, float(value), end), place))
    marks = marks_of([one for one, _ in shown])
    names += [str(place) for _, place in shown if isinstance(place, str)]
    labels = [Label(text, (marks[at],)) for text, at in said]
    labels += _notes(layout, shown, marks)
    axis = label_of(_part(layout, "yaxis").get("title"))
    wrong = other_values(labels, axis, names)
    if wrong:
        raise CannotRead(f'a text says "{wrong[:40]}" at a mark that shows another number')


def _part(found: Json, name: str) -> JsonMapping:
    stated = found.get(name) if isinstance(found, dict) else None
    return stated if isinstance(stated, dict) else {}


def _points(trace: JsonMapping, *, flat: bool) -> list[tuple[Value, Value]]:
    own, other = ("y", "x") if flat else ("x", "y")
    values = values_of(trace.get(other)) or []
    places = values_of(trace.get(own))
    return list(zip(places if places is not None else range(len(values)), values, strict=False))


def _text_at(trace: JsonMapping, at: int, kind: str) -> str:
    """What is written at a mark; what plotly writes of it by itself is left out."""
    if trace.get("textposition") == "none" or (kind != "bar" and "text" not in text_of(trace.get("mode"))):
        return ""
    return written(trace, at, _item(trace.get("text"), at))


def written(trace: JsonMapping, at: int, text: str) -> str:
    """A text through its template. Raises CannotRead where digits are put at a number."""
    template = _item(trace.get("texttemplate"), at)
    if not template:
        return text

    def value(found: re.Match[str]) -> str:
        name = found[1].strip()
        if name == "text":
            return text
        inner = re.fullmatch(r"customdata(?:\[(\d+)\])?(?:\[(\d+)\])?", name)
        if inner is None:
            return OWN
        rows = array_of(trace.get("customdata")) or []
        cell: Json = rows[at] if at < len(rows) else None
        if inner[1] is not None and isinstance(cell, list):
            cell = cell[int(inner[1])] if int(inner[1]) < len(cell) else None
        return _plain(cell)

    found = _VARIABLE.sub(value, template)
    if re.search(rf"\d[.,]?{OWN}|{OWN}[.,]?\d", found):
        raise CannotRead("a text that puts digits at a number")
    return found.replace(OWN, "")


def _item(found: Json, at: int) -> str:
    if isinstance(found, list | dict):
        items = array_of(found) or []
        return _plain(items[at]) if at < len(items) else ""
    return _plain(found)


def _plain(found: Json) -> str:
    """A value as a text; of a number as many digits as anybody reads."""
    if isinstance(found, bool) or found is None or isinstance(found, list | dict):
        return ""
    return f"{found:.9g}" if isinstance(found, float) else str(found)


def _notes(layout: JsonMapping, shown: Sequence[tuple[Shown, Value]], marks: Sequence[Mark]) -> Iterator[Label]:
    """Notes at bars and points, by where they point to."""
    places = list(dict.fromkeys(place for _, place in shown))
    largest = max((abs(one.end) for one, _ in shown), default=0.0)
    notes = layout.get("annotations")
    for note in notes if isinstance(notes, list) else []:
        if not isinstance(note, dict) or note.get("visible", True) is not True or not note.get("text"):
            continue
        refs = [text_of(note.get(f"{axis}ref")) or axis for axis in "xy"]
        if any(ref == "paper" or "domain" in ref for ref in refs):
            continue
        try:
            x, y = value_of(note.get("x")), value_of(note.get("y"))
        except CannotRead:
            continue
        about = []
        for (one, place), mark in zip(shown, marks, strict=True):
            index = places.index(place) if isinstance(place, str) else None
            for across, along in ((x, y), (y, x)):
                if across in (place, index) and isinstance(along, int | float):
                    away = min(abs(along - one.end), abs(along - one.value))
                    if away <= NEAR * largest or min(0.0, one.end) <= along <= max(0.0, one.end):
                        about.append(mark)
        if about:
            yield Label(str(note["text"]), tuple(about))


def _pie(trace: JsonMapping) -> None:
    info = text_of(trace.get("textinfo"))
    if trace.get("textposition") == "none" or (info and "text" not in info and not trace.get("texttemplate")):
        return
    values = [value for value in values_of(trace.get("values")) or [] if isinstance(value, int | float)]
    names = {str(name).casefold() for name in values_of(trace.get("labels")) or []}
    total = sum(values)
    said = [
        (claim, value / total)
        for at, value in enumerate(values)
        if total
        for claim in claims(written(trace, at, _item(trace.get("text"), at)), names)
    ]
    shares = [one for one in said if "%" in one[0]]
    sizes = [one for one in said if "%" not in one[0]]
    if not are_shares(shares) or not (are_proportional(sizes) or are_shares(sizes)):
        raise CannotRead("a text says another number than its wedge")


def _heatmap(trace: JsonMapping) -> None:
    if not trace.get("texttemplate"):
        return
    texts = [array_of(row) or [] for row in array_of(trace.get("text")) or [] if isinstance(row, list | dict)]
    matrix = [values_of(row) or [] for row in array_of(trace.get("z")) or [] if isinstance(row, list | dict)]
    rows = [(place, row, value) for row, line in enumerate(matrix) for place, value in enumerate(line)]
    fields = [(place, row, float(value)) for place, row, value in rows if isinstance(value, int | float)]
    said = []
    for field in fields:
        row, place = int(field[1]), int(field[0])
        own = texts[row][place] if row < len(texts) and place < len(texts[row]) else ""
        said.append((claims(written({**trace, "customdata": None}, 0, _plain(own))), field))
    wrong = fields_problem(said, fields)
    if wrong:
        raise CannotRead(f'a text says "{wrong[:40]}" at a field that shows another number')
