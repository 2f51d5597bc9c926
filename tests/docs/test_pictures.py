"""The pictures of the README and the pages are there, small, and show nothing of the machine they were made on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
NAMED = sorted(
    {
        f"docs/{name}"
        for page in PAGES
        for name in re.findall(r"pictures/[\w.]+\.(?:png|svg)", page.read_text(encoding="utf-8"))
    }
)


def test_every_picture_is_shown() -> None:
    made = {f"docs/pictures/{file.name}" for file in (ROOT / "docs" / "pictures").glob("*.[ps][nv]g")}
    assert set(NAMED) == made


@pytest.mark.parametrize("name", NAMED)
def test_a_picture_is_small_and_fetches_nothing(name: str) -> None:
    content = (ROOT / name).read_bytes()
    assert len(content) < 150_000
    if name.endswith(".svg"):
        text = content.decode()
        assert not re.search(r"url\(\W*http|@import|<image|<script|/home/|/tmp/|/root/", text)
