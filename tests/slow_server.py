"""A local assistant that takes its time, counts every call, and can be told to misbehave for a case."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Assistant:
    """What the server does and what it saw. ``misbehave`` maps a case id to a word for a fault."""

    def __init__(self, delay: float = 0.0) -> None:
        self.delay = delay
        self.calls: Counter[str] = Counter()
        self.requests: list[dict[str, Any]] = []
        self.misbehave: dict[str, str] = {}
        self.url = ""
        self._lock = threading.Lock()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The right answer to every case of these tests: term ``a`` in dimension ``A``."""
        with self._lock:
            self.requests.append(request)
            self.calls[f"{request['id']}:{request.get('turn', 0)}"] += 1
        values = [{"id": "a", "name": "name of a"}]
        return {
            "indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": values}]}]
        }


@contextmanager
def serving(assistant: Assistant) -> Iterator[Assistant]:
    """Serve on loopback until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fault = assistant.misbehave.get(request["id"], "")
            body = json.dumps(assistant.answer(request)).encode()
            if fault == "silence":
                time.sleep(30)
            time.sleep(assistant.delay)
            self.send_response({"429": 429, "500": 500}.get(fault, 200))
            if fault == "garbage":
                body = b"\x00<<<not json"
            self.send_header("Content-Length", str(len(body) * (2 if fault == "half" else 1)))
            self.end_headers()
            self.wfile.write(body)
            if fault == "half":
                self.close_connection = True

        def handle(self) -> None:
            with suppress(ConnectionError):  # the one who asked was killed
                super().handle()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    assistant.url = f"http://127.0.0.1:{server.server_address[1]}/ask"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield assistant
    finally:
        server.shutdown()
        server.server_close()
