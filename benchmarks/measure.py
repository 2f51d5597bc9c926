"""Wall time, CPU time and peak memory of a call or a command, repeated, and the table both sides are printed in."""

from __future__ import annotations

import gc
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile

import msgspec

from benchmarks import claims
from benchmarks.claims import Claim
from benchmarks.claims import Cost as Cost


class CommandFailed(Exception):
    """A measured command ended with another code than 0. Carries the end of what it printed."""


def of_call(work: Callable[[], object]) -> Cost:
    """One call in this process. What was there before is set aside from the garbage collector, so that it costs the
    call nothing."""
    gc.collect()
    gc.freeze()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    cost = Cost(time.perf_counter() - wall, time.process_time() - cpu, peak_mb())
    gc.unfreeze()
    return cost


def of_command(
    command: Sequence[str], *, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> Cost:
    """One command, its own children included. Raises :class:`CommandFailed` when it fails."""
    with TemporaryFile() as output:
        wall = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **(environment or {})}, stdout=output, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - wall
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            tail = output.read().decode(errors="replace").strip()[-1500:]
            raise CommandFailed(f"{Path(command[0]).name} ended with {process.returncode}: {tail}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / _RSS_IN_MB)


def in_fresh_process(module: str, *arguments: str) -> Cost:
    """What ``python -m module arguments`` says its work cost: it prints a Cost as JSON (see :func:`say`)."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=Cost)


def say(cost: Cost) -> None:
    """The other end of :func:`in_fresh_process`."""
    print(msgspec.json.encode(cost).decode())


def alternately(sides: Mapping[str, Callable[[], Cost]], repeats: int) -> dict[str, Cost]:
    """Each side in turn, ``repeats`` times, so that a busy moment of the machine hits them all. The median of each
    figure."""
    costs: dict[str, list[Cost]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, run in sides.items():
            costs[name].append(run())
    return {name: medians(found) for name, found in costs.items()}


def medians(costs: Sequence[Cost]) -> Cost:
    """The median of each figure by itself."""
    return Cost(*(median(getattr(cost, name) for cost in costs) for name in Cost.__struct_fields__))


def total(costs: Sequence[Cost]) -> Cost:
    """All of them one after the other."""
    return Cost(sum(cost.wall for cost in costs), sum(cost.cpu for cost in costs), max(c.peak_mb for c in costs))


_RSS_IN_MB = 1024**2 if sys.platform == "darwin" else 1024


def peak_mb() -> float:
    """The most memory this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _RSS_IN_MB


def machine() -> str:
    """One line on where the figures come from."""
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    return (
        f"{os.cpu_count()} cores · {platform.machine()} · Python {platform.python_version()} · "
        f"load {load} (1, 5, 15 min)"
    )


def heading(title: str, what: str) -> None:
    """The head of a benchmark's output."""
    print(f"\n{title}\n  {what}\n  {machine()}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as they need to be: the first to the left, the others to the right."""
    widths = [max(len(row[index]) for row in (head, *rows)) for index in range(len(head))]
    for row in (head, *rows):
        first, *others = (
            cell.ljust(width) if index == 0 else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print(f"  {first}  {'  '.join(others)}".rstrip())


Sides = tuple[Cost | None, Cost | None]
"""What this project's side cost, and the peer's."""


def verdict(
    what: str,
    ratio: float,
    *,
    at_most: float | None = None,
    at_least: float | None = None,
    sides: Sides = (None, None),
) -> None:
    """A ratio beside its target, in words; kept as a claim."""
    if (at_most is None) == (at_least is None):
        raise ValueError("a verdict needs a target")
    ours, peer = sides
    claim = Claim(benchmark="", what=what, value=ratio, at_most=at_most, at_least=at_least, ours=ours, peer=peer)
    _say(claim, f"{ratio:.2f}×")


def limit(what: str, value: float, at_most: float, unit: str, *, sides: Sides = (None, None)) -> None:
    """A figure beside the most that it may be."""
    ours, peer = sides
    claim = Claim(benchmark="", what=what, value=value, unit=unit, at_most=at_most, ours=ours, peer=peer)
    _say(claim, f"{value:.3g} {unit}")


def growth(what: str, exponent: float, at_most: float = 1.1) -> None:
    """The fitted power of the size that a cost grows with."""
    _say(Claim(benchmark="", what=what, value=exponent, unit="n^", at_most=at_most), f"n^{exponent:.2f}")


def figure(what: str, value: float, unit: str = "×") -> None:
    """A figure without a target, of which less is better; kept as a claim, so that a later one can be compared."""
    _say(Claim(benchmark="", what=what, value=value, unit=unit), claims.shown(value, unit))


def _say(claim: Claim, figure: str) -> None:
    claims.add(claim)
    verdict = f", target {claim.target}: {'met' if claim.met else 'MISSED'}" if claim.target else ""
    print(f"  {claim.what}: {figure}{verdict}")
