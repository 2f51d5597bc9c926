"""What is said of rankers beside the choice."""

from __future__ import annotations

from karat.search.rankers.combined import CombinedModel
from karat.search.rankers.expand import rankers_of
from karat.search.rankers.notes import cutting_notes, reranker_notes, setting_notes
from karat.search.rerankers.reranker import Reranker, Use


def test_settings_that_were_compared_are_counted() -> None:
    written = ["bm25", "wsum(a, b; w=grid(0.1))", "rrf(a, b; k=10|60; w=1,1|1,2)"]
    assert setting_notes(written, optimal=True) == [
        "wsum(a, b; w=grid(0.1)): optimal over 11 weights; nothing is claimed between them",
        "rrf(a, b; k=10|60; w=1,1|1,2): optimal over 4 settings; nothing is claimed between them",
    ]
    assert "the best found over 2 depths" in setting_notes(["rerank(a, b; depth=1|2)"], optimal=False)[0]
    labels = ["bm25 @ 200/0", "rrf(a, b; k=60) @ 200/0", "bm25 @ 400/50"]
    assert cutting_notes(labels, optimal=True) == ["chunks: optimal over 2 sizes and overlaps (200/0, 400/50)"]
    assert cutting_notes(["bm25"], optimal=True) == []


def test_pairs_of_a_reranker_are_counted_once() -> None:
    reranker = Reranker("python:m:f", "1", lambda question, texts: [], use=Use(400, 100, 1.25))
    models = [
        CombinedModel("x", "1", ranker=ranker, rerankers={"python:m:f": reranker})
        for ranker in rankers_of("rerank(a, python:m:f; depth=1|2)")
    ]
    assert reranker_notes(models) == ["python:m:f scored 400 pairs in 1.2 s; 100 more were in the cache"]
