"""What is read of figures of matplotlib, pandas and seaborn, and what is left out."""

import pytest

from karat.suites.codegen.plots.records import Panel, Series
from tests.suites.codegen.plots.drawn_plots import figures

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
PLT = "import matplotlib.pyplot as plt\n"


def panel(code: str) -> Panel:
    (figure,) = figures(PLT + code)
    assert not figure.problem
    (found,) = figure.panels
    return found


def only(code: str) -> Series:
    (series,) = panel(code).series
    return series


def test_horizontal_bars_are_read_from_top_to_bottom() -> None:
    assert [point[0] for point in only("plt.barh(df.region, df.qty)").points] == ["East", "South", "North"]
    turned = only("plt.barh(df.region, df.qty)\nplt.gca().invert_yaxis()")
    assert [point[0] for point in turned.points] == ["North", "South", "East"]
    assert turned.horizontal
    across = only("plt.bar(df.region, df.qty)\nplt.gca().invert_xaxis()")
    assert [point[0] for point in across.points] == ["East", "South", "North"]


def test_places_with_labels_are_the_labels() -> None:
    assert only("plt.plot([0, 1, 2], df.qty)\nplt.xticks([0, 1, 2], df.region)").points[0] == ("North", 5)
    numbers = panel("x = np.array([2001, 2002])\nplt.bar(x - .2, [1, 2], .4)\nplt.bar(x + .2, [3, 4], .4)")
    assert [series.points for series in numbers.series] == [((2001, 1), (2002, 2)), ((2001, 3), (2002, 4))]


def test_bars_are_stacked_only_when_one_begins_where_another_ends() -> None:
    on = panel("plt.bar(df.region, df.qty)\nplt.bar(df.region, df.price, bottom=df.qty)")
    over = panel("plt.bar(df.region, df.qty)\nplt.bar(df.region, df.price)")
    raised = panel("plt.bar(df.region, df.qty)\nplt.bar(df.region, df.price, bottom=1)")
    assert [{series.stacked for series in found.series} for found in (on, over, raised)] == [{True}, {False}, {False}]
    assert on.series[1].points == (("North", 1), ("South", 2.5), ("East", 3))
    below = panel("plt.bar(df.region, df.price, bottom=df.qty)\nplt.bar(df.region, df.qty)")
    assert below.series[0].points == on.series[1].points


def test_a_bar_that_begins_anywhere_else_counts_by_its_end() -> None:
    assert only("plt.bar(df.region, df.qty, bottom=10)").points == (("North", 15), ("South", 13), ("East", 14))
    assert only("plt.barh(df.region, df.qty - 1, left=1)").points[0] == ("East", 4)


def test_bars_that_touch_at_numbers_are_a_histogram() -> None:
    assert only("plt.bar([0, 1, 2], [4, 5, 6], width=1, align='edge')").points == ((0, 1, 4), (1, 2, 5), (2, 3, 6))
    assert only("plt.bar(df.region, df.qty, width=1)").type == "bar"
    assert only("plt.hist([1, 2, 2, 5], bins=4, rwidth=0.5)").points[0] == (1, 2, 1)
    assert only("plt.stairs([4, 5], [0, 1, 3])").points == ((0, 1, 4), (1, 3, 5))
    assert only("plt.hist([1, 2, 2, 5], bins=4, histtype='step')").points[0] == (1, 2, 1)


def test_both_axes_of_a_twin() -> None:
    found = panel(
        "fig, ax = plt.subplots()\nax.bar(df.region, df.qty)\nb = ax.twinx()\n"
        "b.plot(df.region, df.price)\nb.set_ylabel('p')"
    )
    assert [(series.type, series.right) for series in found.series] == [("bar", False), ("line", True)]
    assert found.right_label == "p"
    pandas = panel("df.plot(x='region', y=['qty', 'price'], secondary_y='price')")
    assert [series.name for series in pandas.series] == ["qty", "price"]
    assert pandas.legend == ("qty", "price")


@pytest.mark.parametrize(
    "more",
    [
        "plt.axhline(3)\nplt.axvline(1)\nplt.axvspan(0, 1, alpha=.3)\nplt.axline((0, 0), slope=1)",
        "plt.bar([0], [0], width=0)",
        "plt.plot([], [], label='nothing')",
        "plt.plot([0, 1], [1, 2], visible=False)",
        "plt.plot([0, 1], [1, 2], alpha=0)",
        "plt.gcf().add_axes([0.9, 0, 0.1, 1])",
        "plt.errorbar([0, 1, 2], df.qty, yerr=1, fmt='none')",
        "plt.plot([0, 0], [4, 6], color='black')",
        "plt.text(0, 1, 'note')",
    ],
)
def test_what_is_left_out(more: str) -> None:
    assert only(f"plt.bar(df.region, df.qty)\n{more}").points == (("North", 5), ("South", 3), ("East", 4))


def test_an_area_is_a_line_with_what_is_under_it() -> None:
    found = only("plt.plot([1, 2, 3], df.qty, label='q')\nplt.fill_between([1, 2, 3], df.qty)")
    assert (found.type, found.name, found.points) == ("area", "q", ((1, 5), (2, 3), (3, 4)))
    band = only("plt.plot([1, 2, 3], df.qty)\nplt.fill_between([1, 2, 3], df.qty - 1, df.qty + 1, alpha=.3)")
    assert band.type == "line"


def test_colour_bars_are_no_panels() -> None:
    found = only("plt.imshow([[1, 2], [3, 4]])\nplt.xticks([0, 1], ['a', 'b'])\nplt.colorbar()")
    assert found.points == (("a", 0, 1), ("b", 0, 2), ("a", 1, 3), ("b", 1, 4))


def test_names_come_from_the_legend_by_colour() -> None:
    found = panel(
        "a = plt.bar(df.region, df.qty)\nb = plt.bar(df.region, df.price, bottom=df.qty)\n"
        "plt.legend([a, b], ['q', 'p'])"
    )
    assert [series.name for series in found.series] == ["q", "p"]
    assert found.legend == ("q", "p")


def test_a_line_and_its_points_are_one_series() -> None:
    found = only("plt.plot([1, 2, 3], df.qty)\nplt.scatter([1, 2, 3], df.qty)")
    assert (found.type, found.markers) == ("line", True)


def test_months_of_pandas_are_periods() -> None:
    found = only("pd.Series([1, 2], index=pd.date_range('2020-01-31', periods=2, freq='ME')).plot()")
    assert found.points == (("2020-01", 1), ("2020-02", 2))


def test_bars_of_periods_are_periods() -> None:
    """pandas keeps their frequency with the ticks alone; their numbers were read as days of 1971."""
    found = only("pd.Series([1, 2], index=pd.period_range('2024-01', periods=2, freq='M')).plot.bar()")
    assert found.points == (("2024-01", 1), ("2024-02", 2))


def test_the_fields_of_pcolor() -> None:
    ticks = "\nplt.xticks([.5, 1.5], ['a', 'b'])\nplt.yticks([.5, 1.5], ['r', 's'])"
    found = only("plt.pcolor([[1, 2], [3, 4]])" + ticks)
    assert found.points == (("a", "r", 1), ("b", "r", 2), ("a", "s", 3), ("b", "s", 4))
    masked = only("plt.pcolor(np.ma.masked_equal([[1, 2], [3, 4]], 2))" + ticks)
    assert masked.points == (("a", "r", 1), ("a", "s", 3), ("b", "s", 4))


@pytest.mark.parametrize("call", ["barplot", "boxplot"])
def test_what_was_drawn_one_by_one_is_met_from_left_to_right(call: str) -> None:
    """seaborn draws its bars colour by colour, in the order of the table."""
    pytest.importorskip("seaborn", reason="seaborn is not installed")
    order = ["East", "North", "South"]
    head = f"import seaborn as sns\nsns.{call}(df, order={order}, hue='region', legend=False, "
    assert [point[0] for point in only(head + "x='region', y='qty')").points] == order
    assert [point[0] for point in only(head + "y='region', x='qty')").points] == order


def test_seaborn_leaves_its_intervals_out() -> None:
    pytest.importorskip("seaborn", reason="seaborn is not installed")
    head = "import seaborn as sns\nd = pd.concat([df, df.assign(qty=df.qty + 2)])\n"
    bars = only(head + "sns.barplot(d, x='region', y='qty')")
    assert bars.points == (("North", 6), ("South", 4), ("East", 5))
    lines = only(head + "sns.lineplot(d, x='region', y='qty')")
    assert (lines.type, lines.points) == ("line", bars.points)
    points = only(head + "sns.pointplot(d, x='region', y='qty')")
    assert points.points == bars.points
    coloured = panel(head + "sns.barplot(d, x='region', y='qty', hue='region', legend=True)")
    assert [series.points for series in coloured.series] == [bars.points]


def test_short_lines_without_names_are_lines() -> None:
    found = panel(
        "plt.plot([1, 2, 3, 9, 11, 20], [5, 3, 4, 6, 2, 5])\nplt.plot([1, 2, 3, 9, 11, 20], [4, 9, 4, 6, 3, 1])"
    )
    assert len(found.series) == 2
    flat = panel("plt.plot([1, 2, 3], [5, 3, 4])\nplt.plot([1, 2, 3], [4, 4, 4])")
    assert len(flat.series) == 2


def test_error_bars_with_caps_are_left_out() -> None:
    pytest.importorskip("seaborn", reason="seaborn is not installed")
    head = "import seaborn as sns\nd = pd.concat([df, df.assign(qty=df.qty + 2)])\n"
    for call in ("barplot", "pointplot"):
        for pair in ("x='region', y='qty'", "y='region', x='qty'"):
            found = panel(head + f"sns.{call}(d, {pair}, capsize=.3)")
            assert [len(series.points) for series in found.series] == [3], (call, pair)


def test_what_seaborn_fits_to_its_points_is_left_out() -> None:
    pytest.importorskip("seaborn", reason="seaborn is not installed")
    sns = "import seaborn as sns\n"
    assert only(sns + "sns.regplot(data=df, x='price', y='qty')").type == "scatter"
    assert only(sns + "sns.histplot(df, x='price', bins=2, kde=True)").type == "hist"
    own = panel(sns + "sns.regplot(data=df, x='price', y='qty')\nplt.plot([1, 2], [3, 4])")
    assert [series.type for series in own.series] == ["line", "scatter"]
    assert only(sns + "import seaborn.objects as so\nso.Plot(df, x='region', y='qty').add(so.Bar())").type == "bar"
