"""An OpenAI-compatible endpoint on loopback for tests: it answers as a function says and keeps every request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Chat:
    """``answer`` gets the request and returns the text; a number is the status of a failure."""

    def __init__(self, answer: Callable[[dict[str, Any]], str | int]) -> None:
        self.answer = answer
        self.requests: list[dict[str, Any]] = []
        self.base_url = ""

    def settings(self, **more: Any) -> dict[str, Any]:
        return {"type": "openai", "base_url": self.base_url, "model": "m1", "api_key_env": "", "retries": 0, **more}


@contextmanager
def chatting(answer: Callable[[dict[str, Any]], str | int]) -> Iterator[Chat]:
    """Serve until the block ends."""
    chat = Chat(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            chat.requests.append(request)
            said = chat.answer(request)
            message = {"role": "assistant", "content": said}
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}).encode()
            self.send_response(said if isinstance(said, int) else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def handle(self) -> None:
            with suppress(ConnectionError):
                super().handle()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    chat.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield chat
    finally:
        server.shutdown()
        server.server_close()
