"""Pages of the viewer over two runs of 100,000 cases each, the first time and again; beside them a run of 1,000 cases.

The first time nothing is kept in memory: the viewer was just started, and its templates and suites are loaded. A page
is asked for through the whole application, without a network. CPU time, so that a busy machine gives nearly the same
figures. For how it grows: ``python -m benchmarks.viewer CASES``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from urllib.parse import quote

import msgspec

from benchmarks import generated, measure

CASES = 100_000
SMALL = 1_000
AGAIN = 5
LIMIT = 1.0
LIMIT_AGAIN = 0.2
LIMIT_REPORT = 10.0
HERE = "http://127.0.0.1:8765"


def main(count: int = CASES) -> None:
    from karat.store import open_store

    measure.heading(
        "viewer", f"two runs of {count:,} cases, the first time and the median of {AGAIN} times after; CPU seconds"
    )
    with tempfile.TemporaryDirectory(prefix="karat-viewer-") as folder:
        url = f"sqlite:///{Path(folder) / 'karat.db'}"
        with open_store(url) as store:
            for cases, seed in ((count, 1), (count, 2), (SMALL, 3)):
                _add_run(store, cases, seed)
        pages = {
            "the list of runs": "/",
            "a run": "/runs/r-0001",
            f"a run of {SMALL:,} cases": "/runs/r-0003",
            "its last page": f"/runs/r-0001?page={count // 50}",
            "sorted by a metric": "/runs/r-0001?sort=macro_recall",
            "a search": "/runs/r-0001?q=growth",
            "a case": "/runs/r-0001/cases/17",
            "with a baseline": "/runs/r-0002?baseline=r-0001",
            "two runs compared": "/compare?a=r-0001&b=r-0002",
            "three runs as a matrix": "/compare?runs=r-0001,r-0002,r-0003",
            "a case over its runs": f"/cases/data_query?id={_an_id(url)}",
            "the queue of reviews": "/review?run=r-0001",
        }
        found = {name: _opened(url, address) for name, address in pages.items()}
        found["a search, from the run's page"] = _opened(url, "/runs/r-0001?q=growth", before="/runs/r-0001")
        written = _report(url)
    rows = [[name, f"{first:.2f}", f"{again:.2f}"] for name, (first, again) in found.items()]
    measure.table(["", "first", "again"], rows)
    for name, (first, again) in found.items():
        measure.limit(f"{name}, the first time", first, LIMIT, "s")
        measure.limit(f"{name}, again", again, LIMIT_AGAIN, "s")
    print(f"  the report: {written.cpu:.1f} s CPU, {written.wall:.1f} s wall until its page is there")
    measure.limit("the report, until it is there", written.cpu, LIMIT_REPORT, "s")


def _an_id(url: str) -> str:
    from karat.store import open_store

    with open_store(url) as store:
        return quote(store.case_ids(1)[-1])


def _add_run(store: Any, count: int, seed: int) -> None:
    """A run with its cases, answers and scores. Both large runs have the same cases and other answers."""
    from karat.core.plugins import load_suite
    from karat.core.records import Prediction
    from karat.runs.scores.run_scoring import score_recorded
    from karat.store import RunRecord

    suite, random = load_suite("data_query"), Random(seed)
    plain = list(generated.cases(count))
    cases = suite.decode_cases([msgspec.json.encode(case) for case in plain])
    predictions = [Prediction(case["id"], response=generated.prediction(case, random)) for case in plain]
    result = score_recorded(suite, cases, predictions, suite.options())
    run = store.create_run(
        RunRecord(suite="data_query", name=f"seed {seed}", cases=count, truth_set=result.run.truth_set)
    )
    store.add_cases(run, [(case.id, msgspec.json.encode(case)) for case in cases])
    store.add_predictions(run, predictions)
    store.add_scoring(run, result)
    store.set_status(run, "finished")


def _report(url: str) -> measure.Cost:
    """The report of the first run, from the request to the page, which is written while another page waits."""
    from starlette.testclient import TestClient

    from karat.web.app import create_app

    with TestClient(create_app(url), base_url=HERE) as client:

        def asked() -> None:
            while 'http-equiv="refresh"' in client.get("/runs/r-0001/report").raise_for_status().text:
                time.sleep(0.2)

        return measure.of_call(asked)


def _opened(url: str, address: str, before: str = "") -> tuple[float, float]:
    """(seconds the first time, the median of the times after) in a viewer of its own. ``before``: a page that is opened
    first."""
    from starlette.testclient import TestClient

    from karat.web.app import create_app
    from karat.web.page import warm, warm_suites

    app = create_app(url)
    with TestClient(app, base_url=HERE) as client:
        client.get("/static/viewer.css").raise_for_status()  # the application is there
        warm()
        warm_suites(app.state.viewer.store)
        if before:
            client.get(before).raise_for_status()
        costs = [measure.of_call(lambda: client.get(address).raise_for_status()) for _ in range(1 + AGAIN)]
    return costs[0].cpu, median(cost.cpu for cost in costs[1:])


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
