"""Results with units: converted where they measure the same, wrong where they do not.

Each conversion can be checked by hand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.sandbox import Column as Col
from karat.sandbox import Record, Table
from karat.suites.codegen.metrics.correctness import Correctness, as_gold, judge_in_unit
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Expected, TableSource, Task
from karat.suites.codegen.results.unit_table import UNITS, unit_of
from tests.suites.codegen.tasks import judge_code
from tests.suites.codegen.test_cases import task_of, written

OPTIONS = Options()


def word(value: object, unit: str, result: object) -> Correctness:
    return judge_in_unit(as_gold(value, calls=False), unit, result, ordered=False, options=OPTIONS)


SAME = [
    (2.5, "kg", 2.5),
    (2.5, "kg", "2.5 kg"),
    (2.5, "kg", "2500 g"),
    (2.5, "kg", "2,500 grams"),
    (2.5, "kg", "2500000mg"),
    (2.5, "kg", "0.0025 t"),
    (1, "lb", "453.59237 g"),
    (3, "km", "3000 m"),
    (1, "mi", "1.609344 km"),
    (12, "in", "1 ft"),
    (90, "min", "1.5 h"),
    (1, "d", "86400 s"),
    (2, "ha", "20000 m²"),
    (1, "m3", "1000 litres"),
    (0, "°C", "32 °F"),
    (100, "°C", "212 °F"),
    (20, "°C", "293.15 K"),
    (-40, "°F", "-40 °C"),
    (1, "GB", "1000 MB"),
    (1, "GiB", "1024 MiB"),
    (1, "B", "8 bits"),
    (1, "kWh", "3.6 MJ"),
    (36, "km/h", "10 m/s"),
    (36, "km/h", "10 meter / second"),
    (43.35, "%", "43.35%"),
    (43.35, "%", 43.35),
    (43.35, "%", 0.4335),
    (0.4335, "ratio", "43.35 %"),
    (0.4335, "ratio", 0.4335),
    (25, "bp", "0.25 %"),
    (2.5, "M", "2500 k"),
    (2.5, "bn", "2,500 million"),
    (5, "EUR", "5 EUR"),
    (5, "EUR", "€5"),
    (5, "USD", "$5.00"),
    (2_500_000, "EUR", "2.5 M EUR"),
    (3_000_000_000, "USD", "$3bn"),
    (3, "widgets", "3 widgets"),
    (3, "widgets", 3),
    ([1, 2], "kg", ["1000 g", "2 kg"]),
    ({"a": 1.0, "b": 2.0}, "kg", {"a": "1 kg", "b": "2000 g"}),
    (2.5, "kg", Record("Quantity", ("magnitude", "units"), (2500, "gram"))),
    ([1.5, 2], "km", Record("Quantity", ("magnitude", "units"), ([1500.0, 2000.0], "meter"))),
    ([1, 2], "kg", Table(2, (Col("w", "object", ["1000 g", "2 kg"]),))),
    (2.46, "kg", "2.4567 kg"),  # rounded, as without a unit
]


@pytest.mark.parametrize(("value", "unit", "result"), SAME)
def test_the_same_amount_is_right(value: object, unit: str, result: object) -> None:
    found = word(value, unit, result)
    assert found.passed, found


OTHER = [
    (2.5, "kg", "2.5 g", "unit_differs"),
    (2.5, "kg", "2.5 m", "unit_differs"),
    (2.5, "kg", "2500 m", "unit_differs"),
    (2.5, "kg", "2600 g", "values_differ"),
    (2.5, "kg", 2500, "values_differ"),  # a bare number is in the expected unit
    (43.35, "%", "0.4335 %", "scale_100"),
    (0.4335, "ratio", "0.4335 %", "unit_differs"),
    (0.4335, "ratio", 43.35, "scale_100"),
    (5, "USD", "5 EUR", "unit_differs"),
    (5, "EUR", "$5", "unit_differs"),
    (0, "°C", "0 °F", "unit_differs"),
    (3, "widgets", "3 boxes", "unit_differs"),
    (1, "MB", "1 Mb", "unit_differs"),
    (1, "m", "1 M", "unit_differs"),
    (2.5, "kg", Record("Quantity", ("magnitude", "units"), (2.5, "gram")), "unit_differs"),
    ([1, 2], "kg", ["1 kg", "2 s"], "unit_differs"),
]


@pytest.mark.parametrize(("value", "unit", "result", "reason"), OTHER)
def test_another_amount_or_unit_is_wrong(value: object, unit: str, result: object, reason: str) -> None:
    found = word(value, unit, result)
    assert (found.passed, found.reason) == (False, reason), found


def test_every_kind_has_one_unit_that_is_its_base_and_nothing_is_listed_twice() -> None:
    kinds = {unit.kind for unit in UNITS.values()}
    assert {"length", "mass", "time", "area", "volume", "temperature", "data", "energy", "speed", "number"} <= kinds
    for kind in kinds:
        assert any(unit.kind == kind and unit.factor == 1 and unit.offset == 0 for unit in UNITS.values()), kind
    assert len({(unit.kind, unit.name) for unit in UNITS.values() if unit.kind != unit.name}) >= 60
    assert unit_of("Kilograms") == unit_of("kg")


def test_in_a_run_and_no_constant_passes() -> None:
    tables = {"t": TableSource(columns={"grams": [1000, 1500, 200]})}
    task = Task(tables=tables, expected=Expected(value=2.7, unit="kg"), reference="result = t.grams.sum() / 1000")
    options = Options(performance=False)
    right = judge_code("result = f'{t.grams.sum()} g'", question="What is the total?", task=task, options=options)
    assert right.correctness.passed, right.correctness
    wrong = judge_code(
        "result = f'{t.grams.sum() / 1000} g'", question="What is the total?", task=task, options=options
    )
    assert wrong.correctness.reason == "unit_differs"
    fixed = judge_code("result = '2.7 kg'", question="What is the total?", task=task, options=options)
    assert fixed.correctness.reason == "only_fits_this_data"


@pytest.mark.parametrize(
    ("library", "code"),
    [
        ("pint", "pint.UnitRegistry().Quantity(t.grams.sum(), 'gram')"),
        ("astropy.units", "astropy.units.Quantity(t.grams.sum(), 'g')"),
    ],
)
def test_quantities_of_libraries(library: str, code: str) -> None:
    pytest.importorskip(library)
    task = Task(tables={"t": TableSource(columns={"grams": [1000, 1500]})}, expected=Expected(value=2.5, unit="kg"))
    assert judge_code(f"import {library}\nresult = {code}", question="What is it?", task=task).correctness.passed


def test_a_task_file_gives_value_and_unit(tmp_path: Path) -> None:
    (case,) = written(tmp_path, "- {id: a, question: q, expected: {value: 2.5, unit: kg}}").cases
    assert task_of(case).expected == Expected(value=2.5, unit="kg")
    for text in ("{unit: kg}", "{table: {a: [1]}, unit: kg}"):
        (problem,) = written(tmp_path, f"- {{id: a, question: q, expected: {text}}}").problems
        assert problem.message == "a unit belongs to a value"
