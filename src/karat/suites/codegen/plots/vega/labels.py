"""Expressions that write the labels of an axis of numbers: which of them surely write the number itself."""

from __future__ import annotations

import re

_TEXT = r"(?:'[^'\d]*'|\"[^\"\d]*\")"
_LABEL = rf"(?:datum\.label|replace\(datum\.label,{_TEXT},{_TEXT}\))"
_FORMAT = r"(?:'[^']*'|\"[^\"]*\")"
_VALUE = rf"(?:{_LABEL}|datum\.value|abs\(datum\.value\)|format\((?:abs\()?datum\.value\)?,{_FORMAT}\))"
_PLAIN = re.compile(rf"(?:{_TEXT}\+)*{_VALUE}(?:\+{_TEXT})*")
_SCALED = re.compile(
    rf"(?:{_TEXT}\+)*(?:format\()?\(?datum\.value/(1000|1e3|1000000|1e6|1000000000|1e9)\)?(?:,{_FORMAT}\))?\+({_TEXT})"
)
_WORDS = {3: ("k", "thousand", "tsd"), 6: ("m", "mn", "mio", "million"), 9: ("b", "bn", "g", "billion", "mrd")}
_DIVISORS = {"1000": 3, "1e3": 3, "1000000": 6, "1e6": 6, "1000000000": 9, "1e9": 9}


def says_the_same(expression: str) -> bool:
    """Whether it is the number with words around it, or thousands with a ``k``."""
    bare = re.sub(r"\s+(?=(?:[^'\"]|'[^']*'|\"[^\"]*\")*$)", "", expression)
    if _PLAIN.fullmatch(bare):
        return True
    scaled = _SCALED.fullmatch(bare)
    if scaled is None:
        return False
    unit = re.sub(r"[^a-z]", "", scaled.group(2).lower())
    return unit in _WORDS[_DIVISORS[scaled.group(1)]]
