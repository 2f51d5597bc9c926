"""Both profiles beside a plain re-statement of the public algorithm (``tests/suites/answers/spider2/literal.py``).

All sides get the same files. The noise is within the tolerance of both profiles. Reading the CSV files is part of the
work; importing pandas and the rest happens before the clock starts, on both sides. Each measurement is a fresh process.
``python -m benchmarks.answers_spider2 agreement [BYTES]`` compares the verdicts of both sides instead, on every public
gold table up to that size with every change the tests know.
"""

from __future__ import annotations

import importlib
import random
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import claims, measure

ROWS = 1_000_000
SIDES = ("literal", "spider2", "strict")
GROWTH = (10**3, 10**4, 10**5, 10**6, 10**7)
LITERAL_UP_TO = 10**5
"""Rows up to which the literal side takes part in the growth; it has a million in the comparison above it."""

SHARED = Path(__file__).resolve().parents[2] / "shared"


def main() -> None:
    with TemporaryDirectory() as name:
        _large(Path(name))
        _growth(Path(name))
    _lite()


def _large(folder: Path) -> None:
    measure.heading("answers, large tables", f"{ROWS:,} rows × 5 columns, rows shuffled, order ignored, one run a side")
    _write(folder, ROWS)
    for result, what, least in (
        ("shuffled", "rows equal", 100),
        ("noisy", "noise within tolerance, columns renamed and moved", 30),
    ):
        costs = {side: measure.in_fresh_process(__name__, side, str(folder), result) for side in SIDES}
        _print(what, costs, least)


def _growth(folder: Path) -> None:
    measure.heading("answers, growth with the rows", "CPU; 5 columns, rows shuffled, order ignored; noise as above")
    rows = []
    grown: dict[str, dict[int, float]] = {}
    for count in GROWTH:
        _write(folder, count)
        for result in ("shuffled", "noisy"):
            sides = SIDES if count <= LITERAL_UP_TO else SIDES[1:]
            costs = {side: measure.in_fresh_process(__name__, side, str(folder), result) for side in sides}
            for side in SIDES[1:]:
                grown.setdefault(f"{side}, {result}", {})[count] = costs[side].cpu
            rows.append(
                [
                    f"{count:>10,}  {result}",
                    f"{costs['literal'].cpu:.3f} s" if "literal" in costs else "",
                    *(f"{costs[side].cpu:.3f} s" for side in SIDES[1:]),
                    *(f"{costs[side].peak_mb:.0f} MB" for side in SIDES[1:]),
                    "#" * max(1, round(8 * costs["strict"].cpu ** 0.5)),
                ]
            )
    measure.table(
        ["rows", "literal", "spider2", "strict", "spider2, memory", "strict, memory", "√ strict"],
        rows,
    )
    for name, found in grown.items():
        measure.growth(f"{name}, CPU over rows", claims.fitted_exponent(found))


def _lite() -> None:
    measure.heading(
        "spider2, lite gold as its own submission",
        "first gold of 546 instances, median of 3 fresh processes a side, in turn",
    )
    if not (SHARED / "data").is_dir():
        print("  left out: the public gold (../shared/data) is not beside the project")
        return
    sides = {
        side: (lambda side=side: measure.in_fresh_process(__name__, side, "lite")) for side in ("literal", "spider2")
    }
    _print("all instances", measure.alternately(sides, 3), 10)


def _print(what: str, costs: dict[str, measure.Cost], least: float) -> None:
    rows = [
        [f"{side}, {what}", f"{cost.wall:.2f} s", f"{cost.cpu:.2f} s", f"{cost.peak_mb:.0f} MB"]
        for side, cost in costs.items()
    ]
    measure.table(["", "wall", "CPU", "peak memory"], rows)
    slow = costs["literal"]
    for side, cost in costs.items():
        if side != "literal":
            both = (cost, slow)
            measure.verdict(f"{what}: literal / {side}, CPU", slow.cpu / cost.cpu, at_least=least, sides=both)
            measure.verdict(f"{what}: literal / {side}, wall", slow.wall / cost.wall, at_least=least, sides=both)
            if slow.wall > 20:  # for small tables, what was imported is all the memory there is
                memory = cost.peak_mb / slow.peak_mb
                measure.verdict(f"{what}: {side} / literal, memory", memory, at_most=1, sides=both)


def _write(folder: Path, rows: int) -> None:
    """In a process of its own: a child's peak of memory starts from its parent's."""
    measure.of_command([sys.executable, "-m", __name__, "write", str(folder), str(rows)])


def write_tables(folder: Path, rows: int) -> None:
    """Gold, the same with its rows shuffled, and the same again with noise, other names and another order of columns.

    Fractions keep away from whole numbers, so that no noise changes the order of the texts by more than neighbours. The
    noise is less than spider2's 0.01 and than strict's 0.0001 of each number.
    """
    import numpy as np
    import polars

    chance = np.random.default_rng(rows)
    whole, fraction = chance.integers(10, 5000, rows), chance.integers(5, 95, rows) / 100
    gold = polars.DataFrame(
        {
            "id": np.arange(rows),
            "city": np.array(["Paris", "Rome", "Oslo", "Lima", "Cairo"])[chance.integers(0, 5, rows)],
            "amount": np.round(whole + fraction, 2),
            "share": chance.uniform(0.11, 0.89, rows),
            "day": [f"2020-{day % 12 + 1:02d}-{day % 28 + 1:02d}" for day in chance.integers(0, 400, rows).tolist()],
        }
    )
    gold.write_csv(folder / "gold.csv")
    shuffled = gold.sample(fraction=1, shuffle=True, seed=1)
    shuffled.write_csv(folder / "shuffled.csv")
    noisy = {
        "tag": shuffled["day"],
        "part": shuffled["share"] * (1 + chance.uniform(-9e-5, 9e-5, rows)),
        "key": shuffled["id"],
        "sum": shuffled["amount"] + chance.uniform(-9e-4, 9e-4, rows),
        "town": shuffled["city"],
    }
    polars.DataFrame(noisy).write_csv(folder / "noisy.csv")


def _tables(side: str, folder: str, result: str) -> None:
    from karat.suites.answers.spider2 import table_match
    from karat.suites.answers.strict import table_match as strict_match
    from tests.suites.answers.spider2 import literal

    gold, found = f"{folder}/gold.csv", f"{folder}/{result}.csv"
    match: Any = {"literal": literal.table_match, "spider2": table_match, "strict": strict_match}[side]
    verdicts: list[object] = []
    cost = measure.of_call(lambda: verdicts.append(match(found, gold, [], True)))
    if verdicts[0] is not True and getattr(verdicts[0], "state", "") != "right":
        raise AssertionError(f"{side} refuses {result}: {verdicts[0]}")
    measure.say(cost)


def _lite_side(side: str) -> None:
    from karat.suites.answers.spider2 import table_match
    from tests.suites.answers.spider2 import literal
    from tests.suites.answers.spider2.public_gold import lite_golds

    match = {"literal": literal.table_match, "spider2": table_match}[side]
    entries = [gold.entries[0] for gold in lite_golds(SHARED)]

    def work() -> None:
        passed = sum(
            bool(match(entry.gold_files[0], list(entry.gold_files), **entry.parameters, nulls="zero", family="flat"))
            for entry in entries
        )
        if passed != 546:
            raise AssertionError(f"{side} passes {passed} of {len(entries)}")

    measure.say(measure.of_call(work))


def agreement(largest: int = 20_000) -> None:
    """Every gold table up to this many bytes, with every change: both sides' verdicts, and any that differ."""
    from tests.suites.answers.spider2.agreeing import assert_tables_agree
    from tests.suites.answers.spider2.perturbing import PERTURBATIONS, read_rows, write_rows

    folder = SHARED / "data/spider2/lite/evaluation_suite/gold/exec_result"
    compared = passed = differing = 0
    with TemporaryDirectory() as name:
        for path in sorted(folder.glob("*.csv")):
            if path.stat().st_size > largest:
                continue
            rows = read_rows(path)
            for what, change in PERTURBATIONS.items():
                result = write_rows(Path(name) / "result.csv", change(rows, random.Random(path.name)))
                for nulls in ("equal", "zero"):
                    compared += 1
                    try:
                        passed += assert_tables_agree(result, str(path), None, True, nulls=nulls)
                    except AssertionError as problem:
                        differing += 1
                        print(f"  {path.name}, {what}: {problem}")
    print(f"  {compared:,} comparisons, {passed:,} pass, {differing:,} verdicts differ")


def _side(side: str, *arguments: str) -> None:
    """One side in this process. Imports happen before the clock starts."""
    if side == "agreement":
        agreement(*map(int, arguments))
        return
    if side == "write":
        write_tables(Path(arguments[0]), int(arguments[1]))
        return
    libraries = ("pandas", "pyarrow.compute", "polars")
    for module in (*libraries, "karat.tables.large.compare", "tests.suites.answers.spider2.literal"):
        importlib.import_module(module)
    warnings.simplefilter("ignore")
    if arguments == ("lite",):
        _lite_side(side)
    else:
        _tables(side, *arguments)


if __name__ == "__main__":
    _side(*sys.argv[1:])
