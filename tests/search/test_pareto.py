"""The front holds the best choice of every budget, and the sentence about more questions is the cheapest truth."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from karat.search.choose.choice import choose
from karat.search.choose.limits import Limits
from karat.search.choose.pareto import answerable, front, more_questions
from karat.search.records import FieldRanks
from tests.search.made_ranks import Worth, combinations, field, random_fields, ranked, worth

PLENTY = Limits(2000)
SLOW = settings(deadline=None, max_examples=60)


@SLOW
@given(random_fields(most_depth=4))
def test_the_front_is_the_best_choice_of_every_budget(fields: list[FieldRanks]) -> None:
    every = [(sum(pick.tokens for pick in picks), worth(fields, picks)) for picks in combinations(fields)]
    most = max(tokens for tokens, _ in every)
    swept = front(fields, Limits(most))
    assert swept.complete
    expected: list[Worth] = []
    for budget in range(min(tokens for tokens, _ in every), most + 1):
        best = max(value for tokens, value in every if tokens <= budget)
        if not expected or best[:2] > expected[-1][:2]:
            expected.append(best)
    assert [(point.passed, -point.tokens) for point in swept.points] == [(best[0], best[2]) for best in expected]
    if answerable(fields):
        assert [point.mean_recall for point in swept.points] == pytest.approx([float(best[1]) for best in expected])


@SLOW
@given(random_fields(most_depth=4))
def test_more_questions_for_the_least_tokens(fields: list[FieldRanks]) -> None:
    least = min(sum(pick.tokens for pick in picks) for picks in combinations(fields))
    choice = choose(fields, Limits(least))
    for count in (1, 2):
        more = more_questions(fields, choice, count, PLENTY)
        enough = [
            sum(pick.tokens for pick in picks)
            for picks in combinations(fields)
            if worth(fields, picks)[0] >= choice.passed + count
        ]
        if enough:
            assert (more.outcome, more.tokens) == ("found", min(enough))
            assert more.more_tokens == min(enough) - choice.tokens
        else:
            assert more.outcome == ("never" if choice.passed + count > answerable(fields) else "beyond")


def test_what_one_and_two_more_questions_cost() -> None:
    fields = [field("f", ranked("m", [[2], [7], [41], [0]], each=10))]
    choice = choose(fields, Limits(20))
    assert choice.passed == 1
    one, two, three = (more_questions(fields, choice, count, PLENTY) for count in (1, 2, 3))
    assert (one.tokens, one.more_tokens, one.fields[0].n) == (70, 50, 7)
    assert (two.tokens, two.more_tokens, two.fields[0].n) == (410, 390, 41)
    assert three.outcome == "never"  # the truth of the last is not among the values
    assert more_questions(fields, choice, 2, Limits(20, 40)).outcome == "beyond"


def test_a_front_of_few_points_reaches_the_cheap_end() -> None:
    fields = [field("f", ranked("m", [[rank] for rank in range(1, 51)]))]
    short = front(fields, Limits(50), most_points=12)
    assert not short.complete
    assert len(short.points) <= 12
    assert (short.points[0].tokens, short.points[-1].tokens) == (1, 50)
    assert len(front(fields, Limits(50)).points) == 50
