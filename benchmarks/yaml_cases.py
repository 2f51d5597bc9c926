"""Loading 5,000 case files: read, parsed, positioned, typed and checked, beside PyYAML's C parser alone on the same
files.

Both sides read the files, and keep nothing but what they return. Each repeat is a fresh process; only the work in it is
timed.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import generated, measure

FILES = 5_000
REPEATS = 5
LIMIT = 1.5


def main() -> None:
    measure.heading(
        "case files", f"{FILES:,} YAML files of one case each, median of {REPEATS} fresh processes a side, in turn"
    )
    with TemporaryDirectory() as name:
        folder = Path(name)
        size = 0
        for number, case in enumerate(generated.cases(FILES)):
            size += (folder / f"case_{number:05d}.yaml").write_bytes(generated.as_yaml(case).encode())
        print(f"  {size / 1e6:.1f} MB of YAML, {size / FILES:,.0f} bytes a file")
        costs = measure.alternately(
            {
                "PyYAML C safe_load": lambda: measure.in_fresh_process(__name__, "pyyaml", name),
                "karat load_cases": lambda: measure.in_fresh_process(__name__, "karat", name),
            },
            REPEATS,
        )
    rows = [
        [side, f"{cost.wall:.2f} s", f"{cost.cpu:.2f} s", f"{cost.cpu / FILES * 1e6:.0f} µs", f"{cost.peak_mb:.0f} MB"]
        for side, cost in costs.items()
    ]
    measure.table(["", "wall", "CPU", "CPU a file", "peak memory"], rows)
    bare, ours = costs.values()
    measure.verdict("karat / PyYAML, CPU", ours.cpu / bare.cpu, at_most=LIMIT, sides=(ours, bare))


def with_pyyaml(folder: Path) -> None:
    import yaml

    for path in sorted(folder.iterdir()):
        yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)


def with_karat(folder: Path) -> None:
    from karat.suites.data_query.cases import load_cases

    loaded = load_cases(folder)
    if len(loaded.cases) != FILES or loaded.problems:
        raise AssertionError(f"{len(loaded.cases)} cases, first problem: {loaded.problems[:1]}")


def _side(side: str, folder: str) -> None:
    """One side in this process. Imports happen before the clock starts."""
    importlib.import_module("karat.suites.data_query.cases")
    importlib.import_module("yaml")
    work = {"pyyaml": with_pyyaml, "karat": with_karat}[side]
    measure.say(measure.of_call(lambda: work(Path(folder))))


if __name__ == "__main__":
    _side(*sys.argv[1:])
