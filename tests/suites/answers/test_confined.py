"""Names that may be followed, and those that may not."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.suites.answers.submission.safe_paths import OutsideFolder, inside
from tests.suites.answers.making import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, {"box/a/x.csv": "in", "box/top.csv": "in", "secret.csv": "out", "box-too/y.csv": "out"})
    return tmp_path / "box"


@pytest.mark.parametrize("name", ["top.csv", "a/x.csv", "./a//x.csv", "a/./x.csv"])
def test_a_file_inside(root: Path, name: str) -> None:
    assert inside(root, name).read_text() == "in"
    assert inside(root, name).is_absolute()


def test_a_file_that_is_not_there_is_no_offence(root: Path) -> None:
    assert inside(root, "a/none.csv") == root.resolve() / "a/none.csv"
    assert not inside(root, "none/none.csv").exists()
    assert not inside(root, "top.csv/none.csv").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../secret.csv", '".."'),
        ("a/../../secret.csv", '".."'),
        ("a/../top.csv", '".."'),
        ("/etc/passwd", "absolute"),
        ("//host/share", "absolute"),
        ("C:/x.csv", "absolute"),
        ("..\\secret.csv", "backslash"),
        ("a\\x.csv", "backslash"),
        ("a/x.csv\0.png", "control character"),
        ("a/x.csv\n", "control character"),
        ("", "empty"),
        ("  ", "empty"),
        (".", "folder"),
        ("a", "a folder"),
        ("x" * 5_000, "cannot be looked up"),
        ("\ud800.csv", "cannot be looked up"),
    ],
)
def test_names_that_are_refused(root: Path, name: str, said: str) -> None:
    with pytest.raises(OutsideFolder, match=said):
        inside(root, name)


def test_the_folder_of_an_instance_is_held_too(root: Path) -> None:
    assert inside(root, "x.csv", under="a").read_text() == "in"
    for folder, name in (
        ("..", "secret.csv"),
        ("/etc", "passwd"),
        ("a", "/etc/passwd"),
        ("a", "../top.csv"),
        ("a", ""),
    ):
        with pytest.raises(OutsideFolder):
            inside(root, name, under=folder)


def test_links_are_followed_only_inside(root: Path) -> None:
    (root / "good.csv").symlink_to("a/x.csv")
    (root / "alias").symlink_to("a", target_is_directory=True)
    assert inside(root, "good.csv").read_text() == "in"
    assert inside(root, "alias/x.csv").read_text() == "in"
    (root / "bad.csv").symlink_to("../secret.csv")
    (root / "absolute.csv").symlink_to(root.parent / "secret.csv")
    (root / "up").symlink_to("..", target_is_directory=True)
    (root / "beside").symlink_to("../box-too", target_is_directory=True)
    (root / "chain.csv").symlink_to("bad.csv")
    (root / "circle.csv").symlink_to("circle.csv")
    (root / "nowhere.csv").symlink_to("not-there.csv")
    for name in ("bad.csv", "absolute.csv", "up/secret.csv", "up/box/top.csv", "beside/y.csv", "chain.csv"):
        with pytest.raises(OutsideFolder, match="points outside"):
            inside(root, name)
    for name in ("circle.csv", "nowhere.csv"):
        with pytest.raises(OutsideFolder, match="cannot be followed"):
            inside(root, name)


def test_a_root_that_is_a_link_itself(root: Path) -> None:
    (root.parent / "door").symlink_to(root, target_is_directory=True)
    assert inside(root.parent / "door", "top.csv").read_text() == "in"


def test_pipes_devices_and_sockets_are_not_opened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(root / "pipe.csv")
    (root / "zero.csv").symlink_to("/dev/zero")
    with pytest.raises(OutsideFolder, match="named pipe"):
        inside(root, "pipe.csv")
    with pytest.raises(OutsideFolder, match="points outside"):
        inside(root, "zero.csv")
    with pytest.raises(OutsideFolder, match="a device"):
        inside(Path("/dev"), "zero")
    monkeypatch.chdir(root)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind("plug.csv")
        with pytest.raises(OutsideFolder, match="a socket"):
            inside(root, "plug.csv")


@given(st.lists(st.sampled_from(["..", ".", "", "a", "x.csv", "/", "\\", "up", "C:", "\0"]), max_size=5))
def test_whatever_is_returned_lies_inside(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    root = tmp_path_factory.getbasetemp() / "confined-property"
    if not root.exists():
        write(root, {"a/x.csv": ""})
        (root / "up").symlink_to("..", target_is_directory=True)
    try:
        found = inside(root, "/".join(parts))
    except OutsideFolder:
        return
    assert found.resolve().is_relative_to(root.resolve())
