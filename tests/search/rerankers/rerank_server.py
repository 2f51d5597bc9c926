"""A real /rerank endpoint on this machine, which can be told to misbehave. It remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


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

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append(body)
            state.keys.append(self.headers.get("Authorization"))
            state.paths.append(self.path)
            status, value = state.answer(body)
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *words: object) -> None:
            """Nothing: the tests look at ``asked``."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
