"""Whole judgements in the real sandbox: right code wins, whatever wrong code says about itself."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from karat.core.explanation import plain_details
from karat.core.records import Prediction, join_attempts
from karat.core.scores import Score
from karat.sandbox import Column as SandboxColumn
from karat.sandbox import Series as SandboxSeries
from karat.suites.codegen.comparison import Comparison, shown
from karat.suites.codegen.details import details
from karat.suites.codegen.metrics import METRICS
from karat.suites.codegen.metrics.overall import WEIGHTS, overall_of
from karat.suites.codegen.options import Options
from karat.suites.codegen.repair.follow_up import follow_up
from karat.suites.codegen.steps.compare import compare
from tests.suites.codegen.tasks import MEANS, QUESTION, QUICK, case_of, judge_code

RIGHT = 'result = df.groupby("city")["price"].mean()'
BROKEN = 'result = df.groupby("city")["cost"].mean()'


def scores_of(comparison: Comparison) -> dict[str, Score]:
    return {metric.name: metric.score(comparison) for metric in METRICS}


def overall(comparison: Comparison) -> float:
    assert comparison.overall.score is not None
    return comparison.overall.score


@pytest.mark.parametrize(
    "wrong",
    [
        "result = 42  # the average (mean) price by city: df.groupby('city')['price'].mean()",
        "'''df.groupby(\"city\")[\"price\"].mean()'''\nresult = 42",
        "x = df.groupby('city')['price'].mean()\nresult = df.units.sum()",
        "def f():\n    return df.groupby('city')['price'].mean()\nresult = 42",
        "if False:\n    result = df.groupby('city')['price'].mean()\nresult = 42",
        "class Always:\n    def __eq__(self, other):\n        return True\nresult = Always()",
        "class Always(float):\n    def __eq__(self, other):\n        return True\nresult = Always(1)",
        'result = df.groupby("city")["price"].sum()',
        'result = df.groupby("city")["units"].mean()',
        'result = {"Rome": 2.25, "Oslo": 3.0, "Bonn": 5.0}',
        BROKEN,
        "import os\nos._exit(0)",
    ],
)
def test_wrong_code_scores_below_the_right_answer(wrong: str) -> None:
    found = judge_code(wrong)
    assert not found.correctness.passed
    assert overall(found) < overall(judge_code(RIGHT)) - 0.1


def test_weights_are_the_contracts_and_parts_that_do_not_apply_are_left_out() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    everything = dict.fromkeys(WEIGHTS, 0.5)
    assert overall_of(everything).score == pytest.approx(0.5) and overall_of(everything).left_out == {}
    found = overall_of({"correctness": 1, "quality": 0.9, "understanding": 0.8, "coverage": 1, "recovery": None})
    assert found.score == pytest.approx(0.7 / 0.75)
    assert set(found.left_out) == {"performance", "recovery"} and sum(found.weights.values()) == pytest.approx(1)
    assert overall_of({}).score is None


def test_the_contracts_shapes() -> None:
    found = plain_details(details([(0, judge_code(BROKEN, BROKEN, RIGHT))]))
    assert list(found["prompt_understanding"]) == ["understanding_score", "details"]
    assert list(found["prompt_understanding"]["details"]) == [
        "column_extraction_score",
        "nl_parsing_score",
        "statistical_understanding_score",
        "extracted_columns",
        "mentioned_columns",
        "statistical_operations",
    ]
    assert list(found["requirement_coverage"]["details"]) == [
        "filter_conditions_coverage",
        "groupby_columns_coverage",
        "sorting_coverage",
        "join_conditions_coverage",
        "missing_requirements",
    ]
    recovery = found["error_recovery"]
    assert recovery["error_fix_quality"] == pytest.approx(0.55)
    assert recovery["recovery_score"] == pytest.approx(0.548, abs=5e-4)
    assert recovery["recovery_details"][0] == {
        "attempt_number": 1,
        "success": False,
        "error": "KeyError: 'Column not found: cost'",
        "fix_quality": 0.1,
    }
    assert (recovery["has_error"], recovery["recovery_attempts_count"], recovery["recovery_success"]) == (True, 2, True)
    assert msgspec.json.decode(msgspec.json.encode(found)) == found


def test_attempts_run_until_one_does() -> None:
    response = join_attempts([f"```python\n{code}\n```".encode() for code in (BROKEN, RIGHT, "result = 1")])
    found = compare(case_of(MEANS), 0, Prediction("one", response=response), QUICK)
    assert [attempt.ran for attempt in found.attempts] == [False, True]
    assert found.correctness.passed and found.first_passed is False
    scores = scores_of(found)
    assert (scores["passed"].value, scores["first_try_passed"].value, scores["ran"].value) == (1, 0, 1)
    assert details([(0, found)]).code == RIGHT


def test_metrics_say_when_they_do_not_apply() -> None:
    scores = scores_of(judge_code(RIGHT))
    assert scores["recovery"].state == scores["performance"].state == "not_applicable"
    assert scores["overall"].reason == "without performance, recovery" and scores["overall"].value == 1
    assert [metric.name for metric in METRICS if metric.headline] == ["overall", "passed"]
    assert all(metric.formula for metric in METRICS)


def test_order_counts_when_the_question_asks_for_it() -> None:
    ordered = msgspec.structs.replace(MEANS, reference='result = df.sort_values("price", ascending=False)')
    asking = "List all sales sorted by price, descending"
    assert judge_code(ordered.reference, question=asking, task=ordered).correctness.passed
    assert judge_code("result = df", question=asking, task=ordered).correctness.score == 0.5
    assert judge_code("result = df", question="List all sales", task=ordered).correctness.passed


def test_a_failed_answer_is_followed_up_with_all_that_is_needed() -> None:
    case = case_of(MEANS)
    said = follow_up(case, 0, [f"x = 1\n{BROKEN}".encode()], QUICK)
    assert said is not None
    for part in (
        "column_error",
        "KeyError",
        "Line 2: " + BROKEN,
        QUESTION,
        "sales: city (text), price (float), units (int)",
        "Rome | 1.5 | 1",
        f"1 | x = 1\n2 | {BROKEN}",
    ):
        assert part in said
    assert follow_up(case, 0, [BROKEN.encode()] * 2, QUICK) is not None
    assert follow_up(case, 0, [BROKEN.encode()] * 3, QUICK) is None  # two repairs were made
    assert follow_up(case, 0, [BROKEN.encode(), RIGHT.encode()], QUICK) is None
    assert follow_up(case, 0, [BROKEN.encode()], Options(max_recovery_attempts=0)) is None


@pytest.mark.parametrize("bad", [{"scales": ()}, {"scales": (0,)}, {"rel_tol": 2}, {"max_recovery_attempts": -1}])
def test_options_are_checked(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        Options(**bad)  # type: ignore[arg-type]  # wrong on purpose


WORDS = st.sampled_from(
    [
        "result",
        "=",
        "df",
        ".city",
        "['price']",
        "(",
        ")",
        ".mean()",
        "42",
        "\n",
        "# sum",
        ".groupby('city')",
        "for",
        "x",
    ]
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=12).map("".join)), st.text(max_size=60))
def test_scores_stay_between_0_and_1_for_any_text(code: str, question: str) -> None:
    task = msgspec.structs.replace(MEANS, timeout=2.0)
    for score in scores_of(judge_code(code, code + "\nresult = df", question=question, task=task)).values():
        assert score.value is None or 0 <= score.value <= 1


def test_a_table_is_shown_as_its_rows() -> None:
    """Sheets, pages and notebooks showed the program's own form of it."""
    series = SandboxSeries(SandboxColumn("n", "int64", [5, None]), (SandboxColumn("city", "str", ["Oslo", "Rome"]),))
    assert shown(series) == "city, n\nOslo, 5\nRome, null"
    assert shown(6) == "6"
