"""Files that are opened for reading: what the kernel hands out under the name of a file, and names near one that is not
there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from karat.core.files.near_paths import near_path
from karat.core.files.reading import open_bytes, read_bytes


def test_a_file_of_the_kernel_that_waits_for_more_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """/proc/kmsg is a regular file of no size, and has nothing to read at times."""
    os.mkfifo(tmp_path / "kmsg")
    held = os.open(tmp_path / "kmsg", os.O_RDWR)
    monkeypatch.setattr(stat, "S_ISREG", lambda mode: True)
    with pytest.raises(OSError, match="waits for something"):
        read_bytes(tmp_path / "kmsg")
    os.write(held, b"a: 1\n")
    with open_bytes(tmp_path / "kmsg") as file:
        assert file.readline() == b"a: 1\n"
        with pytest.raises(OSError, match="waits for something"):
            file.read()
    os.close(held)


def test_a_name_is_not_near_itself(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "codes.xml")
    assert near_path(tmp_path / "codes.xml", "Give a file.") == "Give a file."
    (tmp_path / "code.xml").touch()
    assert "code.xml" in near_path(tmp_path / "codes.xml", "Give a file.")
