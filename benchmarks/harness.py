"""What a harness itself costs: a system that answers at once, a trivial metric, everything stored. Karat, inspect_ai,
promptfoo.

Each tool runs as a command of its own, with one sample and with many. The first is its start-up; what the others add,
by their number, is the cost of a sample.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks import measure, other_tools
from benchmarks.measure import Cost

REPEATS = 3
INSPECT_TIMES = 100
"""How many times our CPU per sample inspect_ai's must at least be."""
MEMORY_LIMIT_MB = 250
HERE = Path(__file__).parent

Side = Callable[[int, Path], Cost]
"""(number of samples, an empty folder for all that is stored) → the cost."""


class Figures(msgspec.Struct, frozen=True):
    """A tool's medians: with one sample, and with ``count`` of them."""

    count: int
    one: Cost
    many: Cost

    @property
    def cpu(self) -> float:
        """Seconds of processor a sample, start-up left out."""
        return (self.many.cpu - self.one.cpu) / (self.count - 1)

    @property
    def rate(self) -> float:
        """Samples a second on the clock, start-up left out."""
        return (self.count - 1) / (self.many.wall - self.one.wall)


def karat_side(count: int, folder: Path) -> Cost:
    """A function system, a trivial suite with one metric, a SQLite store."""
    return measure.of_command([sys.executable, "-m", "benchmarks.harness_karat", str(count), str(folder)])


def inspect_side(count: int, folder: Path) -> Cost:
    """Its mock model, its ``match`` scorer, its log file."""
    python = str(other_tools.inspect_python())
    return measure.of_command([python, str(HERE / "harness_inspect.py"), str(count), str(folder)])


def promptfoo_side(count: int, folder: Path) -> Cost:
    """A provider that returns a constant, an ``equals`` assertion, its SQLite store."""
    command = str(other_tools.promptfoo_command())
    tests = [{"vars": {"number": str(n)}, "assert": [{"type": "equals", "value": "42"}]} for n in range(count)]
    config = {"prompts": ["What is the answer? ({{number}})"], "providers": ["file://provider.cjs"], "tests": tests}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "provider.cjs").write_bytes((HERE / "promptfoo_provider.cjs").read_bytes())
    off = ("TELEMETRY", "UPDATE", "REMOTE_GENERATION", "SHARING")
    environment = {f"PROMPTFOO_DISABLE_{name}": "1" for name in off} | {"PROMPTFOO_CONFIG_DIR": str(folder / "store")}
    options = ["--config", "config.json", "--no-cache", "--no-progress-bar", "--no-table"]
    return measure.of_command([command, "eval", *options], folder=folder, environment=environment)


SIDES: dict[str, tuple[int, Side]] = {
    "karat": (10_000, karat_side),
    f"inspect_ai {other_tools.INSPECT}": (300, inspect_side),
    f"promptfoo {other_tools.PROMPTFOO}": (500, promptfoo_side),
}


def main() -> None:
    measure.heading(
        "harness overhead", f"an instant system, a trivial metric, all stored; median of {REPEATS} runs a side, in turn"
    )
    figures = _all_figures()
    names = list(SIDES)
    ours = figures[0]
    rows = [
        [
            name,
            f"{found.count:,}",
            f"{found.one.cpu:.2f} s",
            f"{found.many.cpu:.2f} s",
            f"{found.many.wall:.2f} s",
            f"{found.cpu * 1000:.3f} ms",
            f"{found.rate:,.0f}/s",
            f"{found.many.peak_mb:.0f} MB",
            f"{found.cpu / ours.cpu:.1f}×" if ours else "",
        ]
        for name, found in zip(names, figures, strict=True)
        if found
    ]
    head = [
        "",
        "samples",
        "CPU for 1",
        "CPU for all",
        "wall for all",
        "CPU a sample",
        "samples",
        "peak memory",
        "CPU / karat's",
    ]
    measure.table(head, rows)
    _, inspect, promptfoo = figures
    if ours and inspect:
        measure.verdict(
            "inspect_ai / karat, CPU a sample",
            inspect.cpu / ours.cpu,
            at_least=INSPECT_TIMES,
            sides=(ours.many, inspect.many),
        )
    if ours and promptfoo:
        faster = ours.rate / promptfoo.rate
        sides = (ours.many, promptfoo.many)
        measure.verdict("karat / promptfoo, samples a second", faster, at_least=10, sides=sides)
    if ours:
        measure.limit("karat's memory", ours.many.peak_mb, MEMORY_LIMIT_MB, "MB", sides=(ours.many, None))


def _all_figures() -> list[Figures | None]:
    """Every tool in turn, round after round. A tool that cannot be run here is None, and it is said why."""
    ones: dict[str, list[Cost]] = {name: [] for name in SIDES}
    manys: dict[str, list[Cost]] = {name: [] for name in SIDES}
    failed: set[str] = set()
    for _ in range(REPEATS):
        for name, (count, side) in SIDES.items():
            if name in failed:
                continue
            try:
                ones[name].append(_once(side, 1))
                manys[name].append(_once(side, count))
            except (measure.CommandFailed, other_tools.CannotInstall) as error:
                print(f"  {name}: not run: {error}")
                failed.add(name)
    return [
        None if name in failed else Figures(count, measure.medians(ones[name]), measure.medians(manys[name]))
        for name, (count, _) in SIDES.items()
    ]


def _once(side: Side, count: int) -> Cost:
    with TemporaryDirectory() as folder:
        return side(count, Path(folder))
