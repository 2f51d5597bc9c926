"""One palette: viewer, HTML report, plots and workbook take their colours from ``tokens.css``."""

from __future__ import annotations

import re
from pathlib import Path

from karat.reports.look.palette import chosen_by_reader, colour, tokens

SOURCE = Path(__file__).parents[2] / "src" / "karat"
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b|\brgba?\(|\bhsla?\(")


def test_no_other_file_has_a_colour() -> None:
    kinds = {".py", ".css", ".html", ".j2", ".js"}
    places = [SOURCE / "reports", SOURCE / "web", SOURCE / "suites", SOURCE / "core"]
    files = [path for place in places for path in place.rglob("*") if path.suffix in kinds and "vega" not in str(path)]
    found = {
        str(path.relative_to(SOURCE)): COLOUR.findall(path.read_text(encoding="utf-8"))
        for path in files
        if path.name != "tokens.css" and COLOUR.search(path.read_text(encoding="utf-8"))
    }
    assert len(files) > 100 and found == {}


def luminance(text: str) -> float:
    parts = [int(text[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    bright, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_texts_can_be_read_and_marks_can_be_seen_in_every_theme() -> None:
    grounds = {"text": "sunken", "dim": "sunken", "accent": "gold-soft", "right": "right-soft", "wrong": "wrong-soft"}
    for theme in ("light", "dark", "print"):
        found = tokens(theme)
        for name, ground in grounds.items():
            assert min(contrast(found[name], found["bg"]), contrast(found[name], found[ground])) >= 4.5, (theme, name)
        for name in ("gold", "wrong-fill", "neutral", *(f"series-{number}" for number in range(1, 7))):
            assert contrast(found[name], found["bg"]) >= 3, (theme, name)


def test_a_reader_can_choose_a_theme() -> None:
    text = chosen_by_reader()
    assert f"--bg: light-dark({colour('bg')}, {tokens('dark')['bg']});" in text
    assert text.count("{") == text.count("}") and "--t3: .875rem;" in text
