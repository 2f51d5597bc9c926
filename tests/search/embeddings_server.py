"""A real embeddings endpoint on this machine, which can be told to misbehave. It remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.search.json_server import Reply, json_server

__all__ = ["Reply", "Server", "embeddings", "serving", "vector"]


def vector(text: str, dimensions: int = 4) -> list[float]:
    """Any text's vector, not at length one."""
    return [float(len(text) + 1), *(float(ord(char) % 17) for char in text.ljust(dimensions - 1)[: dimensions - 1])]


def embeddings(texts: list[str], dimensions: int = 4) -> Reply:
    """A right answer, the last text first: only ``index`` says which is which."""
    data = [{"index": place, "embedding": vector(text, dimensions)} for place, text in enumerate(texts)]
    return 200, {}, {"object": "list", "data": data[::-1], "model": "m"}


@dataclass
class Server:
    url: str = ""
    asked: list[list[str]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    answer: Callable[[int, list[str]], Reply] = lambda number, texts: embeddings(texts)
    """From the number of the request, counted from 0, and its texts."""


@contextmanager
def serving() -> Iterator[Server]:
    state = Server()

    def answer(path: str, key: str | None, body: dict[str, Any]) -> Reply:
        number = len(state.asked)
        state.asked.append(body["input"])
        state.keys.append(key)
        state.paths.append(path)
        return state.answer(number, body["input"])

    with json_server(answer) as url:
        state.url = f"{url}/v1"
        yield state
