"""The strict comparison of tables: small ones, a million rows that are wrong, and every real gold table changed. Large
tables that are right, and how time grows with rows, are measured beside the literal algorithm in
``benchmarks.answers_spider2``.

Files are read in the measured time; making them is not measured. ``python -m benchmarks.answers_strict huge`` compares
100 million rows of 3 columns under a memory limit; it needs 8 GB of disk and some minutes, and is not part of the rest.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import measure

MODULE = "benchmarks.answers_strict"
REPEATS = 3
CALLS = 100
ROWS = 1_000_000
CURVE = (10**2, 10**3, 10**4, 10**5, 10**6)
REFUSED = {"shuffled": ("right", ""), "scrambled": ("wrong", "rows_scrambled"), "cell": ("wrong", "values_differ")}
MOST_TIMES = 3
HUGE_ROWS = 100_000_000
HUGE_LIMIT_MB = 4096
GOLD = Path(__file__).resolve().parents[2] / "shared" / "data" / "spider2" / "lite" / "evaluation_suite" / "gold"


def main() -> None:
    small()
    with TemporaryDirectory() as name:
        scrambled(Path(name))
        curve(Path(name))
    real_gold()


def small() -> None:
    """Five rows, three columns: the median gold table."""
    from karat.tables.matching import match_tables
    from karat.tables.table import table_of

    rows: list[list[str | None]] = [[f"name {n}", repr(n * 1.7 + 3), f"2020-01-0{n + 1}"] for n in range(5)]
    noisy = [[a, repr(float(b or 0) * 1.00005), f"{c} 00:00:00"] for a, b, c in rows]
    wrong = [[a, repr(float(b or 0) * 3), c] for a, b, c in rows]
    gold = table_of(["a", "b", "c"], rows)
    measure.heading("small tables", f"5 rows × 3 columns, order ignored, median of 15 batches of {CALLS} calls")
    heads = []
    for what, given, passes in (
        ("the same rows, shuffled", rows[::-1], True),
        ("noise and date formats", noisy, True),
        ("other values, explained", wrong, False),
    ):
        pred = table_of(["x", "y", "z"], given)

        def compare(pred: Any = pred, passes: bool = passes) -> None:
            if match_tables(gold, pred, ignore_order=True).passed is not passes:
                raise AssertionError("another verdict")

        first = measure.of_call(compare)
        batches = [measure.of_call(partial(_many_times, compare)) for _ in range(15)]
        wall = measure.medians(batches).wall / CALLS
        heads.append([what, f"{first.wall * 1e6:.0f} µs"])
        measure.limit(f"small tables, {what}", 1000 * wall, 1.0, "ms")
    measure.table(["", "the first call"], heads)
    loaded = [name for name in ("pandas", "duckdb", "polars", "pyarrow") if name in sys.modules]
    print(f"  libraries for large tables imported so far: {', '.join(loaded) or 'none'}")


def _many_times(compare: Callable[[], None]) -> None:
    for _ in range(CALLS):
        compare()


def scrambled(folder: Path) -> None:
    measure.heading(
        "a million rows, refused",
        f"{ROWS:,} rows × 5 columns, rows shuffled, order ignored: accepted; refused and explained with one column "
        "shuffled on its own, "
        f"with one changed cell; median of {REPEATS} fresh processes, libraries imported before",
    )
    measure.in_fresh_process(MODULE, "make_scrambled", str(folder))
    sides = {case: (lambda case=case: measure.in_fresh_process(MODULE, case, str(folder))) for case in REFUSED}
    costs = measure.alternately(sides, REPEATS)
    print_costs(costs)
    for case in list(REFUSED)[1:]:
        measure.verdict(
            f"CPU, {case} against accepted",
            costs[case].cpu / costs["shuffled"].cpu,
            at_most=MOST_TIMES,
            sides=(costs[case], costs["shuffled"]),
        )


def curve(folder: Path) -> None:
    """Accepting and refusing from a hundred rows to a million: more rows never cost less."""
    measure.heading("growth with the rows", "CPU of one comparison, reading included, libraries imported before")
    rows = []
    for count in CURVE:
        measure.in_fresh_process(MODULE, "make_scrambled", str(folder), str(count))
        sides = {case: (lambda case=case: measure.in_fresh_process(MODULE, case, str(folder))) for case in REFUSED}
        costs = measure.alternately(sides, REPEATS)
        rows.append([f"{count:,}", *(f"{costs[case].cpu:.3f} s" for case in REFUSED)])
    measure.table(["rows", *REFUSED], rows)


def print_costs(costs: dict[str, measure.Cost]) -> None:
    rows = [[case, f"{c.wall:.2f} s", f"{c.cpu:.2f} s", f"{c.peak_mb:.0f} MB"] for case, c in costs.items()]
    measure.table(["", "wall", "CPU", "peak memory"], rows)


def make_scrambled(folder: Path, rows: int = ROWS) -> None:
    import polars

    from benchmarks.answers_spider2 import write_tables

    write_tables(folder, rows)
    shuffled = polars.read_csv(folder / "shuffled.csv")
    other = shuffled["share"].shuffle(seed=2)
    shuffled.with_columns(other).write_csv(folder / "scrambled.csv")
    amounts = shuffled["amount"].to_list()
    amounts[rows // 2] += 7777.5
    shuffled.with_columns(polars.Series("amount", amounts)).write_csv(folder / "cell.csv")


def compare_with_gold(case: str, folder: Path) -> None:
    from karat.suites.answers.strict import table_match

    verdict = table_match(str(folder / f"{case}.csv"), str(folder / "gold.csv"), None, True)
    if (verdict.state, verdict.reason) != REFUSED[case]:
        raise AssertionError(f"{case}: {verdict.state}, {verdict.reason}")


def real_gold() -> None:
    """Every gold table of the lite set, changed in each way; the verdicts are counted."""
    folder = GOLD / "exec_result"
    measure.heading("real gold", "each lite gold table against itself changed, order ignored")
    if not folder.is_dir():
        print("  the real data is not beside the project: left out")
        return
    counts: Counter[tuple[str, str]] = Counter()
    unreadable: list[str] = []
    cost = measure.of_call(lambda: change_all(sorted(folder.glob("*.csv")), counts, unreadable))
    rows = [[change, outcome, str(count)] for (change, outcome), count in sorted(counts.items())]
    measure.table(["change", "outcome", "tables"], rows)
    print(f"  {cost.wall:.0f} s in all; not readable: {'; '.join(unreadable) or 'none'}")


def change_all(files: list[Path], counts: Counter[tuple[str, str]], unreadable: list[str]) -> None:
    from karat.tables.files.reading import read_csv
    from karat.tables.matching import match_tables
    from karat.tables.table import Table, TableError
    from tests.tables import perturbations as change

    changes: dict[str, Callable[[Table, Random], Table]] = {
        "rows shuffled": change.shuffled_rows,
        "columns shuffled apart": change.shuffled_columns,
        "noise 9e-5": lambda table, random: change.shuffled_rows(change.noisy(table, random), random),
        "times 100": lambda table, _: change.times_100(table),
        "nulls to zero": lambda table, _: change.nulls_to_zero(table),
        "dates with 00:00:00": lambda table, _: change.with_midnight(table),
        "thousands separators": lambda table, _: change.with_separators(table),
        "a row dropped": change.dropped_row,
        "a row doubled": change.doubled_row,
        "columns added, moved": change.extra_columns,
    }
    for path in files:
        try:
            gold = read_csv(path)
        except TableError as error:
            unreadable.append(error.reason)
            continue
        for name, make in changes.items():
            if not gold.height:
                continue
            pred = make(gold, Random(path.name))
            changed = pred.width != gold.width or change.rows(pred) != change.rows(gold)
            if not changed and name != "rows shuffled":
                continue
            match = match_tables(gold, pred, ignore_order=True)
            forgiven = f" ({', '.join(match.normalised)})" if match.normalised else ""
            counts[name, f"passed{forgiven}" if match.passed else match.reason] += 1


def huge() -> None:
    """100 million rows: equal but shuffled, then one column with noise. Both files are made by DuckDB."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        measure.heading("out of core", f"{HUGE_ROWS:,} rows × 3 columns, order ignored, limit {HUGE_LIMIT_MB} MB")
        measure.in_fresh_process(MODULE, "make_huge", name)
        sizes = ", ".join(f"{path.name} {path.stat().st_size / 1e9:.1f} GB" for path in sorted(folder.iterdir()))
        print(f"  {sizes}", flush=True)
        costs = {case: measure.in_fresh_process(MODULE, f"huge_{case}", name) for case in ("equal", "noisy")}
    print_costs(costs)
    for case, cost in costs.items():
        measure.limit(f"{HUGE_ROWS:,} rows, {case}: peak memory", cost.peak_mb, HUGE_LIMIT_MB, "MB", sides=(cost, None))


def make_huge(folder: Path) -> None:
    """Rows by their number; the second and third file hold the same rows in another order, without holding any of
    them."""
    import duckdb

    with duckdb.connect(config={"memory_limit": "3GB", "temp_directory": str(folder / "spill")}) as connection:
        row = "SELECT id, id % 1000 AS k, (id % 9999991) / 7.0 AS x"
        other = f"SELECT (range * 7919) % {HUGE_ROWS} AS id FROM range({HUGE_ROWS})"
        noisy = "SELECT k AS a, x * (1 + 9e-5 * sin(id)) AS b, id AS c"
        options = "(FORMAT csv, HEADER true)"
        connection.execute(
            f"COPY ({row} FROM (SELECT range AS id FROM range({HUGE_ROWS}))) TO '{folder / 'gold.csv'}' {options}"
        )
        connection.execute(f"COPY ({row} FROM ({other})) TO '{folder / 'equal.csv'}' {options}")
        connection.execute(f"COPY ({noisy} FROM ({row} FROM ({other}))) TO '{folder / 'noisy.csv'}' {options}")


def compare_huge(case: str, folder: Path) -> None:
    from karat.tables.outofcore.compare import match_csv_files
    from karat.tables.table import Limits

    limits = Limits(bytes=2**40)
    match = match_csv_files(folder / "gold.csv", folder / f"{case}.csv", ignore_order=True, limits=limits)
    if not match.passed:
        raise AssertionError(f"{case}: {match.reason}")


def _side(case: str, name: str, rows: str = str(ROWS)) -> None:
    """One step in this process: files are made apart, since a child's peak of memory starts at its parent's."""
    folder = Path(name)
    if case in REFUSED:
        import numpy  # noqa: F401 (loaded before the clock starts)
        import polars

        import karat.suites.answers.strict
        import karat.tables.explain.reasons
        import karat.tables.large.compare  # noqa: F401 (loaded before the clock starts)

        polars.DataFrame({"a": ["1"]}).hash_rows()
        measure.say(measure.of_call(lambda: compare_with_gold(case, folder)))
        return
    if case.startswith("huge_"):
        measure.say(measure.of_call(lambda: compare_huge(case.removeprefix("huge_"), folder)))
        return
    if case == "make_scrambled":
        measure.say(measure.of_call(lambda: make_scrambled(folder, int(rows))))
        return
    measure.say(measure.of_call(lambda: make_huge(folder)))


if __name__ == "__main__":
    if sys.argv[1:] == ["huge"]:
        huge()
    elif len(sys.argv) > 2:
        _side(*sys.argv[1:])
    else:
        main()
