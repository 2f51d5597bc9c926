"""Texts that name a file, and texts that cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.files.named_files import file_named


def test_a_name_is_seen_from_the_folder_and_the_file_need_not_be_there(tmp_path: Path) -> None:
    assert file_named(tmp_path, "a.csv") == tmp_path.resolve() / "a.csv"
    assert file_named(tmp_path / "below", "../a.csv") == tmp_path.resolve() / "a.csv"
    (tmp_path / "file").write_text("")
    assert file_named(tmp_path, "file/a.csv") == tmp_path.resolve() / "file" / "a.csv"


@pytest.mark.parametrize("text", ["a\0.csv", "\0", "a\ud800.csv", "x" * 300 + ".csv", "a/" * 3000 + "b.csv"])
def test_what_no_file_can_be_called(tmp_path: Path, text: str) -> None:
    assert file_named(tmp_path, text) is None


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert file_named(tmp_path, "a") is None
