"""Whether a number in an answer is only a part of a calculation or of a range: ``84 / 2``, ``2^10``, ``35-45``,
``35..45``, ``between 35 and 45``, the 2 of ``35 ± 2``, ``5 times 3``; or the other side of zero (``5 °C below zero``).

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
_BEFORE = re.compile(rf"[0-9][%)]*\s?(?:{_CALCULATES}|\bto\b|\bbis\b|±|\+/-|\+-|至|到)\s*[$€£¥(]*$")
_SPREAD = re.compile(r"(?:±|\+/-|\+-)\s?$")
_BELOW = re.compile(
    r"^\s?(?:°\s?[cf]?|degrees?(?: celsius| fahrenheit)?|grad)?\s?(?:below zero|unter null|sous zéro|bajo cero)\b"
)
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
_WINDOW = 40


def is_operand(text: str, start: int, end: int) -> bool:
    """Whether what is next to a place makes the number there no answer by itself."""
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    if after[:1] in tuple(_RAISED) and text[end - 1].isdigit():
        return True
    if _AFTER.match(after) or _BEFORE.search(before) or _SPREAD.search(before) or _BELOW.match(after):
        return True
    return _BETWEEN.search(before) is not None and _BETWEEN_AFTER.match(after) is not None
