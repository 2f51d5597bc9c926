"""Two stored runs compared, by ``karat compare`` and by the viewer's page, each in a fresh process.

The runs are written straight through the store: 25 figures, two tags and two or three dimensions a case; three cases in
ten changed. ``python -m benchmarks.compare_runs --large`` adds a million cases; numbers of cases can be given instead.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import claims, measure

SIZES = (10_000, 200_000)
LARGE = 1_000_000
LIMITS = {200_000: (2.0, 500.0), LARGE: (10.0, 0.0)}
"""Cases → most seconds, most MB (0: no limit)."""
HERE = "http://127.0.0.1:8765"
DIMENSIONS = ("COUNTRY", "INDICATOR", "FREQUENCY", "UNIT")
BATCH = 10_000
MODULE = "benchmarks.compare_runs"


def main(*words: str) -> None:
    sizes = [int(word) for word in words if word.isdigit()] or [*SIZES, *([LARGE] if "--large" in words else [])]
    measure.heading(
        "compare_runs", f"two runs of {', '.join(f'{size:,}' for size in sizes)} cases; a fresh process each"
    )
    found: dict[str, dict[int, measure.Cost]] = {"karat compare": {}, "the viewer's page": {}}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="karat-compare-") as folder:
            url = f"sqlite:///{Path(folder) / 'karat.db'}"
            measure.of_command([sys.executable, "-m", MODULE, "make", url, str(size)])
            karat = str(Path(sys.executable).with_name("karat"))
            found["karat compare"][size] = measure.of_command([karat, "compare", "r-0001", "r-0002", "--store", url])
            found["the viewer's page"][size] = measure.of_command([sys.executable, "-m", MODULE, "page", url])
    rows = [
        [f"{side}, {size:,}", f"{cost.wall:.2f} s", f"{cost.cpu:.2f} s", f"{cost.peak_mb:.0f} MB"]
        for side, costs in found.items()
        for size, cost in costs.items()
    ]
    measure.table(["", "wall", "CPU", "peak memory"], rows)
    for side, costs in found.items():
        for size, cost in costs.items():
            seconds, memory = LIMITS.get(size, (0.0, 0.0))
            if seconds:
                measure.limit(f"{side}, {size:,} cases, CPU", cost.cpu, seconds, "s", sides=(cost, None))
            if memory:
                measure.limit(f"{side}, {size:,} cases, memory", cost.peak_mb, memory, "MB", sides=(cost, None))
        if len(costs) > 1:
            power = claims.fitted_exponent({size: cost.cpu for size, cost in costs.items()})
            measure.growth(f"{side}, CPU over cases", power)


class MadeCases(Sequence[Any]):
    """Results that are made when they are looked at, so that a million of them take no room."""

    def __init__(self, count: int, seed: int, metrics: Sequence[str]) -> None:
        self._count, self._seed, self._metrics = count, seed, metrics

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(self._count)[place])
        return self._made(range(self._count)[place])

    def __iter__(self) -> Iterator[Any]:
        return map(self._made, range(self._count))

    def _made(self, number: int) -> Any:
        from karat.core.results.result import CaseResult
        from karat.core.scores import Score

        same = Random(number)
        own = Random(self._seed * 10_000_019 + number) if same.random() < 0.3 else same
        case, tags = f"case_{number:07}", (f"set {number % 7}", f"level {number % 3}")
        if own.random() < 0.01:
            return CaseResult(case, "error", {}, tags=tags, question=f"Question {number}?", error="timeout")
        level = own.choice((0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 1.0))
        scores = {name: Score(own.choice((level, 0.0, 1.0))) for name in self._metrics}
        dimensions = [
            {"dimension": name, "turn": 0, "in_target": True, "precision": level, "recall": own.choice((level, 1.0))}
            | {"f1": level, "true_positives": [], "false_negatives": [], "false_positives": []}
            for name in same.sample(DIMENSIONS, 2 + number % 2)
        ]
        details = {"dimensions": dimensions, "label_drift": []}
        return CaseResult(case, "scored", scores, details, tags=tags, question=f"Question {number}?")


def make(url: str, count: int) -> None:
    """Two runs of the same cases."""
    from karat.core.plugins import load_suite
    from karat.core.records import Prediction
    from karat.core.results.result import MetricSummary, RunInfo, RunResult
    from karat.store import RunRecord, open_store

    names = [metric.name for metric in load_suite("data_query").metrics]
    summary = tuple(MetricSummary(name, None, 0, None, None) for name in names)
    with open_store(url) as store:
        for seed in (1, 2):
            run = store.create_run(RunRecord(suite="data_query", name=f"seed {seed}", cases=count))
            for begin in range(0, count, BATCH):
                batch = range(begin, min(begin + BATCH, count))
                store.add_predictions(
                    run, [Prediction(f"case_{n:07}", response=b'{"text": "an answer"}') for n in batch]
                )
            info = RunInfo("data_query", cases=count, truth_set="made")
            store.add_scoring(run, RunResult(info, summary, MadeCases(count, seed, names)))
            store.set_status(run, "finished")


def page(url: str) -> None:
    """The viewer's page, once."""
    from starlette.testclient import TestClient

    from karat.web.app import create_app

    with TestClient(create_app(url), base_url=HERE) as client:
        client.get("/compare?a=r-0001&b=r-0002").raise_for_status()


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1:2] == ["page"]:
        page(sys.argv[2])
    else:
        main(*sys.argv[1:])
