"""A real /rerank endpoint on this machine, which can be told to misbehave. It remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.search.json_server import Reply, json_server


def by_shared_words(body: dict[str, Any]) -> tuple[int, Any]:
    """A right reply, the last document first: the score is the share of the question's words in the document."""
    words = set(body["query"].lower().split())
    scores = [len(words & set(text.lower().split())) / max(1, len(words)) for text in body["documents"]]
    return 200, {"results": [{"index": i, "relevance_score": score} for i, score in enumerate(scores)][::-1]}


@dataclass
class Server:
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    answer: Callable[[dict[str, Any]], tuple[int, Any]] = by_shared_words


@contextmanager
def serving() -> Iterator[Server]:
    state = Server()

    def answer(path: str, key: str | None, body: dict[str, Any]) -> Reply:
        state.asked.append(body)
        state.keys.append(key)
        state.paths.append(path)
        status, value = state.answer(body)
        return status, {}, value

    with json_server(answer) as url:
        state.url = f"{url}/v1"
        yield state
