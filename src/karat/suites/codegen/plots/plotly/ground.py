"""What of a plotly figure cannot be seen although it is drawn: traces in the colour of the ground, and what is behind
boxes of text and pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.core.json_types import Json, JsonMapping
from karat.suites.codegen.plots.invisible import all_in, hides, is_clear, is_zero, plain_colour
from karat.suites.codegen.plots.plotly.axes import text_of

LARGE = 0.1
"""The share of a figure that a box of text or a picture takes when it may hide data; where it is drawn is not known."""
LETTER, LINE = 0.5, 1.3
"""Width of a letter and height of a line, as shares of the size of the font."""
FILLED = ("bar", "histogram", "box", "violin")


def part_of(found: Json, name: str) -> JsonMapping:
    """A part of a figure that is a mapping; an empty one where it is none."""
    stated = found.get(name) if isinstance(found, dict) else None
    return stated if isinstance(stated, dict) else {}


def ground_of(layout: JsonMapping) -> str:
    """The colour behind the data."""
    template = part_of(part_of(layout, "template"), "layout")
    for name in ("plot_bgcolor", "paper_bgcolor"):
        found = layout.get(name, template.get(name, "white"))
        if not is_clear(found):
            return plain_colour(found) or "ffffff"
    return "ffffff"


def in_ground(trace: JsonMapping, ground: str) -> bool:
    """Whether all of a trace has the colour of the ground. A trace whose colours are not stated has others."""
    marker, line = part_of(trace, "marker"), part_of(trace, "line")
    kind = text_of(trace.get("type")) or "scatter"
    outline = part_of(marker, "line")
    bare = not outline or is_zero(outline.get("width", 0)) or all_in(outline.get("color"), ground)
    if kind in ("bar", "histogram"):
        return all_in(marker.get("color"), ground) and bare and not part_of(marker, "pattern").get("shape")
    if kind == "pie":
        return all_in(marker.get("colors"), ground) and bare
    if kind == "box":
        return all_in(line.get("color"), ground) and all_in(trace.get("fillcolor"), ground)
    if kind not in ("scatter", "scattergl"):
        return False
    mode = text_of(trace.get("mode")) or "lines+markers"
    hidden = [all_in(line.get("color", marker.get("color")), ground)] if "lines" in mode else []
    hidden += [all_in(marker.get("color", line.get("color")), ground) and bare] if "markers" in mode else []
    if text_of(trace.get("fill")) not in ("", "none") or trace.get("stackgroup"):
        hidden.append(all_in(trace.get("fillcolor"), ground))
    return bool(hidden) and all(hidden)


def hides_others(traces: Sequence[JsonMapping], ground: str, layout: JsonMapping) -> bool:
    """Whether bars or areas in the colour of the ground are drawn over others. Stacked and grouped ones are not."""
    for place, trace in enumerate(traces[1:], start=1):
        filled = trace.get("fill") not in (None, "none") or trace.get("type") in FILLED
        lies_over = trace.get("type") not in ("bar", "histogram") or layout.get("barmode") == "overlay"
        beneath = any(not in_ground(one, ground) for one in traces[:place])
        opaque = not is_clear(part_of(trace, "marker").get("color")) and not is_clear(trace.get("fillcolor"))
        if filled and lies_over and beneath and opaque and not trace.get("stackgroup") and in_ground(trace, ground):
            return True
    return False


def text_covers(layout: JsonMapping) -> bool:
    """Whether a note on a ground of its own is so large that it may hide data."""
    wide, high = _size(layout)
    notes = layout.get("annotations")
    for note in notes if isinstance(notes, list) else []:
        if not isinstance(note, dict) or note.get("visible", True) is not True or _outside(note):
            continue
        lines = re.split(r"<br ?/?>|\n", text_of(note.get("text")))
        font = part_of(note, "font").get("size", 12)
        size = float(font) if isinstance(font, int | float) else 12.0
        width, height = note.get("width"), note.get("height")
        longest = max(len(re.sub(r"<[^<>]*>", "", line)) for line in lines)
        across = float(width) if isinstance(width, int | float) else longest * size * LETTER
        up = float(height) if isinstance(height, int | float) else len(lines) * size * LINE
        blocks = sum("\u2580" <= letter <= "\u259f" for line in lines for letter in line) >= 4
        opaque = blocks or hides(note.get("bgcolor"), note.get("opacity", 1))
        if opaque and min(across, wide) * min(up, high) > LARGE * wide * high:
            return True
    return False


def picture_covers(layout: JsonMapping) -> bool:
    """Whether a picture in front of the data is so large that it may hide some."""
    for picture in part_list(layout.get("images")):
        opacity = picture.get("opacity", 1)
        below = picture.get("layer", "above") == "below" or picture.get("visible", True) is not True
        if below or (isinstance(opacity, int | float) and opacity < 0.6) or _outside(picture):
            continue
        sizes = [picture.get(name, 0) for name in ("sizex", "sizey")]
        on_paper = picture.get("xref", "paper") == "paper" and picture.get("yref", "paper") == "paper"
        shares = [float(size) for size in sizes if isinstance(size, int | float)]
        if not on_paper or (len(shares) == 2 and shares[0] * shares[1] > LARGE):
            return True
    return False


def part_list(found: Json) -> list[JsonMapping]:
    """The mappings of a list."""
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _size(layout: JsonMapping) -> tuple[float, float]:
    wide, high = layout.get("width"), layout.get("height")
    return (
        float(wide) if isinstance(wide, int | float) and wide > 0 else 700.0,
        float(high) if isinstance(high, int | float) and high > 0 else 450.0,
    )


def _outside(part: JsonMapping) -> bool:
    """Whether it stands above, below or beside the panels."""
    for axis in "xy":
        place = part.get(axis)
        if part.get(f"{axis}ref") == "paper" and isinstance(place, int | float) and not 0 <= place <= 1:
            return True
    return False
