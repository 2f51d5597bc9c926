"""How a run grows: 10,000, 100,000 and 1,000,000 cases through ``karat run``, each in a fresh process.

The cases are a JSONL file of data_query. They are answered by a Python function that answers at once (``function``), or
from a recording (``replay``). ``python -m benchmarks.scale_run --sizes 10000 100000 --systems function`` measures some
of it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks import measure
from benchmarks.measure import Cost

SIZES = (10_000, 100_000, 1_000_000)
SYSTEMS = ("function", "replay")
MEMORY_LIMIT_MB = 600
EXPONENT = 1.05
ASSISTANT = "assistant.py"
ANSWERING = """
import json

def ask(request):
    number = int(request["id"].removeprefix("case-"))
    country = number % 200 if number % 7 else 0
    terms = [{"id": f"C{country}", "name": f"Country {country}"}]
    dimensions = [{"dimension_name": "COUNTRY", "values": terms},
                  {"dimension_name": "INDICATOR", "values": [{"id": "NGDP", "name": "GDP"}]}]
    return {"indicator_selection": [{"dataset_id": "IMF:WEO", "dimensions": dimensions}]}
"""


class Figures(msgspec.Struct, frozen=True):
    """A run of one size."""

    cases: int
    cost: Cost
    store: int
    """Bytes of the database."""


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.scale_run")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    given = parser.parse_args(list(arguments))
    measure.heading("a run as it grows", "data_query cases of a JSONL file, one process per size, everything stored")
    for system in given.systems:
        _tell(system, [_run(size, system) for size in given.sizes])


def _tell(system: str, found: Sequence[Figures]) -> None:
    print(f"  {system}")
    rows = [
        [
            f"{one.cases:,}",
            f"{one.cost.wall:.1f} s",
            f"{one.cost.cpu:.1f} s",
            f"{one.cost.cpu / one.cases * 1e6:.0f} µs",
            f"{one.cost.peak_mb:.0f} MB",
            f"{one.store / one.cases:,.0f} B",
        ]
        for one in found
    ]
    measure.table(["cases", "wall", "CPU", "CPU a case", "peak memory", "store a case"], rows)
    peak = max(one.cost.peak_mb for one in found)
    word = "met" if peak < MEMORY_LIMIT_MB else "MISSED"
    print(f"  peak memory: {peak:.0f} MB, target below {MEMORY_LIMIT_MB} MB: {word}")
    if len(found) > 1:
        measure.verdict("fitted exponent of CPU over cases", exponent(found), at_most=EXPONENT)


def exponent(found: Sequence[Figures]) -> float:
    """The slope of log CPU over log cases, by least squares: 1 is linear."""
    x = [math.log(one.cases) for one in found]
    y = [math.log(one.cost.cpu) for one in found]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)


def _run(size: int, system: str) -> Figures:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ASSISTANT).write_text(ANSWERING)
        _write(folder, size, recorded=system == "replay")
        asked = (
            ["--system", "function", "--system-option", "function=assistant:ask"]
            if system == "function"
            else ["--predictions", "answers.jsonl"]
        )
        command = [sys.executable, "-m", "karat", "--quiet", "run", "--suite", "data_query", "--cases", "cases.jsonl"]
        cost = measure.of_command([*command, *asked, "--store", "karat.db"], folder=folder)
        store = sum(file.stat().st_size for file in folder.glob("karat.db*"))
        return Figures(size, cost, store)


def _write(folder: Path, size: int, *, recorded: bool) -> None:
    """The cases, and an answer to each: one in seven is wrong."""
    answering: dict[str, object] = {}
    exec(ANSWERING, answering)
    ask = answering["ask"]
    with (folder / "cases.jsonl").open("w") as cases, (folder / "answers.jsonl").open("w") as answers:
        for number in range(size):
            name = f"case-{number:07d}"
            terms = [{"id": f"C{number % 200}", "name": f"Country {number % 200}"}]
            dimensions = [
                {"dimension_name": "COUNTRY", "values": terms},
                {"dimension_name": "INDICATOR", "values": [{"id": "NGDP", "name": "GDP"}]},
            ]
            target = {"indicator_selection": [{"dataset_id": "IMF:WEO", "dimensions": dimensions}]}
            question = f"What was the GDP of country {number % 200} in {1990 + number % 30}?"
            turn = {"role": "user", "content": question, "target": target}
            cases.write(json.dumps({"id": name, "conversation": [turn], "tags": ["gdp"]}) + "\n")
            if recorded:
                answers.write(json.dumps({"id": name, **ask({"id": name})}) + "\n")  # type: ignore[operator]


if __name__ == "__main__":
    main(sys.argv[1:])
