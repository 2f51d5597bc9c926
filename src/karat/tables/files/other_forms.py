"""What a file is that should be a CSV table and is none: JSON, JSON lines, a Markdown or HTML table, CSV with another
separator."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

from karat.core.files.kinds import foreign_kind
from karat.tables.files.separators import other_separator

_SAMPLE = 65_536
_MOST = 16 * 1024**2
"""Bytes of the largest file that is read as JSON to find out whether it is."""
_TABLE = re.compile(r"\s*<(?:table|thead|tbody|tr)\b", re.IGNORECASE)
_SAVE = "a CSV file with commas is expected"


def other_form(path: Path) -> tuple[str, str]:
    """The kind of the trouble, ``separator`` or ``form``, and what the file is, in one sentence; two empty texts where
    it may well be a CSV file with commas."""
    try:
        with path.open("rb") as file:
            start = file.read(_SAMPLE)
    except OSError:
        return "", ""
    noun = _noun(path, start.decode("utf-8-sig", errors="replace"))
    if not noun and (kind := foreign_kind(start)) is not None:
        noun = kind.noun
    if noun:
        return "form", f"{path.name} is {noun}; {_SAVE}"
    separated = other_separator(path)
    return ("separator", separated) if separated else ("", "")


def _noun(path: Path, text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()][:3]
    if not lines:
        return ""
    if lines[0][0] in "[{":
        if _is_json(lines[0]) and (len(lines) == 1 or _is_json(lines[1])):
            return "JSON" if len(lines) == 1 else "JSON lines"
        with suppress(OSError):
            if path.stat().st_size <= _MOST and _is_json(path.read_text(encoding="utf-8-sig", errors="replace")):
                return "JSON"
    if lines[0].startswith("```"):
        return "a fenced block of Markdown"
    if len(lines) > 1 and "|" in lines[0] and _is_rule(lines[1]):
        return "a table as a terminal shows it" if "+" in lines[1] else "a Markdown table"
    return "an HTML table" if _TABLE.match(text) else ""


def _is_rule(line: str) -> bool:
    """``|---|:-:|`` of Markdown and ``---+---`` of a terminal."""
    parts = [part.strip() for part in line.replace("+", "|").strip("|").split("|")]
    return ("|" in line or "+" in line) and all("-" in part and not part.strip(":").strip("-") for part in parts)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list | dict)
    except (ValueError, RecursionError):
        return False
