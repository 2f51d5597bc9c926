"""A real viewer that needs a token: it opens no websocket for anyone, and what it prints holds the link once, and
neither the token nor a session."""

from __future__ import annotations

import http.client
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import karat

TOKEN = "c4n4ry-token-of-enough-letters"
UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nConnection: Upgrade\r\n"
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{more}\r\n"
)


class Viewer(NamedTuple):
    process: subprocess.Popen[str]
    port: int
    ticket: str
    printed: str


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[Viewer]:
    case = {"id": "q1", "question": "What is sour?", "relevant": ["lemon"]}
    store = str(tmp_path / "karat.db")
    karat.run("retrieval", [case], lambda _: {"results": ["lemon"]}, store=store)
    command = [sys.executable, "-m", "karat", "serve", "--port", "0", "--store", store, "--token-env", "VIEWER_TOKEN"]
    environment = os.environ | {"VIEWER_TOKEN": TOKEN, "COLUMNS": "200"}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path
    )
    assert process.stdout is not None
    printed, found = "", None
    while found is None and (line := process.stdout.readline()):
        printed += line
        found = re.search(r"http://127\.0\.0\.1:(\d+)/login\?ticket=(\S+)", line)
    assert found is not None, printed
    try:
        yield Viewer(process, int(found[1]), found[2], printed)
    finally:
        process.kill()
        process.wait()


def _get(port: int, path: str, headers: dict[str, str]) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def _upgraded(port: int, path: str, more: str) -> bytes:
    """The first line of what comes back when a websocket is asked for."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as raw:
        raw.sendall(UPGRADE.format(path=path, port=port, more=more).encode())
        return raw.recv(4096).partition(b"\r\n")[0]


def test_no_websocket_and_no_secret_in_the_log(viewer: Viewer) -> None:
    port, ticket = viewer.port, viewer.ticket
    signed = _get(port, f"/login?ticket={ticket}", {})
    cookie = str(signed.getheader("set-cookie")).partition(";")[0]
    assert signed.status == 303 and cookie
    assert _get(port, "/", {"Cookie": cookie}).status == 200
    assert _get(port, f"/login?ticket={ticket}", {}).status == 403
    assert _get(port, "/api/runs", {"Authorization": f"Bearer {TOKEN}"}).status == 200
    for path in ("/", "/ws", "/api/runs", "/runs/r-0001", "/static/karat.js", f"/?ticket={ticket}"):
        for more in ("", f"Cookie: {cookie}\r\n", f"Authorization: Bearer {TOKEN}\r\n"):
            line = _upgraded(port, path, more)
            assert line.startswith(b"HTTP/1.1 ") and b" 101 " not in line, (path, more, line)
    for bad in (b"\x00\xff\r\n\r\n", f"GET /login?ticket={ticket}&token={TOKEN} HTTP/9\r\n\r\n".encode()):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as raw:
            raw.sendall(bad)
            raw.recv(4096)
    viewer.process.terminate()
    said = viewer.printed + viewer.process.communicate(timeout=60)[0]
    assert said.count(ticket) == 1, "only in the link that is printed for the person"
    assert TOKEN not in said and cookie.partition("=")[2] not in said
