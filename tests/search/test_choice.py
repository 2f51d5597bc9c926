"""The choice of n and model is the best of all combinations, in the order of the objective; and each known defect would
be seen here."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError, count_of
from karat.search.choose.choice import ORDER, choose
from karat.search.choose.infeasible import NothingFound, ranked_deep_enough
from karat.search.choose.limits import Limits, needed
from karat.search.choose.options import candidates_of, options_on
from karat.search.choose.outcome import mrr_of, outcome_of
from karat.search.choose.problem import affordable_options, problem_of
from karat.search.choose.solvers.branch_and_bound import branch
from karat.search.choose.solvers.combinations import program_of, value
from karat.search.choose.solvers.combinations import worth as worth_of
from karat.search.choose.solvers.enumeration import choices_for
from karat.search.choose.solvers.integer_program import solve
from karat.search.records import DEEPER, FieldRanks, ModelRanks
from tests.search.made_ranks import combinations, field, nothing, random_fields, ranked, worth

SLOW = settings(deadline=None, max_examples=150)


# -- optimal in the spec's order --------------------------------------------------------------------------------------


PASSES = st.sampled_from(["all", "all", "any", "0.5", "0.34", "1"])


@SLOW
@given(random_fields(), st.integers(0, 20), st.none() | st.integers(1, 4), PASSES, st.lists(st.integers(0, 2)))
def test_no_combination_is_better(
    fields: list[FieldRanks], budget: int, max_n: int | None, passes: str, required: list[int]
) -> None:
    names = tuple(one.field for place, one in enumerate(fields) if place in required)
    limits = Limits(budget, max_n, passes, names)
    every = combinations(fields, max_n, names)
    affordable = [picks for picks in every if sum(pick.tokens for pick in picks) <= budget]
    if not affordable:
        least = min(sum(pick.tokens for pick in picks) for picks in every)
        with pytest.raises(UserError, match=f"one value of each required field takes up to {least}"):
            choose(fields, limits)
        return
    best = max(worth(fields, picks, passes) for picks in affordable)
    if not any(truths for one in fields for truths in one.truths):
        assert choose(fields, limits).questions == 0
        return
    if all(nothing(fields, picks) for picks in affordable):
        found = [sum(pick.tokens for pick in picks) for picks in every if not nothing(fields, picks)]
        known = min(found, default=None)
        with pytest.raises(NothingFound) as refused:
            choose(fields, limits)
        if not refused.value.depth:
            expected = "nothing can be found" if known is None else f"finds anything is {count_of(known, 'token')}"
            assert expected in refused.value.message
            assert (known is None) == ("smallest budget" not in refused.value.message)
        return
    choice = choose(fields, limits, time_limit=3600.0)
    assert choice.optimal
    assert choice.gap == 0
    assert worth(fields, choice.picks, passes) == best
    assert (choice.passed, choice.tokens) == (best[0], -best[2])
    assert choice.passed_bound == choice.passed
    assert choice.recall_bound == choice.mean_recall == pytest.approx(float(best[1]))


@SLOW
@given(random_fields(), st.integers(0, 20), st.integers(0, 3), PASSES)
def test_the_general_solver_finds_the_same(fields: list[FieldRanks], budget: int, passed: int, passes: str) -> None:
    program = program_of(affordable_options(problem_of(fields, Limits(budget))), passes)
    general = solve(program, ORDER, budget=budget, passed=passed)
    quick = branch(program, ORDER, budget=budget, passed=passed)
    assert general.proven
    assert quick.proven
    assert (general.taken is None) == (quick.taken is None)
    if general.taken is not None and quick.taken is not None:
        assert worth_of(program, ORDER, general.taken) == worth_of(program, ORDER, quick.taken)
        assert solve(program, (), budget=budget, passed=passed).taken is not None


@SLOW
@given(random_fields(), st.integers(0, 20), PASSES, st.data())
def test_choices_on_parts_are_those_of_each_part_alone(
    fields: list[FieldRanks], budget: int, passes: str, data: st.DataObject
) -> None:
    problem = problem_of(fields, Limits(budget, None, passes))
    rows = st.lists(st.integers(0, 2), min_size=problem.questions, max_size=problem.questions)
    weights = np.array(data.draw(st.lists(rows, min_size=1, max_size=4)))
    for row, taken in zip(weights, choices_for(problem, weights), strict=True):
        program = program_of(affordable_options(problem, np.repeat(np.arange(len(row)), row)), passes)
        alone = branch(program, ORDER, budget=budget)
        assert alone.taken is not None
        options = [own.options[at] for own, at in zip(program.fields, alone.taken, strict=True)]
        chosen = list(zip(problem.candidates, taken, strict=True))
        assert sum(int(one.cost[at, row > 0].max(initial=0)) for one, at in chosen) == sum(
            own.tokens for own in options
        )
        assert sum(int(one.n[at]) for one, at in chosen) == sum(own.n for own in options)
        assert sum(int(one.dearness[at]) for one, at in chosen) == sum(own.dearness for own in options)
        found = np.sum([one.found[at] for one, at in chosen], axis=0)
        passing = (found >= problem.need) & (problem.need > 0)
        assert int(row[passing].sum()) == value(program, "passed", alone.taken)


@SLOW
@given(random_fields(), st.integers(1, 6))
def test_dropped_options_are_never_missed(fields: list[FieldRanks], max_n: int) -> None:
    for one in fields:
        everything = np.arange(len(one.truths))
        kept = options_on(candidates_of(one, Limits(99, max_n)), everything)
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
    def picked(*models: ModelRanks) -> str | None:
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
    with pytest.raises(NothingFound, match="finds anything is 30 tokens"):
        choose([field("f", model)], Limits(29))


def test_only_ranks_are_worth_an_n() -> None:
    one = field("f", ranked("m", [[3, 8], [8, 0], [70]]))
    options = options_on(candidates_of(one, Limits(99)), np.arange(3))
    assert [option.n for option in options.options] == [0, 3, 8]  # 70 is beyond the depth of the pass
    required = options_on(candidates_of(one, Limits(99, required=("f",))), np.arange(3))
    assert [option.n for option in required.options] == [1, 3, 8]


# -- fields that are left out ------------------------------------------------------------------------------------------


def test_a_field_that_does_not_fit_is_left_out() -> None:
    """The example of the specification: with n of at least 1 for each field nothing would fit."""
    a = field("a", ranked("m", [[1], [1], [1], []], each=4))
    b = field("b", ranked("m", [[], [], [], [1]], each=3))
    choice = choose([a, b], Limits(5))
    assert [(pick.field, pick.n, pick.model, pick.tokens) for pick in choice.picks] == [
        ("a", 1, "m", 4),
        ("b", 0, None, 0),
    ]
    assert (choice.tokens, choice.passed, choice.questions) == (4, 3, 4)
    with pytest.raises(UserError, match="one value of each required field takes up to 7"):
        choose([a, b], Limits(5, required=("a", "b")))
    assert [pick.n for pick in choose([a, b], Limits(5, required=("b",))).picks] == [0, 1]
    with pytest.raises(UserError, match="c is required"):
        choose([a, b], Limits(5, required=("c",)))


def test_nothing_to_be_found_names_the_smallest_budget() -> None:
    fields = [field("f", ranked("m", [[2]], each=40)), field("g", ranked("m", [[3]], each=20))]
    with pytest.raises(NothingFound, match="finds anything is 60 tokens") as error:
        choose(fields, Limits(59))
    assert "--budget-tokens 60" in str(error.value)
    assert choose(fields, Limits(60)).tokens == 60
    with pytest.raises(NothingFound, match="finds anything is 80 tokens"):
        choose(fields, Limits(59, required=("f",)))


def test_the_smallest_budget_may_lie_deeper_than_the_pass() -> None:
    with pytest.raises(NothingFound) as error:
        choose([field("f", ranked("m", [[9]], depth=5))], Limits(5))
    assert error.value.depth == 9
    depths: list[int] = []

    def rank(depth: int) -> list[FieldRanks]:
        depths.append(depth)
        return [field("f", ranked("m", [[9]], depth=max(5, depth)))]

    with pytest.raises(NothingFound, match="finds anything is 9 tokens"):
        ranked_deep_enough(rank, lambda fields: choose(fields, Limits(5)))
    assert depths == [0, 9]


def test_truths_that_are_no_values_are_found_at_no_budget() -> None:
    with pytest.raises(NothingFound, match="at any budget: no truth is a value"):
        choose([field("f", ranked("m", [[0]]))], Limits(50))
    with pytest.raises(NothingFound, match="with n up to 3"):
        choose([field("f", ranked("m", [[4]]))], Limits(50, 3))
    with pytest.raises(NothingFound, match="no ranking is deep enough"):
        choose([field("f", ranked("m", [[DEEPER]]))], Limits(50))


# -- when a question passes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("passes", "need"), [("all", 3), ("any", 1), ("0.5", 2), ("0.34", 2), ("0.33", 1), ("1", 3)])
def test_a_share_of_the_truths_is_rounded_up(passes: str, need: int) -> None:
    assert needed(np.array([3, 0]), passes).tolist() == [need, 0]


def test_a_share_is_taken_as_it_is_written() -> None:
    """0.55 of 20 is 11; the nearest floating-point product is a little more than 11."""
    assert needed(np.array([20]), "0.55").tolist() == [11]


@pytest.mark.parametrize("passes", ["0", "1.5", "most", "-1", "nan", "1/0", ""])
def test_what_says_nothing_about_passing_is_refused(passes: str) -> None:
    with pytest.raises(UserError, match="does not say when a question passes"):
        choose([field("f", ranked("m", [[1]]))], Limits(5, passes=passes))


def test_truths_of_all_fields_count_together() -> None:
    fields = [field("f", ranked("m", [[1, 5]])), field("g", ranked("m", [[2]]))]
    assert [pick.n for pick in choose(fields, Limits(3, passes="0.5")).picks] == [1, 2]
    assert choose(fields, Limits(3, passes="0.5")).passed == 1
    assert choose(fields, Limits(3, passes="all")).passed == 0
    assert choose(fields, Limits(1, passes="any")).passed == 1


# -- recall over all fields --------------------------------------------------------------------------------------------


def test_an_empty_truth_counts_one_in_recall_and_nothing_in_recall_asked() -> None:
    """Two fields; truths "Leek" and empty; Leek is not retrieved. The second question makes that something is."""
    fields = [field("a", ranked("m", [[9], []])), field("b", ranked("m", [[], [1]]))]
    choice = choose(fields, Limits(1))
    outcome = outcome_of(fields, choice.picks)
    assert outcome.shares[:, 0].tolist() == [0.0, 1.0]
    assert outcome.recall.tolist() == [0.5, 1.0]
    assert outcome.passed.tolist() == [False, True]
    assert (choice.mean_recall, choice.recall_asked) == (0.75, 0.5)


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


def test_no_time_at_all_still_gives_a_choice() -> None:
    choice = choose(hard_fields(), Limits(2500), time_limit=0.0)
    assert choice.passed <= choice.passed_bound <= 60
    assert (choice.mean_recall or 0) < (choice.recall_bound or 0) <= 1
    assert not choice.optimal
    assert choice.tokens <= 2500
    assert choice.gap == 60 - choice.passed
