"""A plot is what is to be seen: nothing outside of the view, without colour or size; and the names on the ticks."""

import pytest

from karat.sandbox.server.figures.tick_numbers import other_numbers
from karat.suites.codegen.plots.invisible import is_clear
from karat.suites.codegen.plots.vega.labels import says_the_same
from tests.suites.codegen.plots.drawn_plots import scored

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
BAR = "{type: bar, series: [{x: [North, South, East], y: [5, 3, 4]}]}"
LINE = "{type: line, series: [{x: [1, 2, 3], y: [5, 3, 4]}]}"
CLOUD = "{type: scatter, series: [{x: [1.0, 2.5, 3.0], y: [5, 3, 4]}]}"
PLT = "import matplotlib.pyplot as plt\n"
PX = "import plotly.express as px\n"
ALT = "import altair as alt\n"

HIDDEN = {
    "bars beyond the view": (BAR, PLT + "plt.bar(df.region, df.qty)\nplt.xlim(-0.5, 1.5)"),
    "bars under other names": (
        BAR,
        PLT + "plt.bar(df.region, df.qty)\nplt.xticks(range(3), ['East', 'North', 'South'])",
    ),
    "bars without a colour": (BAR, PLT + "plt.bar(df.region, df.qty, color='none')"),
    "points beyond the view": (LINE, PLT + "plt.plot([1, 2, 3], df.qty)\nplt.xlim(0, 2.5)"),
    "a line without a colour": (LINE, PLT + "plt.plot([1, 2, 3], df.qty, color='none')"),
    "points without a size": (CLOUD, PLT + "plt.scatter(df.price, df.qty, s=0)"),
    "points without a colour": (CLOUD, PLT + "plt.scatter(df.price, df.qty, color=(0, 0, 0, 0))"),
    "plotly: other names": (
        BAR,
        PX + "result = px.bar(df, x='region', y='qty')\n"
        "result.update_xaxes(tickvals=['North', 'South', 'East'], ticktext=['East', 'North', 'South'])",
    ),
    "plotly: beyond the range": (BAR, PX + "result = px.bar(df, x='region', y='qty', range_x=[-0.5, 1.5])"),
    "plotly: points beyond the range": (
        CLOUD,
        PX + "result = px.scatter(df, x='price', y='qty', range_y=[0, 4.5])",
    ),
    "bars that are cut off": (BAR, PLT + "plt.bar(df.region, df.qty)\nplt.ylim(0, 4.5)"),
    "bars below the view": (BAR, PLT + "plt.bar(df.region, df.qty)\nplt.ylim(100, 200)"),
    "bars without a width": (BAR, PLT + "plt.bar(df.region, df.qty, width=0)"),
    "names that a function gives": (
        BAR,
        PLT + "plt.bar(df.region, df.qty)\n"
        "plt.gca().xaxis.set_major_formatter(lambda at, place: ['East', 'North', 'South'][int(at) % 3])",
    ),
    "axes without a size": (BAR, PLT + "plt.figure().add_axes([0, 0, 0, 0]).bar(df.region, df.qty)"),
    "plotly: other names by place": (
        BAR,
        PX + "result = px.bar(df, x='region', y='qty')\n"
        "result.update_xaxes(tickvals=[0, 1, 2], ticktext=['East', 'North', 'South'])",
    ),
    "plotly: aliases": (
        BAR,
        PX + "result = px.bar(df, x='region', y='qty')\n"
        "result.update_xaxes(labelalias={'North': 'South', 'South': 'North'})",
    ),
    "plotly: bars that are cut off": (BAR, PX + "result = px.bar(df, x='region', y='qty', range_y=[50, 60])"),
    "plotly: bars without a width": (BAR, PX + "result = px.bar(df, x='region', y='qty').update_traces(width=0)"),
    "plotly: clear bars": (
        BAR,
        PX + "result = px.bar(df, x='region', y='qty').update_traces(marker_color='rgba(9, 9, 9, 0)')",
    ),
    "plotly: bars of no opacity": (
        BAR,
        PX + "result = px.bar(df, x='region', y='qty').update_traces(marker_opacity=0)",
    ),
    "plotly: a line without a width": (
        LINE,
        PX + "result = px.line(x=[1, 2, 3], y=df.qty).update_traces(line_width=0)",
    ),
    "plotly: a right axis of another range": (
        LINE,
        PX + "result = px.line(x=[1, 2, 3], y=df.qty).update_traces(yaxis='y2')\n"
        "result.update_layout(yaxis2={'overlaying': 'y', 'range': [50, 60]})",
    ),
    "plotly: other days": (
        "{type: bar, series: [{x: ['2024-01-01', '2024-01-02', '2024-01-03'], y: [5, 3, 4]}]}",
        PX + "days = ['2024-01-01', '2024-01-02', '2024-01-03']\n"
        "result = px.bar(x=days, y=df.qty, range_x=['2030-01-01', '2031-01-01'])",
    ),
    "altair: a clear colour": (
        BAR,
        ALT + "result = alt.Chart(df).mark_bar(color='transparent').encode(x='region', y='qty')",
    ),
    "altair: bars without a size": (
        BAR,
        ALT + "result = alt.Chart(df).mark_bar(size=0).encode(x='region', y='qty')",
    ),
    "altair: bars that are cut off": (
        BAR,
        ALT + "result = alt.Chart(df).mark_bar().encode(x='region', y=alt.Y('qty', scale=alt.Scale(domain=[50, 60])))",
    ),
    "altair: categories without a place": (
        BAR,
        ALT + "at = alt.X('region', scale=alt.Scale(domain=['North', 'South']))\n"
        "result = alt.Chart(df).mark_bar().encode(x=at, y='qty')",
    ),
    "altair: a line without a width": (
        LINE,
        ALT + "df['at'] = [1, 2, 3]\nresult = alt.Chart(df).mark_line(strokeWidth=0).encode(x='at', y='qty')",
    ),
    "altair: no opacity": (BAR, ALT + "result = alt.Chart(df).mark_bar(opacity=0).encode(x='region', y='qty')"),
    "altair: no opacity by an encoding": (
        BAR,
        ALT + "result = alt.Chart(df).mark_bar().encode(x='region', y='qty', opacity=alt.value(0))",
    ),
}
HIDDEN |= {
    f"the colour of the ground: {name}": (gold, PLT + code)
    for name, gold, code in (
        ("bars", BAR, "plt.bar(df.region, df.qty, color='white')"),
        ("bars and their edges", BAR, "plt.bar(df.region, df.qty, color='w', edgecolor='#ffffff')"),
        ("a line", LINE, "plt.plot([1, 2, 3], df.qty, color='white')"),
        ("points", CLOUD, "plt.scatter(df.price, df.qty, color='white')"),
        ("hardly any", BAR, "plt.bar(df.region, df.qty, color=(0, 0, 0, 0.01))"),
    )
}
HIDDEN |= {
    "plotly: the colour of the ground": (
        BAR,
        PX + "result = px.bar(df, x='region', y='qty').update_traces(marker_color='#E5ECF6')",
    ),
    "plotly: a white line": (
        LINE,
        PX + "result = px.line(x=[1, 2, 3], y=df.qty, template='plotly_white').update_traces(line_color='white')",
    ),
    "altair: white": (BAR, ALT + "result = alt.Chart(df).mark_bar(color='white').encode(x='region', y='qty')"),
    "altair: white by its settings": (
        BAR,
        ALT + "result = alt.Chart(df).mark_bar().encode(x='region', y='qty').configure_mark(color='#fff')",
    ),
    "altair: white by a scale": (
        BAR,
        ALT + "white = alt.Color('region', scale=alt.Scale(range=['white', '#fff']))\n"
        "result = alt.Chart(df).mark_bar().encode(x='region', y='qty', color=white)",
    ),
}
SEEN = {
    "ticks with a unit": (LINE, PLT + "plt.plot([1, 2, 3], df.qty)\nplt.yticks([3, 4, 5], ['3 kg', '4 kg', '5 kg'])"),
    "whole numbers as names": (
        "{type: bar, series: [{x: ['2020', '2021', '2022'], y: [5, 3, 4]}]}",
        PLT + "plt.bar(range(3), df.qty)\nplt.xticks(range(3), [2020, 2021, 2022])",
    ),
    "numbers on the bars": (
        BAR,
        PLT + "plt.bar(df.region, df.qty)\n"
        "for at, qty in enumerate(df.qty): plt.text(at, qty, str(qty), ha='center', bbox={'fc': 'white'})",
    ),
    "a box in a corner": (
        LINE,
        PLT
        + "plt.plot([1, 2, 3], df.qty)\nplt.text(0.95, 0.95, 'n = 3\\nmean = 4.00\\nsd = 1.00', ha='right', va='top',"
        " transform=plt.gca().transAxes, bbox={'fc': 'white'})",
    ),
    "plotly: white on blue": (
        BAR,
        PX + "result = px.bar(df, x='region', y='qty').update_traces(marker_color='white')\n"
        "result.add_annotation(text='the best: 5', x=0, y=5, bgcolor='white')",
    ),
    "plotly: white with an edge": (
        BAR,
        PX + "result = px.bar(df, x='region', y='qty', template='plotly_white')\n"
        "result.update_traces(marker_color='white', marker_line={'width': 1, 'color': 'black'})",
    ),
    "altair: white with an edge": (
        BAR,
        ALT + "result = alt.Chart(df).mark_bar(color='white', stroke='black').encode(x='region', y='qty')",
    ),
    "altair: white on black": (
        BAR,
        ALT + "bars = alt.Chart(df).mark_bar(color='white').encode(x='region', y='qty')\n"
        "result = bars.configure(background='black')",
    ),
    "white with an edge": (BAR, PLT + "plt.bar(df.region, df.qty, color='white', edgecolor='black')"),
    "white on grey": (BAR, PLT + "plt.bar(df.region, df.qty, color='white')\nplt.gca().set_facecolor('grey')"),
    "a span that lets light through": (
        BAR,
        PLT + "plt.bar(df.region, df.qty)\nplt.axvspan(0, 2, alpha=0.3)\nplt.axhspan(1, 2, color='grey', zorder=0)",
    ),
    "a mark beside the bars": (
        BAR,
        PLT + "plt.bar(df.region, df.qty)\nplt.gca().add_patch(plt.Circle((0, 5), 0.02, zorder=9))",
    ),
    "the disc in a ring": (
        "{type: pie, series: [{x: [North, South, East], y: [5, 3, 4]}]}",
        PLT + "plt.pie(df.qty, labels=df.region)\nplt.gca().add_artist(plt.Circle((0, 0), 0.6, fc='white'))",
    ),
    "plotly: a band that lets light through": (
        BAR,
        PX + "result = px.bar(df, x='region', y='qty').add_hrect(1, 2, fillcolor='green', opacity=0.2)",
    ),
    "plotly: a band below": (
        BAR,
        PX + "result = px.bar(df, x='region', y='qty').add_hrect(1, 2, fillcolor='green', layer='below')",
    ),
    "a closer view of all bars": (BAR, PLT + "plt.bar(df.region, df.qty)\nplt.xlim(-0.6, 2.6)\nplt.ylim(0, 6)"),
    "ends of the axes": (LINE, PLT + "plt.plot([1, 2, 3], df.qty)\nplt.xlim(1, 3)\nplt.ylim(5, 3)"),
    "names that are cut and wrapped": (
        BAR,
        PLT + "plt.bar(df.region, df.qty)\nplt.xticks(range(3), ['Nor…', 'South\\n(2024)', 'EAST'])",
    ),
    "names by themselves": (
        BAR,
        PLT + "ax = df.plot.bar(x='region', y='qty')\nax.set_xticklabels(ax.get_xticklabels(), rotation=45)",
    ),
    "only edges": (BAR, PLT + "plt.bar(df.region, df.qty, color='none', edgecolor='black')"),
    "sizes by a column": (CLOUD, PLT + "plt.scatter(df.price, df.qty, s=df.qty)"),
    "plotly: numbers with names": (
        BAR,
        PX + "result = px.bar(x=[0, 1, 2], y=df.qty)\n"
        "result.update_xaxes(tickvals=[0, 1, 2], ticktext=['North', 'South', 'East'])",
    ),
    "plotly: numbers written otherwise": (
        LINE,
        PX + "result = px.line(x=[1, 2, 3], y=df.qty, range_x=[1, 3])\n"
        "result.update_xaxes(tickvals=[1, 2, 3], ticktext=['1k', '2k', '3k'])",
    ),
    "altair: some opacity": (BAR, ALT + "result = alt.Chart(df).mark_bar(opacity=0.5).encode(x='region', y='qty')"),
}


@pytest.mark.parametrize(("gold", "code"), HIDDEN.values(), ids=HIDDEN.keys())
def test_what_is_not_seen_does_not_count(gold: str, code: str) -> None:
    assert not scored(gold, code).correctness.passed


@pytest.mark.parametrize(("gold", "code"), SEEN.values(), ids=SEEN.keys())
def test_what_is_seen_counts(gold: str, code: str) -> None:
    found = scored(gold, code).correctness
    assert found.passed, found.evidence


MOVED = {
    "a cover": "plt.gca().add_patch(plt.Rectangle((-1, 0), 5, 20, color='white', zorder=5))",
    "an opaque span": "plt.axhspan(1, 20, color='white', zorder=9)",
    "a box of text": "plt.text(-0.5, 0, ' ' * 60 + '\\n' * 9, bbox={'fc': 'w'})",
    "a box of text of the figure": "plt.figtext(0.1, 0.1, ' ' * 150 + '\\n' * 20, bbox={'fc': 'w'})",
    "letters that are blocks": "plt.text(-0.5, 3, '\u2588' * 40, color='white', size=40)",
    "a legend over all": "plt.gca().patches[0].set_label(' ' * 150 + '\\n' * 25)\n"
    "plt.legend(loc='center', framealpha=1)",
    "ticks with other numbers": "plt.yticks(range(6), [0, 2, 9, 1, 50, 60])",
    "ticks by a function": "plt.gca().yaxis.set_major_formatter(lambda at, place: str(at * 100))",
    "ticks with a digit more": "plt.gca().yaxis.set_major_formatter('{x:.0f}0')",
    "smaller ticks": "plt.yticks([])\nplt.gca().set_yticks([1, 2, 3], [10, 20, 30], minor=True)",
    "a picture": "plt.gca().imshow(np.ones((4, 4, 3)), extent=(-1, 4, 0, 9), zorder=9, aspect='auto')",
    "a cover of the whole figure": "plt.gcf().patches.append(plt.Rectangle((0, 0), 1, 1, color='w', "
    "transform=plt.gcf().transFigure))",
    "empty axes": "plt.gcf().add_axes(plt.gca().get_position())",
    "a filter of pixels": "plt.gca().patches[0].set_agg_filter(lambda image, dpi: (image * 0, 0, 0))",
    "a bar in other coordinates": "plt.gca().patches[0].set_transform(plt.gca().transAxes)",
    "a bar that is stretched": "from matplotlib.transforms import Affine2D\n"
    "plt.gca().patches[0].set_transform(Affine2D().scale(1, 2) + plt.gca().transData)",
    "a bar that is cut by a shape": "plt.gca().patches[0].set_clip_path(plt.Circle((0, 0), 0.01))",
}


@pytest.mark.parametrize("move", MOVED.values(), ids=MOVED.keys())
def test_what_is_drawn_elsewhere_than_it_says_needs_review(move: str) -> None:
    found = scored(BAR, PLT + "plt.bar(df.region, df.qty)\n" + move).correctness
    assert found.score is None and "needs review" in found.reason


@pytest.mark.parametrize(
    "code",
    [
        PX + "result = px.bar(df, x='region', y='qty').update_layout(barnorm='percent')",
        PX + "result = px.bar(df, x='region', y='qty').update_traces(offset=[1, 0, 0])",
        PX
        + "result = px.bar(df, x='region', y='qty').add_shape(type='rect', x0=-1, x1=4, y0=0, y1=9, fillcolor='white')",
        PX + "result = px.bar(df, x='region', y='qty').add_hrect(0, 9, fillcolor='#eee')",
        PX + "result = px.bar(df, x='region', y='qty').update_yaxes(tickvals=[0, 5], ticktext=['0', '50'])",
        PX + "result = px.bar(df, x='region', y='qty').update_yaxes(ticksuffix='0')",
        PX + "result = px.bar(df, x='region', y='qty')\n"
        "result.add_annotation(text='<br>'.join([' ' * 90] * 20), x=1, y=3, bgcolor='white')",
        ALT + "bars = alt.Chart(df).mark_bar().encode(x='region', y='qty')\n"
        "result = bars + alt.Chart(df.assign(qty=9)).mark_bar(color='white').encode(x='region', y='qty')",
        ALT + "at = alt.Y('qty', axis=alt.Axis(labelExpr='datum.value * 100'))\n"
        "result = alt.Chart(df).mark_bar().encode(x='region', y=at)",
        ALT + "result = alt.Chart(df).mark_bar().encode(x='region', y='qty', y2=alt.datum(3))",
        ALT + "at = alt.X('region', axis=alt.Axis(labelExpr=\"'x'\"))\n"
        "result = alt.Chart(df).mark_bar().encode(x=at, y='qty')",
    ],
)
def test_what_only_the_library_computes_needs_review(code: str) -> None:
    found = scored(BAR, code).correctness
    assert found.score is None and "needs review" in found.reason


@pytest.mark.parametrize(
    ("labels", "name", "wrong"),
    [
        ({0: "0", 1000: "1k", 1500: "1.5k", 2e6: "2M"}, "", ""),
        ({1: "1k", 2: "2k"}, "", ""),  # the axis is in thousands already
        ({1000: "$1,000", 2500: "$2,500"}, "", ""),
        ({1234.5: "1.234,5 \u20ac"}, "", ""),
        ({0.25: "25%", 0.5: "50 %"}, "", ""),
        ({25: "25%"}, "", ""),
        ({0.5: "50"}, "Share in %", ""),
        ({5000: "5", 10000: "10"}, "Sales (thousands)", ""),
        ({5000: "5 km"}, "", ""),
        ({-5: "5", 5: "5", -2: "\u22122"}, "", ""),
        ({0.5: "0", 1.5: "2"}, "", ""),  # rounded
        ({1000: "$10^{3}$", 100: "$\\mathdefault{10^{2}}$", 1e-2: "1e-02"}, "", ""),
        ({1: "low", 2: "12:30", 3: "2024-01", 4: ""}, "", ""),
        ({0: "0", 1: "2"}, "", "2"),
        ({5: "50"}, "", "50"),
        ({5: "50"}, "Sales", "50"),
        ({5000: "5"}, "Sales", "5"),
        ({1: "1", 2: "2", 3: "30"}, "Sales (thousands)", "30"),
        ({0.25: "35%"}, "", "35%"),
        ({1000: "2k"}, "", "2k"),
    ],
)
def test_labels_that_say_other_numbers(labels: dict[float, str], name: str, wrong: str) -> None:
    assert other_numbers(list(labels.items()), name) == wrong


@pytest.mark.parametrize(
    ("expression", "same"),
    [
        ("datum.label + ' kg'", True),
        ("replace(datum.label, 'G', 'B')", True),
        ("format(datum.value / 1000, ',.0f') + 'k'", True),
        ("datum.value / 1e6 + ' M'", True),
        ("datum.value / 1000 + ' M'", False),
        ("datum.label + '0'", False),
        ("replace(datum.label, '5', '9')", False),
        ("datum.value * 100", False),
        ("'7'", False),
    ],
)
def test_expressions_that_write_labels(expression: str, same: bool) -> None:
    assert says_the_same(expression) == same


@pytest.mark.parametrize(
    ("colour", "clear"),
    [
        ("rgba(1, 2, 3, 0)", True),
        ("rgb(1 2 3 / 0%)", True),
        ("#11223300", True),
        ("transparent", True),
        ("rgb(255, 0, 0)", False),
        ("rgba(1, 2, 3, 0.05)", False),
        ("hsl(9, 9%, 0%)", False),
        ("#000", False),
        ("#112200", False),
        (["none", "red"], False),
        (None, False),
    ],
)
def test_clear_colours(colour: object, clear: bool) -> None:
    assert is_clear(colour) == clear
