"""The figures of many questions at once: equal to pytrec_eval's, to the suite's own case by case, and between dicts and
arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.retrieval import CodedQrels, CodedRun, evaluate
from karat.suites.retrieval.comparison import compare_truths
from karat.suites.retrieval.metrics import ANSWERED
from karat.suites.retrieval.metrics.fields import CUTOFFS
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.records import DOCUMENTS, Ranked, Retrieved, Truths

NAMES = tuple(metric.name for metric in ANSWERED)
THEIRS = {
    "map": "map",
    "ndcg": "ndcg",
    "rr": "recip_rank",
    "r_precision": "Rprec",
    "recall": "set_recall",
    **{
        f"{ours}_{k}": f"{theirs}_{k}"
        for ours, theirs in (
            ("recall_at", "recall"),
            ("precision_at", "P"),
            ("ndcg_at", "ndcg_cut"),
            ("map_at", "map_cut"),
            ("success_at", "success"),
        )
        for k in CUTOFFS
    },
}

documents = st.sampled_from([f"d{number}" for number in range(24)] + ["é", "zz", "D1", "d10x"])
# Few values, so that scores tie; some that only float32 makes equal; some that it cannot hold.
scores = st.one_of(
    st.sampled_from([0.0, 1.0, -1.5, 0.1, 0.1 + 1e-12, 1e-3, 3.0, 1e300, -1e300]),
    st.floats(-5, 5, allow_nan=False),
    st.integers(-3, 3).map(float),
)
judged = st.dictionaries(documents, st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3, 7]), min_size=1, max_size=20)
results = st.dictionaries(documents, scores, min_size=1, max_size=25)
Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
questions = st.sampled_from(["q1", "q2", "q3", "301", "é"])
qrels_strategy = st.dictionaries(questions, judged, min_size=1)
run_strategy = st.dictionaries(questions, results, min_size=1)


def coded(qrels: Qrels, run: Run) -> tuple[CodedQrels, CodedRun, list[str]]:
    """Both as arrays; codes in the order of the names."""
    names = sorted({*qrels, *run})
    keys = sorted({key for side in (qrels, run) for found in side.values() for key in found})
    q, d = {name: code for code, name in enumerate(names)}, {key: code for code, key in enumerate(keys)}

    def arrays(side: dict[str, dict[str, Any]], kind: Any) -> tuple[Any, Any, Any]:
        rows = [(q[name], d[key], value) for name, found in side.items() for key, value in found.items()]
        columns = list(zip(*rows, strict=True))
        return np.array(columns[0], np.int32), np.array(columns[1], np.int32), np.array(columns[2], kind)

    return CodedQrels(*arrays(qrels, np.int64)), CodedRun(*arrays(run, np.float64)), names


@settings(max_examples=100, deadline=None)
@given(qrels_strategy, run_strategy, st.sampled_from([1, 1, 2, 3]))
def test_equal_to_pytrec_eval(qrels: Qrels, run: Run, level: int) -> None:
    """A relevance below 0 counts as 0. pytrec_eval is given the 0: it writes past its own memory when it meets the
    other."""
    plain = {name: {key: max(value, 0) for key, value in found.items()} for name, found in qrels.items()}
    measures = {*THEIRS.values()} - {name for name in THEIRS.values() if name[-1].isdigit()}
    cuts = ",".join(map(str, CUTOFFS))
    measures |= {f"{family}.{cuts}" for family in ("recall", "P", "ndcg_cut", "map_cut", "success")}
    theirs = pytrec_eval.RelevanceEvaluator(plain, measures, relevance_level=level).evaluate(run)
    ours = evaluate(qrels, run, tuple(THEIRS), relevance_level=level).by_question()
    assert ours.keys() == theirs.keys()
    for question, values in ours.items():
        for name, measure in THEIRS.items():
            assert values[name] == pytest.approx(theirs[question][measure], abs=1e-12), (question, name)


@settings(max_examples=80, deadline=None)
@given(qrels_strategy, run_strategy, st.sampled_from([1, 2]), st.sampled_from([None, 1, 4]))
def test_equal_to_the_metrics_case_by_case(qrels: Qrels, run: Run, level: int, most: int | None) -> None:
    options = Options(relevance_level=level, max_results=most)
    bulk = evaluate(qrels, run, NAMES, relevance_level=level, max_results=most).by_question()
    for question, values in bulk.items():
        found = run[question]
        retrieved = Retrieved({DOCUMENTS: Ranked(list(found), list(found.values()))})
        comparison = compare_truths(Truths({DOCUMENTS: qrels[question]}), retrieved, options)
        for metric in ANSWERED:
            assert values[metric.name] == pytest.approx(metric.score(comparison).value, abs=1e-12), metric.name


@settings(max_examples=80, deadline=None)
@given(qrels_strategy, run_strategy, st.booleans(), st.sampled_from([None, 3]))
def test_arrays_equal_dicts(qrels: Qrels, run: Run, best_first: bool, most: int | None) -> None:
    if best_first:
        run = {name: dict(sorted(found.items(), key=lambda item: -item[1])) for name, found in run.items()}
    coded_qrels, coded_run, names = coded(qrels, run)
    of_arrays = evaluate(coded_qrels, coded_run, NAMES, max_results=most)
    of_dicts = evaluate(qrels, run, NAMES, max_results=most)
    assert {names[int(code)] for code in of_arrays.questions} == set(of_dicts.questions)
    assert of_arrays.without_results == of_dicts.without_results
    expected = of_dicts.by_question()
    for code, values in of_arrays.by_question().items():
        assert values == pytest.approx(expected[names[int(code)]], abs=1e-12)


def test_by_hand() -> None:
    """d1 at rank 2 and d2 at rank 4 of five results; d3 was not retrieved."""
    qrels = {"q": {"d1": 1, "d2": 1, "d3": 1, "x": 0}, "other": {"d1": 1}, "empty": {}}
    run = {"q": {"a": 5.0, "d1": 4.0, "x": 3.0, "d2": 2.0, "b": 1.0}, "stranger": {"a": 1.0}}
    found = evaluate(
        qrels, run, ("recall", "precision_at_5", "rr", "map", "mrr_sum", "passed", "rr_at_1", "r_precision")
    )
    assert found.questions == ("q",)
    assert found.relevant.tolist() == [3]
    assert found.without_results == 1
    assert found.means == pytest.approx(
        {
            "recall": 2 / 3,
            "precision_at_5": 0.4,
            "rr": 0.5,
            "map": (1 / 2 + 2 / 4) / 3,
            "mrr_sum": 1 / 2 + 1 / 4,
            "passed": 0.0,
            "rr_at_1": 0.0,
            "r_precision": 1 / 3,
        }
    )
    assert found.means_of_all["rr"] == 0.25


def test_ties_go_to_the_greater_document() -> None:
    qrels = {"q": {"b": 1}}
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    assert evaluate(qrels, run, ("rr",)).values["rr"].tolist() == [0.5]
    assert evaluate(qrels, {"q": {"a": 0.1, "b": 0.1 + 1e-12}}, ("rr",)).values["rr"].tolist() == [1.0]


def test_arrays_without_scores_stand_best_first() -> None:
    qrels = CodedQrels(np.array([0]), np.array([7]), np.array([1]))
    run = CodedRun(np.array([0, 1, 0]), np.array([3, 7, 7]))
    assert evaluate(qrels, run, ("rr",)).values["rr"].tolist() == [0.5]


def test_large_codes_and_unsigned_ones() -> None:
    qrels = CodedQrels(np.array([2**40, 5]), np.array([2**61, 2**60]), np.array([1, 1]))
    run = CodedRun(
        np.array([2**40, 2**40, 5], np.uint64), np.array([2**60, 2**61, 2**60 + 4096], np.uint64), np.array([2, 1, 0.5])
    )
    assert evaluate(qrels, run, ("rr",)).by_question() == {"5": {"rr": 0.0}, str(2**40): {"rr": 0.5}}


def test_many_questions_in_blocks_with_gaps() -> None:
    """400 questions, every third not judged: the relevant document of question n stands at rank n % 5 + 1."""
    asked = [number for number in range(400) if number % 3]
    qrels = CodedQrels(np.array(asked), np.array(asked), np.ones(len(asked), int))
    rows = [
        (number, number if place == number % 5 else 1000 + place, float(-place))
        for number in range(400)
        for place in range(5)
    ]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    found = evaluate(qrels, CodedRun(*columns), ("rr",))
    assert found.questions.tolist() == asked  # type: ignore[union-attr]  # an array here
    assert found.values["rr"].tolist() == pytest.approx([1 / (number % 5 + 1) for number in asked])


def test_nothing_in_common() -> None:
    found = evaluate({"q": {"d": 1}}, {"other": {"d": 1.0}}, ("map",))
    assert found.means == {}
    assert found.means_of_all == {"map": 0.0}
    arrays = evaluate(
        CodedQrels(np.array([1]), np.array([1]), np.array([1])), CodedRun(np.array([2]), np.array([1]), np.array([0.5]))
    )
    assert arrays.means == {}
    nothing = np.array([], int)
    assert evaluate(CodedQrels(nothing, nothing, nothing), CodedRun(nothing, nothing)).means_of_all == {}


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (CodedRun(np.array([0, 0]), np.array([1, 1]), np.array([0.5, 0.4])), "appears twice"),
        (CodedRun(np.array([0]), np.array([1]), np.array([float("nan")])), "not a number"),
        (CodedRun(np.array([0]), np.array([-1]), np.array([1.0])), "below 0"),
        (CodedRun(np.array([0]), np.array([2**63], np.uint64), np.array([1.0])), "too large"),
        (CodedRun(np.array([0]), np.array([1, 2]), np.array([1.0])), "not of equal length"),
        (CodedRun(np.array([0.0]), np.array([1]), np.array([1.0])), "whole numbers"),
    ],
)
def test_wrong_arrays(run: CodedRun, words: str) -> None:
    qrels = CodedQrels(np.array([0]), np.array([1]), np.array([1]))
    with pytest.raises(UserError, match=words):
        evaluate(qrels, run)


def test_wrong_dicts_and_names() -> None:
    with pytest.raises(UserError, match="not a number"):
        evaluate({"q": {"d": 1}}, {"q": {"d": float("nan")}})
    with pytest.raises(UserError, match='no metric "ndgc_at_10"') as raised:
        evaluate({}, {}, ("ndgc_at_10",))
    assert raised.value.hint == 'Did you mean "ndcg_at_10"?'
    with pytest.raises(UserError, match="no metric"):
        evaluate({}, {}, ("recall_at_0",))
    with pytest.raises(UserError, match="judged twice"):
        evaluate(
            CodedQrels(np.array([0, 0]), np.array([1, 1]), np.array([1, 2])), CodedRun(np.array([0]), np.array([1]))
        )


def test_the_example_of_the_module() -> None:
    found = evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.9}}, metrics=("map", "ndcg_at_10"))
    assert found.values["map"].tolist() == [0.5]
    assert found.means["ndcg_at_10"] == pytest.approx(1 / np.log2(3))
