"""When a text that holds the gold text does not settle on it: it says that it does not know, or it names another
candidate with "or".

- Hedged: words of not knowing ("I do not know", "not sure") anywhere, or of guessing ("maybe", "might be") in the
  sentence of every place where gold appears.
- Several candidates: "or" beside gold with something that is not gold on its other side, everywhere that gold appears.

All other words around gold, lists among them, are ordinary: "The station that closed is Harbour.", "Paris, France". All
texts are folded already.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Span = tuple[int, int]

_NOT_KNOWN = re.compile(
    r"\b(?:(?:do|did|does|would|could|can)\s?(?:not|n['’]t)|don['’]?t|can['’]?t|cannot|unable to)\s+"
    r"(?:really\s+|quite\s+)?(?:know|tell|determine|be sure|be certain)\b(?! (?:much|how|why|all|every))"
    r"|\b(?:not|n['’]t)\s+(?:\w+\s)?(?:sure|certain)\b|\bunsure\b|\bno idea\b"
)
_GUESSED = re.compile(
    r"\b(?:maybe|perhaps|possibly|(?:might|may|could)(?: well| also)? (?:be|have been)|i guess|a guess|my "
    r"guess|guessing)\b"
)
_SENTENCE_END = re.compile(r"[.!?]\s|[\n;。！？；]")
_OR_BEFORE = re.compile(r"\b(?:and/)?or\s+(?:the |an? )?[\"'“‘*_`(]*$")
_OR_AFTER = re.compile(r"^[\"'”’*_`)]*\s*,?\s*\b(?:and/)?or\b\s+(?:the |an? )?[\"'“‘*_`(]*(?=\S)")
_WINDOW = 80


def doubt(text: str, spans: Sequence[Span]) -> str:
    """``hedged``, ``several_answers`` or empty. ``spans`` are all places where gold appears."""
    if hedged(text, spans):
        return "hedged"
    return "several_answers" if all(_has_rival(text, span, spans) for span in spans) else ""


def hedged(text: str, spans: Sequence[Span]) -> bool:
    """Whether the text says that it does not know, or only guesses wherever gold appears. Words inside gold itself do
    not count."""
    if any(not _inside(found.span(), spans) for found in _NOT_KNOWN.finditer(text)):
        return True
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    guesses = [found.start() for found in _GUESSED.finditer(text) if not _inside(found.span(), spans)]
    if not guesses or not spans:
        return False

    def sentence(place: int) -> int:
        return sum(end <= place for end in ends)

    doubtful = {sentence(place) for place in guesses}
    return all(sentence(start) in doubtful for start, _ in spans)


def _inside(place: Span, spans: Sequence[Span]) -> bool:
    return any(start <= place[0] and place[1] <= end for start, end in spans)


def _has_rival(text: str, span: Span, spans: Sequence[Span]) -> bool:
    start, end = span
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    starts, stops = {place[0] for place in spans}, {place[1] for place in spans}
    if found := _OR_BEFORE.search(before):
        other = len(before[: found.start()].rstrip(" ,\"'”’*_`)"))
        if other and start - len(before) + other not in stops:
            return True
    found = _OR_AFTER.match(after)
    return found is not None and end + found.end() not in starts
