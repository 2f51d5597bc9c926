"""``pip install FOLDER`` for a test without a package index: the wheel is built for real, and unpacked into the
environment.

Run as a program by the ``pip`` that :func:`put_commands` writes; its dependencies must be there already.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def install(folder: Path, packages: Path) -> None:
    """Build the package in a folder and unpack it."""
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", place]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
        (wheel,) = Path(place).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(packages)


def put_commands(python: Path) -> None:
    """The commands ``karat`` and ``pip`` in an environment that was made without them."""
    (packages,) = (python.parent.parent / "lib").glob("python*/site-packages")
    commands = {
        "karat": f'exec "{python}" -m karat "$@"',
        "pip": f'exec "{sys.executable}" "{Path(__file__).resolve()}" "{packages}" "$@"',
    }
    for name, line in commands.items():
        file = python.parent / name
        file.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        file.chmod(0o755)


if __name__ == "__main__":
    packages, verb, folder = sys.argv[1:]
    if verb != "install":
        sys.exit(f"pip {verb} is not there in this test")
    install(Path(folder).resolve(), Path(packages))
