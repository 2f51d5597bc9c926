"""Every metric, in the order of its file's words, with numbers that can be checked by hand.

Unless a test says otherwise: target INDICATOR {GDP, GDPPC}, selected {GDP, GDPPC, GDP_CONST} is the contract's example.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.suites.data_query.metrics import METRICS
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection.selection import (
    DatasetSelection,
    DatasetsSelection,
    Dimension,
    Period,
    Selection,
    Target,
)
from tests.suites.data_query.building import part, score, scores, sel, target

EXAMPLE = target({"INDICATOR": ["GDP", "GDPPC"]}), sel({"INDICATOR": ["GDP", "GDPPC", "GDP_CONST"]})
TWO = target({"INDICATOR": ["GDP"]}), sel({"INDICATOR": ["GDP"], "COUNTRY": ["MEX", "USA"]})
NOTHING = Selection()


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-12)


def test_the_contracts_worked_example() -> None:
    found = scores(*EXAMPLE)
    assert found["macro_recall"] == 1.0
    assert found["macro_precision"] == near(2 / 3)


def test_two_dimensions_one_not_in_the_target() -> None:
    found = scores(*TWO)
    assert found["macro_recall"] == 1.0  # INDICATOR 1; COUNTRY has no recall
    assert found["macro_precision"] == 0.5  # INDICATOR 1, COUNTRY 0
    assert found["macro_precision_target_dims"] == 1.0
    assert found["macro_f1"] == 0.5
    assert found["micro_precision"] == near(1 / 3)
    assert found["exact_match"] == 0.0


def test_nothing_selected() -> None:
    found = scores(EXAMPLE[0], NOTHING)
    assert found["macro_recall"] == 0.0
    assert found["macro_precision"] is None
    assert score("macro_precision", EXAMPLE[0], NOTHING).reason == "nothing was selected"
    assert found["macro_f1"] == 0.0
    assert found["micro_recall"] == 0.0
    assert found["micro_precision"] is None
    assert found["f_beta"] == 0.0
    assert found["exact_match"] == 0.0
    assert found["dataset_recall"] == 0.0
    assert found["dataset_precision"] is None
    assert found["unexpected_dataset"] == 0.0


@pytest.mark.parametrize("empty", [Target(), target({}), target({"INDICATOR": []})])
def test_empty_and_absent_targets_are_the_same(empty: Target) -> None:
    found = scores(empty, EXAMPLE[1])
    assert found["macro_recall"] is None
    assert score("macro_recall", empty, EXAMPLE[1]).reason == "the target is empty"
    assert found["macro_precision"] == 0.0
    assert found["macro_precision_target_dims"] is None
    assert found["exact_match"] == 0.0


def test_nothing_expected_and_nothing_selected_is_fully_right_and_has_no_ratios() -> None:
    found = scores(Target(), NOTHING)
    assert found["exact_match"] == 1.0
    assert [found[n] for n in ("macro_recall", "macro_precision", "macro_f1", "micro_f1", "f_beta")] == [None] * 5


def test_macro_f1_is_the_mean_of_the_dimensions_own() -> None:
    expected = target({"A": ["a1", "a2"], "B": ["b1"]})
    assert score("macro_f1", expected, sel({"A": ["a1"], "B": ["b1"]})).value == near((2 / 3 + 1) / 2)


def test_by_id_forgives_names() -> None:
    expected, found = target({"A": [("LP", "Population, Persons")]}), sel({"A": [("LP", "Population (Persons)")]})
    got = scores(expected, found)
    assert (got["macro_recall"], got["macro_precision"]) == (0.0, 0.0)
    assert (got["macro_recall_by_id"], got["macro_precision_by_id"]) == (1.0, 1.0)


def test_by_id_counts_an_id_once_whatever_its_names() -> None:
    expected = target({"A": [("PCPI", "one"), ("PCPI", "two")]})
    got = scores(expected, sel({"A": [("PCPI", "one")]}))
    assert (got["macro_recall"], got["macro_recall_by_id"]) == (0.5, 1.0)


def test_micro_pools_the_counts() -> None:
    expected = target({"A": ["a1", "a2", "a3"], "B": ["b1"]})
    got = scores(expected, sel({"A": ["a1"], "B": ["b1", "b2"]}))  # TP 2, FP 1, FN 2
    assert (got["micro_recall"], got["micro_precision"], got["micro_f1"]) == (0.5, near(2 / 3), near(4 / 7))


def test_f_beta_weighs_recall_by_beta_squared() -> None:
    expected, found = target({"A": ["a1", "a2"]}), sel({"A": ["a1", "x"]})  # TP 1, FP 1, FN 1
    assert score("f_beta", expected, found).value == near(5 / (5 + 4 + 1))
    more = sel({"A": ["a1", "a2", "x", "y"]})  # TP 2, FP 2, FN 0
    assert score("f_beta", expected, more).value == near(10 / 12)
    assert score("f_beta", expected, more, beta=1.0).value == score("micro_f1", expected, more).value


@pytest.mark.parametrize(
    ("expected", "found", "strict", "recall"),
    [
        ("IMF.RES:WEO", "IMF.RES:WEO(9.0.0)", False, 1.0),
        ("IMF.RES:WEO(8.0.0)", "IMF.RES:WEO(9.0.0)", False, 1.0),
        ("IMF.RES:WEO(8.0.0)", "IMF.RES:WEO(9.0.0)", True, 0.0),
        ("IMF.RES:WEO(9.0.0)", "IMF.RES:WEO(9.0.0)", True, 1.0),
        ("IMF.RES:WEO", "IMF.RES:WEO(9.0.0)", True, 1.0),
        ("IMF.STA:CPI", "IMF.RES:WEO(9.0.0)", False, 0.0),
    ],
)
def test_dataset_ids_and_their_versions(expected: str, found: str, strict: bool, recall: float) -> None:
    got = scores(target({"A": ["a"]}, expected), sel({"A": ["a"]}, found), strict_versions=strict)
    assert got["dataset_recall"] == got["dataset_precision"] == recall
    assert got["unexpected_dataset"] == 1.0 - recall
    assert got["macro_recall"] == 1.0  # dimensions pool over datasets


def test_datasets_may_be_expected_apart_from_the_terms() -> None:
    expected = target({"A": ["a"]}, datasets_selection=DatasetsSelection(("X:D", "X:E")))
    got = scores(expected, sel({"A": ["a"]}))
    assert (got["dataset_recall"], got["dataset_precision"]) == (0.5, 1.0)


def test_dataset_aware_makes_the_dataset_part_of_the_term() -> None:
    expected, found = target({"A": ["a"]}, "X:D"), sel({"A": ["a"]}, "X:E")
    assert score("macro_recall", expected, found).value == 1.0
    assert score("macro_recall", expected, found, dataset_aware=True).value == 0.0
    assert score("macro_recall", expected, sel({"A": ["a"]}, "X:D(2.0)"), dataset_aware=True).value == 1.0


def test_the_same_dataset_twice_is_merged() -> None:
    twice = Target((part({"A": ["a"], "C": ["c"]}), part({"A": ["b"], "C": ["c"]})))
    got = scores(twice, sel({"A": ["a", "b"], "C": ["c"]}))
    assert (got["exact_match"], got["dataset_recall"], got["dataset_precision"]) == (1.0, 1.0, 1.0)


def test_duplicates_count_once() -> None:
    expected = target({"A": ["a", "a", "b"]})
    got = scores(expected, sel({"A": ["a", "a", "a", "x", "x"]}))
    assert (got["macro_recall"], got["macro_precision"]) == (0.5, 0.5)


def test_indicator_and_other_dimensions() -> None:
    expected = target({"INDICATOR": ["i1", "i2"], "COUNTRY": ["c"], "FREQ": ["A"]})
    got = scores(expected, sel({"INDICATOR": ["i1"], "COUNTRY": ["c", "d"]}))
    assert (got["indicator_recall"], got["indicator_precision"]) == (0.5, 1.0)
    assert (got["other_recall"], got["other_precision"]) == (0.5, 0.5)
    assert score("indicator_recall", expected, NOTHING, indicator_dimensions=("SERIES",)).value is None


@pytest.mark.parametrize(
    ("stated", "answer", "value"),
    [
        (True, NOTHING, 1.0),
        (True, Selection(is_out_of_scope=True), 1.0),
        (True, sel({"A": ["a"]}), 0.0),
        (False, sel({"A": ["a"]}), 1.0),
        (False, NOTHING, 0.0),
        (True, Selection(is_out_of_scope=False), 0.0),
        (None, NOTHING, None),
    ],
)
def test_out_of_scope(stated: bool | None, answer: Selection, value: float | None) -> None:
    assert score("out_of_scope", Target(is_out_of_scope=stated), answer).value == value


@pytest.mark.parametrize(
    ("expected", "found", "value"),
    [
        (Period("2015", "2020"), Period("2015-01-01", "2020-12-31"), 1.0),
        (Period("2015", "2020"), Period("2015", "2019"), 0.5),
        (Period("2015", "2020"), None, 0.0),
        (Period("2015", None), Period("2015", None), 1.0),
        (Period("2015", None), Period("2015", "2020"), 0.5),
        (Period("2015-Q2", "2015-Q4"), Period("2015-04", "2015-12-31"), 1.0),
        (Period("$TODAY-10Y", "$TODAY"), Period("2016", "2026-11-15"), 1.0),
        (Period("$TODAY-10Y", None), Period("2016-11-15", None), 1.0),
        (Period("$TODAY-10Y", None), Period("2015", None), 0.5),
        (Period("$TODAY-3M", "$TODAY-30D"), Period("2026-08-01", "2026-10-16"), 1.0),
        (Period("$TODAY-1Q", None), Period("2026-Q3", None), 1.0),
        (Period("recently", None), Period("recently", None), 1.0),
    ],
)
def test_period(expected: Period, found: Period | None, value: float) -> None:
    assert score("period", Target(period=expected), Selection(period=found), today="2026-11-15").value == value


def test_a_case_without_a_period_is_not_scored_on_it() -> None:
    assert score("period", Target(), Selection(period=Period("2015"))).state == "not_applicable"


def everything(name: str) -> Selection:
    return Selection((DatasetSelection("X:D", (Dimension(name, (), "all"),)),))


def test_everything_selected_is_neither_right_nor_wrong_but_not_fully_right() -> None:
    got = scores(target({"A": ["a", "b"]}), everything("A"))
    assert (got["macro_recall"], got["macro_precision"], got["micro_f1"]) == (None, None, None)
    assert got["exact_match"] == 0.0


def test_everything_in_a_dimension_that_is_not_asked_for_is_no_filter_at_all() -> None:
    expected = target({"A": ["a"]})
    found = Selection((*sel({"A": ["a"]}).indicator_selection, *everything("FREQ").indicator_selection))
    assert scores(expected, found)["exact_match"] == 1.0


def test_ignore_defaults_leaves_out_what_the_system_filled_in() -> None:
    expected = target({"A": ["a"]})
    filled = Selection(
        (
            part({"A": ["a"]}),
            DatasetSelection("X:D", (Dimension("FREQ", part({"F": ["M"]}).dimensions[0].values, "in", True),)),
        )
    )
    assert scores(expected, filled)["macro_precision"] == 0.5
    assert scores(expected, filled, ignore_defaults=True)["macro_precision"] == 1.0


@pytest.mark.parametrize(("zero", "precision", "recall"), [(None, None, 0.0), (0, 0.0, 0.0), (1, 1.0, 0.0)])
def test_zero_division_gives_a_number_to_those_who_want_one(
    zero: int | None, precision: float | None, recall: float
) -> None:
    got = scores(EXAMPLE[0], NOTHING, zero_division=zero)
    assert (got["macro_precision"], got["macro_recall"]) == (precision, recall)


def test_zero_division_reaches_the_recall_of_a_dimension_not_in_the_target() -> None:
    assert scores(*TWO, zero_division=0)["macro_recall"] == 0.5


def test_the_best_alternative_counts() -> None:
    either = Target(
        (part({"A": ["a", "b"]}),), alternatives=(sel({"A": ["a"]}), sel({"A": ["c", "d", "e"]}), Selection())
    )
    assert scores(either, sel({"A": ["a"]}))["exact_match"] == 1.0
    assert scores(either, sel({"A": ["c", "d"]}))["macro_recall"] == near(2 / 3)
    assert scores(either, NOTHING)["exact_match"] == 1.0  # the empty alternative
    assert scores(either, sel({"A": ["z"]}))["macro_recall"] == 0.0


names = st.sampled_from("abcdefgh")
selections = st.dictionaries(st.sampled_from(["D1", "D2", "D3"]), st.lists(names, max_size=6), max_size=3)


@given(selections, selections)
def test_against_plain_set_arithmetic(expected: dict[str, list[str]], found: dict[str, list[str]]) -> None:
    got = scores(target(expected), sel(found))
    recalls, precisions, tp, fp, fn = [], [], 0, 0, 0
    for name in {*expected, *found}:
        wanted, given_ = set(expected.get(name, [])), set(found.get(name, []))
        tp, fp, fn = tp + len(wanted & given_), fp + len(given_ - wanted), fn + len(wanted - given_)
        if wanted:
            recalls.append(len(wanted & given_) / len(wanted))
        if given_:
            precisions.append(len(wanted & given_) / len(given_))
    assert got["macro_recall"] == (pytest.approx(sum(recalls) / len(recalls)) if recalls else None)
    assert got["macro_precision"] == (pytest.approx(sum(precisions) / len(precisions)) if precisions else None)
    assert got["micro_f1"] == (pytest.approx(2 * tp / (2 * tp + fp + fn)) if tp + fp + fn else None)
    assert got["exact_match"] == float(fp == fn == 0)
    assert all(value is None or 0.0 <= value <= 1.0 for value in got.values())


def test_every_metric_has_its_own_file_a_formula_and_a_docstring() -> None:
    import importlib
    import pkgutil

    from karat.suites.data_query import metrics

    modules = pkgutil.walk_packages(metrics.__path__, f"{metrics.__name__}.")
    places = {module.name.rpartition(".")[2]: module.name for module in modules}
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    for metric in METRICS:
        module = importlib.import_module(places[metric.name])
        assert module.metric is metric
        assert module.__doc__ and metric.formula


@pytest.mark.parametrize("beta", [0.0, -1.0, 1e200, float("inf"), float("nan")])
def test_a_beta_whose_square_is_no_number_is_refused(beta: float) -> None:
    with pytest.raises(ValueError, match=r"beta must be above 0 and at most 1,000,000"):
        Options(beta=beta)
