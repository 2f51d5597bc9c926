"""When a text that holds the gold text does not settle on it: it says that it does not know, or it names several candidates.

- Hedged: words of not knowing ("I do not know", "not sure") anywhere, or of guessing ("maybe", "might be", "probably") in the
  sentence of every place where gold stands.
- Several candidates: "or" or a slash beside gold with something that is not gold on its other side; gold in a list of three or more
  ("Campus, Park and Quay"); an answer that is nothing but a list, with an item that is not gold and not a number.

Ordinary words around gold are no candidates: "The station that closed is Harbour." All texts are folded already.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Span = tuple[int, int]

_NOT_KNOWN = re.compile(
    r"\b(?:(?:do|did|does|would|could|can)\s?(?:not|n['’]t)|don['’]?t|can['’]?t|cannot|unable to)\s+"
    r"(?:really\s+|quite\s+)?(?:know|tell|say|determine|be sure|be certain|identify|answer|find)\b"
    r"|\b(?:not|n['’]t)\s+(?:\w+\s)?(?:sure|certain|clear|known)\b|\bunsure\b|\buncertain\b|\bno idea\b|\bunknown\b"
)
_GUESSED = re.compile(
    r"\b(?:maybe|perhaps|possibly|presumably|probably|likely|(?:might|may|could)(?: well| also)? (?:be|have been)|i guess|a guess|my guess|guessing"
    r"|i (?:think|believe|suppose|assume)|it seems|seems to be|appears to be|either)\b"
)
_SENTENCE_END = re.compile(r"[.!?]\s|[\n;。！？；]")
_OR_BEFORE = re.compile(r"(?:\b(?:and/)?or|/|\|)\s*(?:the |an? )?[\"'“‘*_`(]*$")
_OR_AFTER = re.compile(r"^[\"'”’*_`)]*\s*,?\s*(?:(?:\b(?:and/)?or|and/or)\b|/|\|)\s*(?:the |an? )?[\"'“‘*_`(]*(?=\S)")
_ITEM = r"[^\s,;]+(?: [^\s,;]+){0,2}"
_RELATIVE = r"(?!(?:which|who|whose|that|where|when|it|its|as|with|in|on|at|by|because|since|after|while|and|or|but|located|a|an|the)\b)"
_LIST_BEFORE = re.compile(rf",\s*{_RELATIVE}{_ITEM},?\s+(?:and|&)\s+$|,\s*(?:and|&)\s+$")
_LIST_AFTER = re.compile(rf"^,\s*{_RELATIVE}{_ITEM},?\s+(?:and|&|or)\s+{_RELATIVE}\S")
_BETWEEN = re.compile(r"\s*(?:[,;|/\n•]|\s(?:and|or|&)\s|\s(?=[0-9]{1,2}[.)]))\s*(?:(?:and|or|&)\s+)?")
_MARKER = re.compile(r"^(?:[-*•·]\s+|[0-9]{1,3}[.)]\s*(?=[^\s0-9]))|^(?:the|an?)\s+")
_SENTENCE = re.compile(
    r"\b(?:is|are|was|were|be|been|has|had|have|does|did|which|who|that|where|when|it|its|in|on|at|by|for|from|because|since|after|before|while|with|as)\b"
)
"""Words of a sentence, not of a list of names."""
_NUMBER = re.compile(r"[\W0-9]*")
_EDGES = " \t.!:\"'“”‘’`*_()"
_LONGEST_ITEM = 5
"""Words in an item of a bare list."""
_WINDOW = 80


def doubt(text: str, lines: str, spans: Sequence[Span]) -> str:
    """``hedged``, ``several_answers`` or empty. ``lines`` is the text with its line ends, ``spans`` all places where gold stands."""
    if hedged(text, spans):
        return "hedged"
    if all(_has_rival(text, span, spans) for span in spans):
        return "several_answers"
    return "several_answers" if _is_list(lines, {_trimmed(text[start:end]) for start, end in spans}) else ""


def hedged(text: str, spans: Sequence[Span]) -> bool:
    """Whether the text says that it does not know, or only guesses wherever gold stands. Words inside gold itself do not count."""
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
    if (found := _OR_AFTER.match(after)) and end + found.end() not in starts:
        return True
    return _LIST_BEFORE.search(before) is not None or _LIST_AFTER.match(after) is not None


def _is_list(text: str, golds: set[str]) -> bool:
    """Whether the answer is nothing but several items, one of them gold and one of them not."""
    if _trimmed(text) in golds:
        return False
    items = [_trimmed(part) for part in _BETWEEN.split(text)]
    items = [item for item in items if item]
    if len(items) < 2 or any(len(item.split()) > _LONGEST_ITEM or _SENTENCE.search(item) for item in items):
        return False
    found = [item for item in items if item in golds]
    words = not any(_NUMBER.fullmatch(item) for item in found)  # beside a name, a number is no other name
    others = [item for item in items if item not in golds and not item.startswith("not ")]
    return bool(found) and any(not words or not _NUMBER.fullmatch(item) for item in others)


def _trimmed(item: str) -> str:
    return _MARKER.sub("", item.strip(_EDGES)).strip(_EDGES)
