"""How far a reader has to walk to follow one case: which functions of Karat run, in how many files, and how often the
way leaves a room.

``python -m benchmarks walk`` scores one recorded answer of each demo (``karat score --case … --xlsx … --html …``) in a
fresh process, under ``sys.setprofile``. The retrieval demo has no recorded answers, so its sheet is run (``karat
run``). Only the first entry of each function counts, in the order of these entries.

- *functions*: functions of ``src/karat`` that were entered, told apart by file and first line. Module and class bodies,
  lambdas and comprehensions are none, and what a module calls while it is imported belongs to nobody's walk. Threads
  are followed, and the case is scored in the main process (``--workers 1``); the servers of the sandbox and of the
  engines are processes of their own and are not followed.
- *files*: the files that hold these functions.
- *room changes*: how often the next new function lies in another room than the one before. A room is a package directly
  below ``src/karat``; each suite is one, and the modules beside the packages are one together. The last column leaves
  ``core`` out: its words (problems, records, reading and writing of files) are used everywhere, and looking one up is
  no change of subject.

This definition gives 319/76/60, 431/89/65, 555/133/81 and 714/151/104 for data_query, answers, codegen and retrieval at
commit 2980755, where an earlier, unpublished tracer gave 325/79/59, 414/90/66, 592/136/93 and 771/161/110.

``--list SUITE`` prints the walk itself: a line for each stay in a room, with the functions entered there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from itertools import groupby, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

GOALS = {"data_query": 25, "answers": 30, "codegen": 40, "retrieval": 45}
"""Room changes."""
WORDS = {
    "data_query": ["score", "--case", "debt_italy_greece"],
    "answers": ["score", "--case", "fuel_by_ship"],
    "codegen": ["score", "--case", "total_fees"],
    "retrieval": ["run", "--case", "which_cheeses_do_you_sell"],
}


class Step(msgspec.Struct, frozen=True):
    """The first entry of a function: the file below ``src/karat``, and the function's name in it."""

    file: str
    function: str

    @property
    def room(self) -> str:
        parts = self.file.split("/")[:-1]
        return "/".join(parts[:2] if parts[:1] == ["suites"] else parts[:1]) or "karat"


def room_changes(steps: Iterable[Step], without: str = "") -> int:
    """How often two neighbours lie in different rooms. ``without``: a room that does not count."""
    rooms = [step.room for step in steps if step.room != without]
    return sum(first != second for first, second in pairwise(rooms))


_TRACED = """
import json, os, sys, threading
import karat
from karat.cli.main import main
root = os.path.dirname(karat.__file__) + os.sep
seen, steps = set(), []
def importing(frame):
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(root):
            return True
        frame = frame.f_back
    return False
def enter(frame, event, _):
    if event == "call":
        code = frame.f_code
        if code not in seen and code.co_filename.startswith(root) and not importing(frame):
            seen.add(code)
            if not code.co_name.startswith("<") and code.co_flags & 1:
                steps.append((code.co_filename, code.co_qualname))
out, sys.argv = sys.argv[1], ["karat", *sys.argv[2:]]
threading.setprofile(enter)
sys.setprofile(enter)
code = 0
try:
    main()
except SystemExit as stop:
    code = stop.code
finally:
    sys.setprofile(None)
    threading.setprofile(None)
with open(out, "w") as file:
    json.dump([(place[len(root):].replace(os.sep, "/"), name) for place, name in steps], file)
sys.exit(code)
"""


def walk(suite: str, folder: Path) -> list[Step]:
    """The walk of one case of the demo, from the command line to the last report."""
    place = folder / suite
    _run([sys.executable, "-m", "karat", "init", str(place), "--suite", suite], folder)
    words = [*WORDS[suite], "--workers", "1", "--xlsx", "report.xlsx", "--html", "report.html"]
    _run([sys.executable, "-c", _TRACED, "walk.json", *words], place)
    return [Step(file, name) for file, name in json.loads((place / "walk.json").read_text(encoding="utf-8"))]


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):  # one case alone may miss a gate
        sys.exit(f"ended with {done.returncode}: {done.stderr[-2000:]}")


def main(arguments: list[str]) -> int:
    """0, whatever the figures: they are to be read, not to be passed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks walk", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--list", metavar="SUITE", choices=tuple(GOALS), help="print the walk of this suite, room by room"
    )
    given = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="karat-walk-") as scratch:
        if given.list:
            _print_walk(walk(given.list, Path(scratch)))
            return 0
        print("| suite | functions | files | room changes | goal | without core |\n|---|---|---|---|---|---|")
        for suite, goal in GOALS.items():
            steps = walk(suite, Path(scratch))
            files = len({step.file for step in steps})
            changes = room_changes(steps), goal, room_changes(steps, without="core")
            print(" | ".join(("| " + suite, *map(str, (len(steps), files, *changes)))) + " |", flush=True)
    return 0


def _print_walk(steps: list[Step]) -> None:
    for number, (room, stay) in enumerate(groupby(steps, key=lambda step: step.room)):
        named = (f"{step.file.removeprefix(room + '/')}:{step.function}" for step in stay)
        print(f"{number:3}  {room:18} {'  '.join(named)}")
    print(f"{room_changes(steps)} room changes")
