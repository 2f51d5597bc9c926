"""What the places on an axis of matplotlib mean: numbers, dates, or the categories that its ticks name.

Nothing that an artist says of itself is used where what is drawn says it too; methods are called on their classes, so
that one which was put on a single object is not seen.
"""

from __future__ import annotations

import datetime
import math
from typing import Any, Union  # Any: an axis, its ticks and legends, of a library that code imports

from ..environment.libraries import numpy, pandas
from .tick_numbers import other_numbers

TEXT = 500
NEAR = 1e-6
FAINT = 0.02
"""Less opacity than this is not to be seen."""
SMALL = 2.0
"""Points of a font that nobody can read."""
SHIFTED = 10.0
"""Pixels by which a label may be beside its tick."""
WRITTEN = ("FixedFormatter", "FuncFormatter", "FormatStrFormatter", "StrMethodFormatter")
"""Formatters that write what code says."""
Value = Union[str, int, float, None]


def plain(value: Any) -> Value:
    """A number as JSON has it: whole ones without a point, what is no number as nothing."""
    number = float(value)
    if math.isnan(number) or math.isinf(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def text(value: Any) -> str:
    """A text, cut."""
    return str(value)[:TEXT] if isinstance(value, str) else ""


def moment(value: datetime.datetime) -> str:
    """A moment as ISO text; at midnight the date alone."""
    bare = value.replace(tzinfo=None)
    midnight = (bare.hour, bare.minute, bare.second, bare.microsecond) == (0, 0, 0, 0)
    return bare.date().isoformat() if midnight else bare.isoformat()


class AxisReader:
    """One axis: x or y of a pair of axes."""

    def __init__(self, axes: Any, name: str) -> None:
        self.axis = axes.xaxis if name == "x" else axes.yaxis
        self.inverted = bool(self.axis.get_inverted()) if hasattr(self.axis, "get_inverted") else False
        self.freq = self._frequency(axes) if name == "x" else None
        self.view = self._view(axes, name)
        self.labels = self._labels()
        self.spacing = _least_gap(sorted(self.labels))
        self.dates = self._is_dates()

    @property
    def is_category(self) -> bool:
        """Whether its ticks have names of their own."""
        return bool(self.labels)

    def _frequency(self, axes: Any) -> Any:
        """That of the periods on the axis: pandas keeps it with the axes, for bars only with what writes the ticks."""
        own = getattr(axes, "freq", None)
        return own if own is not None else getattr(self.axis.get_major_formatter(), "freq", None)

    def _view(self, axes: Any, name: str) -> tuple[float, float]:
        """The places between which anything is to be seen, with a little room."""
        if getattr(axes, "name", "") != "rectilinear":
            return -math.inf, math.inf
        low, high = sorted(float(end) for end in (axes.get_xlim() if name == "x" else axes.get_ylim()))
        room = NEAR * (high - low)
        return low - room, high + room

    def sees(self, places: Any) -> Any:
        """Which of these places lie within the view; what is no number is no reason to leave a point out."""
        return ~((places < self.view[0]) | (places > self.view[1]))

    def _labels(self) -> dict[float, str]:
        """Names of places: those that were given to ticks, and of a category axis its own where the ticks say the same
        or nothing."""
        units = getattr(self.axis, "units", None)
        mapping = getattr(self.axis.get_major_formatter(), "_units", None) or getattr(units, "_mapping", None) or {}
        own = {float(place): text(str(name)) for name, place in mapping.items()}
        given = self._given_labels()
        if not own:
            return given
        given = given or self._computed_labels(own)
        return {place: _of_category(name, given.get(place, "")) for place, name in own.items()}

    def _given_labels(self) -> dict[float, str]:
        """Names that code gave to ticks."""
        formatter = self.axis.get_major_formatter()
        function: Any = getattr(formatter, "func", None)
        inner = getattr(function, "func", None)
        if getattr(inner, "__name__", "") == "_format_with_dict":
            return {float(place): text(str(name)) for place, name in function.args[0].items() if name != ""}
        if type(formatter).__name__ == "FixedFormatter":
            places = self.axis.get_majorticklocs()
            return {float(place): text(str(name)) for place, name in zip(places, formatter.seq) if name != ""}
        return {}

    def _computed_labels(self, own: dict[float, str]) -> dict[float, str]:
        """Names that a function of the code gives to the ticks of categories."""
        from matplotlib.ticker import FuncFormatter

        formatter = self.axis.get_major_formatter()
        if not isinstance(formatter, FuncFormatter):
            return {}
        return {place: text(str(formatter(place, number))) for number, place in enumerate(own)}

    def other_numbers(self) -> str:
        """A label of a tick that says another number than its place; empty when none does. Looked at is what code
        writes: the library's own ways of writing numbers are right."""
        if self.dates or self.freq is not None or getattr(getattr(self.axis, "units", None), "_mapping", None):
            return ""
        found = []
        for formatter, places in (
            (self.axis.get_major_formatter(), self.axis.get_majorticklocs),
            (self.axis.get_minor_formatter(), self.axis.get_minorticklocs),
        ):
            kind = type(formatter)
            own = kind.__module__.partition(".")[0] in ("matplotlib", "pandas", "seaborn", "mpl_toolkits")
            if own and kind.__name__ not in WRITTEN and not self._says_less(formatter):
                continue
            seen = [float(place) for place in places() if self.view[0] <= float(place) <= self.view[1]]
            every = [float(place) for place in places()] if kind.__name__ == "FixedFormatter" else seen
            try:
                labels = formatter.format_ticks(every)
            except Exception:  # the code's own function may raise anything
                return "a label that cannot be made"
            found += [(place, str(label)[:TEXT]) for place, label in zip(every, labels) if place in seen]
        return other_numbers(found, text(self.axis.label.get_text()))

    def _says_less(self, formatter: Any) -> bool:
        """Whether labels of the library's own may lack what makes them right: the power beside the axis, the sign of
        percent."""
        kind = type(formatter).__name__
        if kind == "PercentFormatter":
            return "%" not in str(formatter.symbol)
        beside = self.axis.get_offset_text()
        hidden = not beside.get_visible() or beside.get_alpha() == 0 or beside.get_fontsize() < SMALL
        return kind == "ScalarFormatter" and bool(hidden)

    def percent_of(self) -> float:
        """What its labels are percents of; 0 when they are none."""
        formatter = self.axis.get_major_formatter()
        return float(formatter.xmax) if type(formatter).__name__ == "PercentFormatter" else 0.0

    def moved_labels(self, axes: Any) -> bool:
        """Whether labels of ticks are drawn at another place than their ticks."""
        across = 0 if self.axis.axis_name == "x" else 1
        if axes.name != "rectilinear":
            return False
        there = axes.transAxes.transform((0.5, 0.5))
        middle = axes.transData.inverted().transform(there)[across]
        at = (middle, 0.0) if across == 0 else (0.0, middle)
        size = (axes.bbox.width, axes.bbox.height)[across]
        room = max(SHIFTED, min(0.35 * size / max(len(self.labels), 1), 40.0)) if self.labels else 40.0
        for tick in self.axis.majorTicks[:40]:
            for label in (tick.label1, tick.label2):
                if label.get_visible() and abs(label.get_transform().transform(at)[across] - there[across]) > room:
                    return True
        return False

    def shows_numbers(self) -> bool:
        """Whether ticks of this axis, whose view holds them, have labels."""
        from matplotlib.ticker import NullFormatter

        if not self.axis.get_visible() or not self.axis.axes.axison:
            return False
        for ticks, places, formatter in (
            (self.axis.majorTicks, self.axis.get_majorticklocs, self.axis.get_major_formatter()),
            (self.axis.minorTicks, self.axis.get_minorticklocs, self.axis.get_minor_formatter()),
        ):
            if isinstance(formatter, NullFormatter) or getattr(formatter, "seq", None) in ([], ()):
                continue
            labels = [label for tick in ticks[:1] for label in (tick.label1, tick.label2)]
            hidden = bool(labels) and not any(label.get_visible() and label.get_alpha() != 0 for label in labels)
            if not hidden and any(self.view[0] <= float(place) <= self.view[1] for place in places()):
                return True
        return False

    def _is_dates(self) -> bool:
        get = getattr(self.axis, "get_converter", None)
        converter = get() if get is not None else getattr(self.axis, "converter", None)
        name = type(converter).__name__
        return "Date" in name or "Period" in name

    def value(self, place: Any, *, near: bool = False) -> Value:
        """What a place means. ``near``: a bar beside its tick belongs to it."""
        number = plain(place)
        if number is None or isinstance(number, str):
            return number
        if self.labels:
            found = self._label(number, near=near)
            if found is not None:
                return found
        if self.freq is not None and "Period" in self._converter_name():
            try:
                period = pandas.Period(ordinal=int(number), freq=self.freq)
                if _is_long(str(period)):
                    return str(period)
                return moment(period.start_time.to_pydatetime())
            except (ValueError, OverflowError, TypeError):
                return number
        if self.dates and "Period" not in self._converter_name():  # the number of a period is no day
            from matplotlib import dates

            try:
                return moment(dates.num2date(number))
            except (ValueError, OverflowError):
                return number
        return number

    def _converter_name(self) -> str:
        get = getattr(self.axis, "get_converter", None)
        converter = get() if get is not None else getattr(self.axis, "converter", None)
        return type(converter).__name__ or "Period"

    def _label(self, number: float, *, near: bool) -> str | None:
        closest = min(self.labels, key=lambda place: abs(place - number))
        reach = self.spacing / 2 if near else NEAR * max(1.0, abs(closest))
        return self.labels[closest] if abs(closest - number) <= reach else None

    def covers(self, places: Any) -> bool:
        """Whether every one of these places has a name."""
        return bool(self.labels) and all(self._label(float(place), near=False) is not None for place in places)


def _of_category(name: str, label: str) -> str:
    """A category under its label. One that is wrapped, cut or longer than the name still means it."""
    short, long = sorted(("".join(one.split()).lower().rstrip(".…") for one in (name, label)), key=len)
    return name if short in long else label


def _is_long(period: str) -> bool:
    """``2020-01``, ``2020Q1`` or ``2020``: pandas draws the period, and the day within it is lost."""
    return len(period) in (4, 6, 7) and (period.isdigit() or period[4] in "-Q")


def _least_gap(places: list[float]) -> float:
    gaps = [right - left for left, right in zip(places, places[1:]) if right > left]
    return min(gaps, default=1.0)


def colour(value: Any) -> tuple[int, ...]:
    """A colour as whole numbers, so that equal ones are equal."""
    from matplotlib import colors

    try:
        return tuple(round(part * 255) for part in colors.to_rgba(value)[:3])
    except (ValueError, TypeError):
        return ()


def strength(value: Any, ground: tuple[int, ...] = (), alpha: Any = None) -> float:
    """How much a colour differs from that of the ground, 0 to 1, as far as it lets no light through. ``alpha``: that of
    the artist, where its colour does not hold it."""
    from matplotlib import colors

    try:
        *parts, own = colors.to_rgba(value)
    except (ValueError, TypeError):
        return 1.0
    gap = max((abs(part - there / 255) for part, there in zip(parts, ground)), default=1.0)
    return float(gap * own * (1.0 if alpha is None else float(numpy.max(alpha))))


def clear(value: Any, ground: tuple[int, ...] = (), alpha: Any = None) -> bool:
    """Whether nothing is seen of this colour on a ground of that one."""
    return strength(value, ground, alpha) < FAINT


def ground_of(axes: Any) -> tuple[int, ...]:
    """The colour behind the data of a pair of axes."""
    own, whole = axes.patch.get_facecolor(), axes.figure.patch.get_facecolor()
    seen = axes.axison and axes.patch.get_visible() and axes.get_frame_on() and not clear(own)
    return colour(own if seen else whole)


class Names:
    """The names of series: their own labels, else those of the legend, by colour."""

    def __init__(self, axes: Any, figure: Any) -> None:
        from matplotlib.legend import Legend

        own = [each.get_legend() for each in axes]
        legends = [legend for legend in (*own, *getattr(figure, "legends", ())) if isinstance(legend, Legend)]
        shown = [legend for legend in legends if legend.get_visible()]
        self.shown: list[str] | None = None
        self.by_colour: dict[tuple[int, ...], str] = {}
        self.several: set[tuple[int, ...]] = set()
        """Colours that stand for more than one name."""
        for legend in shown:
            names = [text(each.get_text()) for each in legend.get_texts()]
            self.shown = [*(self.shown or []), *names]
            for handle, name in zip(legend.legend_handles, names):
                for found in dict.fromkeys(_colours(handle)):
                    if self.by_colour.setdefault(found, name) != name:
                        self.several.add(found)

    def of(self, label: Any, *colours: tuple[int, ...]) -> str:
        """The name of a series with this label in this colour: where the legend has the label at another colour, and
        this colour under another name, that is what a reader sees."""
        if isinstance(label, str) and label in (self.shown or ()) and colours[:1]:
            own = [found for found in colours if found in self.by_colour and found not in self.several]
            if own and all(self.by_colour[found] != label for found in own):
                return self.by_colour[own[0]]
        if isinstance(label, str) and label and not label.startswith("_"):
            return label[:TEXT]
        return next((self.by_colour[found] for found in colours if found in self.by_colour), "")


def _colours(handle: Any) -> list[tuple[int, ...]]:
    found = []
    for name in ("get_markerfacecolor", "get_facecolor", "get_color", "get_edgecolor"):
        get = getattr(handle, name, None)
        if get is None:
            continue
        value = get()
        rows = value if getattr(value, "ndim", 1) == 2 else [value]
        found += [colour(row) for row in list(rows)[:1]]
    return [each for each in found if each]
