"""Figures that code draws, read while it runs: when one is saved, shown or closed, and when the code has ended.

A figure that is saved and shown counts once; one that is cleared and drawn again counts twice. plotly and Vega-Lite
specifications are sent as they are, and read by the host. Hostile code can change all of this: it then draws nothing
that is believed, or has to know what is right.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from typing import Any  # Any: figures of any library, known by what they can do

from ..environment.drawing_classes import replaced
from .fitted_lines import watch_fitted_lines
from .panels import Calls, Unreadable, read_figure
from .picture import picture_of

MOST_POINTS = 100_000
MOST_BYTES = 4 * 1024**2
MOST_FILES = 20
Found = dict[str, Any]


class Drawn:
    """One figure of any library, as far as it is known."""

    def __init__(self, figure: Any, kind: str) -> None:
        self.figure = figure
        self.kind = kind
        self.found: Found | None = None
        self.saved: dict[str, Found] = {}
        """The files that it was saved in, and what it showed then."""
        self.answer = False
        self.closed = False


class FigureWatch:
    """From before the code runs until its figures are sent."""

    def __init__(self, most: int, pictures: int) -> None:
        self.most = most
        self.pictures = pictures
        self.drawn: list[Drawn] = []
        self.calls = Calls()
        self.watched: list[tuple[Any, str, Any]] = []
        if "matplotlib.pyplot" in sys.modules:
            self._watch_matplotlib()
        if "plotly.basedatatypes" in sys.modules:
            self._watch_plotly()
        if "altair" in sys.modules:
            self._watch_altair()
        self.calls.classes.but_for(owner for owner, _, _ in self.watched if isinstance(owner, type))

    # -- matplotlib ---------------------------------------------------------------------------------------------------

    def _watch_matplotlib(self) -> None:
        from matplotlib import pyplot
        from matplotlib.axes import Axes
        from matplotlib.figure import Figure

        self._before(Figure, "savefig", self._saved)
        self._before(Figure, "clear", self._cleared)
        self._before(pyplot, "show", lambda *_, **__: self._all_shown())
        self._before(pyplot, "close", lambda *_, **__: self._all_shown(closing=True))
        self._after(Axes, "hist", self._counted)
        self._after(Axes, "bxp", self._boxed)
        seaborn = sys.modules.get("seaborn")
        if seaborn is not None:
            self._after(seaborn, "histplot", self._counted_by_seaborn)
            self.watched += watch_fitted_lines(self._fitted)

    def _before(self, owner: Any, name: str, look: Callable[..., None]) -> None:
        original = getattr(owner, name)

        @functools.wraps(original)
        def watched(*args: Any, **options: Any) -> Any:
            look(*args, **options)
            return original(*args, **options)

        self.watched.append((owner, name, original))
        setattr(owner, name, watched)

    def _after(self, owner: Any, name: str, look: Callable[..., None]) -> None:
        original = getattr(owner, name)

        @functools.wraps(original)
        def watched(*args: Any, **options: Any) -> Any:
            made = original(*args, **options)
            look(made, *args, **options)
            return made

        self.watched.append((owner, name, original))
        setattr(owner, name, watched)

    def _counted(self, made: Any, axes: Any, *_: Any, **__: Any) -> None:
        counts, edges, patches = made
        several = isinstance(patches, list) and not hasattr(patches, "patches")
        groups = list(patches) if several and patches and not hasattr(patches[0], "get_path") else [patches]
        rows = counts if len(groups) > 1 else [counts]
        for row, group in zip(rows, groups):
            self.calls.kept.append(group)
            if type(group).__name__ == "BarContainer":
                self.calls.counted.add(id(group))
                self.calls.edges[id(group)] = [float(edge) for edge in edges]
            else:
                artist = group[0] if isinstance(group, (list, tuple)) and group else group
                self.calls.outlines.append((axes, artist, list(row), list(edges)))

    def _counted_by_seaborn(self, axes: Any, *_: Any, **__: Any) -> None:
        for one in getattr(axes, "containers", ()):
            self.calls.kept.append(one)
            self.calls.counted.add(id(one))

    def _fitted(self, lines: Any) -> None:
        for line in lines:
            self.calls.kept.append(line)
            self.calls.fitted.add(id(line))

    def _boxed(self, made: Any, axes: Any, *_: Any, **options: Any) -> None:
        vertical = options.get("orientation", "vertical") == "vertical" and options.get("vert") in (None, True)
        self.calls.boxes.append((axes, made, vertical))

    def _saved(self, figure: Any, target: Any = "", *_: Any, **options: Any) -> None:
        one = self._entry(figure, "matplotlib")
        if one is not None:
            target = options.get("fname", target)
            self._read(one)
            if isinstance(target, (str, os.PathLike)):
                one.saved[_file_name(target)] = _shown(one.found)

    def _cleared(self, figure: Any, *_: Any, **__: Any) -> None:
        for one in self.drawn:
            if one.figure is figure and one.found is not None:
                one.closed = True

    def _all_shown(self, closing: bool = False) -> None:
        from matplotlib._pylab_helpers import Gcf

        for manager in Gcf.get_all_fig_managers():
            figure = manager.canvas.figure
            if closing and not any(one.figure is figure for one in self.drawn) and not figure.axes:
                continue
            one = self._entry(figure, "matplotlib")
            if one is not None:
                self._read(one)

    def _entry(self, figure: Any, kind: str) -> Drawn | None:
        for one in self.drawn:
            if one.figure is figure and not one.closed:
                return one
        if len(self.drawn) >= self.most:
            return None
        self.drawn.append(Drawn(figure, kind))
        return self.drawn[-1]

    def _read(self, one: Drawn) -> None:
        """Where nothing was changed since it was read, it need not be again."""
        if one.found is not None and not one.figure.stale:
            return
        try:
            found = read_figure(one.figure, self.calls, MOST_POINTS)
        except Unreadable as problem:
            found = {"problem": str(problem)[:300]}
        except Exception as problem:  # whatever an odd figure makes of being read
            found = {"problem": f"{type(problem).__name__}: {problem}"[:300]}
        if one.found is not None and _shown(one.found) == found:
            return  # drawn, and not changed: its picture is as it was
        one.found = found
        if self.pictures > 0:
            found["picture"] = picture_of(one.figure)

    def _changed(self) -> bool:
        return self.calls.classes.changed()

    # -- plotly, altair -----------------------------------------------------------------------------------------------

    def _watch_plotly(self) -> None:
        base = sys.modules["plotly.basedatatypes"].BaseFigure
        self._replace(base, "show", "plotly", draws=False)
        for name in ("write_html", "write_json", "write_image"):
            self._replace(base, name, "plotly", draws=name != "write_image")

    def _watch_altair(self) -> None:
        top = getattr(sys.modules["altair"], "TopLevelMixin", None)
        if top is not None:
            self._replace(top, "show", "vega", draws=False)
            self._replace(top, "save", "vega", draws=True)

    def _replace(self, owner: Any, name: str, kind: str, *, draws: bool) -> None:
        """There is no browser in the box, and maybe nothing that makes pictures: neither is the code's fault."""
        original = getattr(owner, name)

        @functools.wraps(original)
        def watched(figure: Any, target: Any = "", *args: Any, **options: Any) -> Any:
            one = self._entry(figure, kind)
            if one is not None and isinstance(target, (str, os.PathLike)) and target:
                one.saved[_file_name(target)] = self._specification(one)
            if not draws or str(target).lower().endswith((".png", ".svg", ".pdf", ".jpg", ".jpeg")):
                return None
            return original(figure, target, *args, **options)

        self.watched.append((owner, name, original))
        setattr(owner, name, watched)

    # -- the end ------------------------------------------------------------------------------------------------------

    def finish(self, result: Any) -> list[Found]:
        """Every figure in the order in which they were drawn; what the code left as its answer is marked."""
        answer = self._answer(result)
        if "matplotlib.pyplot" in sys.modules:
            self._all_shown(closing=True)
        if answer is not None:
            one = self._entry(*answer)
            if one is not None:
                one.answer = True
                if one.kind == "matplotlib":
                    self._read(one)
        changed = self._changed()
        return [self._sent(one, changed) for one in self.drawn[: self.most]]

    def unwatch(self) -> None:
        """Put everything back: the next code has a watch of its own."""
        for owner, name, original in reversed(self.watched):
            setattr(owner, name, original)
        self.watched.clear()

    def end(self) -> None:
        """Put everything back, and close all figures: the next code starts with none."""
        self.unwatch()
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")

    def _answer(self, result: Any) -> tuple[Any, str] | None:
        kinds = {base.__module__.partition(".")[0] for base in type(result).__mro__}
        if isinstance(result, dict):
            if isinstance(result.get("data"), list) and "layout" in result:
                return result, "plotly"
            return (result, "vega") if "vega" in str(result.get("$schema", "")) else None
        if "plotly" in kinds and hasattr(result, "to_plotly_json"):
            return result, "plotly"
        if "altair" in kinds and hasattr(result, "to_dict"):
            return result, "vega"
        if type(result).__module__ == "seaborn._core.plot" and hasattr(result, "plot"):
            return self._figure_of(getattr(result.plot(pyplot=True), "_figure", None))
        if "matplotlib" in kinds or "seaborn" in kinds:
            return self._figure_of(result)
        if type(result).__name__ in ("ndarray", "list", "tuple", "Series", "dict"):
            items = list(getattr(result, "flat", result))[:1] if type(result).__name__ != "Series" else list(result)[:1]
            return self._figure_of(items[0]) if items else None
        return None

    def _figure_of(self, value: Any) -> tuple[Any, str] | None:
        if "matplotlib.figure" not in sys.modules:
            return None
        from matplotlib.figure import Figure

        for name in ("", "figure", "fig"):
            found = value if not name else getattr(value, name, None)
            if isinstance(found, Figure):
                return found, "matplotlib"
        return None

    def _sent(self, one: Drawn, changed: bool) -> Found:
        found = one.found if one.kind == "matplotlib" else self._specification(one)
        files = list(one.saved)[:MOST_FILES]
        outdated = [name for name in files if one.saved[name] != _shown(found)]
        head = {"library": one.kind, "answer": one.answer, "saved": files, "outdated": outdated, "changed": changed}
        return {**head, **(found or {})}

    def _specification(self, one: Drawn) -> Found:
        """The specification of a figure of plotly or altair as JSON text, in a text of its own: the host reads it."""
        try:
            if not isinstance(one.figure, dict):
                kind = type(one.figure)
                name = replaced(one.figure)
                if kind.__module__.partition(".")[0] not in ("plotly", "altair") or name:
                    return {"problem": f"a figure of the code's own class {kind.__name__[:80]} {name[:80]}".strip()}
            if isinstance(one.figure, dict):
                spec = json.dumps(one.figure, default=_jsonable)
            elif one.kind == "plotly":
                spec = sys.modules["plotly.basedatatypes"].BaseFigure.to_json(one.figure, validate=False)
            else:
                spec = json.dumps(one.figure.to_dict(), default=_jsonable)
        except Exception as problem:
            return {"problem": f"{type(problem).__name__}: {problem}"[:300]}
        if len(spec) > MOST_BYTES:
            return {"problem": "its specification is larger than can be read"}
        return {"specification": spec}


def _file_name(target: Any) -> str:
    return str(os.path.basename(os.fspath(target)))[:200]


def _shown(found: Found | None) -> Found:
    """What a figure shows, without its pixels."""
    return {name: value for name, value in (found or {}).items() if name != "picture"}


def _jsonable(value: Any) -> Any:
    """Values of numpy and pandas inside a plain dict."""
    for name in ("tolist", "isoformat"):
        if hasattr(value, name):
            return getattr(value, name)()
    return str(value)
