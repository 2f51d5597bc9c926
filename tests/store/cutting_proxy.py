"""A TCP proxy in front of a PostgreSQL server that cuts connections when they commit."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

Cut = Literal["before", "after", "unnoticed", "garbled", "statement"]
"""``before`` the server hears of the commit; ``after`` it has committed, before it says so; ``unnoticed``: the client
is cut off, and the server goes on waiting for it; ``garbled``: it has committed, and what the client hears of it is
nonsense; ``statement``: while rows are sent."""

WORDS = {"statement": b"INSERT INTO"}


class CuttingProxy:
    """Hand it to a client in place of the server. ``cuts`` are used up one by one, one for each commit or insert."""

    def __init__(self, socket_folder: str) -> None:
        self._server = f"{socket_folder}/.s.PGSQL.5432"
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.cuts: list[Cut] = []
        self.used: list[Cut] = []
        self.refusing = False
        """Whether new connections are closed at once."""
        self._open: list[socket.socket] = []
        self._garbled: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()
        for one in self._open:
            with suppress(OSError):
                one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if self.refusing:
                    client.close()
                    continue
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self._server)
                except OSError:  # it restarts: this client is refused, as it would be without a proxy
                    client.close()
                    continue
                self._open += [client, server]
                threading.Thread(target=self._up, args=(client, server), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        down = threading.Thread(target=self._down, args=(server, client), daemon=True)
        down.start()
        with suppress(OSError):
            while data := client.recv(65536):
                cut = self._next(data)
                if cut is None:
                    server.sendall(data)
                    continue
                if cut == "garbled":
                    self._garbled.add(client)
                    server.sendall(data)
                    continue
                _shut(client, socket.SHUT_WR if cut == "after" else socket.SHUT_RDWR)
                if cut == "after":
                    server.sendall(data)
                    server.recv(65536)  # it has committed and says so, to nobody
                if cut != "unnoticed":
                    _shut(server, socket.SHUT_RDWR)
                client.close()
                return
        _shut(server, socket.SHUT_RDWR)

    def _down(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while (data := server.recv(65536)) and client not in self._garbled:
                client.sendall(data)
            client.sendall(b"\xff" * len(data))
        _shut(client, socket.SHUT_RDWR)

    def _next(self, data: bytes) -> Cut | None:
        with self._lock:
            if self.cuts and WORDS.get(self.cuts[0], b"COMMIT") in data:
                self.used.append(self.cuts.pop(0))
                return self.used[-1]
        return None


def _shut(one: socket.socket, how: int) -> None:
    with suppress(OSError):
        one.shutdown(how)


@contextmanager
def cutting(socket_folder: str) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(socket_folder)
    try:
        yield proxy
    finally:
        proxy.close()
