"""How a run grows: 10,000, 100,000 and 1,000,000 cases through ``karat run``, each in a fresh process.

The cases are a JSONL file, answered by a Python function that answers at once (``function``) or from a recording
(``replay``). ``light`` is the smallest suite there is (``benchmarks.scale_light``), so that what is measured is the
runner and the store; ``data_query`` goes through the command line. ``python -m benchmarks.scale_run --suites light
--sizes 10000 100000 --systems function`` measures some of it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks import claims, measure
from benchmarks.measure import Cost
from karat.core.json_types import JsonObject

SIZES = (10_000, 100_000, 1_000_000)
SUITES = ("light", "data_query")
SYSTEMS = ("function", "replay")
MEMORY_LIMIT_MB = 600
EXPONENT = 1.05
ASSISTANT = "assistant.py"
ANSWERING = """
from benchmarks.scale_run import case_and_answer

def ask(request):
    return case_and_answer(int(request["id"].removeprefix("case-")))[1]
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
    parser.add_argument("--suites", nargs="+", choices=SUITES, default=["light"])
    given = parser.parse_args(list(arguments))
    measure.heading("a run as it grows", "cases of a JSONL file, one process per size, everything stored")
    for suite in given.suites:
        for system in given.systems:
            _tell(f"{suite}, {system}", [_run(size, suite, system) for size in given.sizes])


def _tell(what: str, found: Sequence[Figures]) -> None:
    print(f"  {what}")
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
    measure.limit(f"{what}: peak memory", peak, MEMORY_LIMIT_MB, "MB", sides=(found[-1].cost, None))
    if len(found) > 1:
        power = claims.fitted_exponent({one.cases: one.cost.cpu for one in found})
        measure.growth(f"{what}: CPU over cases", power, at_most=EXPONENT)


def _run(size: int, suite: str, system: str) -> Figures:
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, size, suite)
        here = {"PYTHONPATH": str(Path(__file__).parent.parent)}
        cost = measure.of_command(_command(suite, system), folder=folder, environment=here)
        store = sum(file.stat().st_size for file in folder.glob("karat.db*"))
        return Figures(size, cost, store)


def _command(suite: str, system: str) -> list[str]:
    if suite == "light":
        return [sys.executable, "-m", "benchmarks.scale_light", system]
    asked = (
        ["--system", "function", "--system-option", "function=assistant:ask"]
        if system == "function"
        else ["--predictions", "answers.jsonl"]
    )
    run = [sys.executable, "-m", "karat", "--quiet", "run", "--suite", suite, "--cases", "cases.jsonl"]
    return [*run, *asked, "--store", "karat.db"]


def _write(folder: Path, size: int, suite: str) -> None:
    """The cases, and an answer to each. One answer in seven to data_query is wrong."""
    (folder / ASSISTANT).write_text(ANSWERING)
    made = _light if suite == "light" else case_and_answer
    with (folder / "cases.jsonl").open("w") as cases, (folder / "answers.jsonl").open("w") as answers:
        for number in range(size):
            case, answer = made(number)
            cases.write(json.dumps(case) + "\n")
            answers.write(json.dumps(answer) + "\n")


def _light(number: int) -> tuple[JsonObject, JsonObject]:
    name = f"case-{number:07d}"
    return {"id": name, "question": f"What is 2 + 2? ({number})", "answer": "4"}, {"id": name, "answer": "4"}


def case_and_answer(number: int) -> tuple[JsonObject, JsonObject]:
    """A case of data_query, and what is answered to it."""
    name = f"case-{number:07d}"
    question = f"What was the GDP of country {number % 200} in {1990 + number % 30}?"
    turn = {"role": "user", "content": question, "target": _selection(number % 200)}
    case: JsonObject = {"id": name, "conversation": [turn], "tags": ["gdp"]}
    return case, {"id": name, **_selection(number % 200 if number % 7 else 0)}


def _selection(country: int) -> JsonObject:
    terms = [{"id": f"C{country}", "name": f"Country {country}"}]
    dimensions = [
        {"dimension_name": "COUNTRY", "values": terms},
        {"dimension_name": "INDICATOR", "values": [{"id": "NGDP", "name": "GDP"}]},
    ]
    return {"indicator_selection": [{"dataset_id": "IMF:WEO", "dimensions": dimensions}]}


if __name__ == "__main__":
    main(sys.argv[1:])
