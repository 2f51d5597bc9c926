"""A figure of matplotlib as plain data: panel by panel, series by series.

Left out are invisible artists, the axes of colour bars, axes without data, and what goes across a whole panel. Axes
that lie on each other (``twinx``) are one panel.
"""

from __future__ import annotations

from typing import Any  # Any: figures, axes and every kind of artist, sorted by their classes when code has drawn

from ..environment.drawing_classes import Classes, strange
from ..environment.libraries import numpy
from .axis import AxisReader, Names, clear, colour, ground_of, plain, text
from .bars import Bars, merged, read_bars
from .covering import covered, hides
from .field_texts import field_problem, pie_problem, table_problem
from .lines import Area, Line, marked, read_clouds, read_lines, shows_points
from .overlays import hiding_ink, lies_on, other_lines, thick_lines
from .placement import misplaced, too_thin
from .shapes import FIELDS, read_boxes, read_fields, read_image, read_mesh, read_stairs, read_wedges
from .texts import Panel as TextPanel
from .texts import texts_problem

MOST_ARTISTS = 20_000
MOST_PANELS = 64
SMALLEST = 0.01
"""Of the figure: smaller axes show nothing."""
FEWEST_PIXELS = 12
"""Along a side of a figure in which anything is to be seen."""
RIGHT = " (right)"
OWN = ("matplotlib", "mpl_toolkits", "pandas", "seaborn")
LOOSE = ("PathCollection", "LineCollection")
"""Collections that are looked at one by one."""

Found = dict[str, Any]


class Unreadable(Exception):
    """Why a figure cannot be read."""


class Calls:
    """What calls left behind that artists do not say: which drew a histogram, which drew boxes."""

    def __init__(self) -> None:
        self.counted: set[int] = set()
        """Containers of histograms, by id; they are kept alive in ``kept``."""
        self.edges: dict[int, list[float]] = {}
        """Their edges."""
        self.fitted: set[int] = set()
        """Lines that seaborn fitted to what it drew, by id."""
        self.outlines: list[tuple[Any, Any, Any, Any]] = []
        """Histograms drawn as outlines: axes, artist, counts, edges."""
        self.boxes: list[tuple[Any, dict[str, list[Any]], bool]] = []
        self.kept: list[Any] = []
        self.classes = Classes.now()


def read_figure(figure: Any, calls: Calls, most: int) -> Found:
    """Title and panels. :class:`Unreadable` for what has no plain form or too much of it."""
    every = [each for each in figure.axes if each.get_visible()]
    axes = [each for each in every if not _is_colour_bar(each) and _has_room(each)]
    total = sum(len(each.get_children()) for each in axes)
    if total > MOST_ARTISTS or len(axes) > MOST_PANELS:
        raise Unreadable(f"it has {total:,} artists in {len(axes)} panels")
    problem = strange(figure, axes, calls.classes)
    if problem or (axes and min(figure.get_size_inches()) * figure.get_dpi() < FEWEST_PIXELS):
        raise Unreadable(problem or "it is too small to be seen")
    panels: list[Found] = []
    unknown: list[str] = []
    shown: list[Any] = []
    for group in _together(axes):
        panel = _panel(group, figure, calls, unknown)
        most -= sum(len(series["points"]) for series in panel["series"])
        if most < 0:
            raise Unreadable("it shows more points than can be compared")
        if panel["series"]:
            panels.append(panel)
            shown += group
        elif any(one.axison and hides(one, other) for one in group for other in shown):
            raise Unreadable("axes without data hide a part of it")
    others = [each for each in every if each not in shown]
    if any(_has_room(one) and lies_on(one, other) for one in others for other in shown):
        raise Unreadable("other axes lie on it, with what cannot be read")
    if not panels and unknown:
        raise Unreadable(f"{unknown[0]} has no plain form")
    return {"title": _figure_title(figure), "panels": panels}


def _has_room(axes: Any) -> bool:
    """Whether a pair of axes is large enough, and within the figure, so that anything can be seen in it."""
    locator = axes.get_axes_locator()
    if locator is not None and type(locator).__module__.partition(".")[0] not in OWN:
        raise Unreadable("axes that are placed by the code's own function")
    place = axes.get_position()
    wide = min(place.x1, 1.0) - max(place.x0, 0.0)
    high = min(place.y1, 1.0) - max(place.y0, 0.0)
    return bool(wide > SMALLEST and high > SMALLEST)


def _figure_title(figure: Any) -> str:
    title = getattr(figure, "_suptitle", None)
    return text(title.get_text()) if title is not None else ""


def _is_colour_bar(axes: Any) -> bool:
    return getattr(axes, "_colorbar", None) is not None or axes.get_label() == "<colorbar>"


def _together(axes: list[Any]) -> list[list[Any]]:
    """Axes that share an axis and lie on each other are one panel."""
    groups: list[list[Any]] = []
    for each in axes:
        for group in groups:
            first = group[0]
            shares = first.get_shared_x_axes().joined(first, each) or first.get_shared_y_axes().joined(first, each)
            if shares and first.get_position().bounds == each.get_position().bounds:
                group.append(each)
                break
        else:
            groups.append([each])
    return groups


def _panel(group: list[Any], figure: Any, calls: Calls, unknown: list[str]) -> Found:
    names = Names(group, figure)
    first = group[0]
    series: list[Found] = []
    across: list[float] = []
    for place, axes in enumerate(group):
        found, lines = _axes(axes, figure, names, calls, unknown)
        if getattr(first, "right_ax", None) is axes:
            found = [{**one, "name": _without_side(one.get("name", ""))} for one in found]
        if found and _numbers_of_others(axes, group, found):
            raise Unreadable("the axis of a series shows no numbers, and another one shows others")
        series += [{**one, "right": place > 0} for one in found]
        across += lines
    left_title, middle, right_title = (first.get_title(loc=side) for side in ("left", "center", "right"))
    return {
        "series": series,
        "title": text(middle or left_title or right_title),
        "x_label": text(next((axes.get_xlabel() for axes in group if axes.get_xlabel()), "")),
        "y_label": text(first.get_ylabel()),
        "right_label": text(next((axes.get_ylabel() for axes in group[1:] if axes.get_ylabel()), "")),
        "x_scale": text(first.get_xscale()),
        "y_scale": text(first.get_yscale()),
        "x_range": _range(first.get_xlim()),
        "y_range": _range(first.get_ylim()),
        "legend": names.shown
        if not hasattr(first, "right_ax")
        else list(map(_without_side, names.shown or [])) or None,
        "reference_lines": across[:100],
    }


def _numbers_of_others(axes: Any, group: list[Any], series: list[Found]) -> bool:
    """Whether the values of these axes have no numbers beside them, and other axes on the panel have other ones."""
    flat = any(one.get("horizontal") for one in series)
    name = "x" if flat else "y"
    own = AxisReader(axes, name)
    if own.shows_numbers() or all(one["type"] in ("pie", "heatmap") for one in series):
        return False
    for one in axes.child_axes:
        if type(one).__name__ == "SecondaryAxis" and one.get_visible() and AxisReader(one, name).shows_numbers():
            places = numpy.array(own.view)
            if not numpy.allclose(one._functions[0](places), places):
                return True
    others = [AxisReader(other, name) for other in group if other is not axes]
    return any(other.shows_numbers() and not numpy.allclose(other.view, own.view) for other in others)


def _without_side(name: str) -> str:
    """pandas marks the series of a second axis."""
    return name[: -len(RIGHT)] if name.endswith(RIGHT) else name


def _range(ends: Any) -> list[Any] | None:
    found = [plain(end) for end in ends]
    return found if all(end is not None for end in found) else None


def _shown(artist: Any) -> bool:
    """Whether it is to be seen."""
    return bool(artist.get_visible()) and artist.get_alpha() != 0


def _axes(axes: Any, figure: Any, names: Names, calls: Calls, unknown: list[str]) -> tuple[list[Found], list[float]]:
    from matplotlib import collections, container, lines, patches

    x, y = AxisReader(axes, "x"), AxisReader(axes, "y")
    series: list[Found] = []
    used: set[int] = set()
    for owner, drawn, vertical in calls.boxes:
        if owner is axes and any(artist.axes is axes for artist in drawn.get("medians", ())):
            used |= {id(artist) for artists in drawn.values() for artist in artists}
            found = read_boxes(drawn, vertical, x, y, names)
            series += [found] if found else []
    series = merged(series)
    groups: list[Bars] = []
    bars: list[Any] = []
    for one in axes.containers:
        if isinstance(one, container.BarContainer):
            flat = getattr(one, "orientation", None) == "horizontal"
            rectangles = [patch for patch in one.patches if patch.axes is axes and _is_bar(patch, axes, flat)]
            used |= {id(patch) for patch in one.patches}
            bars += rectangles
            groups.append(Bars(one, rectangles, id(one) in calls.counted, calls.edges.get(id(one), [])))
            errors = getattr(one, "errorbar", None)
            used |= _error_bars(errors) if errors is not None else set()
        elif isinstance(one, container.ErrorbarContainer):
            used |= _error_bars(one)
        elif isinstance(one, container.StemContainer):
            used |= {id(one.baseline), id(one.stemlines)}
    series += read_bars(groups, x, y, names)
    for owner, artist, counts, edges in calls.outlines:
        if owner is axes and id(artist) not in used and artist.axes is axes and _shown(artist):
            used.add(id(artist))
            points = [[plain(left), plain(right), plain(count)] for left, right, count in zip(edges, edges[1:], counts)]
            face = artist.get_facecolor() if artist.get_fill() else artist.get_edgecolor()
            series.append({"type": "hist", "name": names.of(artist.get_label(), colour(face)), "points": points})
    for artist in axes.patches:
        if isinstance(artist, patches.StepPatch) and _drawn(artist, axes):
            series.append(read_stairs(artist, names))
    wedges = [patch for patch in axes.patches if isinstance(patch, patches.Wedge) and _drawn(patch, axes)]
    series += read_wedges(wedges, names, [each for each in axes.texts if each.get_text()]) if wedges else []
    across: list[float] = []
    own_lines = []
    read = {id(bar) for bar in bars}
    for artist in axes.lines:
        if id(artist) in used or not _shown(artist):
            continue
        if isinstance(artist, lines.AxLine) or not _in_data(artist, axes):
            across += [float(place) for place in _places(artist, axes)]
        elif _drawn(artist, axes):
            own_lines.append(Line(artist, fitted=id(artist) in calls.fitted))
            if own_lines[-1].some:
                raise Unreadable("a line that marks some of its points only")
            read |= {id(artist)} if own_lines[-1].shows else set()
    across += [
        float(patch.get_x())
        for patch in axes.patches
        if isinstance(patch, patches.Rectangle) and id(patch) not in used and not _in_data(patch, axes)
    ]
    clouds, areas = [], []
    for artist in axes.collections:
        if id(artist) in used or not _shown(artist):
            continue
        fields = type(artist).__name__ == "PolyQuadMesh"  # since matplotlib 3.8
        known = isinstance(artist, (collections.QuadMesh, collections.PathCollection)) or fields or _is_area(artist)
        if known and not _drawn(artist, axes):
            continue
        if isinstance(artist, collections.QuadMesh):
            series.append(read_mesh(artist, x, y))
        elif fields:
            found = read_fields(artist, x, y)
            series += [found] if found else []
            unknown += [] if found else ["PolyQuadMesh"]
        elif isinstance(artist, collections.PathCollection):
            clouds.append(artist)
        elif _is_area(artist):
            areas.append(Area(artist))
        else:
            unknown.append(type(artist).__name__)
    for image in axes.images:
        if _drawn(image, axes):
            found = read_image(image, x, y)
            series += [found] if found else []
            unknown += [] if found else ["a picture in colours"]
    spans = [
        (min(bar.left, bar.left + bar.width), max(bar.left, bar.left + bar.width)) for one in groups for bar in one.bars
    ]
    read |= {id(one) for one in clouds if shows_points(one)}
    read |= {id(one) for one in axes.collections if id(one) in used or type(one).__name__ not in LOOSE}
    series += read_lines(own_lines, areas, spans, (x, y), names)
    series += read_clouds(clouds, x, y, names)
    shown = marked([one for one in series if one["points"]])
    shapes = [one for one in axes.patches if id(one) in used or isinstance(one, (patches.StepPatch, patches.Wedge))]
    others = [one for one in axes.collections if type(one).__name__ not in unknown]
    images = [one for one in axes.images if getattr(one.get_array(), "ndim", 0) == 2]
    problem = covered(axes, [*shapes, *others, *images, *axes.lines], figure) if shown else ""
    if shown and not problem:
        read |= {id(one) for one in axes.lines if id(one) in used}
        problem = hiding_ink(axes, bars, read) or thick_lines(axes, figure, read) or other_lines(axes, read)
    problem = problem or _other_numbers(shown, x, y)
    if shown and not problem and (x.moved_labels(axes) or y.moved_labels(axes)):
        problem = "labels of ticks are drawn at other places than their ticks"
    if shown and not problem:
        problem = texts_problem(TextPanel(axes, groups, own_lines, x, y, shown), figure)
        problem = problem or pie_problem(axes, figure, wedges) or table_problem(axes, shown)
        middles = [field for one in shown for field in one.pop(FIELDS, [])]
        problem = problem or field_problem(axes, figure, middles)
    if problem:
        raise Unreadable(problem)
    return shown, across


def _other_numbers(series: list[Found], x: AxisReader, y: AxisReader) -> str:
    """What is wrong with the labels of an axis that shows values; those of categories are read as their names."""
    for one in series:
        if one["type"] in ("bar", "hist", "box", "line", "step", "area", "scatter"):
            values = x if one.get("horizontal") else y
            percent = values.percent_of()
            if percent and not _is_whole(percent, series):
                return f"an axis shows percents of {percent:g}, which is no sum of what is shown"
            label = "" if all(isinstance(point[-1], str) for point in one["points"]) else values.other_numbers()
            if label:
                return f'a tick is labelled "{label[:40]}", which is not the number at its place'
    return ""


def _is_whole(size: float, series: list[Found]) -> bool:
    """Whether it is 1, 100, or the sum or the largest of what a series or a place shows."""
    values = [[float(point[-1]) for point in one["points"] if isinstance(point[-1], (int, float))] for one in series]
    sums = [sum(row) for row in values] + [max(row, default=0.0) for row in values] + [sum(map(sum, values))]
    return any(abs(size - whole) <= 1e-6 * abs(size) for whole in (1.0, 100.0, *sums))


def _is_bar(patch: Any, axes: Any, flat: bool) -> bool:
    """Patches of no size are made for legends only. A bar of no length still has its width; one without any colour, or
    without a width or an edge, is not to be seen."""
    if not _drawn(patch, axes) or not (patch.get_width() or patch.get_height()):
        return False
    ground = ground_of(axes)
    bare = clear(patch.get_edgecolor(), ground) or not patch.get_linewidth()
    width, view = (patch.get_height(), axes.get_ylim()) if flat else (patch.get_width(), axes.get_xlim())
    return not (bare and (clear(patch.get_facecolor(), ground) or too_thin(width, view)))


def _drawn(artist: Any, axes: Any) -> bool:
    """Whether what says where it is in data is to be seen, and there."""
    if not _shown(artist):
        return False
    problem = misplaced(artist, axes)
    if problem:
        raise Unreadable(f"{type(artist).__name__}: {problem}")
    return True


def _error_bars(found: Any) -> set[int]:
    """The artists of error bars: their lines, and caps that are no lines."""
    _, caps, bars = found.lines
    caps = [cap for cap in caps if cap.get_linestyle() in ("None", "none", "", " ")]
    return {id(artist) for artist in (*caps, *bars) if type(artist).__name__ in ("Line2D", "LineCollection")}


def _in_data(artist: Any, axes: Any) -> bool:
    """Whether both of its coordinates are data."""
    transform = artist.get_transform()
    return all(transform.contains_branch_seperately(axes.transData))


def _places(artist: Any, axes: Any) -> list[Any]:
    if not hasattr(artist, "get_xydata") or type(artist).__name__ == "AxLine":
        return []
    in_x, in_y = artist.get_transform().contains_branch_seperately(axes.transData)
    data = artist.get_xydata()
    return [data[0][0]] if in_x and len(data) else [data[0][1]] if in_y and len(data) else []


def _is_area(artist: Any) -> bool:
    """What ``fill_between`` makes; before matplotlib 3.10 it had no class of its own."""
    name = type(artist).__name__
    if name == "FillBetweenPolyCollection":
        return bool(artist.t_direction == "x")  # the others are bodies of violins
    paths = artist.get_paths() if name == "PolyCollection" else []
    return bool(paths) and all(_is_filled(path.vertices) for path in paths)


def _is_filled(vertices: Any) -> bool:
    count = (len(vertices) - 3) // 2
    if count < 2 or len(vertices) != 2 * count + 3:
        return False
    top, bottom = vertices[1 : count + 1, 0], vertices[count + 2 : 2 * count + 2, 0][::-1]
    return bool((top == bottom).all())
