"""Servers on loopback that behave like the remote stores people have, and that misbehave when told to."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Pages:
    """A web server's files, what it was asked, and the ways in which it fails."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.answers: dict[str, int] = {}
        self.cut: dict[str, int] = {}
        """Path → how many more answers to it break off in the middle."""
        self.etags = True
        self.address = ""

    def url(self, path: str) -> str:
        return f"http://{self.address}{path}"


@contextmanager
def web_server() -> Iterator[Pages]:
    pages = Pages()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            pages.asked.append((self.command, self.path))
            pages.headers.append(dict(self.headers))
            data = pages.files.get(path)
            status = pages.answers.get(path, 200 if data is not None else 404)
            etag = f'"{hash(data)}"'
            if status == 200 and pages.etags and self.headers.get("If-None-Match") == etag:
                status = 304
            body = data if status == 200 and data is not None else b""
            self.send_response(status)
            if pages.etags:
                self.send_header("ETag", etag)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if pages.cut.get(path, 0) and body:
                pages.cut[path] -= 1
                self.wfile.write(body[: len(body) // 2])
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

        def do_PUT(self) -> None:
            pages.asked.append(("PUT", self.path))
            path = self.path.partition("?")[0]
            data = self.rfile.read(int(self.headers["Content-Length"]))
            status = pages.answers.get(path, 201)
            if status < 300:
                pages.files[path] = data
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    pages.address = f"127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield pages
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Proxy:
    """Between a client and a server: sees every request, and may do something first or cut the answer."""

    def __init__(self, host: str, port: int) -> None:
        self.behind = (host, port)
        self.requests: list[bytes] = []
        self.before: Callable[[bytes], None] = lambda _: None
        self.cut: Callable[[bytes], bool] = lambda _: False
        """Whether the answer to a request breaks off."""
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        """One connection: request after request, each forwarded on a connection of its own."""
        with client:
            while True:
                try:
                    head = self._head(client)
                    if not head:
                        return
                    lines = head.split(b"\r\n")
                    body = self._body(client, lines)
                    self.requests.append(head)
                    self.before(head)
                    kept = [line for line in lines[:-2] if not line.lower().startswith((b"connection:", b"expect:"))]
                    with socket.create_connection(self.behind) as server:
                        server.sendall(b"\r\n".join([*kept, b"Connection: close", b"", b""]) + body)
                        answer = bytearray()
                        while data := server.recv(1 << 16):
                            answer += data
                    cut = self.cut(head)
                    client.sendall(answer[: max(len(answer) * 2 // 3, 1)] if cut else answer)
                    return  # the server closes too, and says so
                except OSError:
                    return

    @staticmethod
    def _head(client: socket.socket) -> bytes:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            sign = client.recv(1)
            if not sign:
                return b""
            head += sign
        return head

    @staticmethod
    def _body(client: socket.socket, lines: list[bytes]) -> bytes:
        told = [line for line in lines if line.lower().startswith(b"content-length:")]
        left = int(told[0].partition(b":")[2]) if told else 0
        if any(line.lower().startswith(b"expect:") for line in lines):
            client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = b""
        while len(body) < left:
            body += client.recv(left - len(body))
        return body
