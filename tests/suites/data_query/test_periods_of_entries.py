"""Periods of single entries: which entry of the answer is held against which entry of the target."""

from __future__ import annotations

import pytest

from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Period, Selection, Target, Term
from tests.suites.data_query.building import compared

TODAY = "2026-11-15"
LATE, EARLY = Period("2015", "2020"), Period("1990", "1991")


def entry(codes: str, period: Period | None = None, dataset: str = "X:D", operator: str = "in") -> DatasetSelection:
    terms = tuple(Term(code) for code in codes.split())
    return DatasetSelection(dataset, (Dimension("INDICATOR", terms, operator),), period)


TWO = Target((entry("GDP", LATE), entry("CPI", EARLY)))


@pytest.mark.parametrize(
    ("answer", "period"),
    [
        ([entry("GDP", LATE), entry("CPI", EARLY)], 1.0),
        ([entry("GDP", EARLY), entry("CPI", LATE)], 0.0),
        ([entry("GDP CPI", LATE)], 0.5),
        ([entry("GDP CPI", LATE), entry("CPI", EARLY)], 2 / 3),
        ([entry("GDP", LATE), entry("CPI", LATE)], 0.5),
        ([entry("GDP CPI", Period("2000"))], 0.0),
        ([entry("", LATE, operator="all")], 0.5),
        ([entry("GDP", LATE), entry("GDP", operator="not_in", period=EARLY)], 1.0),
    ],
)
def test_the_period_of_an_entry_is_the_one_of_its_series(answer: list[DatasetSelection], period: float) -> None:
    found = compared(TWO, Selection(tuple(answer)), today=TODAY)
    assert found.period == pytest.approx(period)
    assert found.wholly_right == (answer == list(TWO.indicator_selection))


def test_an_entry_without_a_period_of_its_own_has_the_common_one() -> None:
    wanted = Target((entry("GDP", EARLY), entry("CPI")), period=LATE)
    assert compared(wanted, Selection((entry("GDP", EARLY), entry("CPI", LATE))), today=TODAY).wholly_right
    swapped = Selection((entry("GDP"), entry("CPI", EARLY)), period=LATE)
    assert compared(wanted, swapped, today=TODAY).period == 0.0


def test_two_periods_of_one_series_may_be_answered_in_any_order() -> None:
    wanted = Target((entry("GDP", LATE), entry("GDP", EARLY)))
    assert compared(wanted, Selection((entry("GDP", EARLY), entry("GDP", LATE))), today=TODAY).period == 1.0
    assert compared(wanted, Selection((entry("GDP", LATE),)), today=TODAY).period == 0.5


@pytest.mark.parametrize(
    ("wanted", "given", "right"),
    [
        (Period("$TODAY-30D"), Period("2026"), 0.5),
        (Period("$TODAY-30D"), Period("2026-10-16"), 1.0),
        (Period("$TODAY-1M"), Period("2026"), 0.5),
        (Period("$TODAY-1M"), Period("2026-10-31"), 1.0),
        (Period("$TODAY-10Y", "$TODAY"), Period("2016", "2026"), 1.0),
        (Period("$TODAY-10Y", "$TODAY-1M"), Period("2016-03", "2026"), 0.5),
    ],
)
def test_a_relative_end_is_right_at_the_grain_of_its_unit(wanted: Period, given: Period, right: float) -> None:
    found = compared(Target((entry("GDP"),), period=wanted), Selection((entry("GDP"),), period=given), today=TODAY)
    assert found.period == right


def test_spans_that_touch_are_one_span() -> None:
    wanted = Target((entry("GDP"),), period=Period("2015", "2015", (Period("2016-01", "2016-12"),)))
    assert compared(wanted, Selection((entry("GDP"),), period=Period("2015", "2016")), today=TODAY).period == 1.0
    assert compared(wanted, Selection((entry("GDP"),), period=Period("2015", "2017")), today=TODAY).period == 0.0
