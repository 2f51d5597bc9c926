"""The four ways the sandbox is tried: as root and as an ordinary user, with and without bubblewrap, behind one
interface."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import msgspec
import pytest

from karat.sandbox import Limits, Sandbox

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
MB = 1024**2
LIMITS = Limits(wall=20.0, memory=256 * MB, flood=4 * MB, result=4 * MB, cells=1_000_000, files=8 * MB)
SECRET = "canary-7f3a91"

MODES = ("root-with-bubblewrap", "root-alone", "user-with-bubblewrap", "user-alone")


class Seen(msgspec.Struct, frozen=True):
    """An outcome as plain builtins, so that it reads the same from this process and from another."""

    status: str
    result: object
    stdout: str
    stderr: str
    stdout_cut: bool
    error: dict[str, object] | None
    wall: float
    cpu: float
    peak_memory: int
    detail: str


class Asked(msgspec.Struct, frozen=True):
    code: str
    tables: dict[str, dict[str, list[object]]]
    limits: Limits


class Box(Protocol):
    def run(self, code: str, tables: Mapping[str, object] | None = None, limits: Limits = LIMITS) -> Seen: ...
    def pids(self) -> list[int]: ...


class HereBox:
    """A sandbox in this process."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox

    def run(self, code: str, tables: Mapping[str, object] | None = None, limits: Limits = LIMITS) -> Seen:
        outcome = self.sandbox.run(code, tables, limits=limits)  # type: ignore[arg-type]  # tables of every kind
        return msgspec.json.decode(msgspec.json.encode(outcome), type=Seen)

    def pids(self) -> list[int]:
        return list(self.sandbox.server_pids())


class FarBox:
    """A sandbox in a process of an ordinary user, spoken to in lines of JSON (see as_user.py)."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def _say(self, request: object) -> bytes:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(msgspec.json.encode(request) + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, "the ordinary user's process has ended"
        return answer

    def run(self, code: str, tables: Mapping[str, object] | None = None, limits: Limits = LIMITS) -> Seen:
        asked = Asked(code, dict(tables or {}), limits)  # type: ignore[arg-type]  # tables of every kind
        return msgspec.json.decode(self._say(asked), type=Seen)

    def pids(self) -> list[int]:
        return msgspec.json.decode(self._say("pids"), type=list[int])


@contextmanager
def box(mode: str) -> Iterator[Box]:
    """A box of that mode, or a skip that says why there is none."""
    left_out = () if "with" in mode else ("bubblewrap",)
    if "with" in mode and not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    is_root = os.geteuid() == 0
    if mode.startswith("root") and not is_root:
        pytest.skip("the tests do not run as root")
    if mode.startswith("root") or not is_root:
        with Sandbox(limits=LIMITS, without=left_out) as sandbox:  # type: ignore[arg-type]  # names of layers
            yield HereBox(sandbox)
        return
    with python_for_all() as python:
        command = [python, "-m", "tests.sandbox.as_user", *left_out]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            env={"PYTHONPATH": f"{ROOT / 'src'}", "PATH": os.environ["PATH"], "SANDBOX_TEST_SECRET": SECRET},
        )
        try:
            yield FarBox(process)
        finally:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.close()
            process.wait(30)
            process.stdout.close()


@contextmanager
def python_for_all() -> Iterator[str]:
    """A Python that an ordinary user can run: this one, or the system's of the same version with this one's
    packages."""
    if _runs(sys.executable):
        yield sys.executable
        return
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    system = next((p for p in (f"/usr/bin/python{version}", f"/usr/local/bin/python{version}") if _runs(p)), None)
    if system is None:
        pytest.skip(f"no Python {version} here that an ordinary user may run")
    folder = Path(tempfile.mkdtemp(prefix="karat-test-python-"))
    try:
        folder.chmod(0o755)
        subprocess.run([system, "-m", "venv", "--without-pip", str(folder / "venv")], check=True, capture_output=True)
        packages = folder / "venv" / "lib" / f"python{version}" / "site-packages"
        here = next(place for place in sys.path if Path(place).name == "site-packages")
        (packages / "shared.pth").write_text(here + "\n")
        yield str(folder / "venv" / "bin" / "python")
    finally:
        shutil.rmtree(folder)


def _runs(python: str) -> bool:
    try:
        tried = subprocess.run(
            [python, "-c", "pass"], user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, cwd="/"
        )
    except OSError:
        return False
    return tried.returncode == 0
