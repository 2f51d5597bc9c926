"""Whether what draws a figure is the library's own: its classes as they were before the code ran, and objects without
methods of their own. Anything else may draw other things than it says."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar  # Any: objects of matplotlib, plotly and altair

LIBRARIES = ("matplotlib", "mpl_toolkits", "pandas", "seaborn")
PARTS = (
    *("matplotlib", "mpl_toolkits", "seaborn", "pandas.plotting", "plotly.basedatatypes"),
    *("altair.vegalite.v5.api", "altair.vegalite.v6.api", "altair.utils.schemapi"),
)
"""Modules whose classes must stay as they are."""
HARMLESS = (
    *("format_coord", "format_cursor_data", "fmt_xdata", "fmt_ydata", "format_xdata", "format_ydata"),
    *("_get_view", "_set_view", "_set_view_from_bbox", "drag_pan"),
)
"""What pages of the library show how to replace on a single object, or what it replaces itself on the axes of colour
bars: what a pointer does, and the words beside it."""
ADDED = ("__reduce__", "set")
"""What matplotlib adds to classes that it makes while it draws."""


class Classes:
    """The classes of the drawing libraries as they are now."""

    noted: ClassVar[list[Classes]] = []
    """Those of the server, before any code ran: a fork need not look at all of them again."""

    @classmethod
    def now(cls) -> Classes:
        """What was noted already, where no module came since."""
        found = cls.noted[-1] if cls.noted else None
        return found if found is not None and found.modules == _names() else cls()

    def __init__(self) -> None:
        self.before: dict[type, dict[str, Any]] = {kind: dict(vars(kind)) for kind in _loaded(PARTS)}
        self.modules = _names()
        self.known = {id(kind) for kind in self.before}

    def but_for(self, kinds: Iterable[Any]) -> None:
        """Note these anew: what watches the drawing has changed them itself."""
        self.before = {**self.before, **{kind: dict(vars(kind)) for kind in kinds if kind in self.before}}

    def changed(self) -> bool:
        """Whether one of them is another than it was. What a class notes of its own making does not count."""
        return any(_differs(dict(vars(kind)), before) for kind, before in self.before.items())

    def own(self, kind: type) -> bool:
        """Whether a class is the library's: it was there before, or comes with a module that was loaded since; or it
        only joins such classes, as old versions of matplotlib do."""
        if id(kind) in self.known:
            return True
        module = kind.__module__
        later = module.partition(".")[0] in LIBRARIES and module not in self.modules
        if later and getattr(sys.modules.get(module), kind.__name__, None) is kind:
            return True
        adds = any(_does(value) and name not in ADDED for name, value in vars(kind).items())
        return not adds and kind.__bases__ != (object,) and all(self.own(base) for base in kind.__bases__)


def _names() -> set[str]:
    return {name for name in list(sys.modules) if name.partition(".")[0] in (*LIBRARIES, "plotly", "altair")}


def _differs(now: dict[str, Any], before: dict[str, Any]) -> bool:
    if now.keys() == before.keys() and all(value is before[name] for name, value in now.items()):
        return False
    names = [name for name in {*now, *before} if now.get(name) is not before.get(name)]
    return any(_does(now.get(name)) or _does(before.get(name)) for name in names)


def _does(value: Any) -> bool:
    """Whether it is a method or a property; anything else is noted by classes for themselves."""
    return callable(value) or hasattr(type(value), "__get__")


def _loaded(parts: Iterable[str]) -> Iterator[type]:
    """All classes that modules with these names define."""
    wanted = tuple(parts)
    for name, module in list(sys.modules.items()):
        if name in wanted or name.startswith(tuple(f"{part}." for part in wanted)):
            for value in list(_own(module).values()):
                if isinstance(value, type) and value.__module__ == name:
                    yield value


def _own(thing: Any) -> dict[str, Any]:
    """What an object has of itself; nothing for one that cannot have anything."""
    try:
        return dict(vars(thing))
    except TypeError:
        return {}


def replaced(thing: Any) -> str:
    """The name of a method that an object has instead of that of its class; empty when there is none."""
    for name, value in _own(thing).items():
        if callable(value) and callable(getattr(type(thing), name, None)) and name not in HARMLESS:
            return str(name)
    return ""


def strange(figure: Any, axes: Iterable[Any], classes: Classes) -> str:
    """What of a figure is not the library's own; empty when all is."""
    for thing in _things(figure, axes):
        kind = type(thing)
        if not classes.own(kind) and not _is_writer(kind):
            return f"an artist of the code's own class {kind.__name__[:80]}"
        name = replaced(thing)
        if name:
            return f"{kind.__name__}: its method {name[:80]} was replaced"
    return ""


def _is_writer(kind: type) -> bool:
    """A formatter or locator of the code's own: what it writes is looked at."""
    return any(base.__module__ == "matplotlib.ticker" for base in kind.__mro__)


def _things(figure: Any, every: Iterable[Any]) -> Iterator[Any]:
    yield figure
    yield from (figure.patch, *figure.patches, *figure.lines, *figure.images, *figure.artists, *figure.texts)
    yield from figure.legends
    for axes in every:
        yield axes
        yield from axes.get_children()
        for axis in (axes.xaxis, axes.yaxis):
            yield from (axis.label, axis.get_major_formatter(), axis.get_minor_formatter())
            for tick in (*axis.majorTicks[:40], *axis.minorTicks[:40]):
                yield from (tick, tick.label1, tick.label2)
