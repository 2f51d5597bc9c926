"""A /rerank endpoint: what is sent, the forms of the reply, what is said of a bad one, and where the key goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karat.core.problems import UserError
from karat.search.models.vectors import VectorCache
from karat.search.rankers.load import load_rankers
from karat.search.ranks.ranking import rank_field
from karat.search.rerankers import load_reranker
from karat.search.rerankers.reranker import scores_of
from tests.search.rerankers.rerank_server import Server, serving

VALUES = ["green tea", "black tea", "tea cosy", "green paint", "coffee"]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


def test_values_are_reordered_and_no_pair_is_scored_twice(server: Server, tmp_path: Path) -> None:
    for cached in (0, 4):
        (ranker,) = load_rankers([f"rerank(bm25, rerank:words@{server.url}; depth=4)"])
        found = rank_field(
            "f", VALUES, ["green tea"], [["green tea", "coffee"]], [ranker], depth=2, cache=VectorCache(tmp_path)
        )
        assert found.models[0].ranks[0].tolist() == [1, 5]
        use = ranker.rerankers[f"rerank:words@{server.url}"].use  # type: ignore[attr-defined]  # a combined model
        assert (use.scored, use.cached) == (4 - cached, cached)
    (asked,) = server.asked
    assert server.paths == ["/v1/rerank"]
    assert asked["model"] == "words" and asked["query"] == "green tea" and len(asked["documents"]) == 4


@pytest.mark.parametrize(
    "reply",
    [
        [{"index": 1, "score": 0.5}, {"index": 0, "score": 2}],
        {"data": [{"index": 0, "relevance_score": 2, "document": {"text": "a"}}, {"index": 1, "relevance_score": 0.5}]},
        {"id": "x", "results": [{"index": 0, "relevance_score": 2.0}, {"index": 1, "relevance_score": 0.5}]},
    ],
)
def test_the_common_forms_of_the_reply(server: Server, reply: Any) -> None:
    server.answer = lambda body: (200, reply)
    assert scores_of(load_reranker(f"rerank:m@{server.url}/rerank"), "q", ["a", "b"]).tolist() == [2.0, 0.5]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({"results": [{"index": 0, "relevance_score": 1}]}, "gave 1 score for 2 texts"),
        ({"results": [{"index": 0, "relevance_score": 1}, {"index": 0, "relevance_score": 1}]}, "a wrong numbering"),
        ({"results": [{"index": 0, "relevance_score": 1}, {"index": 1}]}, 'without "relevance_score" or "score"'),
        ({"embeddings": []}, "did not answer with scores"),
        ({"results": "none"}, "did not answer with scores"),
    ],
)
def test_a_bad_reply_is_an_error_that_says_why(server: Server, reply: Any, message: str) -> None:
    server.answer = lambda body: (200, reply)
    with pytest.raises(UserError, match=message):
        scores_of(load_reranker(f"rerank:m@{server.url}"), "q", ["a", "b"])


def test_the_key_goes_only_to_the_configured_address(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_RERANK_API_KEY", "a-secret")
    scores_of(load_reranker(f"rerank:m@{server.url}"), "q", ["a"])
    monkeypatch.setenv("KARAT_RERANK_URL", server.url)
    scores_of(load_reranker("rerank:m"), "q", ["a"])
    assert server.keys == [None, "Bearer a-secret"]
    server.answer = lambda body: (401, {"error": "the key a-secret is wrong"})
    with pytest.raises(UserError) as caught:
        scores_of(load_reranker("rerank:m"), "q", ["a"])
    assert "401" in caught.value.message and "a-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rerank:m", "has no address"),
        ("rerank:@http://localhost:1", "does not name a model"),
        ("rerank:m@http://", "not a valid URL"),
        ("rerank:m@http://me:secret@localhost:1/v1", "contains a user"),
        ("ranker:m", 'no reranker "ranker:m"'),
    ],
)
def test_a_name_that_is_none(name: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KARAT_RERANK_URL", raising=False)
    with pytest.raises(UserError, match=message):
        load_reranker(name)
