"""Whether a number in an answer says how much something changed or differs (``5 more than last year``), or what it was
before (``up from 5``, ``5 → 7``). The texts are in small letters."""

from __future__ import annotations

import re

_MORE = (
    r"more|fewer|less|higher|lower|larger|smaller|greater|longer|shorter|older|younger|extra|ahead|behind|better|worse"
    r"|mehr|weniger|höher|niedriger|más|menos|mais|più|meno"
)
_AFTER = re.compile(
    r"[%*_`\"')]*(?:\s(?:percent|percentage points?|points?|units?|years?|euros?|dollars?))?"
    rf"\s(?:(?:{_MORE})(?=\s+(?:than|compared|vs|versus|als|que|do que|di|che)\b|\s*(?:[.,;!?)]|$|\n))|short of\b)"
    r"|[%*_`\"')]*\s?(?:→|⇒|⟶|->|=>)\s?[-−+$€£¥]?[0-9]"
)
_BEFORE = re.compile(r"\bfrom\s+[$€£¥*_`\"'(]*$")
_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}")
_WINDOW = 40


def is_difference(text: str, start: int, end: int) -> bool:
    """Whether the words next to a place make the number there a change, or a former value."""
    if _AFTER.match(text, end, end + _WINDOW):
        return True
    return _BEFORE.search(text, max(0, start - _WINDOW), start) is not None and not _YEAR.fullmatch(text, start, end)
