"""Freezes what this version writes, for the tests of every later one: ``python -m tests.compatibility.freeze 0.1.0``.

One archive per suite: the project that ``karat init`` writes (project file, cases, recorded answers), the JSON of
its run, and the store. Never made again for a version that was published.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FROZEN = Path(__file__).resolve().parent
SUITES = ("answers", "codegen", "data_query", "retrieval")
LEFT_OUT = ("/schemas/", "/vectors/")
"""Made again by every version."""
SOME_FAILED = 3
"""The exit code of a run in which a call failed, as one does in the example of data_query."""
THEN = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive, so that freezing twice makes the same names and sizes."""


def main(version: str) -> None:
    """One archive per suite in the folder of this version."""
    folder = FROZEN / version
    folder.mkdir()
    for suite in SUITES:
        with tempfile.TemporaryDirectory() as name:
            project = Path(name) / suite
            karat(Path(name), "init", "--suite", suite, suite)
            untimed(project / "karat.yaml")
            karat(project, "run", "--name", "frozen", "--json", "result.json")
            with zipfile.ZipFile(folder / f"{suite}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                for file in sorted(project.rglob("*")):
                    inside = str(file.relative_to(project))
                    if file.is_file() and not any(part in f"/{inside}" for part in LEFT_OUT):
                        archive.writestr(zipfile.ZipInfo(inside, THEN), file.read_bytes(), zipfile.ZIP_DEFLATED)
        print(f"{suite}: {(folder / f'{suite}.zip').stat().st_size / 1000:.0f} kB")


def untimed(file: Path) -> None:
    """Timings differ from run to run, and figures that contain them could not be compared."""
    text = file.read_text(encoding="utf-8")
    if "suite: codegen" in text:
        file.write_text(text.replace("    options:\n", "    options:\n      performance: false\n"), encoding="utf-8")


def karat(folder: Path, *words: str) -> None:
    """Run one command there."""
    command = [str(Path(sys.executable).parent / "karat"), *words]
    environment = {**os.environ, "USER": "you", "LOGNAME": "you"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, SOME_FAILED):
        sys.exit(f"karat {' '.join(words)}: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    main(*sys.argv[1:])
