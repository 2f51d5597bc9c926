"""Snippets a second: a fresh process with pandas for each, beside the warm sandbox; then 10,000 in a row, and what they
leave behind.

The fresh process is the plain harness: start Python, import pandas, read the table, run the code, print the answer. No
wall is round it. The sandbox runs the same code over the same file behind all walls of this machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks import measure
from karat.sandbox import Sandbox
from karat.sandbox.isolation import cgroups

ROUNDS = 3
MANY = int(os.environ.get("KARAT_BENCHMARK_SNIPPETS", "10000"))
TARGET = 30
GROWTH_MB = 4.0
"""What may come and go in the allocator; a leak of one small table for each snippet would be far more."""

SNIPPETS = (
    "result = df['price'].mean()",
    "result = df.groupby('region')['price'].sum()",
    "result = df[df['price'] > 50].shape[0]",
    "result = df.sort_values('price', ascending=False).head(5)",
    "result = df.groupby(['region', 'item'])['price'].agg(['mean', 'max']).reset_index()",
    "result = df['item'].value_counts().to_dict()",
    "result = df.pivot_table(index='region', columns='item', values='price', aggfunc='mean')",
    "df['total'] = df['price'] * df['count']\nresult = df.nlargest(3, 'total')[['item', 'total']]",
    "result = df.merge(df.groupby('item')['price'].mean().rename('mean'), on='item')['mean'].round(2).tolist()[:5]",
    "result = pd.read_csv('sales.csv')['count'].describe()",
)

FRESH = "import sys, pandas as pd\ndf = pd.read_csv('sales.csv')\nexec(sys.argv[1])\nprint(result)"


def main() -> None:
    measure.heading(
        "sandbox", f"{len(SNIPPETS)} snippets over 300 rows, {ROUNDS} rounds in turn: a fresh process each, and warm"
    )
    with tempfile.TemporaryDirectory() as folder:
        table = _table(Path(folder))
        before = _left()
        with Sandbox() as box:
            print("  walls: " + ", ".join(layer.name for layer in box.layers if layer.on))
            _run(box, table, SNIPPETS[0])
            (pid,) = box.server_pids()
            fresh: list[measure.Cost] = []
            warm: list[measure.Cost] = []
            for _ in range(ROUNDS):
                fresh += [
                    measure.of_command([sys.executable, "-c", FRESH, code], folder=Path(folder)) for code in SNIPPETS
                ]
                warm += [median_of([_warm(box, table, code, pid) for _ in range(5)]) for code in SNIPPETS]
            _compare(measure.medians(fresh), measure.medians(warm))
            _many(box, table, pid)
        _tidy(before)


def _table(folder: Path) -> Path:
    rows = [
        f"{('north', 'south', 'east')[n % 3]},{('tea', 'rice', 'oil', 'salt')[n % 4]},{n * 37 % 101},{n % 7}"
        for n in range(300)
    ]
    path = folder / "sales.csv"
    path.write_text("region,item,price,count\n" + "\n".join(rows) + "\n")
    return path


def _run(box: Sandbox, table: Path, code: str) -> None:
    outcome = box.run(code, {"sales": table})
    if not outcome.ok:
        raise SystemExit(f"{code!r} gave {outcome}")


def _warm(box: Sandbox, table: Path, code: str, pid: int) -> measure.Cost:
    """One snippet: the clock, and the processor time of this process and of everything in the box."""
    cpu, own, wall = _cpu(pid), time.process_time(), time.perf_counter()
    _run(box, table, code)
    return measure.Cost(time.perf_counter() - wall, time.process_time() - own + _cpu(pid) - cpu)


def median_of(costs: list[measure.Cost]) -> measure.Cost:
    """The kernel counts the processor time of others in steps of 10 ms, so that is averaged; the clock's median is
    taken."""
    return measure.Cost(median(cost.wall for cost in costs), sum(cost.cpu for cost in costs) / len(costs))


def _compare(fresh: measure.Cost, warm: measure.Cost) -> None:
    rows = [
        [name, f"{cost.wall * 1000:.1f} ms", f"{cost.cpu * 1000:.1f} ms", f"{1 / cost.wall:.1f}"]
        for name, cost in (("fresh process", fresh), ("warm sandbox", warm))
    ]
    measure.table(["", "wall", "CPU", "snippets/s"], rows)
    measure.verdict("snippets a second", fresh.wall / warm.wall, at_least=TARGET, sides=(warm, fresh))
    print(f"  processor time: {fresh.cpu / warm.cpu:.1f}× less")


def _many(box: Sandbox, table: Path, pid: int) -> None:
    print(f"  {MANY:,} snippets in a row on one server, resident memory in MB:")
    rows, start = [], time.perf_counter()
    marks = [MANY // 20, MANY // 4, MANY // 2, MANY]
    for number in range(1, MANY + 1):
        _run(box, table, SNIPPETS[number % len(SNIPPETS)])
        if number in marks:
            rows.append((number, _resident(os.getpid()), max(map(_resident, _family(pid)))))
    measure.table(["after", "parent", "server"], [[f"{n:,}", f"{own:.1f}", f"{theirs:.1f}"] for n, own, theirs in rows])
    print(f"  {MANY / (time.perf_counter() - start):.1f} snippets a second")
    for who, place in (("parent", 1), ("server", 2)):
        most = rows[0][place] + GROWTH_MB
        measure.limit(f"memory of the {who} after {MANY:,} snippets", rows[-1][place], most, "MB")


def _left() -> tuple[int, int, int]:
    """Processes below this one, folders and cgroups of its sandboxes."""
    folders = list(Path(tempfile.gettempdir()).glob(f"karat-sandbox-{os.getpid()}-*"))
    groups = [made for place in cgroups.parents().values() for made in place.glob(f"karat-{os.getpid()}-*")]
    return len(_family(os.getpid())) - 1, len(folders), len(groups)


def _tidy(before: tuple[int, int, int]) -> None:
    time.sleep(0.5)
    after = _left()
    kinds = ("processes", "folders", "cgroups")
    for kind, count, earlier in zip(kinds, after, before, strict=True):
        measure.limit(f"{kind} left behind", count - earlier, 0, kind)


def _family(pid: int) -> list[int]:
    """The process and all below it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            parents[int(entry.name)] = int(fields[1])
    found = [pid]
    for above in found:
        found += [child for child, parent in parents.items() if parent == above]
    return found


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _cpu(pid: int) -> float:
    """Seconds of the processor, ended children included."""
    ticks = sum(sum(map(int, fields[11:15])) for member in _family(pid) if (fields := _stat(member)))
    return ticks / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> float:
    fields = _stat(pid)
    return int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 1024**2 if fields else 0.0


if __name__ == "__main__":
    main()
