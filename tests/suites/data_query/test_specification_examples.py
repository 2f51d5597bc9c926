"""Worked examples of the specification that no other file has: periods in days, and what a router of an assistant
says."""

from __future__ import annotations

import json
from datetime import date

import pytest

from karat.core.records import Prediction
from karat.suites.data_query.comparison import compare
from karat.suites.data_query.options import Options
from karat.suites.data_query.periods.period import days
from karat.suites.data_query.selection.outcomes import OutcomeRule
from karat.suites.data_query.selection.selection import Period, Selection, Target
from tests.suites.data_query.building import case, score, target

TODAY = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2020", "2020-01-01", "2020-12-31"),
        ("2020-A1", "2020-01-01", "2020-12-31"),
        ("2020-S1", "2020-01-01", "2020-06-30"),
        ("2020-S2", "2020-07-01", "2020-12-31"),
        ("2020-Q1", "2020-01-01", "2020-03-31"),
        ("2020-01", "2020-01-01", "2020-01-31"),
        ("2020-M01", "2020-01-01", "2020-01-31"),
        ("2020-W05", "2020-01-27", "2020-02-02"),
        ("2020-W53", "2020-12-28", "2021-01-03"),
        ("2020-01-31", "2020-01-31", "2020-01-31"),
        ("2020-01-31T23:59:59Z", "2020-01-31", "2020-01-31"),
        ("$TODAY-2S", "2025-07-01", "2025-12-31"),
        ("$TODAY-1W", "2026-11-02", "2026-11-08"),
    ],
)
def test_a_period_is_an_interval_of_days(text: str, first: str, last: str) -> None:
    assert days(text, TODAY) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize("end", ["2020", "2020-Q4", "2020-12-31", "2020-S2", "2020-12", "2020-M12", "2020-12-31T12:00"])
def test_ends_compare_as_days_whatever_the_frequency(end: str) -> None:
    wanted = target({"A": ["a"]}, period=Period("2015", "2020"))
    found = Selection(wanted.indicator_selection, period=Period("2015-01-01", end))
    assert score("period", wanted, found).value == 1.0


ROUTES = OutcomeRule(
    path="trace.*.route",
    map={
        "no data": "no_data",
        "multiple datasets": "clarification",
        "incomplete": "clarification",
        "invalid time period": "invalid_period",
        "execute": "answer",
    },
)


@pytest.mark.parametrize(
    ("route", "outcome"),
    [("no data", "no_data"), ("multiple datasets", "clarification"), ("incomplete", "clarification"),
     ("invalid time period", "invalid_period"), ("execute", "answer")],
)  # fmt: skip
def test_what_a_router_says(route: str, outcome: str) -> None:
    selection = {"indicator_selection": [{"dataset_id": "X:D"}] if route == "execute" else []}
    reply = {**selection, "trace": [{"step": 1}, {"route": route}]}
    found = compare(
        case("c", Target(outcome=outcome)), 0, Prediction("c", 0, 0, json.dumps(reply).encode()),
        Options(outcome_from=(ROUTES,)),
    )  # fmt: skip
    assert (found.outcome.found, found.outcome.right) == (outcome, True)


@pytest.mark.parametrize(
    ("expected", "reply", "value"),
    [
        (True, {"outcome": "out_of_scope"}, 1.0),
        (True, {"is_out_of_scope": True}, 1.0),
        (True, {"indicator_selection": []}, 1.0),
        (True, {"outcome": "no_data"}, 0.0),  # it takes the question for one that it could answer
        (True, {"outcome": "clarification"}, 0.0),
        (False, {"outcome": "no_data"}, 1.0),
        (False, {"outcome": "out_of_scope"}, 0.0),
    ],
)
def test_only_an_outcome_of_out_of_scope_declines(expected: bool, reply: dict[str, object], value: float) -> None:
    wanted = Target(is_out_of_scope=expected)
    found = compare(case("c", wanted), 0, Prediction("c", 0, 0, json.dumps(reply).encode()), Options())
    assert found.scope_right is bool(value)
