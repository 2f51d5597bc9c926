"""Rankers over texts: the same ranks as a slow, obvious ranking; shared parts; costs; what may be named where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.search.models.vectors import VectorCache
from karat.search.rankers.all_scores import all_scores
from karat.search.rankers.combined import CombinedModel
from karat.search.rankers.expand import rankers_of
from karat.search.rankers.load import load_ranker, load_rankers, names_of
from karat.search.rankers.tree import Mmr, Rerank, label_of
from karat.search.ranks.ranking import best, rank_field, rank_passes
from karat.search.ranks.score import pair_scores
from karat.search.records import NOT_A_VALUE, Floats, Model
from karat.search.rerankers.reranker import Reranker
from tests.search.rankers.slow_orders import slow_mmr, slow_ranks, slow_reranked, slow_rrf

VALUES = [f"v{place}" for place in range(6)]


def model(name: str, rows: Sequence[Sequence[float]]) -> Model:
    """A model with these scores; the questions are the numbers of the rows."""
    return Model(name, "1", score=lambda qs, vs: np.array([rows[int(q)] for q in qs], np.float32)[:, : len(vs)])


def combined(text: str, parts: dict[str, Model], rerankers: dict[str, Reranker] | None = None) -> CombinedModel:
    (ranker,) = rankers_of(text)
    return CombinedModel(label_of(ranker), "1", ranker=ranker, parts=parts, rerankers=rerankers or {})


def all_ranks(one: Model, questions: int = 1) -> list[list[int]]:
    everything = [list(range(len(VALUES)))] * questions
    ((ranks, positions, _),) = rank_passes([one], [str(q) for q in range(questions)], VALUES, everything, 6)
    for own, first in zip(ranks, positions.tolist(), strict=True):
        by_rank = sorted(range(6), key=lambda place, own=own: (own[place], place))  # type: ignore[misc]  # bound here
        assert first == by_rank  # the list is that of the ranks, ties in the order of the field
    return [own.tolist() for own in ranks]


ROW = st.lists(st.integers(0, 3), min_size=6, max_size=6)


@given(ROW, ROW, st.sampled_from([0, 10, 60]))
def test_rrf_ranks_are_those_of_exact_fractions(a: list[int], b: list[int], k: int) -> None:
    exact = slow_rrf([a, b], k)
    fused = combined(f"rrf(a, b; k={k})", {"a": model("a", [a]), "b": model("b", [b])})
    expected = [
        1 + sum(other >= own for at, other in enumerate(exact) if at != place) for place, own in enumerate(exact)
    ]
    assert all_ranks(fused) == [expected]


@given(ROW, ROW, st.integers(1, 7))
def test_reranked_ranks_are_those_of_a_slow_reading(first: list[int], second: list[int], depth: int) -> None:
    asked: list[str] = []

    def score(question: str, texts: Sequence[str]) -> list[float]:
        asked.extend(texts)
        return [second[VALUES.index(text)] for text in texts]

    reranker = Reranker("r", "1", score)
    one = combined(f"rerank(a, r; depth={depth})", {"a": model("a", [first])}, {"r": reranker})
    assert all_ranks(one) == [slow_reranked(first, second, depth)]
    assert reranker.use.scored == len(asked) == sum(rank <= depth for rank in slow_ranks(first))


def test_a_tie_at_the_cut_is_left_out() -> None:
    """Ranks of the first stage 1, 3, 3, 4, …: with a depth of 2 only one value is reranked."""
    reranker = Reranker("r", "1", lambda question, texts: [float(text[1]) for text in texts])
    one = combined("rerank(a, r; depth=2)", {"a": model("a", [[9, 5, 5, 3, 2, 1]])}, {"r": reranker})
    assert all_ranks(one) == [[1, 3, 3, 4, 5, 6]]
    assert reranker.use.scored == 1


VECTORS = st.lists(st.sampled_from([(1, 0), (0, 1), (0.6, 0.8), (0.8, 0.6), (-1, 0)]), min_size=6, max_size=6)


@settings(max_examples=60)
@given(VECTORS, st.sampled_from([(1, 0), (0.8, 0.6)]), st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]))
def test_mmr_ranks_are_those_of_a_slow_reading(
    vectors: list[tuple[float, float]], question: tuple[float, float], share: float
) -> None:
    def embed(texts: Sequence[str], role: str) -> Floats:
        rows = [question if role == "question" else vectors[VALUES.index(text)] for text in texts]
        return np.array(rows, np.float32)

    dense = Model("dense", "1", embed=embed)
    values, asking = np.array(vectors, np.float32), np.array([question], np.float32)
    near = all_scores(asking, values)[0].astype(float).tolist()
    similar = all_scores(values, values).astype(float).tolist()
    expected = [slow_mmr(near, similar, share, truth) for truth in range(6)]
    one = combined(f"mmr(dense; lambda={share})", {"dense": dense})
    ((ranks, _, _),) = rank_passes([one], ["?"], VALUES, [list(range(6))], 6)
    assert ranks[0].tolist() == expected
    if share == 1:
        ((plain, _, _),) = rank_passes([dense], ["?"], VALUES, [list(range(6))], 6)
        assert ranks[0].tolist() == plain[0].tolist()
    ((short, first, _),) = rank_passes([one], ["?"], VALUES, [list(range(6))], 3)
    assert [rank if rank > 0 else 9 for rank in short[0].tolist()] == [rank if rank <= 3 else 9 for rank in expected]
    assert first.shape == (1, 3)


def test_mmr_by_hand() -> None:
    """λ 0.4; s(q, ·) is 1, 0.96 and 0.6, and a lies where q does. a comes first, then c, which is farther from a."""
    rows = {"q": (1.0, 0.0), "a": (1.0, 0.0), "b": (0.96, 0.28), "c": (0.6, -0.8)}
    dense = Model("dense", "1", embed=lambda texts, role: np.array([rows[text] for text in texts], np.float32))
    one = combined("mmr(dense; lambda=0.4)", {"dense": dense})
    ((ranks, first, _),) = rank_passes([one], ["q"], ["a", "b", "c"], [[0, 1, 2]], 3)
    # 0.4 · 0.96 - 0.6 · 0.96 = -0.192 for b, 0.4 · 0.6 - 0.6 · 0.6 = -0.12 for c
    assert first.tolist() == [[0, 2, 1]] and ranks[0].tolist() == [1, 3, 2]


def test_every_score_is_the_defined_one() -> None:
    rng = np.random.default_rng(5)
    questions, values = (rng.normal(size=(count, 48)).astype(np.float32) for count in (7, 300))
    values[10] = values[200]
    found = all_scores(questions, values)
    rows, columns = np.divmod(np.arange(found.size), len(values))
    assert np.array_equal(found.ravel(), pair_scores(questions, values, rows, columns))


def test_parts_are_scored_once_for_all_rankers() -> None:
    calls: list[int] = []

    def score(questions: Sequence[str], values: Sequence[str]) -> Floats:
        calls.append(len(questions))
        return np.arange(len(questions) * len(values), dtype=np.float32).reshape(len(questions), -1)

    parts = {"a": Model("a", "1", score=score), "b": model("b", [[1, 2, 3, 4, 5, 6]] * 2)}
    rankers = [
        CombinedModel(label_of(ranker), "1", ranker=ranker, parts=parts)
        for ranker in rankers_of("wsum(a, b; w=grid(0.1))")
    ]
    assert len(rank_passes(rankers, ["0", "1"], VALUES, [[0], [1]], 2)) == 11
    assert calls == [2]


def test_weights_of_one_and_nothing_are_the_model_itself(tmp_path: Path) -> None:
    values = ["salt", "brown sugar", "sugar cane", "olive oil", "sugar"]
    found = rank_field(
        "f",
        values,
        ["brown sugar", "oil of olives"],
        [["sugar", "salt"], ["olive oil", "no such"]],
        load_rankers(["bm25", "wordllama", "wsum(bm25, wordllama; w=1,0|0,1)", "rrf(bm25, wordllama)"]),
        depth=3,
        cache=VectorCache(tmp_path),
    )
    bm25, wordllama, as_bm25, as_wordllama, _ = found.models
    for one, other in ((bm25, as_bm25), (wordllama, as_wordllama)):
        assert [ranks.tolist() for ranks in one.ranks] == [ranks.tolist() for ranks in other.ranks]
        assert one.tokens.tolist() == other.tokens.tolist()
    assert found.models[4].ranks[1][1] == NOT_A_VALUE


def test_no_question_no_value() -> None:
    one = load_ranker("rrf(bm25, wordllama)")
    assert rank_passes([one], [], VALUES, [], 2)[0][0] == []
    ranks, positions, _ = rank_passes([one], ["q"], [], [[-1]], 2)[0]
    assert ranks[0].tolist() == [NOT_A_VALUE] and positions.shape == (1, 0)


def test_keys_keep_equal_texts_apart() -> None:
    found = rank_field(
        "f", ["salt", "salt", "oil"], ["salt"], [["d2", "d3"]], load_rankers(["bm25"]), depth=3, keys=["d1", "d2", "d3"]
    )
    assert found.models[0].ranks[0].tolist() == [2, 3]
    assert found.models[0].tokens.shape == (1, 3)


def test_ranks_made_elsewhere_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a worker keeps its vectors in its folder
    rankers = load_rankers(["rrf(bm25, wordllama; k=10|60)", "mmr(wordllama)"])
    values, questions, truths = ["salt", "olive oil", "brown sugar"], ["oil", "sweet"], [["olive oil"], ["brown sugar"]]
    here = rank_field("f", values, questions, truths, rankers, depth=2)
    there = rank_field(
        "f", values, questions, truths, rankers, depth=2, spread=lambda work, calls: [work(*call) for call in calls]
    )
    for one, other in zip(here.models, there.models, strict=True):
        assert one.model == other.model and one.tokens.tolist() == other.tokens.tolist()
        assert [ranks.tolist() for ranks in one.ranks] == [ranks.tolist() for ranks in other.ranks]


def test_best_of_a_ranker_has_scores_where_there_are_any() -> None:
    positions, scores = best(load_ranker("rrf(bm25, wordllama; k=60)"), ["oil"], ["salt", "oil"], 2)
    assert positions.tolist() == [[1, 0]]
    assert scores[0, 0] == pytest.approx(2 / 61)


# -- loading ----------------------------------------------------------------------------------------------------------


def test_cheaper_counts_pairs_first_and_then_models() -> None:
    written = ["bm25", "wordllama", "rrf(bm25, wordllama)", "wsum(bm25, wordllama; w=1,0)", "mmr(wordllama)"]
    costs = {one.name: one.cost for one in load_rankers(written)}
    assert costs["bm25"] == costs["wsum(bm25, wordllama; w=1,0; norm=minmax)"]
    assert costs["rrf(bm25, wordllama; k=60)"] == costs["bm25"] + costs["wordllama"]
    assert costs["wordllama"] < costs["mmr(wordllama; lambda=0.7)"]
    reranked = load_rankers(["rerank(wordllama, python:json:dumps; depth=2|3)"])
    assert reranked[0].cost > sum(costs.values()) and reranked[1].cost > reranked[0].cost


@pytest.mark.parametrize(
    ("written", "message", "hint"),
    [
        (
            "rrf(bm25, wordlama; k=60)",
            'column 11 of rrf(bm25, wordlama; k=60): there is no model "wordlama"',
            "wordllama",
        ),
        ("rerank(bm25, pyton:mine:score)", "column 14 of", "python:"),
        ("rerank(bm25, python:no_such_module:score)", 'no module "no_such_module"', ""),
        ("mmr(bm25)", "column 5 of mmr(bm25): mmr needs a model with vectors", ""),
    ],
)
def test_an_unknown_name_is_found_before_anything_runs(written: str, message: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        load_rankers([written])
    assert message in caught.value.message and hint in caught.value.hint


def test_a_file_may_not_name_what_runs_code() -> None:
    written = "rrf(bm25, python:json:dumps)"
    with pytest.raises(UserError, match="runs code"):
        load_ranker(written, trusted=False)
    with pytest.raises(UserError, match="not allowed to request"):
        load_ranker("rerank(bm25, python:json:dumps)", trusted=names_of(["bm25"]))
    assert isinstance(load_ranker(written, trusted=names_of(["python:json:dumps", "rrf(bm25"])), CombinedModel)


def test_where_one_ranker_is_needed_several_are_refused() -> None:
    with pytest.raises(UserError, match="stands for 2 rankers") as caught:
        load_ranker("rrf(bm25, wordllama; k=10|60)")
    assert "rrf(bm25, wordllama; k=10)" in caught.value.hint
    assert [
        one.name for one in load_rankers(["bm25", "bm25", "rrf(bm25,wordllama)", "rrf(bm25, wordllama; k=60)"])
    ] == [
        "bm25",
        "rrf(bm25, wordllama; k=60)",
    ]
    assert isinstance(rankers_of("mmr(a)")[0], Mmr) and isinstance(rankers_of("rerank(a, b)")[0], Rerank)
