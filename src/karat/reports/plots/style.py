"""What all plots share: the record of one, its colours and fonts, and how titles and figures are written in it."""

from __future__ import annotations

import msgspec

from karat.core.json_types import JsonObject
from karat.reports.html.text import readable

LONGEST_TITLE = 80
COLOURS = tuple(f"var(--series-{number})" for number in range(1, 7))
ACCENT, MARKED, INK, QUIET, LINE = "var(--gold)", "var(--wrong)", "var(--text)", "var(--dim)", "var(--line)"


class Plot(msgspec.Struct, frozen=True):
    """A specification with what it shows in words, for who does not see it."""

    title: str
    summary: str
    spec: JsonObject


def plot_config() -> JsonObject:
    """The look that all plots share; to be given to Vega-Lite beside each specification."""
    return {
        "background": "transparent",
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": {
            "domainColor": LINE,
            "gridColor": LINE,
            "tickColor": LINE,
            "labelColor": QUIET,
            "titleColor": QUIET,
            "titleFontWeight": "normal",
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titlePadding": 10,
            "labelPadding": 6,
            "labelLimit": 160,
        },
        "axisX": {"grid": False},
        "legend": {
            "labelColor": QUIET,
            "titleColor": QUIET,
            "labelFontSize": 12,
            "labelLimit": 220,
            "orient": "bottom",
        },
    }


def number_tip(field: str, title: str) -> dict[str, str]:
    """A figure in the words that show under the pointer."""
    return {"field": field, "title": title, "format": ".3~f", "type": "quantitative"}


_OF_EVERY_OBJECT = frozenset(
    {
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
    }
)
"""Names that every object of JavaScript has: Vega does not draw a chart that is sorted by one. A letter that takes no
room tells them apart."""


def plot_title(text: str) -> str:
    """A title that is never empty nor long; Vega would leave out the one and cut the other."""
    shown = " ".join(readable(text).split()) or "(no name)"
    if shown in _OF_EVERY_OBJECT:
        return f"{shown}\u2060"
    return shown if len(shown) <= LONGEST_TITLE else f"{shown[: LONGEST_TITLE - 1]}…"
