"""When a text that holds the gold text does not settle on it: it says that it does not know, it only asks, or it names
another candidate with "or".

- Hedged: words of not knowing ("I do not know", "not sure") anywhere, or of guessing ("maybe", "might be") in the
  sentence of every place where gold appears (see ``not_known``).
- Asked: gold appears only in questions, and more is said after them ("Is it Paris? No, Lyon."), or the answer ends with
  the question ("Did you mean Paris?").
- Taken back: gold appears only before words that correct it ("Paris. Sorry, it is Lyon.").
- Several candidates: "or" beside gold with something that is not gold on its other side, everywhere that gold appears;
  or a list after gold that ends in "or" ("Paris, Lyon or Nice").

All other words around gold, lists among them, are ordinary: "The station that closed is Harbour.", "Paris, France". All
texts are folded already.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence, Set
from itertools import accumulate, pairwise

from karat.suites.answers.strict.settling.not_known import CORRECTED, GUESSED, NOT_KNOWN

Span = tuple[int, int]

_SENTENCE_END = re.compile(r"[.!?]\s|(?<!:)\n|[;。！？；]")
_OR_BEFORE = re.compile(r"\b(?:and/)?or\s+(?:the |an? )?[\"'“‘*_`(]*$")
_OR_AFTER = re.compile(
    r"^[\"'”’*_`)]*\s*[,;—–-]?\s*[(\[]?\b(?:(?:and/)?or|alternatively,?|if not|unless you mean)\b\s+"
    r"(?:the |an? )?[\"'“‘*_`(]*(?=\S)"
)
_OR_BETWEEN = re.compile(r"[\"'”’*_`)]*\s*,?\s*(?:and/)?\bor\b\s*(?:the |an? )?[\"'“‘*_`($€£]*")
_OR_LIST = re.compile(r"^[\"'”’*_`)]*(?:\s*,\s*[^\W_][\w'’.-]*(?: [\w'’.-]+){0,2}?){1,8}\s*,?\s+(?:and/)?or\s+(?=\S)")
_ASKED = re.compile(r"[^.!?\n。！？؟]*(?:\.(?!\s)[^.!?\n。！？؟]*)*[?？؟][\s\"'”’*_`)]*(?=\w)")
_ASKED_LAST = re.compile(r"[^.!?\n。！？؟(—]*[?？؟][\s\"'”’*_`)]*\Z")
_SAID_FIRST = re.compile(r"[^\W\d_][^.!?\n。！？؟]*\Z")
_WINDOW = 80
_LONGEST_QUESTION = 300


def asked(text: str, spans: Sequence[Span]) -> bool:
    """Whether gold appears only in questions that are followed by an answer, or that the answer ends with and that say
    more than gold."""
    return bool(spans) and all(
        _ASKED.match(text, end, end + _LONGEST_QUESTION) is not None
        or (
            _ASKED_LAST.match(text, end, end + _LONGEST_QUESTION) is not None
            and _SAID_FIRST.search(text[max(0, start - _WINDOW) : start]) is not None
        )
        for start, end in spans
    )


def taken_back(text: str, spans: Sequence[Span]) -> bool:
    """Whether a correction follows every place where gold appears."""
    last = max((end for _, end in spans), default=len(text))
    found = CORRECTED.search(text, last)
    return found is not None and text[found.end() :].strip(" .!*_") != ""


def doubt(text: str, spans: Sequence[Span]) -> str:
    """``hedged``, ``asked``, ``taken_back``, ``several_answers`` or empty. ``spans`` are all places of gold."""
    if hedged(text, spans):
        return "hedged"
    if asked(text, spans):
        return "asked"
    if taken_back(text, spans):
        return "taken_back"
    starts, stops = {start for start, _ in spans}, {end for _, end in spans}
    return "several_answers" if all(_has_rival(text, span, starts, stops) for span in spans) else ""


def until_settled(doubts: Iterable[str]) -> list[str]:
    """The doubts at places of gold, up to the first place that has none."""
    found = []
    for why in doubts:
        found.append(why)
        if not why:
            break
    return found


def alternatives(text: str, spans: Sequence[Span]) -> bool:
    """Whether only "or" stands between two places of gold, all of which were wanted."""
    ordered = sorted(spans)
    return any(
        end <= start and _OR_BETWEEN.fullmatch(text, end, start) is not None
        for (_, end), (start, _) in pairwise(ordered)
    )


def hedged(text: str, spans: Sequence[Span]) -> bool:
    """Whether the text says that it does not know, or only guesses wherever gold appears. Words inside gold itself do
    not count."""
    inside = covering(spans)
    if any(not inside(found.span()) for found in NOT_KNOWN.finditer(text)):
        return True
    guesses = [found.start() for found in GUESSED.finditer(text) if not inside(found.span())]
    if not guesses or not spans:
        return False
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    doubtful = {bisect_right(ends, place) for place in guesses}
    return all(bisect_right(ends, start) in doubtful for start, _ in spans)


def covering(spans: Sequence[Span]) -> Callable[[Span], bool]:
    """Whether a place lies inside one of the spans."""
    ordered = sorted(spans)
    starts = [start for start, _ in ordered]
    furthest = list(accumulate((end for _, end in ordered), max))

    def inside(place: Span) -> bool:
        before = bisect_right(starts, place[0])
        return before > 0 and furthest[before - 1] >= place[1]

    return inside


def _has_rival(text: str, span: Span, starts: Set[int], stops: Set[int]) -> bool:
    start, end = span
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    if found := _OR_BEFORE.search(before):
        other = len(before[: found.start()].rstrip(" ,\"'”’*_`)"))
        if other and start - len(before) + other not in stops:
            return True
    found = _OR_AFTER.match(after)
    if found is not None and end + found.end() not in starts:
        return True
    listed = _OR_LIST.match(after)
    return listed is not None and starts.isdisjoint(range(end + 1, end + listed.end() + 1))
