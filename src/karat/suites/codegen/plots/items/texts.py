"""Texts of a plot: compared without case, blanks and markup, equal or contained, never by likeness."""

from __future__ import annotations

import re
import unicodedata

from karat.suites.codegen.plots.records import TextGold

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_COMMAND = re.compile(r"\\(?:mathdefault|mathrm|mathbf|mathit|mathregular|mathsf|text|textbf|rm|bf|it)\b\s*")
_BLANKS = re.compile(r"\s+")
_ESCAPED = re.compile(r"\\([%$#&_{} ,;!])")


def folded(text: str) -> str:
    """A text without markup (``$…$``, ``<b>``), case and needless blanks."""
    plain = _TAG.sub(lambda tag: " " if tag[0].lower().startswith("<br") else "", unicodedata.normalize("NFC", text))
    if plain.count("$") >= 2:
        plain = _COMMAND.sub("", plain).replace("$", "").replace("{", "").replace("}", "")
    plain = _ESCAPED.sub(r"\1", plain).replace("\N{MINUS SIGN}", "-")
    return _BLANKS.sub(" ", plain).strip().casefold()


def fits(gold: TextGold, given: str) -> bool:
    """Whether a text is one of those, or contains one of these."""
    text = folded(given)
    return any(folded(one) == text for one in gold.equal) or any(folded(part) in text for part in gold.contains)


def described(gold: TextGold) -> str:
    """What is expected, in words."""
    return " or ".join([*gold.equal, *(f"…{part}…" for part in gold.contains)])
