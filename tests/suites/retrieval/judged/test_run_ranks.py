"""Recorded runs: ranks, depths, costs and fusions, by hand, as other tools fuse them, and against a slow reading."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.search.records import DEEPER
from karat.suites.retrieval.judged.judgements import Judged
from karat.suites.retrieval.judged.run_ranks import rank_runs, run_rankers
from karat.suites.retrieval.judged.runs import Run, read_runs


def run(name: str, **results: dict[str, float]) -> Run:
    return Run(name, {q: (list(own), np.array(list(own.values()), np.float32)) for q, own in results.items()})


def judged(**truths: tuple[str, ...]) -> Judged:
    return Judged(tuple(truths), ("",) * len(truths), tuple(truths.values()), (), ())


A = run("a", q1={"d1": 9.0, "d2": 7.5, "d3": 4.0, "d4": 1.0}, q2={"d2": 3.0, "d5": 2.0, "d1": 0.5})
B = run("b", q1={"d3": 0.9, "d1": 0.7, "d5": 0.4}, q2={"d1": 0.8, "d2": 0.6, "d6": 0.1})
ALL = judged(q1=("d1", "d2", "d3", "d4", "d5"), q2=("d1", "d2", "d5", "d6"))


def ranks(expression: str, of: Judged = ALL, runs: tuple[Run, ...] = (A, B)) -> list[list[int]]:
    found, _ = rank_runs(of, runs, run_rankers([expression], runs), None)
    return [own.tolist() for own in found.models[0].ranks]


def test_a_run_alone_is_known_to_its_shallowest_list() -> None:
    """a lists four documents for q1 and three for q2: rank 4 of q1 is beyond the depth of 3."""
    assert ranks("a") == [[1, 2, 3, DEEPER, DEEPER], [3, 1, 2, DEEPER]]
    _, (depth,) = rank_runs(ALL, [A, B], run_rankers(["a"], [A, B]), None)
    assert (depth.n, depth.run, depth.question) == (3, "a", "q2")


def test_fusions_order_documents_as_ranx_and_pyserini_do() -> None:
    """ranx 0.3.21 orders q1 for rrf (k 60): d1 d3 d2 d5 d4; for wsum of min-max, 0.3 and 0.7: d3 d1 d2, then d4 and d5
    with 0. q2: d2 d1 d5 d6 in both. Depth 3."""
    assert ranks("rrf(a, b; k=60)") == [[1, 3, 2, DEEPER, DEEPER], [2, 1, 3, DEEPER]]
    assert ranks("wsum(a, b; w=0.3,0.7)") == [[2, 3, 1, DEEPER, DEEPER], [2, 1, 3, DEEPER]]
    assert ranks("wsum(a, b; w=0.3,0.7; norm=zscore)") == [[2, 3, 1, DEEPER, DEEPER], [2, 1, 3, DEEPER]]


def test_equal_scores_are_pessimistic() -> None:
    tied = run("t", q1={"x": 2.0, "y": 2.0, "z": 1.0})
    assert ranks("t", judged(q1=("x", "y", "z")), (tied,)) == [[2, 2, 3]]
    nearly = run("n", q1={"x": 1.0, "y": 1.00000001})
    assert ranks("n", judged(q1=("x", "y")), (nearly,)) == [[2, 2]]  # equal as float32


def test_documents_cost_one_each_or_their_tokens() -> None:
    of = judged(q1=("d1",), q2=("d9",))
    found, _ = rank_runs(of, [B], run_rankers([], [B]), None)
    assert found.models[0].tokens.tolist() == [[1, 2, 3], [1, 2, 3]]
    tokens = {"d1": 10, "d2": 20, "d3": 30, "d5": 50, "d6": 60}
    found, _ = rank_runs(of, [B], run_rankers([], [B]), tokens)
    assert found.models[0].tokens.tolist() == [[30, 40, 90], [10, 30, 90]]
    found, _ = rank_runs(of, [B], run_rankers([], [B]), tokens, 2)
    assert found.models[0].tokens.tolist() == [[30, 40], [10, 30]]
    with pytest.raises(UserError, match='corpus has no document "d6"'):
        rank_runs(of, [B], run_rankers([], [B]), {name: 1 for name in tokens if name != "d6"})


def test_equal_scores_are_paid_in_the_order_of_trec_eval() -> None:
    tied = run("t", q1={"x": 2.0, "y": 2.0})
    found, _ = rank_runs(judged(q1=("x",)), [tied], run_rankers([], [tied]), {"x": 1, "y": 5})
    assert found.models[0].tokens.tolist() == [[5, 6]]


def test_a_question_without_results_finds_nothing_and_costs_nothing() -> None:
    of = judged(q1=("d1",), q7=("d1",))
    found, (depth,) = rank_runs(of, [A], run_rankers([], [A]), None)
    assert [own.tolist() for own in found.models[0].ranks] == [[1], [DEEPER]]
    assert found.models[0].tokens.tolist() == [[1, 2, 3, 4], [0, 0, 0, 0]] and depth.n == 4
    with pytest.raises(UserError, match="a has no results for any judged question"):
        rank_runs(judged(q9=("d1",)), [A], run_rankers([], [A]), None)


@pytest.mark.parametrize(
    ("expression", "message", "hint"),
    [
        ("rrf(a, bb)", 'column 8 of rrf(a, bb): there is no run "bb"', 'Did you mean "b"?'),
        ("rerank(a, python:m:f)", "column 11 of", "BEIR"),
        ("mmr(a)", "column 5 of", "BEIR"),
    ],
)
def test_rankers_of_runs_are_checked(expression: str, message: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        run_rankers([expression], [A, B])
    assert message in caught.value.message and hint in caught.value.hint


LIST = st.dictionaries(st.sampled_from("uvwxyz"), st.integers(0, 3), min_size=1)


@settings(max_examples=60)
@given(LIST, LIST, st.sampled_from([1, 60]))
def test_fused_ranks_are_those_of_a_slow_reading(a: dict[str, int], b: dict[str, int], k: int) -> None:
    """Every document of the union, its 1 / (k + rank) of each run that lists it, all compared one by one."""
    from fractions import Fraction

    def slow(own: dict[str, int], document: str) -> Fraction:
        if document not in own:
            return Fraction(0)
        return Fraction(1, k + 1 + sum(own[other] >= own[document] for other in own if other != document))

    union = sorted({*a, *b})
    constant = [own for own in (a, b) if set(own) == set(union) and len(set(own.values())) == 1]
    exact = {document: slow(a, document) + slow(b, document) for document in union}
    depth = min(len(a), len(b))
    expected = []
    for document in union:
        rank = 1 + sum(exact[other] >= exact[document] for other in union if other != document)
        expected.append(rank if rank <= depth else DEEPER)
    runs = (run("a", q=dict(a)), run("b", q=dict(b)))
    assert ranks(f"rrf(a, b; k={k})", judged(q=tuple(union)), runs) == [expected], constant


def test_runs_are_named_by_their_files(tmp_path: Path) -> None:
    line = "q1 Q0 d1 1 9.5 mine\n"
    for name in ("first.run", "second.trec.txt"):
        (tmp_path / name).write_text(line, encoding="utf-8")
    (tmp_path / "third.json").write_text('{"q1": {"d1": 0.5, "d2": 1}}', encoding="utf-8")
    named = read_runs([tmp_path / "first.run", f"mine={tmp_path / 'second.trec.txt'}", tmp_path / "third.json"])
    assert [one.name for one in named] == ["first", "mine", "third"]
    assert named[2].results["q1"][0] == ["d1", "d2"]
    with pytest.raises(UserError, match='two runs have the name "first"'):
        read_runs([tmp_path / "first.run"] * 2)
    with pytest.raises(UserError, match="cannot be the name of a run"):
        read_runs([f"a,b={tmp_path / 'first.run'}"])
    (tmp_path / "bad.run").write_text(line + "q1 Q0 d2 2 high mine\n", encoding="utf-8")
    with pytest.raises(UserError, match="1 mistake in") as caught:
        read_runs([tmp_path / "bad.run"])
    assert caught.value.problems[0].line == 2
