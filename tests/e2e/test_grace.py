"""Asked to stop, a run lets the calls in flight finish for a while and stores their answers; asked twice, it ends."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.test_killed import project, start, stored
from tests.slow_server import Assistant, serving


def calling(assistant: Assistant, process: subprocess.Popen[str], calls: int = 8) -> None:
    until = time.monotonic() + 60
    while sum(assistant.calls.values()) < calls and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert sum(assistant.calls.values()) == calls


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_calls_in_flight_finish_and_are_stored(tmp_path: Path, signum: signal.Signals) -> None:
    with serving(Assistant(delay=1.5)) as assistant:
        project(tmp_path, assistant, 20)
        process = start(tmp_path)
        calling(assistant, process)
        process.send_signal(signum)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 130 and "Traceback" not in output, output
        assert "finishing 8 calls in flight, Ctrl-C again to stop at once" in output
        assert "stopped: 8 of 20 calls are stored; to resume: karat run --resume r-0001" in output
        assert len(stored(tmp_path)) == sum(assistant.calls.values()) == 8, "no further call was made"
        assistant.delay = 0.0
        finish = start(tmp_path, "--resume", "r-0001")
        output, _ = finish.communicate(timeout=60)
        assert finish.returncode == 0, output
        assert len(stored(tmp_path)) == 20 and set(assistant.calls.values()) == {1}


@pytest.mark.parametrize("how", ["twice", "option", "project", "expired"])
def test_it_ends_without_them(tmp_path: Path, how: str) -> None:
    with serving(Assistant(delay=100)) as assistant:
        project(tmp_path, assistant, 20)
        if how == "project":
            with (tmp_path / "karat.yaml").open("a") as file:
                file.write("run: {grace: 0}\n")
        process = start(tmp_path, *{"option": ("--grace", "0"), "expired": ("--grace", "0.5")}.get(how, ()))
        calling(assistant, process)
        process.send_signal(signal.SIGINT)
        if how == "twice":
            assert process.stdout is not None
            while "finishing" not in process.stdout.readline():
                pass
            process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)  # less than the calls take
        assert process.returncode == 130 and "Traceback" not in output, output
        assert "stopped: 0 of 20 calls are stored" in output
        assert stored(tmp_path) == [] and sum(assistant.calls.values()) == 8


def test_a_call_that_fails_meanwhile_is_asked_again_later_not_now(tmp_path: Path) -> None:
    with serving(Assistant(delay=1.0)) as assistant:
        project(tmp_path, assistant, 20)
        text = (tmp_path / "karat.yaml").read_text().replace("retries: 0", "retries: 9")
        (tmp_path / "karat.yaml").write_text(text)
        assistant.misbehave = {"c003": "500"}
        process = start(tmp_path)
        calling(assistant, process)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 130, output
        assert sorted(stored(tmp_path)) == [f"c{n:03}" for n in range(8) if n != 3], (
            "a failure that may pass is none yet"
        )
        assert assistant.calls["c003:0"] == 1


def test_a_wrong_grace_is_said(tmp_path: Path) -> None:
    with serving(Assistant()) as assistant:
        project(tmp_path, assistant, 1)
        with (tmp_path / "karat.yaml").open("a") as file:
            file.write("run: {grace: -1}\n")
        process = start(tmp_path)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 2 and "grace must be a number of seconds, 0 or more" in output, output
