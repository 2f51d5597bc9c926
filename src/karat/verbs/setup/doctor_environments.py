"""``karat doctor`` on the environments of a project: versions, size, what the sandbox keeps out there, and how long a
start and a fork take."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

import msgspec

from karat.core.problems import UserError, count_of
from karat.environments import Environment
from karat.environments.folders import built_in, size_of
from karat.environments.interpreter import python_in
from karat.sandbox import Sandbox
from karat.sandbox.interpreter import interpreter

SHOWN = ("pandas", "numpy", "polars", "matplotlib")
FORKS = 7
PROBE = """
import os, socket
def _refused(what):
    try:
        what()
    except OSError:
        return True
    return False
result = {
    "other files": _refused(lambda: open("/etc/passwd")) and _refused(lambda: os.listdir("/home")),
    "writing": _refused(lambda: open(os.__file__, "a")),
    "network": _refused(lambda: socket.create_connection(("127.0.0.1", 9), 1)),
    "processes": _refused(os.fork) and _refused(lambda: os.kill(1, 0)),
}
"""


class EnvironmentFacts(msgspec.Struct, frozen=True):
    """What an environment is, measured."""

    python: str
    versions: dict[str, str]
    """Of the packages that results depend on most; empty: not installed."""
    packages: int
    size: int
    layers: tuple[str, ...]
    """The sandbox layers that are on."""
    shut: tuple[str, ...]
    """What code in this environment was seen to be refused."""
    open: tuple[str, ...]
    """What it was not refused."""
    start: float
    """Seconds until its server takes code."""
    fork: float
    """Seconds of an empty snippet, median."""

    def words(self) -> str:
        versions = ", ".join(f"{name} {version or 'none'}" for name, version in self.versions.items())
        shut = f"refused: {', '.join(self.shut)}" if self.shut else "nothing was refused"
        left = f"; NOT refused: {', '.join(self.open)}" if self.open else ""
        return (
            f"Python {self.python}, {versions}; {count_of(self.packages, 'package')}, {self.size / 1e6:,.0f} MB; "
            f"layers: {', '.join(self.layers)}; {shut}{left}; "
            f"starts in {self.start:.1f} s, an empty snippet takes {self.fork * 1000:.0f} ms"
        )


def environment_facts(name: str, environment: Environment) -> EnvironmentFacts:
    """Start the environment's server and look. UserError when it cannot be started."""
    python = python_in(name, environment)
    found = interpreter(python)
    installed = found.distributions()
    folder = Path(python).parent.parent
    note = built_in(folder)
    began = time.perf_counter()
    with Sandbox(python=python, environment=name, unsafe=True, verify=True) as box:
        said = box.versions()
        start = time.perf_counter() - began
        probe = box.run(PROBE).result
        times = []
        for _ in range(FORKS):
            began = time.perf_counter()
            box.run("result = 1")
            times.append(time.perf_counter() - began)
        seen = probe if isinstance(probe, dict) else {}
        versions = {one: installed.get(one, "") for one in SHOWN}
        return EnvironmentFacts(
            said.python,
            {**versions, "pandas": said.pandas or versions["pandas"], "numpy": said.numpy or versions["numpy"]},
            len(installed),
            size_of(folder) if note is None else note.size,
            tuple(layer.name for layer in box.layers if layer.on),
            tuple(str(what) for what, refused in seen.items() if refused is True),
            tuple(str(what) for what, refused in seen.items() if refused is not True),
            start,
            median(times),
        )


def is_built(name: str, environment: Environment) -> UserError | None:
    """None when it can be used; else why not, with the command."""
    try:
        python_in(name, environment)
    except UserError as error:
        return error
    return None
