"""How time grows with rows: the exponent by hand, and quadratic and linear code for real."""

from __future__ import annotations

import pytest

from karat.suites.codegen.metrics.performance import performance_of
from karat.suites.codegen.metrics.timing.growth import SWITCHED_OFF
from karat.suites.codegen.metrics.timing.growth import score as growth_score
from karat.suites.codegen.metrics.timing.time_ratio import score as ratio_score
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import TableSource, Task
from karat.suites.codegen.running.sandbox_client import warm_box
from karat.suites.codegen.timing.growth import curve_of, flag_of
from karat.suites.codegen.timing.records import Curve, GrowthPoint
from karat.suites.codegen.timing.scaled_tables import scaled
from tests.suites.codegen.tasks import MEANS, judge_code

ROWS = 1_000
DISTINCT = Task(
    tables={"t": TableSource(columns={"k": list(range(ROWS)), "x": [n * 0.5 for n in range(ROWS)]})},
    reference='result = df["k"].nunique()',
)
IN_LIST = """
seen = []
for key in df["k"]:
    if key not in seen:
        seen.append(key)
result = len(seen)
"""


def points(*medians: float) -> list[GrowthPoint]:
    return [GrowthPoint(1_000 * 4**place, (seconds,)) for place, seconds in enumerate(medians)]


def test_the_exponent_comes_from_the_last_two_sizes() -> None:
    own, reference = curve_of(points(0.02, 0.3, 4.8)), curve_of(points(0.01, 0.04, 0.16))
    assert (own.exponent, reference.exponent) == (2.0, 1.0)
    assert flag_of(own, reference) == "grows_faster" and not flag_of(reference, own)
    assert not flag_of(Curve(exponent=1.9), Curve(exponent=1.6))  # the reference grows like this too
    assert not flag_of(Curve(exponent=1.45), Curve(exponent=0.5))
    assert not flag_of(Curve(exponent=2.0), Curve())


def test_the_interval_is_that_of_the_repeats() -> None:
    found = curve_of([GrowthPoint(1_000, (0.1, 0.2)), GrowthPoint(4_000, (0.8, 1.6))])
    assert (found.low, found.high) == (1.0, 2.0) and found.exponent == 1.5


def test_a_size_that_runs_out_of_time_gives_the_least_exponent() -> None:
    found = curve_of(points(0.08, 0.32), ran_out=20.48)
    assert found.exponent == 3.0 and found.ran_out_of_time and found.high is None
    assert not curve_of(points(0.02, 0.32), ran_out=0.64).ran_out_of_time


def test_what_is_too_quick_has_no_exponent() -> None:
    assert curve_of(points(0.0, 0.00001)).exponent is None
    assert curve_of(points(0.5)).exponent is None


@pytest.fixture
def soon_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of a second is enough here: these codes show what they are by then."""
    monkeypatch.setattr("karat.suites.codegen.timing.growth.ENOUGH", 0.1)


@pytest.mark.usefixtures("soon_enough")
def test_code_and_reference_are_measured_on_growing_tables() -> None:
    """What the exponents say depends on the machine's clock; what follows from them is tested above."""
    options = Options(growth=True, scales=(1,), repeats_for_timing=1)
    found = performance_of(warm_box(), DISTINCT, IN_LIST, passed=True, options=options)
    assert found.curves and found.growth is not None
    assert [point.rows for point in found.curves.own_curve.points[:2]] == [1_000, 4_000]
    assert 2 <= len(found.curves.own_curve.points) == len(found.curves.reference_curve.points) <= 4


def test_switched_off_and_wrong_code_have_no_growth() -> None:
    options = Options(scales=(1,), repeats_for_timing=1, perturb="no")
    right = judge_code(MEANS.reference, options=options)
    assert growth_score(right).value is None and growth_score(right).reason == SWITCHED_OFF
    assert ratio_score(right).value == 1.0
    wrong = judge_code("result = 1", options=options)
    assert ratio_score(wrong).value is None and ratio_score(wrong).reason == "only right code is measured"


@pytest.mark.usefixtures("soon_enough")
def test_code_that_is_wrong_on_larger_tables_has_no_growth() -> None:
    code = "result = df['k'].nunique() if len(df) < 5000 else -1"
    options = Options(growth=True, scales=(1,), repeats_for_timing=1)
    found = performance_of(warm_box(), DISTINCT, code, passed=True, options=options)
    assert found.curves and "its result is not the reference's" in found.curves.reason and found.growth is None


def test_dates_after_the_last_that_there_is_are_not_made() -> None:
    days = {"day": [f"99{year}-12-{day}" for year in (98, 99) for day in range(10, 32)]}
    assert scaled({"t": {**days, "x": [1.5] * 44}}, 4) is None


@pytest.mark.usefixtures("soon_enough")
def test_a_task_without_a_reference_grows_too() -> None:
    task = Task(tables={"t": TableSource(columns={"x": [n * 0.5 for n in range(1_500)]})})
    options = Options(growth=True)
    code = "result = sum(row['x'] for _, row in df.iterrows())"
    found = performance_of(warm_box(), task, code, passed=True, options=options)
    assert found.score is None and found.growth == pytest.approx(1, abs=0.5)
    assert found.curves and found.curves.flag == "" and found.curves.reference_curve.exponent is None
