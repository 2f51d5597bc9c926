"""A TCP proxy in front of a Dask scheduler that keeps every byte that passes, in both directions."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Wire:
    """Connect to ``address`` in place of the scheduler."""

    def __init__(self, behind: str) -> None:
        host, _, port = behind.rpartition(":")
        self._behind = host, int(port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self._streams: list[bytearray] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def seen(self) -> list[bytes]:
        """Each direction of each connection, from its beginning."""
        return [bytes(stream) for stream in self._streams]

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(self._behind)
                for source, target in ((client, server), (server, client)):
                    stream = bytearray()
                    self._streams.append(stream)
                    threading.Thread(target=_copy, args=(source, target, stream), daemon=True).start()


def _copy(source: socket.socket, target: socket.socket, stream: bytearray) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            stream += data
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


@contextmanager
def tapped(behind: str) -> Iterator[Wire]:
    wire = Wire(behind)
    try:
        yield wire
    finally:
        wire.close()
