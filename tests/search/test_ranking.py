"""Fields ranked by models: vectors or scores of their own, with and without a cache of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.search.models.vectors import VectorCache
from karat.search.ranks.ranking import best, rank_field
from karat.search.records import NOT_A_VALUE, Floats, Model, Role
from karat.search.tokens import count_tokens

VALUES = ["salt", "sugar", "brown sugar", "a very long name for a kind of flour", "oil"]
CODES = {"salt": (1, 0), "sugar": (0.8, 0.6), "brown sugar": (0.6, 0.8), VALUES[3]: (0, 1), "oil": (-1, 0)}


def embed(texts: Sequence[str], role: Role) -> Floats:
    """Values by the table above; a question is "x y"."""
    rows = [CODES[text] if role == "value" else tuple(map(float, text.split())) for text in texts]
    return np.array(rows, np.float32).reshape(len(texts), 2)


VECTORS = Model("table", "1", embed=embed)
CONSTANT = Model("constant", "1", score=lambda questions, values: np.ones((len(questions), len(values)), np.float32))


def scores_of(rows: Sequence[Sequence[float]]) -> Model:
    """A model with these scores, whatever it is asked; the questions are the numbers of the rows."""

    def score(questions: Sequence[str], values: Sequence[str]) -> Floats:
        return np.array([rows[int(question)] for question in questions], np.float32).reshape(len(questions), -1)

    return Model("scores", "1", score=score)


def test_the_best_come_in_order_with_their_scores() -> None:
    positions, scores = best(VECTORS, ["1 0", "0 1"], VALUES, 3)
    assert positions.tolist() == [[0, 1, 2], [3, 2, 1]]
    assert scores == pytest.approx(np.array([[1, 0.8, 0.6], [1, 0.8, 0.6]]))
    assert scores.dtype == np.float32


def test_ranks_and_tokens_of_a_field() -> None:
    found = rank_field("Kitchen[item]", VALUES, ["1 0", "0 1"], [["sugar", "oil"], ["no such"]], [VECTORS], depth=2)
    (passed,) = found.models
    assert [ranks.tolist() for ranks in passed.ranks] == [[2, 5], [NOT_A_VALUE]]
    salt, sugar, brown, flour, _ = count_tokens(VALUES).tolist()
    assert passed.tokens.tolist() == [[salt, salt + sugar], [flour, flour + brown]]
    assert found.truths == (("sugar", "oil"), ("no such",))
    assert (found.field, passed.model) == ("Kitchen[item]", "table")


def test_of_equal_values_the_first_counts() -> None:
    found = rank_field("f", ["salt", "salt", "sugar", "salt"], ["1 0"], [["sugar"]], [VECTORS], depth=9)
    assert found.models[0].ranks[0].tolist() == [2]
    assert found.models[0].tokens.shape == (1, 2)


def test_a_constant_model_gets_the_worst_rank() -> None:
    found = rank_field("f", VALUES, ["0 1"], [["salt"]], [CONSTANT], depth=1)
    assert found.models[0].ranks[0].tolist() == [5]
    assert best(CONSTANT, ["0 1"], VALUES, 2)[0].tolist() == [[0, 1]]
    same = Model("same", "1", embed=lambda texts, role: np.tile(np.array([[0.6, 0.8]], np.float32), (len(texts), 1)))
    assert rank_field("f", VALUES, ["?"], [["salt"]], [same], depth=1).models[0].ranks[0].tolist() == [5]


def test_no_question_no_value_no_truth() -> None:
    for model in (VECTORS, CONSTANT):
        empty = rank_field("f", [], ["1 0"], [["salt"]], [model], depth=3).models[0]
        assert [ranks.tolist() for ranks in empty.ranks] == [[NOT_A_VALUE]]
        assert empty.tokens.shape == (1, 0)
        assert rank_field("f", VALUES, [], [], [model], depth=3).models[0].ranks == ()
        bare = rank_field("f", VALUES, ["1 0", "0 1"], [[], []], [model], depth=1).models[0]
        assert [ranks.tolist() for ranks in bare.ranks] == [[], []]
        assert bare.tokens.shape == (2, 1)


def test_one_value_is_always_first() -> None:
    for model in (VECTORS, CONSTANT):
        assert rank_field("f", ["oil"], ["1 0"], [["oil"]], [model], depth=7).models[0].ranks[0].tolist() == [1]
        assert best(model, ["1 0"], ["oil"], 7)[0].tolist() == [[0]]


def test_the_cache_changes_nothing_and_spares_the_second_embedding(tmp_path: Path) -> None:
    asked: list[str] = []

    def counted(texts: Sequence[str], role: Role) -> Floats:
        asked.extend(texts)
        return embed(texts, role)

    model, cache = Model("table", "1", embed=counted), VectorCache(tmp_path)
    without = rank_field("f", VALUES, ["1 0"], [["oil"]], [VECTORS], depth=3).models[0]
    for _ in range(2):
        found = rank_field("f", VALUES, ["1 0"], [["oil"]], [model], depth=3, cache=cache).models[0]
        assert found.ranks[0].tolist() == without.ranks[0].tolist()
        assert found.tokens.tolist() == without.tokens.tolist()
    assert sorted(asked) == sorted(["1 0", *VALUES])


def test_progress_goes_up_to_all_values_of_all_models() -> None:
    told: list[tuple[int, int]] = []
    rank_field(
        "f", VALUES, ["1 0"], [["oil"]], [VECTORS, CONSTANT], depth=1, watch=lambda *at: told.append((at[0], at[1]))
    )
    assert told[-1] == (10, 10)
    assert told == sorted(told)


def test_a_model_with_unusable_scores_is_named() -> None:
    with pytest.raises(UserError, match="scores") as wrong:
        best(scores_of([[1.0, 2.0]]), ["0"], VALUES, 1)
    assert "(1, 2)" in wrong.value.message
    with pytest.raises(UserError, match="did not give a number") as wrong:
        best(scores_of([[1.0, np.nan]]), ["0"], ["a", "b"], 1)
    assert "'b'" in wrong.value.message


def test_vectors_of_two_lengths_are_named() -> None:
    odd = Model("odd", "1", embed=lambda texts, role: np.ones((len(texts), 2 + (role == "value")), np.float32))
    with pytest.raises(UserError, match="length 2 for questions and 3 for values"):
        best(odd, ["?"], ["a"], 1)


@settings(max_examples=80, deadline=None)
@given(data=st.data(), values=st.integers(1, 12), ties=st.booleans())
def test_recall_from_ranks_is_that_of_the_best_and_never_above_it_where_scores_tie(
    data: st.DataObject, values: int, ties: bool
) -> None:
    numbers = st.lists(st.integers(0, 3 if ties else 10**6), min_size=values, max_size=values, unique=not ties)
    rows = data.draw(st.lists(numbers, min_size=1, max_size=3))
    names = [f"v{place}" for place in range(values)]
    truths = [data.draw(st.lists(st.sampled_from([*names, "missing"]), unique=True)) for _ in rows]
    model, questions = scores_of(rows), [str(number) for number in range(len(rows))]
    ranks = rank_field("f", names, questions, truths, [model], depth=values).models[0].ranks
    for n in range(1, values + 1):
        retrieved = best(model, questions, names, n)[0]
        for row, (of_question, own) in enumerate(zip(truths, ranks, strict=True)):
            by_rank = int(np.count_nonzero((own != NOT_A_VALUE) & (own <= n)))
            by_list = len(set(of_question) & {names[place] for place in retrieved[row]})
            assert by_rank == by_list if not ties else by_rank <= by_list
