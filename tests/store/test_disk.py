"""Disks that are full or may not be written, and files that are no stores."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.store import Store, open_store
from karat.store.database.address import SqliteAddress
from karat.store.database.failures import explained
from tests.store.samples import a_result, a_run, answer


def _mount(folder: Path, options: str) -> bool:
    """A small disk in memory. Only root may make one."""
    if os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", options, "karat-test", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[tuple[Path, bool]]:
    """A folder, and whether it is a real disk of 1 MB. Where none can be mounted, SQLite itself is told to stop
    there."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = _mount(folder, "size=1m")
    try:
        yield folder, mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def _fill(store: Store, run: int) -> int:
    """Write until there is no room; how many predictions were stored."""
    for number in range(200):
        try:
            store.add_predictions(run, [Prediction(f"case-{number}", response=os.urandom(20_000))])
        except UserError as error:
            assert "is full" in error.message, error
            assert "Everything stored before is safe" in error.hint and "--resume" in error.hint
            return number
    raise AssertionError("the disk never filled")


def test_a_full_disk_is_said_and_loses_nothing(small_disk: tuple[Path, bool]) -> None:
    folder, mounted = small_disk
    with open_store(f"{folder}/karat.db") as store:
        if not mounted:
            event.listen(store._engine, "checkout", lambda raw, *_: raw.execute("PRAGMA max_page_count=200"))
        run = store.create_run(a_run())
        stored = _fill(store, run)
        assert stored > 5
        with pytest.raises(UserError, match="is full"):
            store.add_predictions(run, [Prediction("more", response=os.urandom(20_000))])
        names = [item.case_id for item in store.predictions(run)]
        assert names == [f"case-{number}" for number in range(stored)]
    with open_store(f"{folder}/karat.db", read_only=True) as store:
        assert len(store.predictions(run)) == stored


def test_a_store_on_a_full_disk_cannot_be_made(small_disk: tuple[Path, bool]) -> None:
    folder, mounted = small_disk
    if mounted:
        filler = folder / "filler"
        try:
            filler.write_bytes(b"x" * 2_000_000)
        except OSError:
            assert filler.stat().st_size > 900_000
        with pytest.raises(UserError, match="is full"):
            open_store(f"{folder}/.karat/karat.db")
    else:  # no disk to fill: the same refusal from the device that is always full
        with (
            pytest.raises(UserError, match="is full"),
            explained(SqliteAddress(folder / "karat.db")),
            Path("/dev/full").open("wb", buffering=0) as device,
        ):
            device.write(b"x")


def test_a_store_on_a_read_only_disk_can_be_read(small_disk: tuple[Path, bool]) -> None:
    folder, mounted = small_disk
    with open_store(f"{folder}/karat.db") as store:
        run = store.create_run(a_run())
        store.add_predictions(run, [answer()])
        store.add_scoring(run, a_result())
    if mounted:
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    else:
        (folder / "karat.db").chmod(0o444)
        folder.chmod(0o555)
    try:
        with open_store(f"{folder}/karat.db") as store:
            assert store.read_only
            assert store.predictions(run) == [answer()]
            assert store.result(run) == a_result()
            for write in (lambda: store.create_run(a_run()), lambda: store.add_predictions(run, [answer("b")])):
                with pytest.raises(UserError, match="read-only") as caught:
                    write()
                assert "writable" in caught.value.hint
        with pytest.raises(UserError, match="read-only"):
            open_store(f"{folder}/.karat/karat.db")
        with pytest.raises(UserError, match="read-only"):
            open_store(f"{folder}/other.db")
    finally:
        if not mounted:
            folder.chmod(0o755)


def test_a_disk_that_becomes_read_only_later(small_disk: tuple[Path, bool]) -> None:
    folder, _ = small_disk
    with open_store(f"{folder}/karat.db") as store:
        run = store.create_run(a_run())
        with store._engine.connect() as connection:  # the same refusal, from SQLite itself
            raw: Any = connection.connection.dbapi_connection
            raw.execute("PRAGMA query_only=ON")
        with pytest.raises(UserError, match="cannot be written: its file or folder is read-only"):
            store.add_predictions(run, [answer()])


def test_a_new_folder_is_made_and_kept_out_of_git(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path}/project/.karat/karat.db").close()
    assert (tmp_path / "project/.karat/.gitignore").read_text() == "*\n"
    open_store(f"sqlite:///{tmp_path}/results/karat.db").close()
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == ["karat.db"]


def test_an_existing_folder_gets_no_gitignore(tmp_path: Path) -> None:
    (tmp_path / ".karat").mkdir()
    open_store(f"{tmp_path}/.karat/karat.db").close()
    assert not (tmp_path / ".karat/.gitignore").exists()


@pytest.mark.parametrize("name", ["with space?.db", "100%.db", "größe#1.db", "%41.db"])
def test_odd_file_names(tmp_path: Path, name: str) -> None:
    if "?" in name:
        with pytest.raises(UserError, match="takes no options"):
            open_store(f"{tmp_path}/{name}")
        return
    open_store(f"sqlite:///{tmp_path}/{name}").close()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("These are my notes, and no database at all.\n" * 50)
    before = notes.read_bytes()
    with pytest.raises(UserError, match=r"notes\.txt is not a store"):
        open_store(str(notes))
    assert notes.read_bytes() == before


def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder") as caught:
        open_store(str(tmp_path))
    assert "karat.db" in caught.value.hint


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be opened"):
        open_store(f"{tmp_path}/file/karat.db")


def test_another_programs_database_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "music.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(UserError, match="tables of another program"):
        open_store(str(path))
    assert path.read_bytes() == before


def test_a_damaged_database(tmp_path: Path) -> None:
    path = tmp_path / "karat.db"
    with open_store(str(path)) as store:
        run = store.create_run(a_run())
        store.add_predictions(run, [Prediction(f"case-{n}", response=os.urandom(1500)) for n in range(200)])
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xa5" * (len(data) - 8192)
    path.write_bytes(data)
    with pytest.raises(UserError, match="is damaged") as caught, open_store(str(path)) as store:
        store.predictions(run)
    assert ".recover" in caught.value.hint


def test_a_damaged_value(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "karat.db")) as store:
        run = store.create_run(a_run())
        store.add_predictions(run, [answer("a", b"x" * 9000)])
        with store._writer.begin() as connection:
            connection.exec_driver_sql("UPDATE predictions SET response = x'00ff'")
        with pytest.raises(UserError, match="a stored value cannot be read"):
            store.predictions(run)


def test_commits_are_made_durable(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "karat.db")) as store, store._engine.connect() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000}
