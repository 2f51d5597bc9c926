"""A Dask cluster that is well: the scores are those of this process, workers that differ are refused, files are
looked for, and what travels holds no secrets."""

from __future__ import annotations

import base64
import json
import logging
import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path

import pytest
from dask import config as dask_config

import karat
from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.results.result import RunResult
from karat.core.suite import SuiteOptions
from karat.runs.executors.choice import scoring_executor
from karat.runs.executors.dask_engine import THREAD, DaskEngine
from karat.runs.executors.processes import Processes
from karat.runs.scores.scoring import score_cases
from karat.verbs.inputs.projects import open_store_here
from karat.verbs.inputs.work import work_to_do
from karat.verbs.run import plan_work, start_run
from karat.verbs.tune import tune
from tests.conftest import ROOT
from tests.e2e.test_canaries import SECRETS, echo, leaks
from tests.e2e.test_canaries import project as plant_in_project
from tests.remote.servers import Pages, web_server
from tests.runs.executors.cluster import Cluster, running_cluster
from tests.runs.executors.troubled_suite import Deed, suite, work
from tests.runs.executors.wire import tapped
from tests.sandbox.processes import all_gone, descendants
from tests.store.conftest import PostgresServer, postgres

__all__ = ["echo", "postgres"]

SUITES = ("answers", "codegen", "data_query", "retrieval")
QUICK = {"codegen": ("performance=false", "perturb=quick")}
"""Nothing is timed: no two measurements are the same."""
LIMIT = {"codegen": 3}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster"), 2) as found:
        yield found


@pytest.fixture(scope="module")
def dask(cluster: Cluster) -> Iterator[DaskEngine]:
    with DaskEngine(f"tcp://{cluster.address}", 300, patience=90) as engine:
        yield engine


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes(2) as engine:
        yield engine


@pytest.fixture
def web() -> Iterator[Pages]:
    with web_server() as pages:
        yield pages


def demo(name: str, folder: Path, executor: Executor | str) -> list[RunResult]:
    """The results of the example project of a suite, scored there."""
    place = folder / name
    if not place.exists():
        shutil.copytree(ROOT / "examples" / name, place)
    with open_store_here(str(folder / "runs.db"), create=True) as store:
        parts = work_to_do("run", config=place / "karat.yaml", suite=None, cases=None, settings=QUICK.get(name, ()))
        return [start_run(store, plan_work(part, limit=LIMIT.get(name)), executor=executor) for part in parts]


def scores(result: RunResult) -> list[object]:
    """All that a run says of its cases, without what is measured by a clock."""
    timed = {metric.name for metric in load_suite(result.run.suite).metrics if metric.noise} | {"latency"}
    return [
        (case.id, case.status, case.error, {name: one for name, one in case.scores.items() if name not in timed})
        for case in result.cases
    ]


@pytest.mark.parametrize("name", [SUITES[0], *(pytest.param(name, marks=pytest.mark.proof) for name in SUITES[1:])])
def test_the_demos_have_the_same_scores_on_all_engines(
    name: str, tmp_path: Path, dask: DaskEngine, processes: Processes
) -> None:
    here, pool, cluster = (demo(name, tmp_path, place) for place in ("in-process", processes, dask))
    assert [scores(result) for result in here] == [scores(result) for result in pool]
    assert [scores(result) for result in here] == [scores(result) for result in cluster]
    assert all(result.cases for result in here)


def test_an_executor_is_named_by_a_text(cluster: Cluster) -> None:
    cases = [{"id": "q1", "question": "What is sour?", "relevant": ["lemon", "lime"]}]
    predictions = [{"id": "q1", "results": ["lemon", "apple"]}]
    there = karat.score("retrieval", cases, predictions, executor=f"dask://{cluster.address}")
    assert there.cases == karat.score("retrieval", cases, predictions).cases
    with pytest.raises(UserError, match="workers and executor cannot be combined"):
        karat.score("retrieval", cases, predictions, executor="processes:2", workers=2)


def test_a_cluster_of_its_own_gives_the_same_and_leaves_nothing_behind() -> None:
    cases = [{"id": f"q{n}", "question": "What is sour?", "relevant": ["lemon", "lime"]} for n in range(20)]
    predictions = [{"id": f"q{n}", "results": ["lemon", "apple"]} for n in range(20)]
    before = descendants(os.getpid())
    with scoring_executor(load_suite("retrieval"), None, "dask-local:2?timeout=120") as pool:
        there = karat.score("retrieval", cases, predictions, executor=pool)
        family = descendants(os.getpid()) - before
    assert there.cases == karat.score("retrieval", cases, predictions).cases
    assert len(family) >= 4  # a scheduler, a nanny, two workers
    assert all_gone(family)


def test_a_file_that_a_worker_lacks(tmp_path: Path, dask: DaskEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    example = ROOT / "examples" / "data_query"
    shutil.copytree(example / "codelists", tmp_path / "codelists")
    monkeypatch.chdir(tmp_path)
    codelist = next((tmp_path / "codelists").iterdir()).name

    def scored(folder: str) -> RunResult:
        options = {"structures": [f"{folder}/codelists/{codelist}"]}
        return karat.score(
            "data_query", example / "cases", example / "predictions.jsonl", options=options, executor=dask
        )

    assert scored(str(tmp_path)).status_counts()["scored"]
    elsewhere = "/proc/self/cwd"  # another folder in each process, as if it were another machine
    with pytest.raises(UserError) as caught:
        scored(elsewhere)
    file, host = f"{elsewhere}/codelists/{codelist}", socket.gethostname()
    assert caught.value.message == f"the worker on {host} does not have the file {file}, which a case needs"
    assert "shared folder" in caught.value.hint


@pytest.mark.proof
def test_a_tune_on_the_cluster_chooses_the_same(tmp_path: Path, dask: DaskEngine) -> None:
    shutil.copytree(ROOT / "examples" / "retrieval", tmp_path / "shop")
    sheet = tmp_path / "shop" / "shop.sheet"
    there, here = (tune(sheet, executor=place).tuning for place in (dask, None))
    assert (there.fields, there.curves, there.passed) == (here.fields, here.curves, here.passed)


def _planted(folder: Path, echo: str, web: Pages, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project with a secret in every place that can hold one: the environment, systems of each type and what they
    reply, the URLs of the store, of case files and of recorded answers."""
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "SOMEBODYS_TOKEN"):
        monkeypatch.setenv(name, "c4n4ry-environment")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    plant_in_project(folder, echo)
    web.files = {"/c.qrels": b"q1 0 lemon 1\n", "/p.jsonl": b'{"id": "q1", "results": ["lemon", "sour-apple"]}\n'}
    there = f"http://me:c4n4ry-url@{web.address}"
    settings = json.loads((folder / "karat.yaml").read_text())
    settings["store"] = database.replace("postgres@", "postgres:c4n4ry-store@")
    settings["suites"].append(
        {"suite": "retrieval", "cases": f"{there}/c.qrels?sig=c4n4ry", "predictions": f"{there}/p.jsonl?key=c4n4ry"}
    )
    (folder / "karat.yaml").write_text(json.dumps(settings))


def test_what_travels_holds_no_secret(
    monkeypatch: pytest.MonkeyPatch, cluster: Cluster, echo: str, web: Pages, postgres: PostgresServer, tmp_path: Path
) -> None:
    """Every byte between this process and the scheduler, uncompressed."""
    _planted(tmp_path, echo, web, postgres.new_database(), monkeypatch)
    settings = {"distributed.comm.compression": None}
    with dask_config.set(settings), tapped(cluster.address) as wire:
        with DaskEngine(f"tcp://{wire.address}", 300, patience=90) as engine:
            parts = work_to_do("run", config=tmp_path / "karat.yaml", suite=None, cases=None)
            with open_store_here("", create=True) as store:
                results = [start_run(store, plan_work(part), executor=engine) for part in parts]
        seen = wire.seen()
    assert len(results) == 5 and all(result.cases for result in results)
    travelled = b"".join(seen)
    for word in (b"score_batch", b"How many? #plain", b"sour-apple"):  # the wire was heard
        assert word in travelled, word
    assert [found[:3] for data in seen for found in [leaks(data)] if found] == []
    for secret in (*SECRETS.values(), "c4n4ry-environment", "c4n4ry-store"):
        assert base64.b64encode(secret.encode()).rstrip(b"=")[:-1] not in travelled


def test_other_versions_are_refused_before_anything_is_scored(cluster: Cluster, tmp_path: Path) -> None:
    other, without = tmp_path / "other", tmp_path / "without"
    (other / "karat-9.9.9.dist-info").mkdir(parents=True)
    (other / "karat-9.9.9.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: karat\nVersion: 9.9.9\n")
    (without / "karat").mkdir(parents=True)
    (without / "karat" / "__init__.py").write_text("raise ModuleNotFoundError('no karat here', name='karat')\n")
    path = cluster.environment["PYTHONPATH"]
    mine = list(cluster.workers)
    cluster.add(environment=cluster.environment | {"PYTHONPATH": f"{other}:{path}", "KARAT_MAX_DEPTH": "100"})
    cluster.add(environment=cluster.environment | {"PYTHONPATH": f"{without}:{path}"})
    try:
        said = _refused(cluster, 2)
    finally:
        for worker in [one for one in cluster.workers if one not in mine]:
            cluster.kill(worker)
    assert "2 workers of tcp://" in said and "would not score as this machine does" in said
    assert "karat 9.9.9 instead of 0.1.0" in said
    assert "KARAT_MAX_DEPTH 100 instead of 200" in said
    assert "no karat like this one" in said and "no karat here" in said


def _refused(cluster: Cluster, count: int) -> str:
    """What is said of workers that differ, once this many are there."""
    until = time.monotonic() + 90
    while True:
        try:
            DaskEngine(f"tcp://{cluster.address}", 60, patience=90).shutdown()
            said = ""
        except UserError as error:
            said = error.message
        if f"{count} workers" in said or time.monotonic() > until:
            return said
        time.sleep(0.2)


def test_what_dask_logs_of_lost_connections_is_not_on_the_terminal(dask: DaskEngine) -> None:
    seen: list[logging.LogRecord] = []
    logger, handler = logging.getLogger("distributed.client"), logging.Handler()
    handler.emit = seen.append  # type: ignore[assignment, method-assign]  # only to see what gets through
    logger.addHandler(handler)
    try:
        dask.submit(abs, -1).result()
        for name in (THREAD, "somebody else's"):
            thread = threading.Thread(target=logger.error, args=("Traceback in %s", name), name=name)
            thread.start()
            thread.join()
    finally:
        logger.removeHandler(handler)
    assert [record.getMessage() for record in seen] == ["Traceback in somebody else's"]


def test_two_callers_share_a_cluster(cluster: Cluster, dask: DaskEngine) -> None:
    deeds = [Deed(number, seconds=0.005) for number in range(60)]
    here = list(score_cases(suite, work(*deeds), SuiteOptions()))
    with DaskEngine(f"tcp://{cluster.address}", 300, patience=90) as second:
        both = [score_cases(suite, work(*deeds), SuiteOptions(), executor=engine) for engine in (dask, second)]
        pairs = list(zip(*both, strict=True))
    assert [one for one, _ in pairs] == here
    assert [two for _, two in pairs] == here
