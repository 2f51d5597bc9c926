"""Atomic writes: the file before or the file after, and nothing left beside it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from karat.core.files.atomic import write_atomically, write_bytes
from karat.core.problems import UserError

KILLED = """
import os, signal, sys
from pathlib import Path
from karat.core.files.atomic import write_atomically
def write(part):
    part.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
write_atomically(Path(sys.argv[1]), write)
"""


def parts(folder: Path) -> list[Path]:
    return list(folder.glob(".*.part"))


def killed_writer(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("name", ["metrics.json", "odd[1]*?.csv"])
def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path, name: str) -> None:
    path, other = tmp_path / name, tmp_path / "other.json"
    path.write_text("before")
    killed_writer(path)
    killed_writer(other)
    assert len(parts(tmp_path)) == 2 and path.read_text() == "before"
    write_bytes(path, b"after")
    assert path.read_text() == "after"
    assert [part.name.startswith(".other.json.") for part in parts(tmp_path)] == [True], "another file's is left alone"


def test_a_writer_at_work_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "shared.txt"
    filled, finish = threading.Event(), threading.Event()

    def slow(part: Path) -> None:
        part.write_text("slow")
        filled.set()
        finish.wait(60)

    thread = threading.Thread(target=write_atomically, args=(path, slow))
    thread.start()
    filled.wait(60)
    write_bytes(path, b"quick")
    assert len(parts(tmp_path)) == 1 and path.read_text() == "quick"
    finish.set()
    thread.join()
    assert path.read_text() == "slow" and not parts(tmp_path)


def test_failure_leaves_the_file_before_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")

    def fails(part: Path) -> None:
        part.write_text("half")
        raise OSError(28, os.strerror(28))

    with pytest.raises(UserError, match="No space left"):
        write_atomically(path, fails)
    assert path.read_text() == "before" and not parts(tmp_path)


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_bytes(pipe, b"report")
    assert os.read(reader, 100) == b"report" and pipe.is_fifo()
    os.close(reader)


def test_standard_output_is_written_to_where_it_is_a_file(tmp_path: Path) -> None:
    """A link to the open file, as /dev/stdout is: a file in its place would be there for every program."""
    path = tmp_path / "out.txt"
    with path.open("wb") as out:
        write_bytes(Path(f"/proc/self/fd/{out.fileno()}"), b"report")
    assert path.read_bytes() == b"report" and not parts(tmp_path)
