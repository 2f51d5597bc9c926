"""What was confused, why a case is not right, how near a code is in its hierarchy, and how much periods overlap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karat
from karat.stats.intervals.estimates import estimate
from karat.suites.data_query.details import details
from karat.suites.data_query.matching.hierarchy import nearness
from karat.suites.data_query.reasons import REASONS
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Period, Selection, Target, Term
from karat.suites.data_query.summaries.confusions import confused
from karat.suites.data_query.summaries.figures import figures
from tests.suites.data_query.building import compared, part, score, sel, target

WORLD = """<Structure><Structures><Codelists><Codelist agencyID="X" id="CL_COUNTRY" version="1.0">
<Code id="World"/><Code id="Americas"><Parent><Ref id="World"/></Parent></Code>
<Code id="MEX"><Parent><Ref id="Americas"/></Parent></Code><Code id="USA"><Parent><Ref id="Americas"/></Parent></Code>
</Codelist></Codelists></Structures></Structure>"""


def why(expected: Target, found: Selection, **options: Any) -> tuple[str, ...]:
    kept = details([(0, compared(expected, found, **options))])
    assert (kept.main_reason or "") == (kept.reasons[0] if kept.reasons else "")
    return kept.reasons or ()


# -- hierarchy --------------------------------------------------------------------------------------------------------


@pytest.fixture
def world(tmp_path: Path) -> tuple[str, ...]:
    file = tmp_path / "world.xml"
    file.write_text(WORLD)
    return (str(file),)


@pytest.mark.parametrize(
    ("asked", "got", "recall", "precision"),
    [
        ("MEX", "MEX", 1, 1),
        ("MEX", "Americas", 1 / 2, 1 / 2),
        ("MEX", "World", 1 / 3, 1 / 3),
        ("World", "MEX", 1 / 3, 1 / 3),
        ("MEX", "USA", 0, 0),
        ("MEX,USA", "Americas", 1 / 2, 1 / 2),
        ("MEX,USA", "MEX,Americas", 3 / 4, 3 / 4),
    ],
)
def test_near_in_the_hierarchy(world: tuple[str, ...], asked: str, got: str, recall: float, precision: float) -> None:
    sides = target({"COUNTRY": asked.split(",")}), sel({"COUNTRY": got.split(",")})
    assert score("hierarchy_recall", *sides, structures=world).value == pytest.approx(recall)
    assert score("hierarchy_precision", *sides, structures=world).value == pytest.approx(precision)
    assert score("hierarchy_recall", *sides).value is None  # no codelist at hand


def test_depth_added_dimensions_and_lists_without_parents(world: tuple[str, ...]) -> None:
    asked, got = target({"COUNTRY": ["MEX"]}), sel({"COUNTRY": ["World"], "UNIT": ["X"]})
    assert score("hierarchy_recall", asked, got, structures=world, hierarchy_depth=1).value == 0.0
    assert score("hierarchy_precision", asked, got, structures=world).value == pytest.approx((1 / 3 + 0) / 2)
    assert score("hierarchy_recall", target({"UNIT": ["X"]}), got, structures=world).value is None
    assert why(asked, sel({"COUNTRY": ["Americas"]}), structures=world) == ("parent_or_child", "wrong_term")


# -- reasons ----------------------------------------------------------------------------------------------------------

GDP = target({"IND": ["GDP"], "COUNTRY": ["MEX", "USA"]}, period=Period("2015", "2020"))
TIME = Period("2015", "2020")


def given(dataset: str = "X:D", period: Period | None = TIME, **dimensions: list[Any]) -> Selection:
    return sel({"IND": ["GDP"], "COUNTRY": ["MEX", "USA"], **dimensions}, dataset, period=period)


@pytest.mark.parametrize(
    ("expected", "found", "reasons"),
    [
        (GDP, given(), ()),
        (GDP, Selection(), ("refused",)),
        (GDP, Selection(is_out_of_scope=True), ("refused",)),
        (Target(outcome="no_data"), given(), ("answered_instead",)),
        (Target(outcome="no_data"), Selection(is_out_of_scope=True), ("other_outcome",)),
        (GDP, given("X:E"), ("wrong_dataset", "wrong_combination")),
        (GDP, given(COUNTRY=[]), ("dimension_missing",)),
        (GDP, given(IND=[("GDP", "other")]), ("label_only",)),
        (GDP, given(COUNTRY=["MEX", "NO"]), ("wrong_term",)),
        (GDP, given(COUNTRY=["MEX"]), ("too_few",)),
        (GDP, given(COUNTRY=["MEX", "USA", "NO"]), ("too_many",)),
        (GDP, given(UNIT=["X"]), ("dimension_added",)),
        (GDP, given(period=None), ("wrong_period",)),
        (GDP, given(COUNTRY=["MEX"], UNIT=["X"], period=None), ("too_few", "dimension_added", "wrong_period")),
        (Target((part({"A": ["a"], "B": ["b"]}), part({"A": ["c"], "B": ["d"]}))),
         Selection((part({"A": ["a"], "B": ["d"]}), part({"A": ["c"], "B": ["b"]}))), ("wrong_combination",)),
        (target({"A": ["a"]}), Selection((DatasetSelection("X:D", (Dimension("A", (), "all"),)),)), ("too_many",)),
    ],
)  # fmt: skip
def test_every_reason(expected: Target, found: Selection, reasons: tuple[str, ...]) -> None:
    assert why(expected, found) == reasons
    assert bool(reasons) == (score("fully_right", expected, found).value == 0.0)


@pytest.mark.shared_data
def test_defaults_unknown_codes_and_what_is_not_available(world: tuple[str, ...], shared: Path) -> None:
    default = DatasetSelection(
        "X:D", (Dimension("A", (Term("a", "name of a"),)), Dimension("B", (Term("b"),), "in", True))
    )
    assert why(target({"A": ["a"]}), Selection((default,))) == ("defaults_only", "dimension_added")
    assert why(target({"COUNTRY": ["MEX"]}), sel({"COUNTRY": ["QQQ"]}), structures=world) == (
        "unknown_code",
        "wrong_term",
    )
    constrained = (str(shared / "data/sdmx2/made/constraints_21.xml"),)
    asked = target({"INDICATOR": ["GDP"], "COUNTRY": ["MEX"]}, "KRT:FLOW_A")
    got = sel({"INDICATOR": ["CPI"], "COUNTRY": ["NO"]}, "KRT:FLOW_A")
    assert why(asked, got, structures=constrained) == ("not_available", "wrong_term")


@pytest.mark.parametrize(("aware", "reasons"), [(False, ("wrong_combination",)), (True, ("wrong_term",))])
def test_the_right_ids_in_the_wrong_datasets_have_a_reason(aware: bool, reasons: tuple[str, ...]) -> None:
    """The response answers, as it should: that it does something else is no reason here."""
    for first, second in (({"B": ["x"]}, {"B": ["y"]}), ({"A": ["a"], "B": ["x"]}, {"A": ["a"], "B": ["y"]})):
        expected = Target((part(first), part(second, "X:E")))
        assert why(expected, Selection((part(second), part(first, "X:E"))), dataset_aware=aware) == reasons


def answer(*entries: tuple[str, bool]) -> Selection:
    """An entry for each code of B, with whether the system filled it in; A is right in all."""
    right = Dimension("A", (Term("a", "name of a"),))
    return Selection(
        tuple(
            DatasetSelection("X:D", (right, Dimension("B", (Term(name, f"name of {name}"),), "in", default)))
            for name, default in entries
        )
    )


@pytest.mark.parametrize(
    ("expected", "found", "reasons"),
    [
        # one entry has B by default, the other asks for it
        (target({"A": ["a"]}), answer(("x", True), ("y", False)), ("dimension_added",)),
        (target({"A": ["a"]}), answer(("x", True), ("x", False)), ("dimension_added",)),
        (target({"A": ["a"]}), answer(("x", True), ("y", True)), ("defaults_only", "dimension_added")),
        (target({"A": ["a"], "B": ["y"]}), answer(("x", True), ("y", False)), ("too_many", "defaults_only")),
        (target({"A": ["a"], "B": ["x"]}), answer(("x", True), ("y", False)), ("too_many",)),
    ],
)
def test_defaults_only_where_all_that_is_too_much_was_filled_in(
    expected: Target, found: Selection, reasons: tuple[str, ...]
) -> None:
    assert why(expected, found) == reasons
    asked = {part.dimensions[1].is_default for part in found.indicator_selection}
    (dimension,) = (one for one in compared(expected, found).dimensions if one.dimension == "B")
    assert dimension.default == (asked == {True})


# -- confusions -------------------------------------------------------------------------------------------------------


def pairs(asked: list[str], got: list[str]) -> dict[tuple[str | None, str | None], float]:
    [one] = details([(0, compared(target({"A": asked}), sel({"A": got})))]).dimensions
    return {(a.id if a else None, b.id if b else None): weight for a, b, weight in confused(one)}


def test_a_missed_term_spreads_over_what_was_too_much() -> None:
    assert pairs(["A"], ["B", "C"]) == {("A", "B"): 1 / 2, ("A", "C"): 1 / 2}
    assert pairs(["A", "X"], ["X"]) == {("A", None): 1.0}
    assert pairs(["X"], ["X", "B"]) == {(None, "B"): 1.0}
    assert pairs(["X"], ["X"]) == {}


def test_a_run_counts_confusions_and_reasons() -> None:
    def selection(*ids: str) -> dict[str, Any]:
        values = [{"id": one, "name": one.lower()} for one in ids]
        return {
            "indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": values}]}]
        }

    rows = [("A", "B"), ("A", "B"), ("A", "A")]
    cases = [
        {"id": f"c{n}", "tags": ["t"], "conversation": [{"role": "user", "content": "q", "target": selection(goal)}]}
        for n, (goal, _) in enumerate(rows)
    ]
    answers: list[dict[str, Any]] = [{"id": f"c{n}", **selection(reply)} for n, (_, reply) in enumerate(rows)]
    for number, reply in enumerate(({"error": "timeout"}, {"response": "what?"})):
        cases.append({**cases[0], "id": f"e{number}"})
        answers.append({"id": f"e{number}", **reply})
    found = figures(karat.score(suite="data_query", cases=cases, predictions=answers), estimate)
    assert found["confusions"] == [
        {
            "dimension": "A",
            "asked": {"id": "A", "name": "a"},
            "got": {"id": "B", "name": "b"},
            "weight": 2.0,
            "cases": 2,
        }
    ]
    assert found["reasons"] == {
        "total": {"wrong_term": 2, "call_failed": 1, "unreadable": 1},
        "main": {"wrong_term": 2, "call_failed": 1, "unreadable": 1},
        "by_tag": {"t": {"wrong_term": 2, "call_failed": 1, "unreadable": 1}},
    }
    assert set(found["reasons"]["total"]) <= set(REASONS)


# -- periods ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "got", "expected"),
    [
        (Period("2015", "2020"), Period("2016", "2020"), 1827 / 2192),
        (Period("2015", "2020"), Period("2015", "2020-Q4"), 1.0),
        (Period("2015", "2015"), Period("2017", "2017"), 0.0),
        (Period("2015", "2015", (Period("2017", "2017"),)), Period("2015", "2017"), 730 / 1096),
        (Period("2015", None), Period("2015", "2020"), None),
        (Period("2015", "2020"), None, None),
    ],
)
def test_period_overlap(asked: Period, got: Period | None, expected: float | None) -> None:
    found = score("period_overlap", target({"A": ["a"]}, period=asked), sel({"A": ["a"]}, period=got))
    assert found.value == (None if expected is None else pytest.approx(expected))


def test_parents_that_go_round_in_a_circle_are_gone_through_once() -> None:
    parents = {"A": ("B",), "B": ("A",), "C": ("A",)}
    assert nearness("C", "B", parents, 10**12) == 1 / 3
    assert nearness("A", "D", parents, 10**12) == 0.0
