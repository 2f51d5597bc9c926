"""What each suite calls a failure: the words that failure groups are made of."""

from __future__ import annotations

from typing import Any

import pytest

from karat.core.presentation.case_explanation import explanation_of
from karat.core.results.failures.failures import failures_of
from karat.core.results.result import CaseResult


def failures(suite: str, details: dict[str, Any]) -> list[tuple[str, str]]:
    found = failures_of(explanation_of(suite, CaseResult("c", "scored", {}, details)))
    return [(one.label, one.family) for one in found]


def dimension(name: str, found: str = "", missed: str = "", extra: str = "", **more: Any) -> dict[str, Any]:
    terms = {"true_positives": found, "false_negatives": missed, "false_positives": extra}
    listed = {key: [{"id": code, "name": f"name of {code}"} for code in text.split()] for key, text in terms.items()}
    return {"dimension": name, **listed, **more}


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ({"dimensions": [dimension("C", found="PER"), dimension("I", found="GDP")]}, []),
        ({"dimensions": [dimension("C", missed="MEX", extra="USA")]}, ["C wrong: asked MEX, got USA"]),
        ({"dimensions": [dimension("C", found="PER", missed="MEX")]}, ["C missing: MEX"]),
        ({"dimensions": [dimension("C", found="PER", extra="WLD")]}, ["C extra: WLD"]),
        ({"dimensions": [dimension("C", missed="MEX"), dimension("I", missed="GDP")]}, ["nothing selected"]),
        (
            {"dimensions": [dimension("C", missed="B A", extra="Z"), dimension("I", found="x", missed="GDP", turn=1)]},
            ["C wrong: asked A, B, got Z", "I missing: GDP"],
        ),
        (
            {
                "dimensions": [dimension("C", found="x")],
                "datasets": [{"turn": 0, "expected": ["WEO"], "found": ["IFS"], "unexpected": ["IFS"]}],
            },
            ["dataset wrong: asked WEO, got IFS"],
        ),
        (
            {"dimensions": [dimension("C", found="x")], "main_reason": "wrong_combination"},
            ["wrong combination"],
        ),
    ],
)  # fmt: skip
def test_selections(details: dict[str, Any], expected: list[str]) -> None:
    assert [label for label, _ in failures("data_query", details)] == expected


def test_the_same_code_with_another_name_shows_both_names() -> None:
    one, other = ({"id": "GDP", "name": name} for name in ("Gross", "Net"))
    details = {"dimensions": [{"dimension": "I", "false_negatives": [one], "false_positives": [other]}]}
    assert failures("data_query", details) == [("I wrong: asked GDP · Gross, got GDP · Net", "I wrong")]


def test_missing_keys_of_a_ranking() -> None:
    field = {"field": "code", "retrieved": 5, "relevant": 3, "found": 1, "ranks": [2], "missing_count": 2}
    assert failures("retrieval", {"fields": [{**field, "missing": ["a", "b"]}]}) == [
        ("code missing: a", "code missing"),
        ("code missing: b", "code missing"),
    ]
    many = failures("retrieval", {"fields": [{**field, "missing": ["a"], "missing_count": 90}]})
    assert many[-1] == ("code missing", "code missing")


def answer(reason: str, state: str = "wrong", **more: Any) -> dict[str, Any]:
    verdict = {"state": state, "reason": reason, "normalised": []}
    known = {"reason": reason, "evidence": {}, "flips": False, "functions": [], "spider2": verdict, "strict": verdict}
    return {**known, **more}


def sql(components: list[dict[str, Any]], rows: list[int] | None = None) -> dict[str, Any]:
    known = {"db": "d", "dialect": "sqlite", "gold_sql": "SELECT 1", "sql": "SELECT 2", "figures": {}}
    return {**known, "components": components, "rows": {"gold": [1, 1], "answer": rows}}


def test_answers_by_their_coded_reason() -> None:
    assert failures("answers", answer("rows_scrambled")) == [("rows_scrambled", "rows_scrambled")]
    told = answer("text_differs", evidence={"missing": ["Paris"]})
    assert failures("answers", told) == [("text_differs: Paris", "text_differs")]
    assert failures("answers", answer("hedged", "needs_review"))[0][0] == "needs review: hedged"
    assert failures("answers", answer("", "right")) == []


def test_queries_by_the_parts_in_which_they_differ() -> None:
    parts = [
        {"part": "grouping", "missing": ["country"]},
        {"part": "filters", "extra": ["a = 1"]},
        {"part": "ordering", "missing": ["a"], "extra": ["b"]},
        {"part": "value", "missing": ["a = 1"], "extra": ["a = 2"]},
    ]
    ran = answer("values_differ", sql=sql(parts, [1, 1]))
    assert [label for label, _ in failures("answers", ran)] == [
        "missing GROUP BY",
        "extra WHERE",
        "ORDER BY differs",
        "value in WHERE or HAVING differs",
    ]
    failed = answer("sql_error", sql=sql(parts))
    assert failures("answers", failed) == [("sql_error", "sql_error")]
    assert failures("answers", answer("", "right", sql=sql(parts, [1, 1]))) == []


def test_exceptions_of_code_are_of_one_family() -> None:
    from karat.core.explanation import Failure
    from karat.suites.codegen.failures import failure_of

    class Kept:
        def __init__(self, error: str, reason: str = "") -> None:
            self.error, self.reason = error, reason

    assert failure_of(Kept("KeyError: 'age'")) == Failure("KeyError: 'age'", "KeyError")  # type: ignore[arg-type]  # as the test wants it
    assert failure_of(Kept("", "row_count")) == Failure("row_count", "row_count")  # type: ignore[arg-type]  # as the test wants it
