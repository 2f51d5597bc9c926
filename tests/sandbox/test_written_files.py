"""What a snippet leaves in its folder: listed after its end, read only if it is a plain file that was asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from karat.sandbox import Sandbox
from karat.sandbox.server.results.written_files import MOST_BYTES, MOST_LISTED, MOST_READ, collect


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


def found(folder: Path, *wanted: str, given: tuple[str, ...] = ()) -> dict[str, tuple[str, bytes | None]]:
    """Name → problem and bytes."""
    left = collect(str(folder), wanted, given)
    contents = iter(left.contents)
    return {
        str(one["name"]): (str(one["problem"]), bytes(next(contents).view()) if one["read"] else None)
        for one in left.entries
    }


def test_wanted_files_are_read_and_others_are_listed(box: Sandbox) -> None:
    code = "open('a.txt', 'w').write('first')\nopen('b.txt', 'w').write('second')\nresult = 1"
    outcome = box.run(code, {"t": {"x": [1]}}, files=["b.txt", "c.txt"])
    assert [(file.name, file.size, file.data) for file in outcome.files] == [
        ("b.txt", 6, b"second"),
        ("a.txt", 5, None),
    ]
    after = box.run("import os\nresult = os.listdir('.')", files=["b.txt"])
    assert (after.result, after.files) == ([], ())


def test_given_tables_are_no_written_files_until_they_are_replaced(box: Sandbox) -> None:
    tables = {"t": {"x": [1]}}
    assert box.run("result = len(pd.read_csv('t.csv'))", tables).files == ()
    outcome = box.run("import os\nos.unlink('t.csv')\nopen('t.csv', 'w').write('new')", tables, files=["t.csv"])
    assert [(file.name, file.data) for file in outcome.files] == [("t.csv", b"new")]


def test_files_are_there_also_after_an_error(box: Sandbox) -> None:
    outcome = box.run("open('a.txt', 'w').write('x')\n1 / 0", files=["a.txt"])
    assert outcome.status == "error" and [file.data for file in outcome.files] == [b"x"]


def test_links_pipes_folders_and_holes_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "hard").hardlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    with (folder / "holes").open("wb") as file:
        file.write(b"x")
        file.truncate(10**7)
    (folder / "plain").write_bytes(b"plain")
    wanted = ("link", "hard", "pipe", "folder", "holes", "plain")
    assert found(folder, *wanted) == {
        "link": ("a link", None),
        "hard": ("a link", None),
        "pipe": ("not a plain file", None),
        "folder": ("a folder", None),
        "holes": ("a file with holes", None),
        "plain": ("", b"plain"),
    }


def test_a_folder_that_is_a_link_or_gone_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "passwd").write_text("secret")
    (tmp_path / "here").symlink_to(tmp_path)
    assert found(tmp_path / "here", "passwd") == {}
    assert found(tmp_path / "gone", "passwd") == {}


def test_no_more_than_so_many_files_and_bytes(tmp_path: Path) -> None:
    names = [f"f{number:05}" for number in range(10_000)]
    for name in names:
        (tmp_path / name).write_bytes(b"1")
    listed = found(tmp_path, *names[-30:])
    read = [name for name, (_, data) in listed.items() if data is not None]
    assert len(listed) <= MOST_LISTED + 30 and len(read) == MOST_READ
    (tmp_path / "large").write_bytes(bytes(MOST_BYTES + 1))
    assert found(tmp_path, "large")["large"][1] is None


def test_odd_names_are_listed_and_not_read(tmp_path: Path) -> None:
    for name in (b"new\nline", b"\xff\xfe", b"\x1b[31m"):
        (tmp_path / os.fsdecode(name)).write_bytes(b"x")
    listed = found(tmp_path, "new\nline", "\x1b[31m")
    assert len(listed) == 3 and all(problem and data is None for problem, data in listed.values())
