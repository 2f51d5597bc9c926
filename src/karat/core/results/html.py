"""Small HTML for notebooks: escaped, self-contained, without script, style sheet or colour of its own.

It takes the colours of the page, so it can be read on a light and on a dark one. What counts is bold, never only
coloured.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from karat.core.report import visible

STYLE = "font-variant-numeric:tabular-nums"
_TURNS = re.compile("[\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that turn the direction of writing."""


def one_line(text: str, most: int = 160) -> str:
    """A text on one line, in which nothing can act on a terminal or turn the direction of writing."""
    shown = _TURNS.sub(lambda found: f"\\u{ord(found[0]):04x}", " ".join(visible(text).split()))
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def paragraph(title: str, *lines: str) -> str:
    """A bold title, and lines below it."""
    rest = "".join(f"<br/>{escape(one_line(line, 400))}" for line in lines if line)
    return f"<p><b>{escape(one_line(title))}</b>{rest}</p>"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], bold: Sequence[bool] = ()) -> str:
    """A table of texts; rows that are ``bold`` stand out. Empty without rows."""
    if not rows:
        return ""
    lines = ["<tr>" + "".join(f"<th>{escape(one_line(title))}</th>" for title in head) + "</tr>"]
    for place, row in enumerate(rows):
        start, end = ("<b>", "</b>") if place < len(bold) and bold[place] else ("", "")
        lines.append("<tr>" + "".join(f"<td>{start}{escape(one_line(cell, 400))}{end}</td>" for cell in row) + "</tr>")
    return f"<table>{''.join(lines)}</table>"


def folded(title: str, content: str) -> str:
    """A part that opens on a click; empty without content."""
    return f"<details><summary>{escape(one_line(title))}</summary>{content}</details>" if content else ""


def whole(*parts: str) -> str:
    """All parts as one element."""
    return f'<div style="{STYLE}">{"".join(parts)}</div>'
