"""Results with units: converted where they measure the same, wrong where they do not.

Each conversion can be checked by hand.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from karat.sandbox import Column as Col
from karat.sandbox import Record, Table
from karat.suites.codegen.metrics.correctness import Correctness, as_gold, judge_in_unit
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Expected, TableSource, Task
from karat.suites.codegen.results.unit_names import UNITS, unit_of
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
    (0.125, "kg", "0,125 kg"),  # a comma before decimals, where it cannot be one between thousands
    (2.5, "kg", "2,5 kg"),
    (1234.5, "EUR", "1.234,50 €"),
    (1234567.89, "kg", "1 234 567,89 kg"),
    (1_234_567, "INR", "₹12,34,567"),
    (5_000_000, "EUR", "5 million EUR"),
    (5_000_000, "EUR", "5 Mio. €"),
    (5_000_000, "USD", "$5 million"),
    (2_500_000, "USD", "2.5 million US dollars"),
    (5.25, "ft", "5 ft 3 in"),
    (1, "g/cm3", "1000 kg/m3"),
    (5, "EUR", "5 euros"),
    (5, "AUD", "A$5"),
    (-5, "USD", "($5)"),
    (2.5, "EUR/kg", "2500 €/t"),
    (7, "l/100 km", "0.07 L/km"),
    (90, "km/h", "90 kilometers per hour"),
    (90, "km/h", "25 m s⁻¹"),
    (7, "kg/m3", "7 kg/m³"),
    (2.5, "µm", "2.5 μm"),  # two signs for micro
    (25, "°C", "77℉"),
    (25, "degrees Celsius", "25 ºC"),
    (2.5, "m²", "2.5 sq m"),
    (8, "Mbit", "1 MB"),
    (1, "year", "12 months"),
    (1, "widget", "1 widgets"),
    (2.5, "h", "2 h 30 min"),
    (2.5, "h", "2 hours and 30 minutes"),
    (2.5, "h", timedelta(minutes=150)),
    (2.5, "h", "PT2H30M"),
    (12.5, "%", "0.125"),
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
    (125, "kg", "0,125 kg", "values_differ"),  # no comma between thousands
    (25, "kg", "2,5 kg", "values_differ"),
    (2.5, "kg", "2,500 kg", "values_differ"),
    (5, "USD", "A$5", "unit_differs"),  # another dollar
    (5, "USD", "C$ 5", "unit_differs"),
    (5, "NGN", "₱5", "unit_differs"),
    (5, "EUR/kg", "5 EUR", "unit_differs"),
    (5, "EUR/kg", "5 EUR/t", "unit_differs"),
    (1, "MB/s", "1 Mbit/s", "unit_differs"),
    (1, "h", "1 h 30 kg", "unit_differs"),
    (1, "h", "1 h 30 min", "unit_differs"),
    (1, "kg", timedelta(seconds=1), "unit_differs"),
    (1, "year", "1 month", "unit_differs"),
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
