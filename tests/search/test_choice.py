"""The choice of n and model is the best of all combinations, in the order of the objective; and each known defect would
be seen here."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.search.choose.branch_and_bound import branch
from karat.search.choose.choice import ORDER, affordable_options, choose
from karat.search.choose.combinations import program_of
from karat.search.choose.combinations import worth as worth_of
from karat.search.choose.integer_program import solve
from karat.search.choose.limits import Limits
from karat.search.choose.options import options_of
from karat.search.choose.outcome import mrr_of
from karat.search.records import FieldRanks, ModelRanks
from tests.search.made_ranks import combinations, field, random_fields, ranked, worth

SLOW = settings(deadline=None, max_examples=150)


# -- optimal in the spec's order --------------------------------------------------------------------------------------


@SLOW
@given(random_fields(), st.integers(0, 20), st.none() | st.integers(1, 4))
def test_no_combination_is_better(fields: list[FieldRanks], budget: int, max_n: int | None) -> None:
    affordable = [
        worth(fields, picks) for picks in combinations(fields, max_n) if sum(pick.tokens for pick in picks) <= budget
    ]
    if not affordable:
        least = min(sum(pick.tokens for pick in picks) for picks in combinations(fields, max_n))
        with pytest.raises(UserError, match=f"up to {least}"):
            choose(fields, Limits(budget, max_n))
        return
    choice = choose(fields, Limits(budget, max_n), time_limit=3600.0)
    assert choice.optimal
    assert choice.gap == 0
    assert worth(fields, choice.picks) == max(affordable)
    assert choice.passed == max(affordable)[0]
    assert choice.tokens == -max(affordable)[2]


@SLOW
@given(random_fields(), st.integers(0, 20), st.integers(0, 3))
def test_the_general_solver_finds_the_same(fields: list[FieldRanks], more: int, passed: int) -> None:
    budget = more + sum(options_of(one, max_n=1).options[0].tokens for one in fields)
    program = program_of(affordable_options(fields, Limits(budget)))
    general = solve(program, ORDER, budget=budget, passed=passed)
    quick = branch(program, ORDER, budget=budget, passed=passed)
    assert general.proven
    assert quick.proven
    assert (general.taken is None) == (quick.taken is None)
    if general.taken is not None and quick.taken is not None:
        assert worth_of(program, ORDER, general.taken) == worth_of(program, ORDER, quick.taken)
        assert solve(program, (), budget=budget, passed=passed).taken is not None


@SLOW
@given(random_fields(), st.integers(1, 6))
def test_dropped_options_are_never_missed(fields: list[FieldRanks], max_n: int) -> None:
    for one in fields:
        kept = options_of(one, max_n=max_n)
        for place, model in enumerate(one.models):
            for n in range(1, min(max_n, model.tokens.shape[1]) + 1):
                found = [int(((ranks >= 1) & (ranks <= n)).sum()) for ranks in model.ranks]
                price = (int(model.tokens[:, n - 1].max()), n)
                assert any(
                    (row >= found).all() and option.price[: 1 if (row > found).any() else 2] <= price
                    for option, row in zip(kept.options, kept.found, strict=True)
                ), (place, n)


def test_recall_is_exact_to_a_millionth_of_a_question() -> None:
    """1 of 11,369 and 1 of 11,371: no common denominator is small, and the two are not told apart; the choice is off by
    no more than that."""
    long, longer = 11_369, 11_371
    first = ranked("a", [[3] + [0] * (long - 1), [1] + [0] * (longer - 1)])
    second = ranked("b", [[1] + [0] * (long - 1), [3] + [0] * (longer - 1)])
    choice = choose([field("f", first, second)], Limits(2))
    assert (choice.passed, choice.tokens, choice.optimal) == (0, 1, True)
    assert choice.mean_recall == pytest.approx(1 / long / 2, abs=1e-6)


# -- what the words of the objective mean -----------------------------------------------------------------------------


def test_passed_comes_before_recall() -> None:
    many = ranked("many", [[1, 1], [1, 9], [1, 9]])  # n = 1 passes one, recall 2/3
    fields = [field("f", many, ranked("half", [[1, 9], [1, 2], [1, 2]]))]  # n = 2 passes two, recall 5/6
    assert choose(fields, Limits(2)).picks[0].model == "half"
    assert choose(fields, Limits(1)).picks[0].model == "many"


def test_recall_is_used_where_as_many_pass() -> None:
    """The public implementation never looks at recall: it would stay with n = 1, which passes as many."""
    fields = [field("f", ranked("m", [[1], [2, 3, 50], [2, 50]]))]
    choice = choose(fields, Limits(10))
    assert choice.picks[0].n == 3
    assert choice.passed == 1
    assert choice.mean_recall == pytest.approx((1 + 2 / 3 + 1 / 2) / 3)


def test_then_fewer_tokens_then_smaller_n_then_the_cheaper_model_then_the_first() -> None:
    def picked(*models: ModelRanks) -> str:
        return choose([field("f", *models)], Limits(100)).picks[0].model

    assert picked(ranked("dear", [[2]], each=9), ranked("lean", [[4]], each=2)) == "lean"
    assert picked(ranked("four", [[4]], each=1), ranked("two", [[2]], each=2)) == "two"
    assert picked(ranked("costly", [[2]], cost=5.0), ranked("cheap", [[2]], cost=1.0)) == "cheap"
    assert picked(ranked("first", [[2]]), ranked("second", [[2]])) == "first"


def test_the_cost_is_the_worst_question_also_where_the_field_does_not_count() -> None:
    tokens = np.array([[1, 2], [7, 30]], dtype=np.int64)
    model = ModelRanks("m", 0.0, (np.array([2]), np.array([], dtype=np.int64)), tokens)
    choice = choose([field("f", model)], Limits(30))
    assert (choice.picks[0].n, choice.picks[0].tokens, choice.questions) == (2, 30, 1)
    assert choose([field("f", model)], Limits(29)).passed == 0


def test_only_ranks_are_worth_an_n() -> None:
    options = options_of(field("f", ranked("m", [[3, 8], [8, 0], [70]])))
    assert [option.n for option in options.options] == [1, 3, 8]  # 70 is beyond the depth of the pass


def test_a_budget_too_small_says_which_would_do() -> None:
    fields = [field("f", ranked("m", [[1]], each=40)), field("g", ranked("m", [[1]], each=2))]
    with pytest.raises(UserError, match="one value per field takes up to 42") as error:
        choose(fields, Limits(41))
    assert "--budget-tokens 42" in str(error.value)
    assert choose(fields, Limits(42)).passed == 1


# -- defects of the public implementation -----------------------------------------------------------------------------


def test_the_order_of_the_questions_does_not_matter() -> None:
    """Greedy in file order gives the budget to the first question, which alone takes all of it, and passes one; three
    others fit."""
    ranks = [[30], [4], [5], [6]]
    ours = choose([field("f", ranked("m", ranks)), field("g", ranked("m", [[1], [20], [19], [18]]))], Limits(31))
    assert ours.passed == 3
    for turned in (ranks[::-1], ranks[1:] + ranks[:1]):
        other = [[1] if row == [30] else [24 - row[0]] for row in turned]
        choice = choose([field("f", ranked("m", turned)), field("g", ranked("m", other))], Limits(31))
        assert [(pick.n, pick.tokens) for pick in choice.picks] == [(pick.n, pick.tokens) for pick in ours.picks]


def test_an_unanswerable_question_is_not_free() -> None:
    """Its truth is not among the values. Were it free (rank 0 ≤ n) it would pass at once, and count as passed."""
    choice = choose([field("f", ranked("m", [[0], [0, 1], [3]]))], Limits(50))
    assert (choice.passed, choice.questions) == (1, 3)
    assert choice.mean_recall == pytest.approx((0 + 1 / 2 + 1) / 3)


def test_a_question_without_truths_does_not_count() -> None:
    choice = choose([field("f", ranked("m", [[], [2]]))], Limits(50))
    assert (choice.passed, choice.questions, choice.mean_recall) == (1, 1, 1.0)


def test_mrr_takes_each_question_by_its_own_ranking() -> None:
    """Against the first question's ranking the figure would be another: 1/1 + 1/2 for both."""
    model = ranked("m", [[1, 2], [4, 0], []])
    assert mrr_of(model, 10) == pytest.approx(((1 + 1 / 2) + 1 / 4) / 2)
    assert mrr_of(model, 1) == pytest.approx(1 / 2)
    assert mrr_of(ranked("m", [[]]), 3) is None


def test_the_model_named_is_the_model_that_was_run() -> None:
    """Whatever the order of the models, and also when it differs between fields: the name goes with its own ranks."""
    good, bad = ranked("good", [[1], [2]]), ranked("bad", [[40], [41]])
    fields = [field("f", bad, good), field("g", good, bad)]
    assert [(pick.model, pick.n) for pick in choose(fields, Limits(90)).picks] == [("good", 2), ("good", 2)]


# -- when the time is over --------------------------------------------------------------------------------------------


def hard_fields() -> list[FieldRanks]:
    rng = np.random.default_rng(5)
    made = []
    for name in "abcdef":
        models = []
        for model in range(3):
            ranks = tuple(rng.integers(1, 200, size=2) for _ in range(60))
            models.append(ModelRanks(f"m{model}", 0.0, ranks, np.cumsum(rng.integers(1, 9, (60, 200)), axis=1)))
        made.append(field(name, *models))
    return made


def test_a_time_limit_gives_the_best_so_far_and_how_far_it_may_be_off() -> None:
    fields = hard_fields()
    began = time.monotonic()
    choice = choose(fields, Limits(2500), time_limit=0.5)
    assert time.monotonic() - began < 30
    assert not choice.optimal
    assert 0 < choice.gap <= 60 - choice.passed
    assert choice.gap_in == "questions passed"
    assert choice.tokens <= 2500


def test_no_time_at_all_gives_the_cheapest() -> None:
    choice = choose(hard_fields(), Limits(2500), time_limit=0.0)
    assert not choice.optimal
    assert choice.tokens <= 2500
    assert choice.gap == 60 - choice.passed
