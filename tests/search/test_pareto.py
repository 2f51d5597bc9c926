"""The front holds the best choice of every budget, and the sentence about more questions is the cheapest truth."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.search.choose import pareto
from karat.search.choose.choice import Choice, choose, choose_in
from karat.search.choose.infeasible import NothingFound
from karat.search.choose.limits import Limits
from karat.search.choose.next_questions import More, answerable, known_to, more_questions
from karat.search.choose.pareto import Front, front
from karat.search.choose.problem import problem_of
from karat.search.records import DEEPER, FieldRanks
from tests.search.made_ranks import combinations, field, random_fields, ranked, worth

SLOW = settings(deadline=None, max_examples=80)
PASSES = st.sampled_from(["all", "all", "any", "0.5"])

Figures = tuple[int, int, float]


def front_of(fields: list[FieldRanks], most: int, passes: str = "all", **more: int) -> Front:
    return front(problem_of(fields, Limits(most, passes=passes)), most_tokens=most, **more)


def more_of(fields: list[FieldRanks], choice: Choice, count: int, limits: Limits) -> More:
    return more_questions(problem_of(fields, limits), choice, count)


def by_brute_force(fields: list[FieldRanks], most: int, passes: str) -> list[Figures]:
    """Every combination against every other one, as the words of the definition have it."""
    every = {worth(fields, picks, passes)[:3] for picks in combinations(fields)}
    points = {(-tokens, passed, recall) for passed, recall, tokens in every if -tokens <= most}
    nothing = min(recall for _, _, recall in points)
    kept = [
        (tokens, passed, float(recall))
        for tokens, passed, recall in points
        if not any(
            other != (tokens, passed, recall) and other[0] <= tokens and other[1] >= passed and other[2] >= recall
            for other in points
        )
        and (tokens or recall > nothing)
    ]
    return sorted(kept, key=lambda point: (point[0], -point[1]))


@SLOW
@given(random_fields(most_depth=4), st.integers(0, 14), PASSES, st.booleans())
def test_no_choice_beats_a_point_and_none_is_left_out(
    fields: list[FieldRanks], most: int, passes: str, looked_at_all: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not looked_at_all:  # as where combinations are too many for that
            patch.setattr(pareto, "figures_of", lambda program: None)
        swept = front_of(fields, most, passes)
    assert swept.complete
    if not any(truths for one in fields for truths in one.truths):
        assert swept.points == ()
        return
    found = [(point.tokens, point.passed, point.mean_recall) for point in swept.points]
    expected = by_brute_force(fields, most, passes)
    assert [one[:2] for one in found] == [one[:2] for one in expected]
    assert [one[2] for one in found] == pytest.approx([one[2] for one in expected])
    for point in swept.points:  # of equal choices the one with the smallest n and the cheapest models
        own = worth(fields, point.fields, passes)
        assert own[3:] == max(
            other[3:] for picks in combinations(fields) if (other := worth(fields, picks, passes))[:3] == own[:3]
        )


def test_one_token_count_has_several_points_where_passed_and_recall_disagree() -> None:
    """One field, three truths of question 1 against one truth of questions 2 and 3; two models at the same cost."""
    passing = ranked("passing", [[1], [50, 50, 50], [50, 50, 50]])
    finding = ranked("finding", [[50], [1, 1, 50], [1, 1, 50]])
    swept = front_of([field("f", passing, finding)], 1)
    assert [(point.tokens, point.passed, point.fields[0].model) for point in swept.points] == [
        (1, 1, "passing"),
        (1, 0, "finding"),
    ]
    assert [point.mean_recall for point in swept.points] == pytest.approx([1 / 3, 4 / 9])


@SLOW
@given(random_fields(most_depth=4), st.integers(1, 6), PASSES)
def test_more_questions_for_the_least_tokens(fields: list[FieldRanks], budget: int, passes: str) -> None:
    limits = Limits(budget, passes=passes)
    problem = problem_of(fields, limits)
    try:
        choice = choose_in(problem)
    except NothingFound:
        return
    for count in (1, 2):
        more = more_questions(problem, choice, count)
        enough = [
            sum(pick.tokens for pick in picks)
            for picks in combinations(fields)
            if worth(fields, picks, passes)[0] >= choice.passed + count
        ]
        if choice.passed == choice.questions:
            assert more.outcome == "all_pass"
        elif enough:
            assert (more.outcome, more.tokens) == ("found", min(enough))
            assert more.more_tokens == min(enough) - choice.tokens
            assert more.at_most == (known_to(problem) < min(enough))
        else:
            assert more.outcome == ("never" if choice.passed + count > answerable(problem) else "beyond")


def test_a_cheaper_way_may_lie_below_the_depth_of_the_pass() -> None:
    """Both questions pass with 4 + 4 tokens. One more value of the first field would do as well, for 6 tokens, but that
    was not ranked."""
    first, second = ranked("m", [[1], [6]], depth=5), ranked("other", [[1], [5]], each=2, depth=5)
    limits = Limits(5)
    problem = problem_of([field("f", first, second)], limits)
    more = more_questions(problem, choose_in(problem), 1)
    assert (more.tokens, more.at_most, known_to(problem)) == (10, True, 5)


def test_what_is_below_the_depth_of_a_recorded_ranking_is_not_called_impossible() -> None:
    fields = [field("f", ranked("run", [[1], [DEEPER]]))]
    assert more_of(fields, choose(fields, Limits(9)), 1, Limits(9)).outcome == "beyond"


def test_what_one_and_two_more_questions_cost() -> None:
    fields = [field("f", ranked("m", [[2], [7], [41], [0]], each=10))]
    choice = choose(fields, Limits(20))
    assert choice.passed == 1
    one, two, three = (more_of(fields, choice, count, Limits(20)) for count in (1, 2, 3))
    assert (one.tokens, one.more_tokens, one.fields[0].n) == (70, 50, 7)
    assert (two.tokens, two.more_tokens, two.fields[0].n) == (410, 390, 41)
    assert three.outcome == "never"  # the truth of the last is not among the values
    assert more_of(fields, choice, 2, Limits(20, 40)).outcome == "beyond"


def test_a_front_of_few_points_reaches_the_cheap_end() -> None:
    fields = [field("f", ranked("m", [[rank] for rank in range(1, 51)]))]
    short = front_of(fields, 50, most_points=12)
    assert not short.complete
    assert len(short.points) <= 12
    assert (short.points[0].tokens, short.points[-1].tokens) == (1, 50)
    assert len(front_of(fields, 50).points) == 50


def test_a_front_without_time_is_not_complete() -> None:
    fields = [field("f", ranked("m", [[rank] for rank in range(1, 51)]))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pareto, "figures_of", lambda program: None)
        swept = front(problem_of(fields, Limits(50)), most_tokens=50, time_limit=-1.0)
    assert not swept.complete
