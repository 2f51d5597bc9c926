"""How many of the 95 % intervals hold the true mean, for many populations, and how wide they are beside Student's.

``python -m benchmarks.coverage 20000`` draws more samples per cell than the default; a group's name after it chooses a
group.
"""

from __future__ import annotations

import sys
import zlib

import numpy as np

from benchmarks import measure
from benchmarks.coverage_cells import Cell, Floats, cells
from karat.stats.compare.paired import difference_interval
from karat.stats.intervals.estimates import estimate
from karat.stats.intervals.quantiles import student_quantile

DRAWS = 4_000
LEAST, MOST = 0.93, 0.97


def covered(cell: Cell, draws: int = DRAWS) -> tuple[float, float]:
    """The share of intervals that hold the true mean, and their median width beside Student's. No interval holds
    nothing."""
    rng = np.random.default_rng(zlib.crc32(f"{cell.group} {cell.name} {cell.n}".encode()))
    values = cell.draw(rng, draws, cell.n)
    later = None if cell.change is None else cell.change(rng, values)
    names = None if cell.sizes is None else [str(i) for i, size in enumerate(cell.sizes) for _ in range(size)]
    hits, widths = 0, []
    for row in range(draws):
        low, high, own = _interval(cell, values[row], None if later is None else later[row], names)
        if low is None or high is None:
            continue
        hits += low <= cell.truth <= high
        count = len(own) if cell.sizes is None else len(cell.sizes)
        student = 2 * student_quantile(0.975, count - 1) * float(own.std(ddof=1)) / len(own) ** 0.5
        if student > 0:
            widths.append((high - low) / student)
    return hits / draws, float(np.median(widths)) if widths else float("nan")


def _interval(
    cell: Cell, values: Floats, later: Floats | None, names: list[str] | None
) -> tuple[float | None, float | None, Floats]:
    if later is None:
        found = estimate(values.tolist(), cell.kind, names)
        return found.low, found.high, values
    gaps = later - values
    verdicts = names is None and set(values) | set(later) <= {0.0, 1.0}
    interval = difference_interval(gaps, names, bounded=cell.kind != "quantity", verdicts=verdicts)
    return (*(interval or (None, None)), gaps)


def main(draws: int = DRAWS, only: str = "") -> None:
    measure.heading("coverage", f"share of 95 % intervals that hold the true mean, {draws:,} samples per cell")
    names: dict[tuple[str, str], list[tuple[int, float, float]]] = {}
    for cell in cells():
        if only in cell.group:
            names.setdefault((cell.group, cell.name), []).append((cell.n, *covered(cell, draws)))
    rows, outside = [], []
    for (group, name), found in names.items():
        rows.append([group, name, *(f"{n}: {share:.3f} ({width:.2f}×)" for n, share, width in found)])
        outside += [f"  {group}, {name}, n = {n}: {share:.3f}" for n, share, _ in found if not LEAST <= share <= MOST]
    longest = max(map(len, rows))
    measure.table(
        ["", "", *(["n: coverage (width beside Student's)"] + [""] * (longest - 3))],
        [row + [""] * (longest - len(row)) for row in rows],
    )
    cells_drawn = sum(map(len, names.values()))
    measure.figure(f"share of {cells_drawn} cells outside {LEAST:.0%}–{MOST:.0%}", len(outside) / cells_drawn, "")
    print("\n".join(outside))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS, sys.argv[2] if len(sys.argv) > 2 else "")
