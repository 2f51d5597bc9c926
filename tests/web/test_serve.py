"""``karat serve`` as a process: it listens, answers, and stops when asked."""

from __future__ import annotations

import re
import socket
import struct
import subprocess
import sys
import time
import urllib.request

from typer import Typer
from typer.testing import CliRunner

from karat.cli.stored_runs.serve import serve


def _run(*words: str) -> str:
    app = Typer(pretty_exceptions_enable=False)
    app.command()(serve)
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code != 0
    return str(result.exception)


def test_it_listens_and_stops(store_url: str) -> None:
    script = f"from karat.cli.stored_runs.serve import serve; serve(port=0, store={store_url!r})"
    with subprocess.Popen([sys.executable, "-u", "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = ""
        while not address:
            found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
            address = found[0] if found else ""
        for _ in range(50):
            try:
                with urllib.request.urlopen(f"{address}api/runs", timeout=5) as answer:
                    assert b"r-0002" in answer.read()
                break
            except OSError:
                time.sleep(0.1)
        process.terminate()
        assert process.wait(20) is not None


def test_mistakes_are_said(store_url: str) -> None:
    assert "needs a token" in _run("--host", "0.0.0.0", "--port", "0", "--store", store_url)
    assert "not set" in _run("--token-env", "KARAT_NO_SUCH_NAME", "--port", "0", "--store", store_url)
    assert "there is no store" in _run("--port", "0", "--store", f"{store_url}.not")


def test_dropped_connections_leave_no_traceback(store_url: str) -> None:
    script = f"from karat.cli.stored_runs.serve import serve; serve(port=0, store={store_url!r})"
    with subprocess.Popen(
        [sys.executable, "-u", "-c", script], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        while (found := re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())) is None:
            pass
        port = int(found[1])
        own = f"Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        for request in (
            f"POST /runs/r-0001/cases/1/review HTTP/1.1\r\n{own}Content-Length: 500\r\n\r\nverdict",
            f"POST /runs/r-0001/pin HTTP/1.1\r\n{own}Content-Length: 500\r\n\r\n",
            f"GET /export/r-0001/run.json HTTP/1.1\r\n{own}\r\n",
        ):
            for _ in range(5):
                _dropped(port, request.encode())
        for _ in range(100):  # what was dropped was asked before this
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/runs", timeout=5) as answer:
                    assert answer.status == 200
                break
            except OSError:
                time.sleep(0.1)
        process.terminate()
        assert "Traceback" not in process.communicate(timeout=30)[1]


def _dropped(port: int, request: bytes) -> None:
    """Ask, and hang up without waiting for the answer."""
    for _ in range(100):
        try:
            asking = socket.create_connection(("127.0.0.1", port))
            break
        except OSError:
            time.sleep(0.1)
    asking.sendall(request)
    asking.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, not a farewell
    asking.close()


def test_templates_are_compiled_before_the_first_page_needs_them() -> None:
    from karat.web import page

    page.warm()
    names = page._templates().list_templates(["html"])
    compiled = page._templates().cache
    assert len(names) > 10
    assert compiled is not None and len(compiled) == len(names)
