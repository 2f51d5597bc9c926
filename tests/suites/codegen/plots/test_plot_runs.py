"""Code that draws, run in the sandbox and judged: worked examples, references, hidden tests, changed tables."""

import msgspec
import pytest

from karat.sandbox import Limits, Sandbox
from karat.suites.codegen.comparison import judged
from karat.suites.codegen.options import Options
from karat.suites.codegen.perturb import runs
from karat.suites.codegen.plots.records import PanelGold, PlotGold, SeriesGold
from karat.suites.codegen.records import Expected, ExpectedFile, HiddenTest, TableSource
from karat.suites.codegen.running.sandbox_client import warm_box
from tests.suites.codegen.plots.drawn_plots import OPTIONS, figures, scored, task

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

BARS = """
type: bar
series: [{x: [North, South, East], y: [5, 3, 4]}]
x_label: [Region, Area]
y_label: Sales
"""
PLT = "import matplotlib.pyplot as plt\n"
CHANGED_LATER = 'needs review: the figure was changed after it was saved in "chart.png"'
LABELS = "plt.xlabel('Region')\nplt.ylabel('Sales')\n"


def plot_of(code: str, plot: str = BARS) -> tuple[float, float, str]:
    """Plot, correctness, reason."""
    found = scored(plot, PLT + code).correctness
    assert found.plot is not None
    return round(found.plot.score, 3), round(found.score or 0.0, 3), found.reason


def test_the_worked_examples() -> None:
    right = "plt.bar(df.region, df.qty)\n" + LABELS
    assert plot_of(right) == (1.0, 1.0, "")
    line = "plt.plot(df.region, df.qty)\nplt.xlabel('Region')"
    assert plot_of(line) == (0.643, 0.321, "plot_type")
    wrong = "plt.bar(df.region, [3, 4, 5])\n" + LABELS
    assert plot_of(wrong) == (0.429, 0.214, "plot_data")


def test_no_plot_and_no_run() -> None:
    assert plot_of("x = 1") == (0.0, 0.0, "no_plot")
    assert plot_of("plt.figure()") == (0.0, 0.0, "no_plot")
    assert plot_of("plt.bar(df.region, df.nope)") == (0.0, 0.0, "did_not_run")


@pytest.mark.parametrize(
    "code",
    [
        "plt.bar(df.region, df.qty)\n" + LABELS + "plt.savefig('a.png')\nplt.close()",
        "plt.bar(df.region, df.qty)\n" + LABELS + "plt.savefig('a.png')\nplt.savefig('b.png')\nplt.show()",
        "fig, ax = plt.subplots(figsize=(20, 3))\nax.bar(range(3), df.qty, color='red')\n"
        "ax.set_xticks(range(3), df.region)\n" + LABELS + "result = fig",
        "result = df.plot.bar(x='region', y='qty', xlabel='area', ylabel='<b>Sales</b>', legend=False)",
        "from matplotlib.figure import Figure\nf = Figure()\na = f.subplots()\na.bar(df.region, df.qty)\n"
        "a.set(xlabel='Region', ylabel='Sales')\nf.savefig('a.png')",
    ],
)
def test_ways_to_draw_the_same(code: str) -> None:
    assert plot_of(code) == (1.0, 1.0, "")


def test_what_scores_and_details_say() -> None:
    found = scored(BARS, PLT + "plt.plot(df.region, df.qty)")
    assert found.correctness.evidence["problem"] == (
        "type: bar expected, line given; x label: Region or Area expected, nothing given; "
        "y label: Sales expected, nothing given"
    )
    assert found.correctness.plot is not None
    assert found.correctness.plot.given is not None
    assert found.correctness.plot.given.png
    assert found.correctness.plot.expected is not None
    assert found.correctness.plot.expected.vega_lite
    assert found.last.ran


REFERENCE = PLT + "plt.bar(sales.region, sales.qty)"


def test_a_reference_says_what_is_right() -> None:
    gold = "{reference: [type, data, order], x_label: Region}"
    right = scored(gold, PLT + "plt.bar(df.region, df.qty)\nplt.xlabel('region')", REFERENCE).correctness
    assert right.passed
    assert right.plot is not None
    assert right.plot.expected is not None
    assert right.plot.expected.png
    turned = scored(gold, PLT + "d = df[::-1]\nplt.bar(d.region, d.qty)\nplt.xlabel('region')", REFERENCE).correctness
    assert turned.plot is not None
    assert (turned.reason, [item.name for item in turned.plot.lost]) == ("plot_order", ["order"])


def test_panels() -> None:
    bars = "{type: bar, series: [{x: [North, South, East], y: [5, 3, 4]}]}"
    gold = f"panels: [{bars}, {{type: line, series: [{{y: [1, 2.5, 3]}}]}}]"
    code = "fig, (a, b) = plt.subplots(1, 2)\na.bar(df.region, df.qty)\nb.plot(df.price)\n"
    assert plot_of(code, gold) == (1.0, 1.0, "")
    assert plot_of("plt.bar(df.region, df.qty)", gold)[:2] == (0.5, 0.25)


PERTURB = Options(performance=False, relations="no")


def test_changed_tables_tell_constants() -> None:
    constant = PLT + "plt.bar(['North', 'South', 'East'], [5, 3, 4])\n" + LABELS
    found = scored(BARS, constant, REFERENCE + "\n" + LABELS, PERTURB).correctness
    assert (found.passed, found.reason) == (False, "only_fits_this_data")
    right = scored(
        BARS, PLT + "plt.bar(df['region'], df['qty'])\n" + LABELS, REFERENCE + "\n" + LABELS, PERTURB
    ).correctness
    assert right.passed
    assert right.perturbed is not None
    assert right.perturbed.tried > 3
    assert right.perturbed.telling > 0


def test_a_harness_that_does_not_load_hides_no_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its error is none of the code's: the copies are then run one by one."""
    monkeypatch.setattr(runs, "_WATCH", "import a_module_that_is_not_there\n")
    constant = PLT + "plt.bar(['North', 'South', 'East'], [5, 3, 4])\n" + LABELS
    reference = REFERENCE + "\n" + LABELS + "# a text of its own: what references gave is kept\n"
    found = scored(BARS, constant, reference, PERTURB).correctness
    assert (found.passed, found.reason) == (False, "only_fits_this_data")


def test_hidden_tests_see_a_table_of_points() -> None:
    tests = (
        HiddenTest(assertion="set(result.columns) == {'x', 'y'} and result.y.sum() == 12"),
        HiddenTest(property="rows", value=3),
        HiddenTest(property="sorted", column=("y",), ascending=False),
    )
    code = PLT + "plt.bar(df.region, df.qty)\n" + LABELS
    found = judged("Plot it.", task(BARS, tests=tests), [code], OPTIONS, warm_box())
    assert [entry.state for entry in found.tests.parts] == ["held", "held", "failed"]
    assert not found.correctness.passed


def test_hidden_tests_on_other_tables() -> None:
    other = {"sales": TableSource(columns={"region": ["a", "b"], "qty": [1, 0], "price": [1.0, 2.0]})}
    right = PlotGold((PanelGold(series=(SeriesGold((("a", 1), ("b", 0))),)),))
    wrong = PlotGold((PanelGold(series=(SeriesGold((("a", 2),)),)),))
    tests: tuple[HiddenTest, ...] = (
        HiddenTest(tables=other, expected=Expected(plot=right)),
        HiddenTest(tables=other, reference=True),
        HiddenTest(tables=other, property="rows", value=1),
    )
    code = PLT + "plt.bar(df.region, df.qty)\n" + LABELS
    found = judged("Plot it.", task(BARS, REFERENCE + "\n" + LABELS, tests), [code], OPTIONS, warm_box())
    assert [entry.state for entry in found.tests.parts] == ["held", "held", "held"]
    assert found.correctness.passed
    tests = (HiddenTest(tables=other, expected=Expected(plot=wrong)),)
    found = judged("Plot it.", task(BARS, tests=tests), [code], OPTIONS, warm_box())
    assert [entry.state for entry in found.tests.parts] == ["failed"]
    constant = PLT + "plt.bar(['North', 'South', 'East'], [5, 3, 4])\n" + LABELS
    tests = (HiddenTest(tables=other, reference=True),)
    found = judged("Plot it.", task(BARS, REFERENCE + "\n" + LABELS, tests), [constant], OPTIONS, warm_box())
    assert [entry.state for entry in found.tests.parts] == ["failed"]


def test_right_plots_are_measured() -> None:
    options = Options(perturb="no", relations="no", scales=(1,), repeats_for_timing=1)
    found = scored(BARS, PLT + "plt.bar(df['region'], df['qty'])\n" + LABELS, REFERENCE + "\n" + LABELS, options)
    assert found.performance.score is not None


def test_a_plot_that_cannot_be_read_needs_a_review() -> None:
    found = scored(BARS, PLT + "plt.violinplot([[1, 2, 3]])").correctness
    assert found.score is None
    assert found.reason.startswith("needs review: the plot cannot be read: FillBetween")


def test_saved_files_are_named() -> None:
    found = figures(PLT + "plt.bar(df.region, df.qty)\nplt.savefig('out/../a.png') if 0 else plt.savefig('a.png')")
    assert [figure.saved for figure in found] == [("a.png",)]


def test_figures_are_not_looked_at_unless_wanted() -> None:
    with Sandbox() as box:
        outcome = box.run(PLT + "plt.bar(['a'], [1])\nresult = plt.savefig.__name__")
        assert (outcome.status, outcome.figures) == ("ok", ())
        assert (
            box.run("import os\nresult = os.environ['MPLCONFIGDIR'], plt", limits=Limits(figures=1)).status == "error"
        )


def test_a_plot_that_must_be_saved_under_a_name() -> None:
    plot = task(BARS).expected
    assert plot is not None
    files = {"chart.png": ExpectedFile(plot=plot.plot)}
    wanted = msgspec.structs.replace(task(BARS), expected=Expected(files=files))
    drawn = PLT + "plt.bar(df.region, df.qty)\n" + LABELS
    off_by_one = PLT + "bars = plt.bar(df.region, df.qty + 1)\n" + LABELS
    set_right = "for bar, qty in zip(bars, df.qty):\n    bar.set_height(qty)\n"
    for code, reason in (
        (drawn + "plt.savefig('chart.png')\nplt.close()\nplt.plot([1, 2])", ""),
        (drawn + "plt.savefig('other.png')", "file_missing"),
        (drawn + "open('chart.png', 'w').close()", "file_unreadable"),
        (PLT + "plt.plot(df.region, df.qty)\n" + LABELS + "plt.savefig('chart.png')", "plot_type"),
        (drawn + "plt.savefig('chart.png')\nplt.tight_layout()\nplt.savefig('again.png', dpi=200)\nplt.show()", ""),
        (off_by_one + "plt.savefig('chart.png')\n" + set_right, CHANGED_LATER),
        (off_by_one + "plt.savefig('chart.png')\n" + set_right + "plt.savefig('chart.png')", ""),
        (drawn + "plt.savefig('chart.png')\nplt.gca().patches[0].set_height(9)", CHANGED_LATER),
    ):
        found = judged("Plot it.", wanted, [code], OPTIONS, warm_box()).correctness
        assert (found.reason, found.passed) == (reason, not reason), code


def test_a_plot_of_plotly_that_is_changed_after_it_was_saved_needs_review() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed")
    plot = task(BARS).expected
    assert plot is not None
    files = {"chart.html": ExpectedFile(plot=plot.plot)}
    wanted = msgspec.structs.replace(task(BARS), expected=Expected(files=files))
    drawn = (
        "import plotly.graph_objects as go\nfig = go.Figure(go.Bar(x=df.region, y=df.qty))\n"
        "fig.update_layout(xaxis_title='Region', yaxis_title='Sales')\n"
    )
    late = "fig.write_json('chart.html')\nfig.update_traces(y=[1, 2, 3])"
    for code, reason in (
        (drawn + "fig.write_json('chart.html')", ""),
        (drawn + late, CHANGED_LATER.replace("png", "html")),
    ):
        found = judged("Plot it.", wanted, [code], OPTIONS, warm_box()).correctness
        assert (found.reason, found.passed) == (reason, not reason), code
