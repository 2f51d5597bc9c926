"""What karat keeps is its owner's alone, whatever the umask."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from karat.core.files.atomic import write_bytes
from karat.search.models.vectors import VectorCache
from karat.store import open_store


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.usefixtures("umask")
def test_a_new_store_is_private(tmp_path: Path) -> None:
    file = tmp_path / "project" / ".karat" / "karat.db"
    with open_store(f"sqlite:///{file}") as store:
        store.runs()
        assert {
            entry.name: mode(entry) for entry in file.parent.iterdir() if entry.name.startswith("karat.db")
        } == dict.fromkeys((entry.name for entry in file.parent.iterdir() if entry.name.startswith("karat.db")), 0o600)
    assert mode(file.parent) == 0o700
    report = file.parent / "reports" / "r.html"
    write_bytes(report, b"x")
    assert (mode(report), mode(report.parent)) == (0o600, 0o700)


@pytest.mark.usefixtures("umask")
def test_a_store_elsewhere_is_made_private_and_then_left_to_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "runs.db"
    open_store(str(file)).close()
    assert mode(file) == 0o600
    file.chmod(0o660)  # shared with a group on purpose
    open_store(str(file)).close()
    assert mode(file) == 0o660


def test_a_wider_folder_is_tightened(tmp_path: Path) -> None:
    file = tmp_path / ".karat" / "karat.db"
    open_store(str(file)).close()
    file.parent.chmod(0o755)
    file.chmod(0o644)
    open_store(str(file)).close()
    assert (mode(file.parent), mode(file)) == (0o700, 0o600)


def test_other_files_keep_the_modes_of_their_owner(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_bytes(tmp_path / "out" / "r.json", b"{}")
    finally:
        os.umask(before)
    assert (mode(tmp_path / "out" / "r.json"), mode(tmp_path / "out")) == (0o644, 0o755)


def test_vectors_are_private_too(tmp_path: Path) -> None:
    folder = tmp_path / ".karat" / "vectors"
    from karat.search.models import load_model

    model = load_model("bm25")
    with VectorCache(folder)._open(model):
        assert [mode(file) for file in folder.iterdir()] == [0o600] * len(list(folder.iterdir()))
    assert mode(tmp_path / ".karat") == 0o700
