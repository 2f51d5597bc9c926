"""Rendering templates in a process of their own, within bounds of time, memory and length. The other end is
``render_worker``."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from karat.core.json_types import JsonMapping

SECONDS = 5.0
"""For one text. A prompt takes a thousandth of that."""
START = 60.0
"""Seconds to start the process, on a busy machine."""
MOST_CHARACTERS = 1_000_000
_WORKER = Path(__file__).with_name("render_worker.py")


class RenderFailed(Exception):
    """A template that gave no text: why, at which line of it (0: unknown), and which setting holds it."""

    def __init__(self, message: str, line: int = 0, setting: str = "") -> None:
        super().__init__(message)
        self.message, self.line, self.setting = message, line, setting


class _Reply(msgspec.Struct, frozen=True):
    text: str | None = None
    error: str = ""
    line: int = 0


class Renderer:
    """Renders one text at a time; threads may share it. The process starts with the first text."""

    def __init__(self, *, seconds: float = SECONDS, most: int = MOST_CHARACTERS) -> None:
        self._seconds, self._most = seconds, most
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def render(self, template: str, variables: JsonMapping) -> str:
        """The text of a template with these variables, plain JSON values. Raises RenderFailed."""
        if "{" not in template:
            return template
        bounds = {"most": self._most, "seconds": self._seconds}
        asked = msgspec.json.encode({"template": template, "variables": variables, **bounds})
        with self._lock:
            reply = self._ask(asked)
        if reply.text is None:
            raise RenderFailed(reply.error, reply.line)
        return reply.text

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._stop()

    def _ask(self, asked: bytes) -> _Reply:
        try:
            process = self._started()
            line = self._said(process, asked + b"\n", self._seconds)
        except OSError as error:
            self._stop()
            raise RenderFailed(f"the process that renders prompts failed: {error}") from None
        if line is None:
            self._stop()
            raise RenderFailed(f"it took longer than {self._seconds:g} s")
        if not line.endswith(b"\n"):
            self._stop()
            raise RenderFailed("it crashed the process that renders prompts")
        return msgspec.json.decode(line, type=_Reply)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            # No environment: it may hold keys. -P: what lies beside the file or in the working folder is no module of
            # ours.
            kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
            self._process = subprocess.Popen(  # noqa: S603 (our own interpreter and code)
                [sys.executable, "-P", str(_WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONUTF8": "1"},
                start_new_session=True,  # Ctrl-C is the parent's business
            )
            if self._said(self._process, b"", START) != b"ready\n":
                raise OSError("it does not start")
        return self._process

    def _said(self, process: subprocess.Popen[bytes], asked: bytes, seconds: float) -> bytes | None:
        """The next line of the process; None when it had to be killed because it took too long."""
        if process.stdin is None or process.stdout is None:
            raise OSError("no pipes")
        late = threading.Event()

        def give_up() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, give_up)
        timer.daemon = True
        timer.start()
        try:
            process.stdin.write(asked)
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = b""
        finally:
            timer.cancel()
        return None if late.is_set() else line

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        process.wait()
