"""How long ``karat --help`` takes, beside an interpreter that does nothing."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import measure

REPEATS = 15
LIMIT = 0.2


def main() -> None:
    measure.heading("start-up", f"karat --help beside an empty interpreter, median of {REPEATS} runs, in turn")
    karat = Path(sys.executable).parent / "karat"
    costs = measure.alternately(
        {
            "karat --help": lambda: measure.of_command([str(karat), "--help"]),
            "python -c pass": lambda: measure.of_command([sys.executable, "-c", "pass"]),
        },
        REPEATS,
    )
    rows = [[name, f"{cost.wall * 1000:.0f} ms", f"{cost.cpu * 1000:.0f} ms"] for name, cost in costs.items()]
    measure.table(["", "wall", "CPU"], rows)
    ours, bare = costs["karat --help"], costs["python -c pass"]
    print(f"  {ours.wall / bare.wall:.1f}× the bare interpreter")
    measure.limit("karat --help", ours.wall, LIMIT, "s", sides=(ours, bare))
