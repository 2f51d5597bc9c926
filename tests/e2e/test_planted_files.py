"""Pipes, devices, folders and sparse files under every name that is opened: a user's error each, at once and without
reading on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fuzz.readers import FileReader, readers
from tests.fuzz.running import within_bounds

PLACES = {reader.name: reader.read for reader in readers() if isinstance(reader.read, FileReader)}
HUGE = 3 * 1024**3


def plant(kind: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "sparse file":
        with path.open("wb") as file:
            file.truncate(HUGE)
    elif kind == "broken link":
        path.symlink_to(path.parent / "nowhere")
    elif kind == "link to itself":
        path.symlink_to(path)
    else:
        path.symlink_to("/dev/zero" if kind == "device" else path.parent / "pipe")
        if kind == "pipe behind a link":
            os.mkfifo(path.parent / "pipe")


KINDS = ("pipe", "pipe behind a link", "device", "sparse file", "folder", "broken link", "link to itself")


@pytest.mark.parametrize("name", PLACES)
def test_what_is_no_ordinary_file_is_a_users_error(name: str, tmp_path: Path) -> None:
    reader = PLACES[name]
    for kind in KINDS:
        folder = tmp_path / kind
        plant(kind, folder / reader.name)
        with within_bounds():
            reader.refused(folder / reader.name)
