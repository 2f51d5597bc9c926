"""What stored verdicts of a judge add to scoring a run again, by ``karat score RUN`` with and without them; and what
asking again costs when every verdict is known.

The run is one of data_query whose answers are all wrong, so that the judge, a Python function, is asked about each of
them. ``python -m benchmarks.judged --size 10000`` measures a smaller one.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import measure
from benchmarks.measure import Cost
from benchmarks.scale_run import case_and_answer

SIZE = 100_000
REPEATS = 3
AT_MOST = 1.10
PROJECT = """
systems: {grader: {type: function, function: "grader:judge", concurrency: 8}}
judge: {system: grader, asks: [wrong]}
"""
GRADER = """
def judge(request):
    return {"verdict": "right" if sum(request["case"].encode()) % 3 else "wrong", "reason": "by its name"}
"""
FORGET = "import sqlite3; c = sqlite3.connect('karat.db'); c.execute('DELETE FROM judgements'); c.commit()"


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.judged")
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    given = parser.parse_args(list(arguments))
    measure.heading("verdicts of a judge", f"{given.size:,} answers, all of them judged, scored again with karat score")
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, given.size)
        _karat(folder, "run", "--suite", "data_query", "--cases", "cases.jsonl", "--predictions", "answers.jsonl",
               "--no-judge", "--store", "karat.db")  # fmt: skip
        asked = _karat(folder, "judge", "r-0001", "--store", "karat.db")
        again = _karat(folder, "judge", "r-0001", "--store", "karat.db")
        plain = folder / "plain"
        plain.mkdir()
        for file in ("karat.yaml", "grader.py", "karat.db"):
            shutil.copy(folder / file, plain / file)
        measure.of_command([sys.executable, "-c", FORGET], folder=plain)
        sides = {"with verdicts": lambda: _score(folder), "without": lambda: _score(plain)}
        found = measure.alternately(sides, given.repeats)
    rows = [[what, f"{cost.wall:.1f} s", f"{cost.cpu:.1f} s"] for what, cost in found.items()]
    rows += [["asking first", f"{asked.wall:.1f} s", f"{asked.cpu:.1f} s"]]
    rows += [["asking again", f"{again.wall:.1f} s", f"{again.cpu:.1f} s"]]
    measure.table(["", "wall", "CPU"], rows)
    ours, peer = found["with verdicts"], found["without"]
    measure.verdict("CPU of scoring with verdicts : without", ours.cpu / peer.cpu, at_most=AT_MOST, sides=(ours, peer))


def _score(folder: Path) -> Cost:
    return _karat(folder, "score", "r-0001", "--store", "karat.db")


def _karat(folder: Path, *words: str) -> Cost:
    return measure.of_command([sys.executable, "-m", "karat", "--quiet", *words], folder=folder)


def _write(folder: Path, size: int) -> None:
    (folder / "karat.yaml").write_text(PROJECT)
    (folder / "grader.py").write_text(GRADER)
    with (folder / "cases.jsonl").open("w") as cases, (folder / "answers.jsonl").open("w") as answers:
        for number in range(size):
            case, _ = case_and_answer(number)
            _, other = case_and_answer(number + 1)
            cases.write(json.dumps(case) + "\n")
            answers.write(json.dumps({**other, "id": case["id"]}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
