"""A real embeddings endpoint on this machine, which can be told to misbehave. It remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, dict[str, str], Any]
"""Status, headers, JSON body."""


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

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            number = len(state.asked)
            state.asked.append(body["input"])
            state.keys.append(self.headers.get("Authorization"))
            state.paths.append(self.path)
            status, headers, value = state.answer(number, body["input"])
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            for name, text in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, text)
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
