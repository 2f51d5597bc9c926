"""Emptying a folder, however it was left."""

from __future__ import annotations

import os
from pathlib import Path

from karat.sandbox.server import scratch


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    for folder in (outside, inside):
        folder.mkdir()
    (outside / "kept").write_text("x")
    (inside / "link").symlink_to(outside)
    (inside / "dead").symlink_to(tmp_path / "nowhere")
    os.mkfifo(inside / "pipe")
    scratch.empty(str(inside))
    assert not list(inside.iterdir())
    assert (outside / "kept").read_text() == "x"


def test_folders_deeper_than_a_path_and_without_modes(tmp_path: Path) -> None:
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(tmp_path)
        for level in range(300):
            Path("d" * 100).mkdir()
            Path(f"file{level}").touch()
            os.chdir("d" * 100)
    finally:
        os.fchdir(here)
        os.close(here)
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "inner").mkdir(0)
    (tmp_path / "closed").chmod(0)
    scratch.empty(str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_size_counts_what_is_on_the_disk_and_stops(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f").write_bytes(b"x" * 10_000)
    size, entries = scratch.size(str(tmp_path), 100)
    assert entries == 2 and size >= 8_192
    for number in range(50):
        (tmp_path / str(number)).touch()
    assert scratch.size(str(tmp_path), 10)[1] == 11
