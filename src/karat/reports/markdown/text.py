"""Text from files and models, inside Markdown that somebody else's site will render.

It stays text: no table, link, image, HTML, mention of a person or issue, and no automatic link can come out of it.
Every character that Markdown or HTML gives a meaning in a line is written as a number (``&#124;`` for a pipe). Sites
look for ``@name``, ``#12``, ``!12`` and ``GH-12`` only after that, in the finished page, so an invisible space (U+200B)
is after such a sign.
"""

from __future__ import annotations

import re

from karat.core.report import visible

_SPECIAL = re.compile(r"[\\`*_\[\]<>#!|~@$&]|:(?=[/\w])")
_TURNS = re.compile("[\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_SPACE = "&#8203;"
CUT = 300


def markdown_text(text: str, most: int = CUT) -> str:
    """A text on one line that renders as itself; a long one is cut, and says so."""
    shown = " ".join(_TURNS.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text)).split())
    if len(shown) > most:
        shown = f"{shown[:most].rstrip()}… ({len(shown) - most:,} more characters)"
    shown = _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", shown)
    shown = re.sub(r"&#(?:64|35);|&#(?:33|36|38|126);(?=\w)", rf"\g<0>{_SPACE}", shown)
    shown = re.sub(r"(?i)\bGH-(?=\d)", rf"\g<0>{_SPACE}", shown)
    return re.sub(r"(?i)\bwww\.", lambda found: f"{found[0][:3]}{_SPACE}.", shown)
