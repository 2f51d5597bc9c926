"""What a judgement of generated code costs, part by part, beside the execution of the code; then many in a row, and
what they leave in memory.

The parts are timed side by side over the same answers: running the code, reading it (the syntax tree with its data
flow), reading the question, its quality (ruff is a process of its own), and the whole judgement without the measurement
of performance.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from statistics import median

from benchmarks import measure
from karat.sandbox import Sandbox
from karat.suites.codegen.analysis import analyse
from karat.suites.codegen.analysis.linting import lint
from karat.suites.codegen.comparison import judged
from karat.suites.codegen.metrics.quality import quality_of
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.records import TableSource, Task
from karat.suites.codegen.running.execution import run_code
from karat.suites.codegen.running.references import schema_of

ROUNDS = 5
MANY = int(os.environ.get("KARAT_BENCHMARK_TASKS", "10000"))
TARGET = 10
GROWTH_MB = 8.0
"""Caches of a bounded size fill in the first part; what grows after it would be a leak."""

REGIONS, ITEMS = ("north", "south", "east"), ("tea", "rice", "oil", "salt")
TABLE = TableSource(
    columns={
        "region": [REGIONS[n % 3] for n in range(300)],
        "item": [ITEMS[n % 4] for n in range(300)],
        "price": [n * 37 % 101 for n in range(300)],
        "count": [n % 7 for n in range(300)],
    }
)
ANSWERS = (
    ("What is the average price?", "result = df['price'].mean()"),
    ("What is the total price by region?", "result = df.groupby('region')['price'].sum()"),
    ("How many sales have a price over 50?", "result = df[df['price'] > 50].shape[0]"),
    ("List the top 5 sales by price", "result = df.sort_values('price', ascending=False).head(5)"),
    (
        "Mean and maximum price by region and item",
        "groups = df.groupby(['region', 'item'])['price']\nresult = groups.agg(['mean', 'max']).reset_index()",
    ),
    (
        "Top 3 items by total",
        "df['total'] = df['price'] * df['count']\nresult = df.nlargest(3, 'total')[['item', 'total']]",
    ),
)


def main() -> None:
    measure.heading("codegen_scores", f"{len(ANSWERS)} answers over 300 rows, {ROUNDS} rounds in turn")
    options = Options(performance=False)
    with Sandbox() as box:
        _parts(box, options)
        _many(box, options)


def _parts(box: Sandbox, options: Options) -> None:
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for question, code in ANSWERS:
            task = Task(tables={"sales": TABLE}, reference=code)
            schema, values = schema_of(box, task)
            facts = analyse(code, schema)
            parts: dict[str, Callable[[], object]] = {
                "execution": partial(run_code, box, task, code),
                "analysis of the code": partial(analyse, code, schema),
                "reading the question": partial(read_question, question, schema, values=values),
                "quality, with ruff": partial(quality_of, code, facts),
                "whole judgement": partial(judged, question, task, [code], options, box),
            }
            for name, work in parts.items():
                lint.cache_clear()  # every part pays for ruff itself
                start = time.perf_counter()
                work()
                times.setdefault(name, []).append(time.perf_counter() - start)
    medians = {name: median(found) for name, found in times.items()}
    execution = medians["execution"]
    rows = [[name, f"{wall * 1000:.2f} ms", f"{wall / execution:.3f}"] for name, wall in medians.items()]
    measure.table(["", "wall", "of the execution"], rows)
    measure.verdict("execution / analysis", execution / medians["analysis of the code"], at_least=TARGET)


def _many(box: Sandbox, options: Options) -> None:
    marks = [max(1, MANY // 10), MANY // 2, MANY]
    rows, start = [], time.perf_counter()
    for number in range(1, MANY + 1):
        question, code = ANSWERS[number % len(ANSWERS)]
        task = Task(tables={"sales": TABLE}, reference=code)
        judged(question, task, [f"x = {number % 2000}\n{code}"], options, box)
        if number in marks:
            rows.append((number, _resident_mb()))
    print(
        f"  {MANY:,} recorded answers judged in a row, {MANY / (time.perf_counter() - start):.1f} a second; memory of "
        "this process:"
    )
    measure.table(["after", "MB"], [[f"{number:,}", f"{size:.1f}"] for number, size in rows])
    measure.limit(f"memory after {MANY:,} judgements", rows[-1][1], rows[0][1] + GROWTH_MB, "MB")


def _resident_mb() -> float:
    with open("/proc/self/statm") as file:  # noqa: PTH123 (a Path would add to what is measured)
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024**2


if __name__ == "__main__":
    main()
