"""A whole tuning from values and questions to its JSON, with small models whose scores can be read off."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest

from karat.core.problems import UserError
from karat.search.choose.limits import Limits
from karat.search.choose.tune import TuneField, tune
from karat.search.records import Floats, Model

ITEMS = ("apple", "banana", "capers", "dill", "eggs", "fig", "garlic", "honey")
TYPES = ("cheap", "dear")


def letters(questions: Sequence[str], values: Sequence[str]) -> Floats:
    """How many letters of the value stand in the question's last word, then alphabetically: eggs for "… g" comes before
    fig."""
    order = np.array([[-sorted(values).index(value) / 1000 for value in values]], dtype=np.float32)
    shared = [
        [sum(value.count(letter) for letter in question.split()[-1]) for value in values] for question in questions
    ]
    return np.array(shared, dtype=np.float32) + order


def constant(questions: Sequence[str], values: Sequence[str]) -> Floats:
    return np.zeros((len(questions), len(values)), dtype=np.float32)


LETTERS = Model("letters", "1", score=letters, cost=1.0)
PLENTY = Limits(2000)
CONSTANT = Model("constant", "1", score=constant)
QUESTIONS = ("what has g", "what has a", "what has p", "what has x", "nothing asked")
FIELDS = (
    TuneField("Shop[item]", ITEMS, (("eggs", "garlic"), ("banana",), ("apple", "capers"), ("zucchini", "honeyy"), ())),
    TuneField("Shop[type]", TYPES, (("cheap",), (), (), (), ())),
)


def decoded(limits: Limits = PLENTY) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(msgspec.json.encode(tune(QUESTIONS, FIELDS, [CONSTANT, LETTERS], limits)))
    return found


def test_the_whole_of_it() -> None:
    found = decoded()
    # g: eggs 2, fig 1, garlic 1 → garlic is third. a: banana 3. p: apple 2, capers 1. type: cheap shares nothing with
    # "g", and is first by letter.
    item, kind = found["fields"]
    assert (item["field"], item["model"], item["n"]) == ("Shop[item]", "letters", 3)
    assert item["recall"] == pytest.approx((1 + 1 + 1 + 0) / 4)
    assert item["mrr"] == pytest.approx(((1 + 1 / 3) + 1 + (1 + 1 / 2) + 0) / 4)
    assert (kind["model"], kind["n"], kind["recall"], kind["mrr"]) == ("letters", 1, 1.0, 1.0)
    assert (found["passed"], found["questions"], found["mean_recall"]) == (3, 4, 0.875)
    assert (found["optimal"], found["gap"], found["budget_tokens"]) == (True, 0.0, 2000)
    assert found["models"] == ["constant", "letters"]
    assert found["tokens"] == item["tokens"] + kind["tokens"]
    assert found["held_out"]["questions"] == 4
    assert found["held_out"]["passed"] <= 3
    assert [detail["passed"] for detail in found["questions_detail"]] == [True, True, True, False, None]
    assert found["questions_detail"][3]["missing"] == [
        {"field": "Shop[item]", "key": "zucchini", "rank": None},
        {"field": "Shop[item]", "key": "honeyy", "rank": None, "nearest": "honey"},
    ]
    assert [more["outcome"] for more in found["more"]] == ["never"]
    assert found["pareto"][-1]["passed"] == 3
    assert any("too few" in warning for warning in found["warnings"])
    assert "2 truths are not among the values: no n finds them" in found["warnings"]
    assert '1 question without truths: not counted ("nothing asked")' in found["warnings"]
    assert found["recall_asked"] == pytest.approx((1 + 1 + 1 + 0 + 1) / 5)


def test_missing_keys_come_with_the_rank_they_would_have_had() -> None:
    found = decoded(Limits(2000, 2))
    (first, *_) = found["questions_detail"]
    assert first["missing"] == [{"field": "Shop[item]", "key": "garlic", "rank": 3}]
    assert found["passed"] == 2
    assert found["more"][0]["outcome"] == "beyond"


def test_a_constant_model_gets_the_worst_rank() -> None:
    """Eight values that all score alike: every truth is eighth, so no n below eight finds anything."""
    found = tune(QUESTIONS, FIELDS[:1], [CONSTANT], PLENTY)
    assert found.fields[0].n == 8
    assert [curve.n for curve in found.curves] == [(1, 8)]
    assert found.curves[0].recall == pytest.approx((0.0, 0.75))


def test_the_order_of_the_models_changes_no_name() -> None:
    one, other = (
        tune(QUESTIONS, FIELDS, [CONSTANT, LETTERS], PLENTY),
        tune(QUESTIONS, FIELDS, [LETTERS, CONSTANT], PLENTY),
    )
    assert one.fields == other.fields
    assert {(c.field, c.model): c for c in one.curves} == {(c.field, c.model): c for c in other.curves}


def test_curves_rise_and_end_where_all_that_can_be_found_is() -> None:
    for curve in tune(QUESTIONS, FIELDS, [CONSTANT, LETTERS], PLENTY).curves:
        assert list(curve.n) == sorted(set(curve.n))
        assert list(curve.recall) == sorted(curve.recall)
        assert list(curve.tokens) == sorted(curve.tokens)


def test_the_same_twice() -> None:
    assert msgspec.structs.replace(tune(QUESTIONS, FIELDS, [LETTERS], PLENTY), seconds=0.0) == msgspec.structs.replace(
        tune(QUESTIONS, FIELDS, [LETTERS], PLENTY), seconds=0.0
    )


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    tune(QUESTIONS, FIELDS, [LETTERS, CONSTANT], PLENTY, watch=lambda field, done, of: told.append((field, done, of)))
    assert {field for field, _, _ in told} == {"Shop[item]", "Shop[type]"}
    assert all(done <= of for _, done, of in told)


def test_mistakes_are_told() -> None:
    with pytest.raises(UserError, match="no model"):
        tune(QUESTIONS, FIELDS, [], PLENTY)
    with pytest.raises(UserError, match="no field"):
        tune(QUESTIONS, [], [LETTERS], PLENTY)
    with pytest.raises(UserError, match=r"Shop\[item\] has no values"):
        tune(QUESTIONS, [TuneField("Shop[item]", (), ((),) * 5)], [LETTERS], PLENTY)
    with pytest.raises(UserError, match="no question has a value"):
        tune(QUESTIONS, [TuneField("Shop[item]", ITEMS, ((),) * 5)], [LETTERS], PLENTY)
    with pytest.raises(UserError, match=r"within a budget of 1 token: .* finds anything is 2 tokens"):
        tune(QUESTIONS, FIELDS, [LETTERS], Limits(1))


def test_values_without_tokens_reach_below_the_budget() -> None:
    """An empty text costs nothing, so two values fit a budget of one token, and a third does not."""

    def in_order(questions: Sequence[str], values: Sequence[str]) -> Floats:
        return np.array([[-place for place in range(len(values))] for _ in questions], dtype=np.float32)

    field = TuneField("T[f]", ("", "tea", "salt"), (("tea",), ("tea", "salt")))
    found = tune(("q", "r"), [field], [Model("m", "1", score=in_order)], Limits(1))
    assert (found.fields[0].n, found.tokens, found.passed, found.mean_recall) == (2, 1, 1, 0.75)
    assert [(point.tokens, point.passed) for point in found.pareto] == [(1, 1)]
