"""The ratios of the benchmarks at an earlier commit and now, measured in turn.

``python -m benchmarks before_after --before COMMIT NAME …`` takes that commit out into a folder of its own and runs
each benchmark there and here, one after the other, ``--rounds`` times, with the packages of this environment. Each side
runs its own benchmark with its own sources. The median of each ratio is compared; the exit code is 1 when one got worse
by more than ``--margin`` (0.05).

Only figures that both sides print under the same name are compared, the others are listed. Seconds are not compared:
they depend on the machine.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import msgspec

from benchmarks import measure
from benchmarks.same_demos.run import ROOT, checkout, environment_of

RATIO = re.compile(r"^  (?P<what>\S.*): (?P<value>[\d,.]+)×, target (?P<sign>[≤≥]) ")
MARGIN = 0.05


class Ratio(msgspec.Struct, frozen=True):
    """What a benchmark said of one claim, and whether more of it is better."""

    value: float
    more_is_better: bool


class Pair(msgspec.Struct, frozen=True):
    """One claim before and now, as medians over the rounds."""

    what: str
    before: float
    now: float
    more_is_better: bool

    @property
    def worse_by(self) -> float:
        """0.05: five per cent worse than before. Negative: better."""
        return (self.before / self.now if self.more_is_better else self.now / self.before) - 1


def main(arguments: list[str]) -> int:
    """0: no ratio got worse by more than the margin. 1: at least one did. 2: a benchmark failed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks before_after", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("names", nargs="+", metavar="NAME", help="benchmarks that both commits have")
    parser.add_argument("--before", metavar="COMMIT", required=True, help="the commit to compare with")
    parser.add_argument("--rounds", type=int, default=3, help="how often each side runs [default: 3]")
    parser.add_argument("--margin", type=float, default=MARGIN, help=f"by how much one may get worse [{MARGIN}]")
    given = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="karat-before-after-") as scratch:
        trees = _trees(given.before, Path(scratch))
        pairs = []
        for name in given.names:
            pairs += _compared(name, trees, given.rounds)
    worse = [pair for pair in pairs if pair.worse_by > given.margin]
    print()
    measure.table(("claim", "before", "now", "worse by", ""), [_row(pair, given.margin) for pair in pairs])
    print(f"\n  {len(pairs)} ratios, {len(worse)} worse by more than {given.margin:.0%}")
    return int(bool(worse))


Environment = Mapping[str, str]
Tree = tuple[Path, Environment]
"""The root of some sources, and what a process needs to import them."""


def _trees(commit: str, scratch: Path) -> dict[str, Tree]:
    """Both sources. What the benchmarks read beside the project is beside the earlier sources too."""
    earlier = checkout(commit, scratch / "before", whole=True)
    shared = ROOT.parent / "shared"
    if shared.exists():
        (scratch / "shared").symlink_to(shared)
    return {
        "before": (earlier, environment_of(earlier, scratch / "environment-before")),
        "now": (ROOT, environment_of(ROOT, scratch / "environment-now")),
    }


def _compared(name: str, trees: Mapping[str, Tree], rounds: int) -> list[Pair]:
    print(f"\n{name}\n  {measure.machine()}")
    found: dict[str, list[dict[str, Ratio]]] = {side: [] for side in trees}
    for number in range(rounds):
        for side in trees if number % 2 == 0 else reversed(list(trees)):
            found[side].append(_run(name, *trees[side]))
            shown = ", ".join(f"{what}: {ratio.value:g}×" for what, ratio in found[side][-1].items())
            print(f"  {number + 1}, {side}: {shown or 'no ratio'}", flush=True)
    return pairs(name, found["before"], found["now"])


def pairs(name: str, before: Sequence[Mapping[str, Ratio]], now: Sequence[Mapping[str, Ratio]]) -> list[Pair]:
    """The claims that every run of both sides made."""
    common = [what for what in now[0] if all(what in run for run in (*before, *now))]
    for side, runs in (("before", before), ("now", now)):
        alone = [what for what in runs[0] if what not in common]
        if alone:
            print(f"  not compared, only {side}: {'; '.join(alone)}")
    return [
        Pair(
            f"{name}: {what}",
            median(run[what].value for run in before),
            median(run[what].value for run in now),
            now[0][what].more_is_better,
        )
        for what in common
    ]


def _run(name: str, root: Path, environment: Environment) -> dict[str, Ratio]:
    sizes = {key: value for key, value in os.environ.items() if key.startswith("KARAT_BENCHMARK_")}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", name],
        cwd=root,
        env={**environment, **sizes},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.stderr.write(done.stdout[-2000:] + done.stderr[-2000:])
        sys.exit(2)
    return ratios(done.stdout)


def ratios(printed: str) -> dict[str, Ratio]:
    """The ratios with a target in what a benchmark printed."""
    found = (RATIO.match(line) for line in printed.splitlines())
    return {
        one["what"]: Ratio(float(one["value"].replace(",", "")), one["sign"] == "≥") for one in found if one is not None
    }


def _row(pair: Pair, margin: float) -> list[str]:
    word = "WORSE" if pair.worse_by > margin else ""
    return [pair.what, f"{pair.before:.2f}×", f"{pair.now:.2f}×", f"{pair.worse_by:+.1%}", word]
