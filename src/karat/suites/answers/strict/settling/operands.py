"""Whether a number in an answer is only a part of a calculation or of a range: ``84 / 2``, ``2^10``, ``35-45``,
``35..45``, ``between 35 and 45``, the 2 of ``35 ± 2``, ``5 times 3``, ``one in 4``, ``3,5``; or the other side of zero
(``5 °C below zero``, ``moins 5``).

The texts are in small letters.
"""

from __future__ import annotations

import re

_VALUE = r"[$€£¥]?\s?\(?\.?[0-9]"
_CALCULATES = (
    r"(?:[*×·∙⋅/÷^+−]|\*\*|-|–|—|\.\.\.?|…|~|\b(?:times|plus|minus|divided by|multiplied by|mal|fois|por)\b"
    r"|x(?=\s?[0-9]))"
)
_AFTER = re.compile(rf"^[%)]*\s?(?:{_CALCULATES}|\bto\b|\bbis\b|\bà\b|\bhasta\b|\baté\b|至|到)\s*{_VALUE}")
_BETWEEN_AFTER = re.compile(rf"^[^\n.!?]{{0,20}}?\s(?:and|und|et|y|e|и|और)\s+{_VALUE}")
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra|между)\s+[$€£¥*_`]*$")
_BEFORE = re.compile(
    rf"[0-9][%)]*\s?(?:{_CALCULATES}|\bto\b|\bbis\b|±|\+/-|\+-|至|到)\s*[$€£¥(]*$"
    r"|\b(?:one|1) (?:in|out of) (?:every )?$|\b(?:plus or minus|give or take)\s+$"
    r"|\b(?:minus|negative|moins|menos|meno|минус|mínus)\s+$|(?:负|負|マイナス)\s?$"
)
_SPREAD = re.compile(r"(?:±|\+/-|\+-)\s?[$€£]?$")
_BELOW = re.compile(
    r"^\s?(?:°\s?[cf]?|degrees?(?: celsius| fahrenheit)?|grad)?\s?(?:below zero|unter null|sous zéro|bajo cero)\b"
)
_PART = re.compile(
    r"^\s(?:tenths?|hundredths?|thousandths?|millionths?|thirds|fifths|sixths|eighths)\b"
    r"|^\s?days?,?\s[0-9]{1,2}:[0-9]{2}"
)
_LONE_COMMA = re.compile(r"(?<![0-9,])[0-9]+,[0-9]+(?![0-9,])")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
_WINDOW = 40


def is_operand(text: str, start: int, end: int) -> bool:
    """Whether what is next to a place makes the number there no answer by itself."""
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    if after[:1] in tuple(_RAISED) and text[end - 1].isdigit():
        return True
    if _AFTER.match(after) or _BEFORE.search(before) or _SPREAD.search(before) or _BELOW.match(after):
        return True
    if _PART.match(after) or _has_lone_comma(text, start, end):
        return True
    return _BETWEEN.search(before) is not None and _BETWEEN_AFTER.match(after) is not None


def is_spread(text: str, start: int) -> bool:
    """Whether it says how far another number may be off: the 2 of ``35 ± 2``."""
    return _SPREAD.search(text, max(0, start - _WINDOW), start) is not None


def _has_lone_comma(text: str, start: int, end: int) -> bool:
    """Whether it is one side of a comma between digits, which may be a decimal comma: ``3,5``; ``3,4,5`` is a list."""
    if "," not in (text[end : end + 1], text[max(0, start - 1) : start]):
        return False
    begin, stop = max(0, start - _WINDOW), end + _WINDOW
    return any(
        found.start() <= start and end <= found.end() and found.end() - found.start() > end - start
        for found in _LONE_COMMA.finditer(text, begin, stop)
    )
