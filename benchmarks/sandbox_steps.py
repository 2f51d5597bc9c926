"""What a step of a session costs over its code: forked from the state before it, beside a snippet in a fresh child.

Both run the same code by turns; the time is the caller's, less what the server measured for the code itself. Processor
time is that of the server with all its processes. A session that replays (``fork=False``) is shown beside them.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from statistics import median

from benchmarks import measure
from karat.sandbox import Sandbox

STEPS = 12
ROUNDS = 5
AT_MOST_MS = 25.0
CODE = "n = globals().get('n', 0) + 1\ntotals = df.groupby('region')['price'].sum()\nresult = totals"
TABLES: dict[str, dict[str, list[object]]] = {"sales": {"region": ["N", "S", "E"] * 100, "price": list(range(300))}}


def main() -> None:
    measure.heading("sandbox_steps", f"{STEPS} steps in a row, {ROUNDS} rounds in turn with single snippets")
    forked: list[float] = []
    replayed: list[float] = []
    single: list[float] = []
    used: dict[str, list[float]] = {"step": [], "snippet": []}
    with Sandbox() as box:
        box.run(CODE, TABLES)
        (pid,) = box.server_pids()
        for _ in range(ROUNDS):
            before = _processor(pid)
            steps = _steps(box, fork=True)
            used["step"].append((_processor(pid) - before) / STEPS)
            forked += steps
            before = _processor(pid)
            single += [_snippet(box) for _ in range(STEPS)]
            used["snippet"].append((_processor(pid) - before) / STEPS)
        replayed += _steps(box, fork=False)
    rows = [
        ["step, forked", f"{1000 * median(forked):.1f} ms", f"{1000 * median(used['step']):.1f} ms"],
        ["snippet", f"{1000 * median(single):.1f} ms", f"{1000 * median(used['snippet']):.1f} ms"],
        ["step, replayed (all before it again)", f"{1000 * median(replayed):.1f} ms", ""],
    ]
    measure.table(["", "wall over its code", "processor time"], rows)
    measure.limit("a step over its code", 1000 * median(forked), AT_MOST_MS, "ms")


def _steps(box: Sandbox, *, fork: bool) -> list[float]:
    found: list[float] = []
    with box.session(TABLES, fork=fork) as session:
        state: int | None = 0
        for _ in range(STEPS):
            start = time.perf_counter()
            run = session.step(CODE, state)
            found.append(time.perf_counter() - start - run.outcome.wall)
            state = run.snapshot
    return found


def _snippet(box: Sandbox) -> float:
    start = time.perf_counter()
    outcome = box.run(CODE, TABLES)
    return time.perf_counter() - start - outcome.wall


def _processor(pid: int) -> float:
    """Seconds of the processor that a server and all its processes have used, dead ones too."""
    total = 0.0
    waiting = [pid]
    while waiting:
        number = waiting.pop()
        try:
            fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            below = Path(f"/proc/{number}/task/{number}/children").read_text().split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        waiting += map(int, below)
    return total


if __name__ == "__main__":
    main()
