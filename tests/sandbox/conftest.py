"""Warm boxes, one for each way, kept for the whole run; and the things outside that no snippet may reach."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.sandbox.boxes import MODES, ROOT, SECRET, Box, box


@pytest.fixture(scope="session", params=MODES)
def any_box(request: pytest.FixtureRequest) -> Iterator[Box]:
    """Each of the four ways in turn."""
    with box(request.param) as made:
        yield made


class Outside(msgspec.Struct, frozen=True):
    """What lies outside: a file anyone may write, a listener, a secret in the environment, the tests' own process."""

    canary: Path
    expected: Path
    port: int
    unix: Path

    def fill(self, code: str) -> str:
        """The snippet with the places it is to attack."""
        for word, value in {
            "@CANARY@": self.canary,
            "@EXPECTED@": self.expected,
            "@PROJECT@": ROOT,
            "@PORT@": self.port,
            "@UNIX@": self.unix,
            "@TESTS@": os.getpid(),
        }.items():
            code = code.replace(word, str(value))
        return code

    def intact(self) -> bool:
        return self.canary.read_text() == SECRET and sorted(p.name for p in self.canary.parent.iterdir()) == [
            "canary.txt",
            "expected_result.json",
            "socket",
        ]


@pytest.fixture(scope="session")
def outside() -> Iterator[Outside]:
    folder = Path(tempfile.mkdtemp(prefix="karat-outside-"))
    folder.chmod(0o777)
    canary, expected, unix = folder / "canary.txt", folder / "expected_result.json", folder / "socket"
    for file in (canary, expected):
        file.write_text(SECRET)
        file.chmod(0o666)
    os.environ["SANDBOX_TEST_SECRET"] = SECRET
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as local:
        local.bind(str(unix))
        unix.chmod(0o777)
        local.listen()
        yield Outside(canary, expected, tcp.getsockname()[1], unix)
        for listener in (tcp, local):
            listener.setblocking(False)
            with pytest.raises(BlockingIOError):
                listener.accept()
    del os.environ["SANDBOX_TEST_SECRET"]
    shutil.rmtree(folder)
