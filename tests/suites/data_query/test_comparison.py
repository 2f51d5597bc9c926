"""What the counts are made of, and the evidence that reports show."""

from __future__ import annotations

from pathlib import Path

from karat.core.records import Prediction
from karat.suites.data_query.comparison import compare
from karat.suites.data_query.matching.dimension_comparison import LabelDrift
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Selection, Target, Term
from tests.suites.data_query.building import case, compared, kept, part, sel, target


def test_the_evidence_of_the_contracts_example() -> None:
    comparison = compared(target({"INDICATOR": ["GDP", "GDPPC"]}), sel({"INDICATOR": ["GDP", "GDPPC", "GDP_CONST"]}))
    (dimension,) = kept((0, comparison))["dimensions"]
    assert dimension == {
        "dimension": "INDICATOR",
        "turn": 0,
        "in_target": True,
        "precision": 2 / 3,
        "recall": 1.0,
        "f1": 0.8,
        "true_positives": [{"id": "GDP", "name": "name of GDP"}, {"id": "GDPPC", "name": "name of GDPPC"}],
        "false_positives": [{"id": "GDP_CONST", "name": "name of GDP_CONST"}],
        "false_negatives": [],
    }


def test_a_dimension_not_in_the_target_has_precision_0_and_no_recall() -> None:
    comparison = compared(target({"A": ["a"]}), sel({"A": ["a"], "B": ["b"]}))
    found = {d["dimension"]: (d["in_target"], d["precision"], d["recall"]) for d in kept((0, comparison))["dimensions"]}
    assert found == {"A": (True, 1.0, 1.0), "B": (False, 0.0, None)}


def test_label_drift_names_both_labels() -> None:
    comparison = compared(
        target({"A": [("LP", "Population, Persons"), ("X", "x")]}),
        sel({"A": [("LP", "Population (Persons)"), ("Y", "x")]}),
    )
    assert comparison.drifts == (LabelDrift("A", "LP", "Population, Persons", "Population (Persons)"),)


def test_everything_selected_is_shown_as_such() -> None:
    comparison = compared(target({"A": ["a"]}), Selection((DatasetSelection("X:D", (Dimension("A", (), "all"),)),)))
    (dimension,) = kept((0, comparison))["dimensions"]
    assert dimension["everything_selected"] is True
    assert (dimension["precision"], dimension["recall"]) == (None, None)


def test_everything_is_expanded_where_a_codelist_is_at_hand(tmp_path: Path) -> None:
    file = tmp_path / "codes.csv"
    file.write_text("codelist,id,name\nCL_A,a,name of a\nCL_A,b,name of b\nCL_A,c,name of c\n")
    options = {"structures": (str(file),)}
    chosen = Selection((DatasetSelection("X:D", (Dimension("A", (), "all"),)),))
    comparison = compared(target({"A": ["a", "b"]}), chosen, **options)
    (dimension,) = comparison.dimensions
    assert (dimension.counts.tp, dimension.counts.fp, dimension.counts.fn) == (2, 1, 0)
    assert compared(target({"A": ["a", "b", "c"]}), chosen, **options).wholly_right


def test_defaults_are_marked() -> None:
    chosen = Selection((DatasetSelection("X:D", (Dimension("F", (Term("M", "Monthly"),), "in", True),)),))
    (dimension,) = kept((0, compared(Target(), chosen)))["dimensions"]
    assert dimension["is_default"] is True


def test_unexpected_datasets_are_named() -> None:
    comparison = compared(
        target({"A": ["a"]}, "X:D"), Selection((part({"A": ["a"]}, "X:D(1.0)"), part({"A": ["a"]}, "X:E")))
    )
    assert comparison.unexpected_datasets == ("X:E",)


def test_the_alternative_that_counted_is_named() -> None:
    either = Target((part({"A": ["a"]}),), alternatives=(sel({"A": ["b"]}),))
    assert kept((0, compared(either, sel({"A": ["b"]}))))["alternative"] == 0
    assert "alternative" not in kept((0, compared(either, sel({"A": ["a"]}))))


def test_the_turn_asked_for_is_compared() -> None:
    two = case("c", target({"A": ["a"]}), target({"A": ["b"]}))
    answer = (
        b'{"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": '
        b'[{"id": "b", "name": "name of b"}]}]}]}'
    )
    assert not compare(two, 0, Prediction("c", 0, response=answer), Options()).wholly_right
    assert compare(two, 1, Prediction("c", 1, response=answer), Options()).wholly_right
