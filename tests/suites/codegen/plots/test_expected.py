"""Reading of ``expected.plot``, and what is wrong in one, with its line."""

from pathlib import Path

import pytest
import yaml

from karat.core.yaml.structs import Findings
from karat.suites.codegen.cases import load_cases
from karat.suites.codegen.options import Options
from karat.suites.codegen.plots.expectation.expected import read_plot
from karat.suites.codegen.plots.expectation.plot_spec import written_plot
from karat.suites.codegen.plots.records import PanelGold, PlotGold, SeriesGold, TextGold
from karat.suites.codegen.tasks.check import check_cases


def read(text: str, folder: Path = Path()) -> tuple[PlotGold | None, list[str]]:
    findings = Findings("tasks.yaml")
    found = read_plot(yaml.compose(text), folder, findings)
    return found, [f"{problem.line}: {problem.message} {problem.hint}".strip() for problem in findings.problems]


def test_every_key() -> None:
    found, problems = read(
        """
type: [bar, line]
series:
  - {name: sales, x: [North, South], y: [5, 2.5]}
  - {x: [2020-01-01, "2020-01-02 00:00:00"], y: [1, null]}
order: descending
title: Sales
x_label: [Region, Area]
y_label: {contains: sold}
x_scale: linear
y_scale: log
x_range: [0, 10]
y_range: [-1, 1.5]
legend: [sales, 2]
stacked: false
horizontal: true
"""
    )
    assert problems == []
    assert found == PlotGold(
        (
            PanelGold(
                ("bar", "line"),
                (
                    SeriesGold((("North", 5), ("South", 2.5)), "sales"),
                    SeriesGold((("2020-01-01", 1), ("2020-01-02", None))),
                ),
                "descending",
                TextGold(("Sales",)),
                TextGold(("Region", "Area")),
                TextGold(contains=("sold",)),
                "linear",
                "log",
                (0.0, 10.0),
                (-1.0, 1.5),
                ("sales", "2"),
                stacked=False,
                horizontal=True,
            ),
        )
    )


def test_points_of_other_types() -> None:
    hist, _ = read("{type: hist, series: [{x: [0, 1, 2], y: [5, 6]}]}")
    assert hist is not None
    assert hist.panels[0].series[0].points == ((0, 1, 5), (1, 2, 6))
    box, _ = read("{type: box, series: [{x: [a], y: [[1, 2, 3, 0, 4]]}]}")
    assert box is not None
    assert box.panels[0].series[0].points == (("a", 1, 2, 3, 0, 4),)
    heat, _ = read("{type: heatmap, series: [{x: [a, b], y: [c], z: [[1, 2]]}]}")
    assert heat is not None
    assert heat.panels[0].series[0].points == (("a", "c", 1), ("b", "c", 2))
    bare, _ = read("{type: line, series: [{y: [4, 5]}]}")
    assert bare is not None
    assert bare.panels[0].series[0] == SeriesGold(((0, 4), (1, 5)), placed=False)


def test_series_from_a_table_and_a_file(tmp_path: Path) -> None:
    (tmp_path / "right.csv").write_text("region,kind,qty\nNorth,a,5\nSouth,a,3\nNorth,b,1.5\n")
    found, problems = read("{type: bar, file: right.csv, x: region, y: qty, series: kind}", tmp_path)
    assert problems == []
    assert found is not None
    assert found.panels[0].series == (
        SeriesGold((("North", 5), ("South", 3)), "a"),
        SeriesGold((("North", 1.5),), "b"),
    )
    found, _ = read("{table: {a: [x, y], b: [1, 2]}, x: a, y: b}")
    assert found is not None
    assert found.panels[0].series == (SeriesGold((("x", 1), ("y", 2))),)


@pytest.mark.parametrize(
    "text",
    [
        "{type: [bar, line], series: [{name: a, x: [p, q], y: [1, null]}], order: x, x_range: [0, 1], legend: false}",
        "{type: hist, series: [{x: [0, 1, 2], y: [5, 6]}], x_label: {contains: a}, title: [a, b], stacked: false}",
        "{type: box, series: [{x: [a], y: [[1, 2, 3, 0, 4]]}], horizontal: true, legend: [a]}",
        "{type: heatmap, series: [{x: [a, b], y: [c, d], z: [[1, 2], [3, null]]}], y_scale: log}",
        "{panels: [{series: [{y: [1]}]}, {reference: [data, order], title: b}]}",
    ],
)
def test_what_is_read_can_be_written(text: str) -> None:
    found, _ = read(text)
    assert found is not None
    again, problems = read(yaml.safe_dump(written_plot(found)))
    assert problems == []
    assert again == found


def test_panels() -> None:
    found, problems = read("panels:\n  - {series: [{y: [1]}]}\n  - {series: [{y: [2]}], title: B}")
    assert problems == []
    assert found is not None
    assert len(found.panels) == 2


def test_a_reference_says_the_rest() -> None:
    found, _ = read("{reference: [type, data], x_label: Region}")
    assert found is not None
    assert found.panels[0].reference == ("type", "data")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("type: bar", "1: a plot without series: nothing says which data it shows"),
        ("type: bar\nseries: []", "2: expected a list of series here, at least one"),
        ("type: baar\nseries: [{y: [1]}]", '1: there is no type of plot "baar" Did you mean "bar"?'),
        ("series: [{y: [1]}]\nordr: x", '2: unknown key "ordr"'),
        ("series: [{y: [1]}]\norder: up", "2: "),
        ("series:\n  - {x: [1, 2], y: [1]}", "2: 2 values under x and 1 under y"),
        ("series:\n  - {x: [1, 2]}", "2: "),
        ("type: hist\nseries:\n  - {x: [1, 2], y: [1, 2]}", "3: a histogram of 2 counts needs 3 edges"),
        ("type: box\nseries:\n  - {y: [1]}", "3: a box needs"),
        ("series: [{y: [1]}]\nx_range: [1]", "2: expected a range here"),
        ("series: [{y: [1]}]\nlegend: {a: 1}", "2: expected the names in the legend"),
        ("series: [{y: [1]}]\nx_label: {has: a}", "2: expected a text"),
        ("reference: [colour]", '1: the reference cannot say "colour"'),
        ("series: [{y: [1]}]\nreference: [data]", "1: the data is stated"),
        ("table: {a: [1], b: [2]}\nx: a\ny: c", '1: the table has no column "c"'),
        ("file: none.csv\nx: a\ny: b", '1: there is no file "none.csv"'),
        ("panels:\n  - {type: bar}", "2: a plot without series"),
        ("type: bar\npanels:\n  - {series: [{y: [1]}]}", '1: "type" cannot be beside "panels"'),
        ("series: [{y: [1]}]\norder: given", '1: the order "given" needs series with x'),
    ],
)
def test_mistakes(text: str, said: str) -> None:
    found, problems = read(text)
    assert found is None
    assert problems
    assert problems[0].startswith(said)


def test_a_task_file_says_what_is_wrong_with_its_plot(tmp_path: Path) -> None:
    file = tmp_path / "tasks.yaml"
    file.write_text(
        "- id: a\n  question: Draw it.\n  expected:\n    plot:\n      type: bar\n"
        "- id: b\n  question: Draw it.\n  expected: {plot: {series: [{y: [1]}]}, valu: 3}\n"
        "- id: c\n  question: Draw it.\n  expected: {plot: {reference: [type, data]}}\n"
        "- id: d\n  question: Draw it.\n  expected: {plot: {type: line, series: [{y: [1, 2]}]}}\n"
    )
    loaded = load_cases(file)
    assert [case.id for case in loaded.cases] == ["c", "d"]
    assert [(problem.line, problem.message.partition(":")[0]) for problem in loaded.problems] == [
        (5, "a plot without series"),
        (8, 'unknown name "valu" beside "plot"'),
    ]
    checked = check_cases(loaded.cases, (), Options())
    errors = [problem for problem in checked.problems if problem.severity == "error"]
    assert [(problem.line, "has no reference" in problem.message) for problem in errors] == [(9, True)]
