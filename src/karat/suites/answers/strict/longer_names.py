"""Where a text that is a word of its own may still be only a part of what the answer names, so that a person must look:

- joined by a hyphen to another word or number: ``North`` in North-East, ``A-1`` in A-1-2, ``5`` in 5-6;
- joined by a slash or bar to another word: ``A/B``, ``Paris / Lyon``;
- a number or date that goes on: ``2021-03`` in 2021-03-04, ``14:30`` in 14:30:15, ``5`` in 5/6, ``100`` in 100 million;
- ``yes``, ``no``, ``true`` and ``false`` where the answer has the opposite too ("No doubt: yes"), and ``no`` before a
  noun ("no increase").

Both texts are folded already, with plain quotes and hyphens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.suites.answers.strict.spelled.multipliers import WORD

_JOINED_BEFORE = re.compile(r"[^\W_]-$")
_JOINED_AFTER = re.compile(
    r"-(?!(?:based|led|born|owned|made|run|listed|backed|only|wide|like|style|related|area|region|specific)\b)[^\W_]"
)
_SLASH_BEFORE, _SLASH_AFTER = re.compile(r"[^\W\d_]['’)]?(?:\s?/\s?|\|)$"), re.compile(r"(?:\s?/\s?|\|)['‘(]?[^\W\d_]")
_DIGITS_BEFORE, _DIGITS_AFTER = re.compile(r"[0-9][/:]$"), re.compile(r"[/:][0-9]")
_TIMES = re.compile(rf"\s?(?:{WORD})", re.IGNORECASE)
_MIDNIGHT = re.compile(r"t00:00(?::00(?:\.0+)?)?(?:z|\+00:?00)?(?![\w:.+-])")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OPPOSITE = {"yes": "no", "no": "yes", "true": "false", "false": "true"}
_NOUN = re.compile(r"\s[^\W\d_]")
_SENTENCE = re.compile(r"\s(?:it|there|they|he|she|this|that|the|we|i|because|since|as)\b")

Span = tuple[int, int]


def is_part(text: str, start: int, end: int) -> bool:
    """Whether the text goes on beside a place so that the place may be only a part of a name, number or date."""
    first, last = text[start], text[end - 1]
    if _in_word(first) and _JOINED_BEFORE.search(text[max(0, start - 2) : start]):
        return True
    if _in_word(last) and _JOINED_AFTER.match(text, end):
        return True
    if _SLASH_AFTER.match(text, end) or _SLASH_BEFORE.search(text[max(0, start - 5) : start]):
        return True
    if first.isdigit() and _DIGITS_BEFORE.search(text[max(0, start - 2) : start]):
        return True
    return last.isdigit() and (_DIGITS_AFTER.match(text, end) is not None or _TIMES.match(text, end) is not None)


def unsettled_polar(text: str, gold: str, spans: Sequence[Span]) -> bool:
    """Whether a gold yes, no, true or false is not what the answer plainly says."""
    opposite = _OPPOSITE.get(gold)
    if opposite is None:
        return False
    if re.search(rf"(?<![\w-]){opposite}(?![\w-])", text):
        return True
    return gold == "no" and all(_NOUN.match(text, end) and not _SENTENCE.match(text, end) for _, end in spans)


def midnight_after(wanted: str, text: str, end: int) -> bool:
    """Whether a date goes on with midnight: ``2021-03-04T00:00:00Z`` is that day."""
    return text[end : end + 1] == "t" and bool(_DATE.fullmatch(wanted)) and _MIDNIGHT.match(text, end) is not None


def _in_word(letter: str) -> bool:
    return letter.isalnum()
