"""What code lacks, as a noun: the checks say ``Filter missing: branch == Mill``."""

from __future__ import annotations

import re

_WHOLE = {
    "Code cannot be parsed": "code that can be parsed",
    "No table goes into the result": "a table in the result",
}
_MISSING = re.compile(r":?\s*\bmissing\b:?")


def lacked(said: str) -> str:
    """``filter branch == Mill``; ``sorting descending``."""
    if said in _WHOLE:
        return _WHOLE[said]
    text = " ".join(_MISSING.sub(" ", said).split())
    return text[:1].lower() + text[1:] if text else said
