"""``karat`` for tests, as a process of its own that need not import anything.

Most of the time of a short command is Python importing karat. :mod:`tests.warm.server` imports it once and forks for
each command; ``tests/warm/client.py`` is a small program that hands its arguments, folder, environment and standard
streams to the server, and ends with the exit code of the fork. To a test it is a program like ``karat``.

Tests of how karat starts, of signals, and of other installations call the real program.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def warm_karat(*words: str | Path) -> list[str]:
    """The command line of ``karat WORDS``."""
    return [str(_folder() / "karat"), *map(str, words)]


def warm_folder() -> str:
    """The folder of the warm ``karat``, for the beginning of a ``PATH``."""
    return str(_folder())


def warm_path() -> str:
    """``PATH`` with the warm ``karat`` before everything else, and the other programs of this environment after it."""
    return os.pathsep.join([warm_folder(), str(Path(sys.executable).parent), os.environ["PATH"]])


@cache
def _folder() -> Path:
    """A folder with the program ``karat`` in it, whose server runs until the tests end."""
    place = tempfile.TemporaryDirectory(prefix="karat-warm-")
    folder = Path(place.name)
    socket = folder / "socket"
    # The server ends when its standard input does: also when the tests are killed.
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.warm.server", str(socket)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdin is not None and server.stdout is not None
    assert server.stdout.readline() == b"ready\n", "the server of warm commands did not start"
    program = folder / "karat"
    program.write_text(f"#!{sys.executable} -IS\n{(HERE / 'client.py').read_text()}")
    program.chmod(0o755)

    def stop() -> None:
        server.kill()
        server.wait()
        place.cleanup()

    atexit.register(stop)
    return folder
