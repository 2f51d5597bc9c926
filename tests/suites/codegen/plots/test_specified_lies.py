"""Figures of plotly and Vega-Lite that show other data than they hold: each needs review, or shows nothing."""

import json

import pytest

from karat.core.json_types import JsonObject
from karat.suites.codegen.plots.received_figures import figures_of
from karat.suites.codegen.plots.records import Figure

X, Y = ["North", "South", "East"], [5, 3, 4]
ROWS = [{"region": name, "qty": value, "price": price} for name, value, price in zip(X, Y, (1, 2.5, 3), strict=True)]


def plotly(trace: JsonObject, layout: JsonObject | None = None, *more: JsonObject) -> Figure:
    data = [{"type": "bar", "x": X, "y": Y, **trace}, *more]
    spec = json.dumps({"data": data, "layout": layout or {}})
    (found,) = figures_of([json.dumps({"library": "plotly", "specification": spec}).encode()])
    return found


def vega(mark: JsonObject | None = None, encoding: JsonObject | None = None, **more: object) -> Figure:
    x, y = {"field": "region", "type": "nominal"}, {"field": "qty", "type": "quantitative"}
    unit = {"mark": {"type": "bar", **(mark or {})}, "encoding": {"x": x, "y": y, **(encoding or {})}}
    texts = more.pop("texts", None)
    own = {"layer": [unit, {"mark": "text", "encoding": {"x": x, "y": y, "text": texts}}]} if texts else unit
    spec = json.dumps({"data": {"values": ROWS}, **own, **more})
    (found,) = figures_of([json.dumps({"library": "vega", "specification": spec}).encode()])
    return found


LINE: JsonObject = {"type": "scatter", "mode": "lines", "x": [1, 2, 3]}
POINTS: JsonObject = {"type": "scatter", "mode": "markers", "x": [1, 2, 3]}
PIE: JsonObject = {"type": "pie", "labels": X, "values": Y, "x": None, "y": None}
HEAT: JsonObject = {"type": "heatmap", "x": ["a", "b"], "y": ["r", "s"], "z": [[1, 2], [3, 4]]}
WHITE: JsonObject = {"template": {"layout": {"plot_bgcolor": "white"}}}
SECOND: JsonObject = {"yaxis": {"range": [0, 500]}, "yaxis2": {"overlaying": "y", "visible": False, "range": [0, 5]}}
AGAIN: JsonObject = {"type": "bar", "x": X, "y": [9, 9, 9], "marker": {"color": "white"}}
DAYS: JsonObject = {"x": ["2024-01-05", "2024-01-06", "2024-01-08"]}
PLOTLY: dict[str, tuple[JsonObject, JsonObject]] = {
    "other numbers on bars": ({"text": ["9", "8", "7"]}, {}),
    "numbers of other bars": ({"text": [3, 4, 5]}, {}),
    "a digit more": ({"texttemplate": "%{y}0"}, {}),
    "one number for all": ({"texttemplate": "7"}, {}),
    "custom data": ({"texttemplate": "%{customdata[0]}", "customdata": [[1], [2.5], [3]]}, {}),
    "other numbers at points": ({**LINE, "mode": "lines+text", "text": ["50", "30", "40"]}, {}),
    "notes": ({}, {"annotations": [{"x": at, "y": value, "text": f"{value}0"} for at, value in enumerate(Y)]}),
    "a pie's texts": ({**PIE, "text": ["10%", "20%", "70%"], "textinfo": "text"}, {}),
    "a pie's wedge that is hidden": (PIE, {"hiddenlabels": ["North"]}),
    "texts in fields": ({**HEAT, "text": [[7, 7], [1, 9]], "texttemplate": "%{text}"}, {}),
    "a heatmap that is turned": ({**HEAT, "transpose": True}, {}),
    "a heatmap of one colour": ({**HEAT, "colorscale": [[0, "white"], [1, "white"]]}, {}),
    "little opacity": ({"opacity": 0.001}, {}),
    "points of little opacity": ({**POINTS, "marker": {"opacity": 0.001}}, {}),
    "a thin line": ({**LINE, "line": {"width": 0.001}}, {}),
    "a line of gaps": ({**LINE, "line": {"dash": "0px,5000px"}}, {}),
    "nearly white": ({"marker": {"color": "#fefefe"}}, WHITE),
    "hidden by the template": ({}, {"template": {"data": {"bar": [{"opacity": 0}]}}}),
    "a range of the template": ({}, {"template": {"layout": {"yaxis": {"range": [50, 60]}}}}),
    "ticks of the template": ({}, {"template": {"layout": {"yaxis": {"tickvals": [0, 5], "ticktext": ["0", "50"]}}}}),
    "gaps for bars": ({}, {"bargap": 1}),
    "a panel without room": ({}, {"xaxis": {"domain": [0.5, 0.5]}}),
    "a small figure": ({}, {"width": 10, "height": 10}),
    "margins alone": ({}, {"width": 700, "margin": {"l": 690, "r": 10}}),
    "shares of areas": ({**LINE, "stackgroup": "one", "groupnorm": "percent"}, {}),
    "points of a selection": ({**POINTS, "selectedpoints": [], "unselected": {"marker": {"opacity": 0}}}, {}),
    "labels beside ticks": ({}, {"xaxis": {"ticklabelshift": 220}}),
    "a power that is hidden": ({}, {"yaxis": {"showexponent": "none"}}),
    "values as categories": ({}, {"yaxis": {"type": "category"}}),
    "numbers of another axis": ({**LINE, "yaxis": "y2"}, SECOND),
    "a break with data": (DAYS, {"xaxis": {"rangebreaks": [{"values": ["2024-01-06"]}]}}),
    "weekends with data": (DAYS, {"xaxis": {"rangebreaks": [{"bounds": ["sat", "mon"]}]}}),
    "shapes like bars": ({}, {"shapes": [{"type": "rect", "x0": -0.4, "x1": 0.4, "y0": 0, "y1": 9, "fillcolor": "red",
                                         "layer": "below"}]}),
}  # fmt: skip
FINE: dict[str, tuple[JsonObject, JsonObject]] = {
    "own numbers": ({"texttemplate": "%{y:.2s}"}, {}),
    "texts of the values": ({"text": ["$5", "$3", "$4.0"]}, {}),
    "shares": ({"text": ["41.7%", "25.0%", "33.3%"]}, {}),
    "names": ({"text": X}, {}),
    "growth": ({"text": ["", "-40%", "+33%"]}, {}),
    "a peak": (LINE, {"annotations": [{"x": 1, "y": 5, "text": "Peak: 5"}]}),
    "a pie's own": ({**PIE, "texttemplate": "%{label}: %{value} (%{percent})"}, {}),
    "fields": ({**HEAT, "text": [[1, 2], [3, 4]], "texttemplate": "%{text:.1f}"}, {}),
    "a template": ({}, {"template": {"layout": {"xaxis": {"title": {"standoff": 15}}}, "data": {"bar": [{"marker": {
        "line": {"color": "#E5ECF6", "width": 0.5}}}]}}}),
    "bars that lie": ({"x": Y, "y": X, "orientation": "h"}, {"yaxis": {"type": "category"}}),
    "weekends without data": ({"x": ["2024-01-04", "2024-01-05", "2024-01-08"]},
                              {"xaxis": {"rangebreaks": [{"bounds": ["sat", "mon"]}]}}),
}  # fmt: skip


@pytest.mark.parametrize(("trace", "layout"), PLOTLY.values(), ids=PLOTLY.keys())
def test_what_plotly_shows_otherwise_does_not_count(trace: JsonObject, layout: JsonObject) -> None:
    found = plotly(trace, layout)
    assert found.problem or not any(series.points for panel in found.panels for series in panel.series)


@pytest.mark.parametrize(("trace", "layout"), FINE.values(), ids=FINE.keys())
def test_what_people_draw_with_plotly_is_read(trace: JsonObject, layout: JsonObject) -> None:
    found = plotly(trace, layout)
    assert found.panels and not found.problem


def test_lines_and_bands_of_plotly() -> None:
    upper: JsonObject = {"type": "scatter", "mode": "lines", "x": [1, 2, 3], "y": [9, 1, 9], "fill": "tonexty"}
    (panel,) = plotly(LINE, {}, upper).panels
    assert len(panel.series) == 2  # its line is to be seen
    (panel,) = plotly(LINE, {}, {**upper, "line": {"width": 0}}).panels
    assert len(panel.series) == 1
    around: JsonObject = {"type": "scatter", "x": [1, 3, 3, 1], "y": [6, 6, 2, 2], "fill": "toself"}
    (panel,) = plotly(LINE, {}, {**around, "line": {"color": "rgba(255,255,255,0)"}}).panels
    assert len(panel.series) == 1  # marks have the colour of their line


VEGA: dict[str, Figure] = {
    "one number for all": vega(texts={"value": "9"}),
    "numbers of another column": vega(texts={"field": "price", "type": "quantitative"}),
    "little opacity": vega({"opacity": 0.001}),
    "an opacity that is computed": vega({"opacity": {"expr": "0"}}),
    "the settings of bars": vega(config={"bar": {"opacity": 0}}),
    "the settings of marks": vega(config={"mark": {"opacity": 0}}),
    "a style": vega({"style": "s"}, config={"style": {"s": {"opacity": 0}}}),
    "white colours": vega({}, {"color": {"field": "region"}}, config={"range": {"category": ["white"]}}),
    "nearly white": vega({"color": "#fefefe"}),
    "a line of gaps": vega({"type": "line", "strokeDash": [0, 5000]}),
    "a shift": vega({"yOffset": -100}),
    "a shift of an encoding": vega({}, {"xOffset": {"value": 20}}),
    "a range in pixels": vega({}, {"y": {"field": "qty", "type": "quantitative", "scale": {"range": [300, 300]}}}),
    "ends of a domain": vega({}, {"y": {"field": "qty", "type": "quantitative", "scale": {"domainMax": 2}}}),
    "a bundle": vega({"type": "line", "interpolate": "bundle"}),
    "values as names": vega({}, {"y": {"field": "qty", "type": "nominal"}}),
    "no room": vega(width=1),
    "a condition": vega({}, {"color": {"condition": {"test": "true", "value": "white"}, "value": "blue"}}),
    "filled values": vega({}, {"y": {"field": "qty", "type": "quantitative", "impute": {"value": 9}}}),
    "times": vega({}, {"y": {"field": "qty", "type": "quantitative", "axis": {"formatType": "time", "format": "9"}}}),
    "another end": vega({"y2": 20}),
    "names that are computed": vega({}, {"color": {"field": "region", "legend": {"labelExpr": "'x'"}}}),
}
VEGA_FINE = {
    "own numbers": vega(texts={"field": "qty", "type": "quantitative", "format": ".1f"}),
    "names": vega(texts={"field": "region"}),
    "a pale colour": vega({"color": "#eee"}),
    "settings": vega(config={"mark": {"opacity": 0.8}, "view": {"strokeWidth": 0}}),
    "a highlight": vega({}, {"color": {"condition": {"test": "datum.qty > 4", "value": "orange"}, "value": "grey"}}),
    "a selection": vega({}, {"opacity": {"condition": {"param": "brush", "value": 1}, "value": 0.2}}),
}


@pytest.mark.parametrize("name", VEGA)
def test_what_vega_shows_otherwise_does_not_count(name: str) -> None:
    found = VEGA[name]
    assert found.problem or not any(series.points for panel in found.panels for series in panel.series)


@pytest.mark.parametrize("name", VEGA_FINE)
def test_what_people_draw_with_vega_is_read(name: str) -> None:
    assert VEGA_FINE[name].panels and not VEGA_FINE[name].problem
