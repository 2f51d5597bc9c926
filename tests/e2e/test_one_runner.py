"""A run that somebody is working on: it is not resumed twice, not deleted, and what it stores is there or reported as
lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from starlette.testclient import TestClient

from karat.web.app import create_app
from tests.e2e.test_killed import project, start, stored
from tests.slow_server import Assistant, serving
from tests.warm import warm_karat


def karat(folder: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(warm_karat(*words), cwd=folder, capture_output=True, text=True)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def calling(assistant: Assistant, process: subprocess.Popen[str]) -> None:
    """Wait until the run has made some calls."""
    while sum(assistant.calls.values()) < 20 and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None


def test_a_live_run_is_left_alone_and_a_killed_one_is_interrupted(tmp_path: Path) -> None:
    with serving(Assistant(delay=0.05)) as assistant:
        project(tmp_path, assistant, 4000)
        first = start(tmp_path)
        calling(assistant, first)
        assert "running" in karat(tmp_path, "runs", "list")[1]
        code, said = karat(tmp_path, "run", "--resume", "latest")
        assert code == 2 and f"r-0001 cannot be resumed: process {first.pid} on " in said and "Wait for it" in said
        code, said = karat(tmp_path, "runs", "delete", "1", "--yes")
        assert code == 2 and f"r-0001 cannot be deleted: process {first.pid} on " in said
        assert first.poll() is None, "make the server slower"
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
        said = karat(tmp_path, "runs", "list")[1]
        assert "interrupted" in said and "running" not in said
        app = create_app(f"sqlite:///{tmp_path / '.karat' / 'karat.db'}")
        with TestClient(app, base_url="http://127.0.0.1:8765") as viewer:
            assert viewer.get("/api/runs").json()["runs"][0]["status"] == "interrupted"
            assert "interrupted" in viewer.get("/").text and "interrupted" in viewer.get("/runs/r-0001").text
        done = set(stored(tmp_path))
        second = start(tmp_path, "--resume", "latest")
        before = sum(assistant.calls.values())
        while sum(assistant.calls.values()) < before + 20 and second.poll() is None:
            time.sleep(0.01)
        assert second.poll() is None
        second.send_signal(signal.SIGINT)
        assert second.communicate(timeout=60)[0] and second.returncode == 130
        assert done < set(stored(tmp_path))
        assert karat(tmp_path, "runs", "delete", "1", "--yes")[0] == 0


def test_a_store_that_vanishes_in_mid_run_is_an_error(tmp_path: Path) -> None:
    with serving(Assistant(delay=0.05)) as assistant:
        project(tmp_path, assistant, 400)
        process = start(tmp_path)
        calling(assistant, process)
        shutil.rmtree(tmp_path / ".karat")
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 2, output
        assert "disappeared while it was in use: its file was removed" in " ".join(output.split())
        assert "saved" not in output and "Traceback" not in output
        assert not (tmp_path / ".karat").exists()
