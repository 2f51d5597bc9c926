"""Several processes on one store, and processes that are killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.store import open_store
from karat.store.database import sqlite as sqlite_connections
from tests.store.samples import a_run, answer

WRITER = Path(__file__).with_name("writer.py")


def _start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_write_500_predictions_each(url: str) -> None:
    with open_store(url) as store:
        run = store.create_run(a_run())
        writers = [_start(WRITER, url, run, name, 500) for name in ("left", "right")]
        for writer in writers:
            _, complaints = writer.communicate(timeout=120)
            assert writer.returncode == 0, complaints
        found = [item.case_id for item in store.predictions(run)]
    assert len(found) == 1000
    assert set(found) == {f"{name}-{number}" for name in ("left", "right") for number in range(500)}


def test_processes_that_open_a_new_store_at_once(url: str) -> None:
    script = (
        f"from karat.store import open_store, RunRecord; print(open_store({url!r}).create_run(RunRecord(suite='x')))"
    )
    for _ in range(2):
        openers = [_start("-c", script) for _ in range(4)]
        for opener in openers:
            _, complaints = opener.communicate(timeout=120)
            assert opener.returncode == 0, complaints
    with open_store(url, create=False) as store:
        assert len(store.runs()) == 8


@pytest.mark.parametrize("after", [1, 37])
def test_sigkill_loses_nothing_that_was_acknowledged(url: str, after: int) -> None:
    with open_store(url) as store:
        run = store.create_run(a_run())
    writer = _start(WRITER, url, run, "case", 100_000)
    assert writer.stdout is not None
    acknowledged = [int(writer.stdout.readline()) for _ in range(after)]
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.read()  # not communicate(), which does not see what readline has read ahead
    writer.wait(timeout=60)
    if writer.stderr is not None:
        writer.stderr.close()
    writer.stdout.close()
    acknowledged += [int(line) for line in rest.split("\n")[:-1]]  # whole lines only
    with open_store(url) as store:
        found = {item.case_id: item for item in store.predictions(run)}
        assert {f"case-{number}" for number in acknowledged} <= set(found)
        assert len(found) - len(acknowledged) in (0, 1), "at most the one that was stored but not yet said"
        assert all(item.response == b"answer " * 50 for item in found.values())
        store.add_predictions(run, [answer("after")])
        assert answer("after") in store.predictions(run)


def test_a_lock_held_too_long_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_connections, "BUSY_SECONDS", 0.1)
    url = str(tmp_path / "karat.db")
    with open_store(url) as one, open_store(url) as two:
        run = one.create_run(a_run())
        with one._writing():
            with pytest.raises(UserError, match="stayed locked for too long") as caught:
                two.add_predictions(run, [answer()])
            assert two.predictions(run) == [], "readers do not wait"
        assert "Another process" in caught.value.hint
        two.add_predictions(run, [answer()])
        assert two.predictions(run) == [answer()]
