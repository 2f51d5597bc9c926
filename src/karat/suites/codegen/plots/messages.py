"""What is wrong with a plot, in words."""

from __future__ import annotations

from karat.suites.codegen.plots.records import Item, PlotVerdict

SHOWN = 4
NAMES = {"x_label": "x label", "y_label": "y label", "x_scale": "x scale", "y_scale": "y scale"}


def problem_of(verdict: PlotVerdict) -> str:
    """The lost items, the heaviest first."""
    said = [verdict.problem] if verdict.problem else []
    lost = verdict.lost
    said += [item_words(item) for item in lost[:SHOWN]]
    said += [f"{len(lost) - SHOWN} more"] if len(lost) > SHOWN else []
    return "; ".join(said)


def item_words(item: Item) -> str:
    """``type: bar expected, line given``."""
    name = NAMES.get(item.name, item.name.replace("_", " "))
    where = f"panel {item.panel}, " if item.panel else ""
    if item.name == "data":
        return f"{where}data: {item.score:.0%} of the points agree ({item.expected} expected, {item.given} given)"
    return f"{where}{name}: {item.expected or 'nothing'} expected, {item.given or 'nothing'} given"
