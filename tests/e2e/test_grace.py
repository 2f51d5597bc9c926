"""Asked to stop, a run lets the calls in flight finish for a while and stores their answers; asked twice, it ends."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_killed import project, start, stored
from tests.slow_server import Assistant, serving


class Holding(Assistant):
    """Answers nobody until it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        found = super().answer(request)
        self.released.wait(120)
        return found


def calling(assistant: Assistant, process: subprocess.Popen[str], calls: int = 8) -> None:
    while sum(assistant.calls.values()) < calls and process.poll() is None:
        time.sleep(0.01)
    assert sum(assistant.calls.values()) == calls


def finishing(process: subprocess.Popen[str]) -> str:
    """What it says, up to the line that it waits for the calls in flight."""
    assert process.stdout is not None
    said = ""
    while "finishing" not in said:
        line = process.stdout.readline()
        assert line, said
        said += line
    return said


def rest(process: subprocess.Popen[str]) -> str:
    """What it says until its end."""
    assert process.stdout is not None
    said = process.stdout.read()
    process.wait(60)
    process.stdout.close()
    return said


@pytest.mark.parametrize(
    ("signum", "ignored"), [(signal.SIGINT, ""), (signal.SIGTERM, ""), (signal.SIGTERM, "trap '' INT; ")]
)
def test_calls_in_flight_finish_and_are_stored(tmp_path: Path, signum: signal.Signals, ignored: str) -> None:
    """``ignored``: as in the background of a script, where Ctrl-C is."""
    with serving(Holding()) as assistant:
        assert isinstance(assistant, Holding)
        project(tmp_path, assistant, 20)
        process = start(tmp_path, "--grace", "100", before=ignored)
        calling(assistant, process)
        process.send_signal(signum)
        output = finishing(process)
        assistant.released.set()
        output += rest(process)
        assert process.returncode == 130 and "Traceback" not in output, output
        assert "finishing 8 calls in flight, Ctrl-C again to stop at once" in output
        assert "stopped: 8 of 20 calls are stored; to resume: karat run --resume r-0001" in output
        assert len(stored(tmp_path)) == sum(assistant.calls.values()) == 8, "no further call was made"
        finish = start(tmp_path, "--resume", "r-0001")
        output = rest(finish)
        assert finish.returncode == 0, output
        assert len(stored(tmp_path)) == 20 and set(assistant.calls.values()) == {1}


@pytest.mark.parametrize("how", ["twice", "option", "project", "expired"])
def test_it_ends_without_them(tmp_path: Path, how: str) -> None:
    with serving(Holding()) as assistant:
        assert isinstance(assistant, Holding)
        project(tmp_path, assistant, 20)
        if how == "project":
            with (tmp_path / "karat.yaml").open("a") as file:
                file.write("run: {grace: 0}\n")
        words = {"option": ("--grace", "0"), "expired": ("--grace", "0.5"), "twice": ("--grace", "100")}
        process = start(tmp_path, *words.get(how, ()))
        calling(assistant, process)
        process.send_signal(signal.SIGINT)
        if how == "twice":
            finishing(process)
            process.send_signal(signal.SIGINT)
        output = rest(process)
        assert not assistant.released.is_set(), "it has not waited for them"
        assistant.released.set()
        assert process.returncode == 130 and "Traceback" not in output, output
        assert "stopped: 0 of 20 calls are stored" in output
        assert stored(tmp_path) == [] and sum(assistant.calls.values()) == 8


def test_a_call_that_fails_meanwhile_is_asked_again_later_not_now(tmp_path: Path) -> None:
    with serving(Holding()) as assistant:
        assert isinstance(assistant, Holding)
        project(tmp_path, assistant, 20)
        text = (tmp_path / "karat.yaml").read_text().replace("retries: 0", "retries: 9")
        (tmp_path / "karat.yaml").write_text(text)
        assistant.misbehave = {"c003": "500"}
        process = start(tmp_path, "--grace", "100", "--order", "file")
        calling(assistant, process)
        process.send_signal(signal.SIGINT)
        finishing(process)
        assistant.released.set()
        output = rest(process)
        assert process.returncode == 130, output
        assert sorted(stored(tmp_path)) == [f"c{n:03}" for n in range(8) if n != 3]
        assert assistant.calls["c003:0"] == 1


def test_a_wrong_grace_is_said(tmp_path: Path) -> None:
    with serving(Assistant()) as assistant:
        project(tmp_path, assistant, 1)
        with (tmp_path / "karat.yaml").open("a") as file:
            file.write("run: {grace: -1}\n")
        process = start(tmp_path)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 2 and "grace must be a number of seconds, 0 or more" in output, output
