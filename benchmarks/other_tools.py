"""inspect_ai, promptfoo and sqlparse, each installed once, in exactly one version, under ``benchmarks/.cache``."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

INSPECT = "0.3.285"
PROMPTFOO = "0.121.20"
SQLPARSE = "0.6.1"
CACHE = Path(__file__).parent / ".cache"


class CannotInstall(Exception):
    """Why a tool is not there to be measured."""


def inspect_python() -> Path:
    """The interpreter of an environment with inspect_ai in it."""
    folder = CACHE / "inspect"
    python = folder / "bin" / "python"
    stamp = folder / f"installed-{INSPECT}"
    if not stamp.exists():
        _install([sys.executable, "-m", "venv", "--clear", str(folder)])
        _install([str(python), "-m", "pip", "install", "--quiet", f"inspect_ai=={INSPECT}"])
        stamp.touch()
    return python


def promptfoo_command() -> Path:
    """The promptfoo executable."""
    folder = CACHE / "promptfoo"
    stamp = folder / f"installed-{PROMPTFOO}"
    if not stamp.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise CannotInstall("npm is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        _install([npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"promptfoo@{PROMPTFOO}"])
        stamp.touch()
    return folder / "node_modules" / ".bin" / "promptfoo"


def _install(command: Sequence[str]) -> None:
    print(f"  installing: {Path(command[0]).name} {' '.join(command[1:4])} … (once)", flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        lines = done.stdout.decode(errors="replace").strip().splitlines()
        raise CannotInstall(f"{Path(command[0]).name} ended with {done.returncode}: {' | '.join(lines[-3:])}")


def sqlparse() -> ModuleType:
    """sqlparse, which a public evaluator of text-to-SQL reads queries with. It is loaded from a folder of its own."""
    folder = CACHE / "sqlparse"
    stamp = folder / f"installed-{SQLPARSE}"
    if not stamp.exists():
        _install([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), f"sqlparse=={SQLPARSE}"])
        stamp.touch()
    sys.path.append(str(folder))
    try:
        return import_module("sqlparse")
    finally:
        sys.path.remove(str(folder))
