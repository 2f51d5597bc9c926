"""The score of a plot, on figures that a reader can check by hand."""

from typing import Any  # Any: fields of a panel

import pytest

from karat.suites.codegen.options import Options
from karat.suites.codegen.plots.records import (
    Figure,
    Order,
    Panel,
    PanelGold,
    PlotGold,
    PlotType,
    PlotVerdict,
    Series,
    SeriesGold,
    TextGold,
)
from karat.suites.codegen.plots.score import passed, reason_of, verdict_of

OPTIONS = Options().compare_options()
POINTS = (("North", 5), ("South", 3), ("East", 4))


def figure(*series: Series, **items: Any) -> Figure:  # Any: whatever a panel has
    return Figure("matplotlib", (Panel(tuple(series), **items),))


def judged(gold: PanelGold, *figures: Figure) -> PlotVerdict:
    return verdict_of(PlotGold((gold,)), figures, OPTIONS)


LABELS = {"x_label": "Region", "y_label": "Sales"}
GOLD = PanelGold(
    type=("bar",), series=(SeriesGold(POINTS),), x_label=TextGold(("Region", "Area")), y_label=TextGold(("Sales",))
)


def test_a_line_with_the_right_points_and_one_label() -> None:
    found = judged(GOLD, figure(Series("line", POINTS), x_label="Region"))
    assert found.score == pytest.approx(9 / 14)
    assert round(found.score, 3) == 0.643
    assert round(0.5 * found.score, 3) == 0.321
    assert [item.name for item in found.lost] == ["type", "y_label"]
    assert reason_of(found) == "plot_type"
    assert not passed(found)


def test_bars_at_the_wrong_categories() -> None:
    turned = (("North", 3), ("South", 4), ("East", 5))
    found = judged(GOLD, figure(Series("bar", turned), **LABELS))
    assert found.score == pytest.approx(6 / 14)
    assert round(found.score, 3) == 0.429
    assert reason_of(found) == "plot_data"


def test_all_items_met() -> None:
    found = judged(GOLD, figure(Series("bar", POINTS[::-1]), **LABELS))
    assert found.score == 1
    assert passed(found)
    assert reason_of(found) == ""


def test_nothing_drawn() -> None:
    found = judged(GOLD)
    assert found.score == 0
    assert reason_of(found) == "no_plot"
    assert judged(GOLD, Figure("matplotlib")).score == 0


def test_what_other_graders_accept() -> None:
    drinks = PanelGold(type=("bar",), series=(SeriesGold((("tea", 0.009), ("cocoa", 2), ("milk", 3))),))
    assert judged(drinks, figure(Series("bar", (("tea", 0.009), ("tea", 2), ("tea", 3))))).score < 1
    assert judged(drinks, figure(Series("bar", (("tea", 0.001), ("cocoa", 2), ("milk", 3))))).score < 1
    assert judged(drinks, figure(Series("bar", (("cocoa", 0.009), ("milk", 2), ("tea", 3))))).items[1].score == 0


@pytest.mark.parametrize(
    ("wanted", "given", "score"),
    [
        ("line", Series("step", POINTS), 0.5),
        ("area", Series("line", POINTS), 0.5),
        ("bar", Series("hist", ((0, 1, 5),)), 0.5),
        ("scatter", Series("line", POINTS, markers=True), 0.5),
        ("scatter", Series("line", POINTS), 0),
        ("line", Series("scatter", POINTS), 0.5),
        ("bar", Series("line", POINTS), 0),
        ("pie", Series("bar", POINTS), 0),
    ],
)
def test_families_of_types(wanted: PlotType, given: Series, score: float) -> None:
    found = judged(PanelGold(type=(wanted,), series=(SeriesGold(POINTS),)), figure(given))
    assert found.items[0].score == score


def test_a_list_of_types_means_any_of_them() -> None:
    gold = PanelGold(type=("line", "bar"), series=(SeriesGold(POINTS),))
    assert passed(judged(gold, figure(Series("bar", POINTS))))


# -- data -------------------------------------------------------------------------------------------------------------


def data(gold: PanelGold, *series: Series) -> float:
    return next(item.score for item in judged(gold, figure(*series)).items if item.name == "data")


def test_data_is_an_f1_over_points() -> None:
    gold = PanelGold(series=(SeriesGold(POINTS),))
    assert data(gold, Series("bar", (("North", 5), ("South", 3), ("East", 5)))) == pytest.approx(4 / 6)
    assert data(gold, Series("bar", POINTS[:2])) == pytest.approx(4 / 5)
    assert data(gold, Series("bar", POINTS), Series("bar", POINTS)) == pytest.approx(6 / 9)


def test_numbers_compare_like_cells() -> None:
    gold = PanelGold(series=(SeriesGold((("a", 0.3333), (2, 1_000_000))),))
    assert data(gold, Series("bar", (("a", 1 / 3), ("2", 1_000_000.0)))) == 1
    assert data(gold, Series("bar", (("a", 0.34), (2, 1_000_001)))) == 0


def test_series_are_paired_by_name() -> None:
    gold = PanelGold(series=(SeriesGold((("a", 1),), "one"), SeriesGold((("a", 2),), "two")))
    right = Series("bar", (("a", 2),), "Two"), Series("bar", (("a", 1),), "one")
    assert data(gold, *right) == 1
    swapped = Series("bar", (("a", 1),), "two"), Series("bar", (("a", 2),), "one")
    assert data(gold, *swapped) == 0
    bare = Series("bar", (("a", 2),)), Series("bar", (("a", 1),))
    assert data(gold, *bare) == 1


def test_series_without_names_are_paired_by_their_points() -> None:
    first, second, third = ((("a", 1), ("b", 2)), (("a", 1), ("b", 3)), (("a", 1), ("b", 4)))
    gold = PanelGold(series=tuple(SeriesGold(points) for points in (first, second, third)))
    assert data(gold, *(Series("line", points) for points in (third, first, second))) == 1


def test_the_name_of_an_only_series_does_not_matter() -> None:
    gold = PanelGold(series=(SeriesGold(POINTS, "sales"),))
    assert data(gold, Series("bar", POINTS, "qty")) == 1


def test_points_in_the_colours_of_their_groups_are_one_cloud() -> None:
    one, other = Series("scatter", POINTS[:1], "a"), Series("scatter", POINTS[1:], "b")
    assert data(PanelGold(series=(SeriesGold(POINTS),)), one, other) == 1
    assert data(PanelGold(series=(SeriesGold(POINTS, "sales"),)), one, other) < 1
    assert data(PanelGold(series=(SeriesGold(POINTS),)), one, Series("line", POINTS[1:])) < 1


def test_the_first_day_of_a_month_is_the_month() -> None:
    gold = PanelGold(series=(SeriesGold((("2024-01", 1), ("2024-02", 2))),))
    assert data(gold, Series("line", (("2024-01-01", 1), ("2024-02-01", 2)))) == 1
    assert data(gold, Series("line", (("2024-01-01", 1), ("2024-02-02", 2)))) == 0
    years = PanelGold(series=(SeriesGold((("2023", 1), ("2024", 2))),))
    assert data(years, Series("line", (("2023-01-01", 1), ("2024-02-01", 2)))) == 0


def test_a_bar_of_nothing_may_be_missing() -> None:
    gold = PanelGold(type=("bar",), series=(SeriesGold((*POINTS, ("West", 0), ("Mid", None))),))
    assert data(gold, Series("bar", POINTS)) == 1
    assert data(PanelGold(series=(SeriesGold(POINTS),)), Series("bar", (*POINTS, ("West", 0)))) == 1
    assert data(gold, Series("line", POINTS)) == pytest.approx(6 / 7)
    assert data(gold, Series("bar", (*POINTS, ("West", 1)))) == pytest.approx(6 / 8)


def test_a_pie_compares_shares() -> None:
    gold = PanelGold(type=("pie",), series=(SeriesGold((("a", 30), ("b", 10))),))
    assert data(gold, Series("pie", (("b", 0.25), ("a", 0.75)))) == 1
    assert data(gold, Series("pie", (("b", 0.75), ("a", 0.25)))) == 0


def test_values_without_places_compare_in_their_order() -> None:
    gold = PanelGold(series=(SeriesGold(((0, 5), (1, None), (2, 7)), placed=False),))
    assert data(gold, Series("line", ((2001, 5), (2002, 7)))) == 1
    assert data(gold, Series("line", ((2001, 5), (2002, 6), (2003, 7)))) == pytest.approx(2 / 5)
    gold = PanelGold(series=(SeriesGold(((0, 5), (1, 7)), placed=False),))
    assert data(gold, Series("line", ((2001, 5), (2002, 7)))) == 1
    assert data(gold, Series("line", ((2001, 7), (2002, 5)))) == 0


# -- order, texts, scales ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "points", "right"),
    [
        ("descending", (("North", 5), ("East", 4), ("South", 3)), True),
        ("descending", POINTS, False),
        ("descending", (("a", 2), ("b", 2), ("c", 1)), True),
        ("ascending", (("South", 3), ("East", 4), ("North", 5)), True),
        ("x", (("East", 4), ("North", 5), ("South", 3)), True),
        ("x", POINTS, False),
        ("x", (("2", 1), ("10", 1)), True),
        ("given", POINTS, True),
        ("given", (("North", 5), ("East", 4), ("South", 3)), False),
    ],
)
def test_orders(order: Order, points: tuple[tuple[str, int], ...], right: bool) -> None:
    gold = PanelGold(series=(SeriesGold(POINTS),), order=order)
    item = next(item for item in judged(gold, figure(Series("bar", points))).items if item.name == "order")
    assert (item.score, item.weight) == (float(right), 2)


def test_the_order_of_stacks_is_that_of_their_sums() -> None:
    series = Series("bar", (("a", 1), ("b", 2)), "one"), Series("bar", (("a", 9), ("b", 3)), "two")
    gold = PanelGold(series=(SeriesGold((("a", 1),)),), order="descending")
    assert judged(gold, figure(*series)).items[1].score == 1


@pytest.mark.parametrize(
    ("gold", "given", "right"),
    [
        (TextGold(("Net Sales",)), "net   sales", True),
        (TextGold(("Sales (10 %)",)), r"$\mathbf{Sales}$ (10 \%)", True),
        (TextGold(("Sales",)), "<b>Sales</b>", True),
        (TextGold(("Sales",)), "Sale", False),
        (TextGold(("Sales",)), "Sales by region", False),
        (TextGold(contains=("region",)), "Sales by Region", True),
        (TextGold(("Café",)), "Cafe\u0301", True),
        (TextGold(("a < b > c",)), "a < b > c", True),
    ],
)
def test_texts(gold: TextGold, given: str, right: bool) -> None:
    found = judged(PanelGold(series=(SeriesGold(POINTS),), title=gold), figure(Series("bar", POINTS), title=given))
    assert found.items[1].score == float(right)


def test_the_title_of_the_whole_figure_counts_too() -> None:
    gold = PanelGold(series=(SeriesGold(POINTS),), title=TextGold(("Sales",)))
    drawn = Figure("matplotlib", (Panel((Series("bar", POINTS),)),), title="Sales")
    assert passed(judged(gold, drawn))


def test_ranges_have_slack() -> None:
    gold = PanelGold(series=(SeriesGold(POINTS),), y_range=(0, 100))
    assert judged(gold, figure(Series("bar", POINTS), y_range=(0, 101))).items[1].score == 1
    assert judged(gold, figure(Series("bar", POINTS), y_range=(0, 102))).items[1].score == 0


def test_legends() -> None:
    series = (SeriesGold(POINTS),)
    for stated, given, right in (
        (("a", "b"), ("B", "a"), True),
        (("a", "b"), ("a",), False),
        (True, ("x",), True),
        (True, None, False),
        (False, None, True),
        (False, ("x",), False),
    ):
        found = judged(PanelGold(series=series, legend=stated), figure(Series("bar", POINTS), legend=given))
        assert found.items[1].score == float(right)


# -- panels -----------------------------------------------------------------------------------------------------------


def test_panels_are_paired_by_title_or_place() -> None:
    one, two = (("a", 1),), (("a", 2),)
    titled = [
        PanelGold(series=(SeriesGold(points),), title=TextGold((name,))) for points, name in ((one, "A"), (two, "B"))
    ]
    turned = Figure("matplotlib", (Panel((Series("bar", two),), title="B"), Panel((Series("bar", one),), title="A")))
    assert passed(verdict_of(PlotGold(tuple(titled)), [turned], OPTIONS))
    bare = PlotGold(tuple(PanelGold(series=(SeriesGold(points),)) for points in (one, two)))
    placed = Figure("matplotlib", (Panel((Series("bar", one),)), Panel((Series("bar", two),))))
    assert passed(verdict_of(bare, [placed], OPTIONS))
    apart = [Figure("matplotlib", (panel,)) for panel in placed.panels]
    assert passed(verdict_of(bare, apart, OPTIONS))


def test_a_missing_panel_counts_nothing_and_one_too_many_too() -> None:
    one = Panel((Series("bar", (("a", 1),)),))
    gold = PanelGold(series=(SeriesGold((("a", 1),)),))
    missing = verdict_of(PlotGold((gold, gold)), [Figure("matplotlib", (one,))], OPTIONS)
    assert (missing.score, missing.problem, passed(missing)) == (0.5, "1 panel missing", False)
    extra = verdict_of(PlotGold((gold,)), [Figure("matplotlib", (one, one))], OPTIONS)
    assert (extra.score, extra.problem, passed(extra)) == (0.5, "1 panel more than expected", False)
    assert reason_of(extra) == "plot_data"


def test_the_last_figure_counts_unless_one_is_the_answer() -> None:
    right, wrong = (figure(Series("bar", points)) for points in (POINTS, (("North", 1),)))
    gold = PanelGold(series=(SeriesGold(POINTS),))
    assert passed(judged(gold, wrong, right))
    assert not passed(judged(gold, right, wrong))
    answer = Figure("matplotlib", right.panels, answer=True)
    assert passed(judged(gold, answer, wrong))


def test_many_points_are_compared_in_time() -> None:
    points = tuple((place / 7, (place * 37 % 1001) / 13) for place in range(20_000))
    noisy = tuple((x * (1 + 1e-9), y * (1 - 1e-9)) for x, y in reversed(points))
    assert data(PanelGold(series=(SeriesGold(points),)), Series("scatter", noisy)) == 1
