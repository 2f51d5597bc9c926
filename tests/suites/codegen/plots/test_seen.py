"""A plot is what is to be seen: nothing outside of the view, without colour or size; and the names on the ticks."""

import pytest

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
    "altair: no opacity": (BAR, ALT + "result = alt.Chart(df).mark_bar(opacity=0).encode(x='region', y='qty')"),
    "altair: no opacity by an encoding": (
        BAR,
        ALT + "result = alt.Chart(df).mark_bar().encode(x='region', y='qty', opacity=alt.value(0))",
    ),
}
SEEN = {
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
