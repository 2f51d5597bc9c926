"""The first and the last moments of a run, seen by the one who goes on with it: its cases are being stored, or it was
scored and its process died."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest

import karat
from karat.core.problems import UserError
from karat.runs.scores.run_scoring import rescore
from karat.store import Store, open_store
from karat.store.leases import leases as lease_module
from karat.store.leases.lease_holder import this_process
from karat.store.records import RunRecord
from karat.verbs.run import plan_run
from tests.conftest import ROOT
from tests.store.conftest import postgres, url

__all__ = ["postgres", "url"]

CASES = [{"id": f"q{n}", "question": "What is sour?", "relevant": ["lemon"]} for n in range(3)]
DYING = """
import os, sys
import karat
from karat.store import Store

def dying(name, last):
    real = getattr(Store, name)
    def call(self, *given, **named):
        result = real(self, *given, **named)
        last(self, given) and os._exit(9)
        return result
    setattr(Store, name, call)

if sys.argv[2] == "scored":
    dying("finish_scoring", lambda store, given: True)
else:
    dying("add_results", lambda store, given: True)
cases = [{"id": f"q{n}", "question": "What is sour?", "relevant": ["lemon"]} for n in range(3)]
karat.run("retrieval", cases, lambda _: {"results": ["lemon"]}, store=sys.argv[1])
"""


@pytest.mark.parametrize(("moment", "left"), [("scored", "finished"), ("scoring", "interrupted")])
def test_a_process_that_dies_at_its_last_writes_leaves_one_scoring(url: str, moment: str, left: str) -> None:
    """A run whose scores are there is finished: the one who goes on with it does not score it a second time."""
    done = subprocess.run([sys.executable, "-c", DYING, url, moment], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    with open_store(url) as store:
        assert store.run(1).status == left
        assert (store.lease(1) is None) == (left == "finished")
        assert len(store.scorings(1)) == (left == "finished")
    result = karat.run(resume="r-0001", system=lambda _: {"results": ["lemon"]}, store=url)
    assert result.metric("passed").mean == 1.0
    with open_store(url) as store:
        assert len(store.scorings(1)) == 1 and store.run(1).status == "finished" and store.lease(1) is None


def _begun(store: Store) -> int:
    """A run whose process is alive and has stored one of its three cases."""
    run = store.create_run(RunRecord(suite="retrieval", cases=3, config={"system": {"type": "function"}}))
    store.set_status(run, "running", this_process())
    return run


@pytest.mark.parametrize("there", [0, 1])
def test_a_run_that_is_being_started_is_said_to_be(url: str, there: int) -> None:
    with open_store(url) as store:
        run = _begun(store)
        cases = plan_run("retrieval", CASES, lambda _: {}).cases[:there]
        store.add_cases(run, [(case.id, msgspec.json.encode(case)) for case in cases])
        acts: list[Callable[[], object]] = [
            partial(karat.run, resume="r-0001", store=url),
            partial(rescore, store, run),
        ]
        for act in acts:
            with pytest.raises(UserError, match=r"r-0001 is only being started: process \d+ on .* its cases") as caught:
                act()
            assert f"{there} of 3 cases are stored" in caught.value.hint
        store.set_status(run, "interrupted")
        with store._writing() as connection:
            lease_module.release_lease(connection, run)
        with pytest.raises(UserError, match=r"has no stored cases|has only 1 of its 3 cases") as caught:
            karat.run(resume="r-0001", store=url)
        assert "start it again" in caught.value.hint


def test_a_run_that_takes_long_to_store_its_cases_gives_signs_of_life(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be taken for dead after a minute, and be deleted or started again by others."""
    monkeypatch.setattr(lease_module, "HEARTBEAT", 0.01)
    renewed = threading.Event()
    add, renew = Store.add_cases, Store.renew_lease

    def slow(self: Store, run_id: int, items: object) -> None:
        assert renewed.wait(30), "no sign of life while the cases are stored"
        add(self, run_id, items)  # type: ignore[arg-type]  # as it was given

    def heard(self: Store, run_id: int, holder: object) -> bool:
        renewed.set()
        return renew(self, run_id, holder)  # type: ignore[arg-type]  # as it was given

    monkeypatch.setattr(Store, "add_cases", slow)
    monkeypatch.setattr(Store, "renew_lease", heard)
    store = str(tmp_path / "karat.db")
    result = karat.run("retrieval", CASES, lambda _: {"results": ["lemon"]}, store=store)
    assert result.status_counts() == {"scored": 3}
