"""The score of a plot: Σ weight × score / Σ weight over the stated items; data 8, type 4, order 2, each other item 1.

Panels are paired by title, else by place; the plot's score is the mean over panels, and one that is missing, or not
expected, counts 0. The plot passes when every item is 1.

By hand: gold type bar, three points, x_label, y_label (weights 4 + 8 + 1 + 1 = 14). A line with the right points and
the x_label only: (0 + 8 + 1 + 0) / 14 = 0.643. Bars at the wrong categories with both labels: (4 + 0 + 1 + 1) / 14 =
0.429.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.problems import count_of
from karat.suites.codegen.plots.items.data_item import data_score
from karat.suites.codegen.plots.items.order_item import categories, order_holds
from karat.suites.codegen.plots.items.texts import described, fits, folded
from karat.suites.codegen.plots.items.type_item import type_score
from karat.suites.codegen.plots.records import Figure, Item, Panel, PanelGold, PlotGold, PlotVerdict, TextGold
from karat.tables.options import CompareOptions

DATA, TYPE, ORDER = 8, 4, 2
SLACK = 0.01
"""How far an end of an axis may be from the stated one, as a share of the stated range."""
REASONS = {
    "data": "plot_data",
    "type": "plot_type",
    "stacked": "plot_type",
    "horizontal": "plot_type",
    "order": "plot_order",
    "title": "plot_text",
    "x_label": "plot_text",
    "y_label": "plot_text",
    "legend": "plot_text",
    "x_scale": "plot_scale",
    "y_scale": "plot_scale",
    "x_range": "plot_scale",
    "y_range": "plot_scale",
}
NO_PLOT = "no_plot"


def verdict_of(gold: PlotGold, figures: Sequence[Figure], options: CompareOptions) -> PlotVerdict:
    """The drawn figures against what is expected."""
    panels, title, library = chosen(figures, len(gold.panels))
    if not panels:
        return PlotVerdict(0.0, problem="nothing was drawn")
    pairs = _paired(gold.panels, panels)
    items: list[Item] = []
    total = 0.0
    several = len(gold.panels) > 1
    for place, (wanted, given) in enumerate(zip(gold.panels, pairs, strict=True), start=1):
        found = _items(wanted, given or Panel(), "" if several else title, options)
        items += [msgspec.structs.replace(item, panel=place if several else 0) for item in found]
        if given is not None:
            total += sum(item.weight * item.score for item in found) / sum(item.weight for item in found)
    missing, extra = sum(given is None for given in pairs), max(0, len(panels) - len(gold.panels))
    said = [f"{count_of(missing, 'panel')} missing"] if missing else []
    said += [f"{count_of(extra, 'panel')} more than expected"] if extra else []
    score = total / (len(gold.panels) + extra)
    return PlotVerdict(min(1.0, score), tuple(items), ", ".join(said), library)


def passed(verdict: PlotVerdict) -> bool:
    """Every stated item is met, and there are neither fewer nor more panels."""
    return not verdict.problem and bool(verdict.items) and all(item.score >= 1 for item in verdict.items)


def reason_of(verdict: PlotVerdict) -> str:
    """The code of the heaviest loss; empty for a plot that passed."""
    if passed(verdict):
        return ""
    if not verdict.items:
        return NO_PLOT
    return REASONS[verdict.lost[0].name] if verdict.lost else "plot_data"


def chosen(figures: Sequence[Figure], wanted: int) -> tuple[list[Panel], str, str]:
    """The panels that are judged, the title of their figure and its library: of the figure that was left as the answer,
    else of the last one; of all figures together where several panels are expected and no figure has as many."""
    drawn = [figure for figure in figures if figure.panels]
    if not drawn:
        return [], "", ""
    last = next((figure for figure in reversed(drawn) if figure.answer), drawn[-1])
    if wanted > 1 and len(last.panels) < wanted and len(drawn) > 1:
        alone = [_titled(figure) for figure in drawn]
        return [panel for panels in alone for panel in panels], "", last.library
    return list(last.panels), last.title, last.library


def _titled(figure: Figure) -> list[Panel]:
    """The panels of a figure that stands for one panel: its title is that of the panel."""
    if len(figure.panels) == 1 and figure.title and not figure.panels[0].title:
        return [msgspec.structs.replace(figure.panels[0], title=figure.title)]
    return list(figure.panels)


def _paired(gold: Sequence[PanelGold], given: Sequence[Panel]) -> list[Panel | None]:
    """For each expected panel the given one: by its title where that fits exactly one, else by place."""
    found: dict[int, int] = {}
    for place, wanted in enumerate(gold):
        title = wanted.title
        if title is not None and len(gold) > 1:
            fitting = [at for at, panel in enumerate(given) if at not in found.values() and fits(title, panel.title)]
            if len(fitting) == 1:
                found[place] = fitting[0]
    free = [at for at in range(len(given)) if at not in found.values()]
    for place in range(len(gold)):
        if place not in found and free:
            found[place] = place if place in free else free[0]
            free.remove(found[place])
    return [given[found[place]] if place in found else None for place in range(len(gold))]


def _items(gold: PanelGold, given: Panel, title: str, options: CompareOptions) -> list[Item]:
    """Every stated item of a panel."""
    found: list[Item] = []
    series = given.series

    def add(name: str, weight: int, score: float, expected: str, shown: str) -> None:
        found.append(Item(name, weight, score, expected[:200], shown[:200]))

    if gold.type:
        add("type", TYPE, type_score(gold.type, series), " or ".join(gold.type), _types(given))
    if gold.series:
        points = sum(len(one.points) for one in gold.series)
        add(
            "data",
            DATA,
            data_score(gold, series, options),
            _counted(points, len(gold.series)),
            _counted(sum(len(one.points) for one in series), len(series)),
        )
    if gold.order is not None:
        shown = ", ".join(str(name) for name in list(categories(series))[:12])
        add("order", ORDER, float(order_holds(gold.order, gold.series, series, options)), gold.order, shown)
    texts: list[tuple[str, TextGold | None, tuple[str, ...]]] = [
        ("title", gold.title, (given.title, title)),
        ("x_label", gold.x_label, (given.x_label,)),
        ("y_label", gold.y_label, (given.y_label, given.right_label)),
    ]
    for name, wanted, offered in texts:
        if wanted is not None:
            right = any(fits(wanted, text) for text in offered)
            add(name, 1, float(right), described(wanted), " / ".join(text for text in offered if text))
    if gold.legend is not None:
        add("legend", 1, float(_legend_fits(gold.legend, given.legend)), _names(gold.legend), _names(given.legend))
    for name, stated, there in (("x_scale", gold.x_scale, given.x_scale), ("y_scale", gold.y_scale, given.y_scale)):
        if stated is not None:
            add(name, 1, float(stated == there), stated, there)
    for name, ends, shown_ends in (("x_range", gold.x_range, given.x_range), ("y_range", gold.y_range, given.y_range)):
        if ends is not None:
            add(name, 1, float(_range_fits(ends, shown_ends)), _ends(ends), _ends(shown_ends))
    for name, flag, has in (
        ("stacked", gold.stacked, any(one.stacked for one in series)),
        ("horizontal", gold.horizontal, any(one.horizontal for one in series)),
    ):
        if flag is not None:
            add(name, 1, float(flag == has), str(flag).lower(), str(has).lower())
    return found


def _types(panel: Panel) -> str:
    return ", ".join(dict.fromkeys(series.type for series in panel.series)) or "nothing"


def _counted(points: int, series: int) -> str:
    return f"{count_of(points, 'point')} in {series} series"


def _names(legend: tuple[str, ...] | bool | None) -> str:
    if isinstance(legend, tuple):
        return ", ".join(legend)
    return "some legend" if legend else "no legend"


def _legend_fits(gold: tuple[str, ...] | bool, given: tuple[str, ...] | None) -> bool:
    if isinstance(gold, bool):
        return gold == (given is not None)
    return given is not None and sorted(map(folded, gold)) == sorted(map(folded, given))


def _ends(ends: tuple[float, float] | None) -> str:
    return f"{ends[0]:g} to {ends[1]:g}" if ends is not None else "not known"


def _range_fits(gold: tuple[float, float], given: tuple[float, float] | None) -> bool:
    slack = SLACK * abs(gold[1] - gold[0])
    return given is not None and all(abs(one - other) <= slack for one, other in zip(gold, given, strict=True))
