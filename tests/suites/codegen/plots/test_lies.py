"""Figures of matplotlib that show other data than their artists say: each needs review, or shows nothing."""

import pytest

from tests.suites.codegen.plots.drawn_plots import figures

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

HEAD = """import matplotlib.pyplot as plt
import matplotlib.patheffects as effects
from matplotlib.axes import Axes
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.projections import register_projection
from matplotlib.ticker import PercentFormatter
from matplotlib.transforms import Bbox, ScaledTranslation
"""
BARS = "fig, ax = plt.subplots()\nbars = ax.bar(df.region, df.qty)\n"
LINE = "fig, ax = plt.subplots()\n(line,) = ax.plot([1, 2, 3], df.qty)\n"
OTHER = "ax.set_ylim(0, 10)\nfor at, high in enumerate([5, 9, 8]): ax.add_patch(plt.Rectangle("
REVIEWED = {
    "another axis has the numbers": BARS + "ax.set_yticks([])\nax.twinx().set_ylim(0, 525)",
    "the other axis has the data": "fig, ax = plt.subplots()\nax.set_ylim(0, 500)\ntwin = ax.twinx()\n"
    "twin.plot([1, 2, 3], df.qty)\ntwin.set_yticks([])",
    "a second axis has the numbers": BARS + "ax.tick_params(labelleft=False)\n"
    "ax.secondary_yaxis('right', functions=(lambda at: at * 10, lambda at: at / 10))",
    "percents of what is not there": BARS + "ax.yaxis.set_major_formatter(PercentFormatter(xmax=50))",
    "percents without their sign": BARS + "ax.yaxis.set_major_formatter(PercentFormatter(xmax=5, symbol=''))",
    "a method of a formatter": BARS + "ax.yaxis.get_major_formatter().format_ticks = lambda ats: ['9'] * len(ats)",
    "a power that is hidden": "plt.bar(df.region, df.qty * 1_000_000)\n"
    "plt.gca().yaxis.get_offset_text().set_visible(False)",
    "labels beside their ticks": BARS + "for tick in ax.get_xticklabels():\n"
    "    tick.set_transform(tick.get_transform() + ScaledTranslation(1.65, 0, fig.dpi_scale_trans))",
    "points that are left out": "plt.plot(df.price, df.qty, 'o', markevery=[0])",
    "an effect far away": BARS + "for bar in bars: bar.set_path_effects([effects.PathPatchEffect(offset=(0, 90))])",
    "a line that is shaken": LINE + "line.set_sketch_params(400, 60, 5)",
    "axes that a function places": BARS + "ax.set_axes_locator(lambda *_: Bbox.from_bounds(0, 0, 0.001, 0.001))",
    "a figure of a point": "plt.figure(figsize=(0.02, 0.02))\nplt.bar(df.region, df.qty)",
    "a method of a bar": BARS + "for bar in bars: bar.draw = lambda renderer: None",
    "a method of axes": BARS + "ax.draw = lambda renderer: None",
    "axes of its own class": "class Mine(Axes):\n    name = 'mine'\n    def draw(self, renderer): pass\n"
    "register_projection(Mine)\nplt.subplot(projection='mine').bar(df.region, df.qty)",
    "a figure of its own class": "class Own(Figure):\n    def draw(self, renderer): pass\n"
    "plt.figure(FigureClass=Own)\nplt.bar(df.region, df.qty)",
    "a class under a false name": BARS + "class Fake(Rectangle):\n    __module__ = 'matplotlib.patches'\n"
    "    def draw(self, renderer): pass\nfor bar in bars: bar.__class__ = Fake",
    "an artist of its own class": BARS + "class Cover(Artist):\n    def draw(self, renderer): ax.patch.draw(renderer)\n"
    "ax.add_artist(Cover())",
    "white bars over them": BARS + "ax.bar(df.region, [9, 9, 9], color='white', zorder=5)",
    "white bars over a part": BARS + "ax.bar(df.region, [2, 1, 3], color='white', zorder=5)",
    "a thick white line": BARS + "ax.plot([-1, 3], [2.5, 2.5], color='white', lw=400)",
    "a thick line across": BARS + "ax.axhline(2.5, color='white', lw=400, zorder=9)",
    "a thick line of the figure": BARS + "fig.lines.append(plt.Line2D([0, 1], [0.5, 0.5], color='w', lw=500))",
    "a huge white point": BARS + "ax.scatter([1], [2], s=2e5, color='white', zorder=9)",
    "bars that are made longer": BARS + OTHER + "(at - 0.4, 0), 0.8, high, color='C0', zorder=0.5))",
    "ends on bars": BARS + OTHER + "(at - 0.4, df.qty[at]), 0.8, 3, color='C0'))",
    "a filled shape": "plt.plot([1, 2, 3], df.qty, lw=0.3)\nplt.fill([1, 1, 2, 3, 3], [0, 1, 9, 2, 0], alpha=0.5)",
    "a collection of lines": LINE + "ax.add_collection(LineCollection([[(1, 1), (2, 9), (3, 2)]], lw=3))",
    "a line in other coordinates": LINE
    + "ax.plot([0, 0.2, 0.5, 1], [0.1, 0.9, 0.5, 0.2], transform=ax.transAxes, lw=3)",
    "axes on axes": LINE + "over = fig.add_axes(ax.get_position(), frameon=False)\nover.set_axis_off()\n"
    "over.add_collection(LineCollection([[(0, 0), (0.5, 0.9), (1, 0.2)]], lw=3))",
}
SHOWS_NOTHING = {
    "a line of little opacity": "plt.plot([1, 2, 3], df.qty, alpha=0.004)",
    "points of little opacity": "plt.scatter(df.price, df.qty, alpha=0.004)",
    "nearly the ground's colour": "plt.bar(df.region, df.qty, color='#fefefe')",
    "a line of nearly that colour": "plt.plot([1, 2, 3], df.qty, color='#fdfdfd')",
    "a thin line": "plt.plot([1, 2, 3], df.qty, lw=0.001)",
    "small marks": "plt.plot(df.price, df.qty, 'o', ms=0.01)",
    "small points": "plt.scatter(df.price, df.qty, s=1e-6)",
    "a line of gaps": "plt.plot([1, 2, 3], df.qty, linestyle=(0, (0.001, 10000)))",
    "axes beyond the figure": BARS + "ax.set_position([2, 2, 0.5, 0.5])",
}
FINE = {
    "an axis on the right": BARS + "ax.yaxis.tick_right()",
    "two axes": BARS + "twin = ax.twinx()\ntwin.plot(df.region, df.price)",
    "fahrenheit": LINE
    + "ax.secondary_yaxis('right', functions=(lambda at: at * 1.8 + 32, lambda at: (at - 32) / 1.8))",
    "percents of the sum": BARS + "ax.yaxis.set_major_formatter(PercentFormatter(xmax=df.qty.sum()))",
    "plain numbers": BARS
    + "ax.ticklabel_format(style='plain', axis='y')\nax.yaxis.get_offset_text().set_visible(False)",
    "labels turned": BARS + "plt.xticks(rotation=45, ha='right')\nax.tick_params(pad=8)",
    "words of a pointer": BARS + "ax.format_coord = lambda x, y: f'{x} {y}'",
    "a shadow": BARS + "for bar in bars: bar.set_path_effects([effects.SimplePatchShadow(), effects.Normal()])",
    "by hand": "with plt.xkcd(): plt.plot([1, 2, 3], df.qty)",
    "many faint points": "plt.scatter(np.arange(5000), np.arange(5000), alpha=0.01, s=2)",
    "white steps of a waterfall": "plt.bar(df.region, [2, 5, 3], color='white')\n"
    "plt.bar(df.region, df.qty, bottom=[2, 5, 3])",
    "stems": "plt.scatter(df.price, df.qty, s=80)\nplt.vlines(df.price, 0, df.qty)",
    "a bracket": BARS + "ax.plot([0, 0, 1, 1], [0.9, 0.93, 0.93, 0.9], 'k', transform=ax.get_xaxis_transform())",
    "an inset": LINE + "ax.inset_axes([0.6, 0.6, 0.3, 0.3]).text(0.1, 0.1, 'note')",
    "a hull": "plt.scatter(df.price, df.qty)\nplt.fill([1, 1, 2, 3, 3, 2], [2, 4, 5, 4, 3, 2], alpha=0.2)",
}


def _drawn(codes: list[str]) -> list[tuple[str, bool]]:
    """The problem of each figure and whether it shows any series; several in one run."""
    found = []
    for place in range(0, len(codes), 16):
        part = codes[place : place + 16]
        drawn = figures("\n".join([HEAD, *(f"{code}\nplt.close('all')" for code in part)]))
        assert len(drawn) == len(part)
        found += [(one.problem, bool(one.panels)) for one in drawn]
    return found


def test_what_is_drawn_otherwise_needs_review() -> None:
    found = zip(REVIEWED, _drawn(list(REVIEWED.values())), strict=True)
    assert [name for name, (problem, _) in found if not problem] == []


def test_what_hardly_differs_from_the_ground_shows_nothing() -> None:
    found = zip(SHOWS_NOTHING, _drawn(list(SHOWS_NOTHING.values())), strict=True)
    assert [name for name, (problem, shows) in found if problem or shows] == []


def test_what_people_draw_is_read() -> None:
    found = zip(FINE, _drawn(list(FINE.values())), strict=True)
    assert [(name, problem) for name, (problem, shows) in found if problem or not shows] == []


@pytest.mark.parametrize(
    "patch",
    [
        "from matplotlib.ticker import ScalarFormatter as Kind\nKind.__call__ = lambda *_: '7'",
        "from matplotlib.backends.backend_agg import RendererAgg as Kind\nKind.draw_path = lambda *_: None",
        "from matplotlib.transforms import Affine2D as Kind\nKind.transform = lambda self, at: at",
    ],
)
def test_a_changed_class_is_seen(patch: str) -> None:
    assert [figure.changed for figure in figures(f"{HEAD}{patch}\n{BARS}")] == [True]


def test_the_legend_names_series_by_their_colours() -> None:
    lines = "a, = plt.plot([1, 2], [1, 2], label='a')\nb, = plt.plot([1, 2], [3, 4], label='b')\n"
    swapped = (
        "plt.legend([a, b], ['b', 'a'])",
        "plt.legend(handles=[plt.Line2D([], [], color='C1', label='a'), plt.Line2D([], [], color='C0', label='b')])",
        "for text, name in zip(plt.legend().texts, 'ba'): text.set_text(name)",
    )
    own = "plt.legend()", "", "plt.legend([plt.Line2D([], [], color='C9')], ['others'])"
    codes = [HEAD + "\n".join(f"{lines}{legend}\nplt.close('all')" for legend in (*swapped, *own))]
    found = [tuple(series.name for series in figure.panels[0].series) for figure in figures(codes[0])]
    assert found == [("b", "a")] * 3 + [("a", "b")] * 3
