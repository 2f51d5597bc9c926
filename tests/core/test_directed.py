"""Where a text changes its direction."""

from __future__ import annotations

import pytest

from karat.core.report import directed


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("COUNTRY 1 of 2: asked CHL, got PER", []),
        ("البلد 1 of 2: asked مصر, got تونس الخضراء", ["البلد", "مصر", "تونس الخضراء"]),
        ("אחד, שניים", ["אחד", "שניים"]),
        ("国 1 of 2", []),
        ("", []),
    ],
)
def test_parts_of_one_direction(text: str, turned: list[str]) -> None:
    parts = directed(text)
    assert "".join(part for _, part in parts) == text
    assert [part for right_to_left, part in parts if right_to_left] == turned
