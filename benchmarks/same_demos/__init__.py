"""The four demos of an earlier commit and of this tree: every figure, verdict, text and cell must be the same.

``python -m benchmarks same_demos --before COMMIT`` runs the demos of both in empty folders, with the packages of this
environment. It writes JSON, Excel, HTML, JUnit, Markdown, CSV and terminal text, ``karat show`` of every case and a
second run to compare with, and reads them and the store back. What must differ between any two runs (times, durations,
memory, processes, folders) is taken out; every other difference is printed with its place, and the exit code is 1.
``--keep FOLDER`` keeps all that was written.

The codegen demo scores the speed of code, so its figures vary from run to run. It is therefore compared with
``performance: false``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.same_demos.compare import Difference, differences
from benchmarks.same_demos.read import read_folder
from benchmarks.same_demos.run import ROOT, checkout, run_demos

MOST_PRINTED = 200


def main(arguments: list[str]) -> int:
    """0: no difference. 1: at least one."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks same_demos", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--before", metavar="COMMIT", default="HEAD", help="the commit to compare with [default: HEAD]")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="keep what both sides wrote in this empty folder")
    given = parser.parse_args(arguments)
    if given.keep is not None and given.keep.is_dir() and any(given.keep.iterdir()):
        parser.error(f"{given.keep} is not empty")
    with TemporaryDirectory(prefix="karat-same-demos-") as scratch:
        found = compare_with(given.before, (given.keep or Path(scratch)).absolute())
    for difference in found[:MOST_PRINTED]:
        print(difference.text())
    if len(found) > MOST_PRINTED:
        print(f"and {len(found) - MOST_PRINTED} more; --keep FOLDER keeps the files of both sides")
    print(f"{given.before} and this tree: {len(found) or 'no'} {'difference' if len(found) == 1 else 'differences'}")
    return 1 if found else 0


def compare_with(commit: str, folder: Path) -> list[Difference]:
    """Run both sides and compare all that they wrote. Names of the same length, so that nothing is cut or wrapped
    differently."""
    before, latest = folder / "before", folder / "latest"
    run_demos(checkout(commit, folder / "source"), before)
    run_demos(ROOT, latest)
    return differences(read_folder(before), read_folder(latest))
