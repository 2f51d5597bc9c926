"""What an executor costs: the overhead of one task, and scoring many small cases, on each of them side by side."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from random import Random
from typing import Any

import msgspec

from benchmarks import generated, measure
from karat.core.records import Prediction

TASKS = 200
CASES = 5_000
WORKERS = 2


def main() -> None:
    measure.heading("executors", f"{TASKS} empty tasks one after the other, then {CASES:,} cases of data_query scored")
    from karat.core.plugins import load_suite
    from karat.runs.executors.choice import scoring_executor

    suite = load_suite("data_query")
    work = _work(suite)
    rows: list[Sequence[str]] = []
    expected: list[Any] = []
    for name in ("in-process", f"processes:{WORKERS}", f"dask-local:{WORKERS}"):
        with ExitStack() as stack:
            began = time.perf_counter()
            engine = stack.enter_context(scoring_executor(suite, None, name))
            if engine is not None:
                engine.submit(abs, -1).result()
            start = time.perf_counter() - began
            task = _task(engine)
            began, cpu = time.perf_counter(), time.process_time()
            found = _scored(suite, work, engine)
            seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        expected = expected or found
        if found != expected:
            raise AssertionError(f"{name} scores otherwise")
        measure.figure(f"{name}: CPU of the caller per case", 1e6 * cpu / CASES, "µs")
        rows.append([name, f"{start:.1f} s", task, f"{seconds:.1f} s", f"{cpu / CASES * 1e6:.0f} µs"])
    measure.table(["", "start", "a task", "scoring", "CPU of the caller a case"], rows)
    print(f"  the same scores on all of them; {os.cpu_count()} cores")


def _work(suite: Any) -> list[Any]:
    plain, random = list(generated.cases(CASES)), Random(1)
    cases = suite.decode_cases([msgspec.json.encode(case) for case in plain])
    answers = [Prediction(case["id"], response=generated.prediction(case, random)) for case in plain]
    return [(case, {0: {0: answer}}) for case, answer in zip(cases, answers, strict=True)]


def _task(engine: Any) -> str:
    if engine is None:
        return "none"
    began = time.perf_counter()
    for _ in range(TASKS):
        engine.submit(abs, -1).result()
    return f"{(time.perf_counter() - began) / TASKS * 1000:.2f} ms"


def _scored(suite: Any, work: Sequence[Any], engine: Any) -> list[Any]:
    from karat.runs.scores.scoring import score_cases

    options = suite.options()
    return [(one.id, one.scores) for one in score_cases(suite, work, options, executor=engine)]
