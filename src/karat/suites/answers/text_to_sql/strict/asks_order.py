"""Whether a question asks for its rows in an order. Words are taken narrowly where they have another meaning: an order
that was placed, a first name, "in order to"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty)"
_SUPERLATIVE = (
    r"highest|lowest|largest|smallest|biggest|longest|shortest|tallest|oldest|youngest|newest|latest|earliest|best|worst"
    r"|most|least|fewest|greatest|cheapest|heaviest|lightest|fastest|slowest|high|low|old|young|new|large|small|big"
    r"|most recent|best paid"
)
_FREE = re.compile(r"\b(?:in )?(?:any|no (?:particular|specific)) order\b|\border does not matter\b", re.IGNORECASE)
_ASKS = re.compile(
    rf"\b(?:sort|sorts|sorted|sorting|ordered|ordering|arrange|arranged|alphabetical|alphabetically|alphabetic|ascending"
    rf"|descending|asc|desc|ascendingly|descendingly|chronological|chronologically|lexicographic\w*|rank|ranked|ranking"
    rf"|ranks)\b"
    rf"|\border (?:by|them|these|those|the (?:results?|list|rows|names?|output)|it|results?)\b"
    rf"|\b(?:in|by|with) (?:the )?(?:\w+ ){{0,3}}order\b(?! to\b| that\b| id\b| number\b)"
    rf"|\bfrom (?:the )?(?:{_SUPERLATIVE})\b.{{0,40}}\bto (?:the )?(?:{_SUPERLATIVE})\b"
    rf"|\b(?:{_SUPERLATIVE}) to (?:the )?(?:{_SUPERLATIVE})\b|\bfrom [az] to [az]\b"
    rf"|\b(?:{_SUPERLATIVE}|a-z) (?:\w+ )?(?:first|last|on top)\b"
    rf"|\b(?:starting|beginning) (?:with|from|at) (?:the )?(?:{_SUPERLATIVE})\b"
    rf"|\bsequence\b|\btop[- ]{_NUMBER}\b|\btop \w+ {_NUMBER}\b"
    rf"|\b{_NUMBER} (?:{_SUPERLATIVE})\b|\b(?:{_SUPERLATIVE}) {_NUMBER}\b|\bnewest\b|\bmost recent\b"
    rf"|\b(?:first|last) {_NUMBER}\b",
    re.IGNORECASE,
)
_BY = re.compile(r"\bby (?:(?:the|their|its|each|his|her) )?([\w ]{2,40})", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+|\d+")


def asks_order(question: str, keys: Sequence[str] = ()) -> bool:
    """``keys``: the columns that gold orders by and does not group by; "names by salary" asks for one of them."""
    asks = _asks(question)
    return asks if asks is not None else any(_names(said, key) for said in _BY.findall(question) for key in keys)


@lru_cache(maxsize=8192)
def _asks(question: str) -> bool | None:
    """By the words of the question alone; None where it depends on the columns."""
    if _FREE.search(question):
        return False
    return True if _ASKS.search(question) else None


def _names(said: str, key: str) -> bool:
    """Whether the first words after "by" name a column: "salary" names ``sal``, "date of birth" ``birth_date``."""
    words = _WORD.findall(said.lower())[:3]
    parts = [part for part in _WORD.findall(key.lower()) if len(part) > 1]
    return any(word.startswith(part) or part.startswith(word) for word in words[:2] for part in parts if len(word) > 1)
