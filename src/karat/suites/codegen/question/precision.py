"""Whether a question asks for a precision of numbers: "rounded to 2 decimals", "three significant figures", "to the
nearest cent"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.suites.codegen.question.vocabulary import Vocabulary
from karat.suites.codegen.question.words import Word, find_phrases, number_of

_FORMAT = re.compile(
    r"(?<![\w.])(?:%[0-9]*\.[0-9]+[feg]|\{?:?,?\.[0-9]+[feg%]\}?|[0-9]+\s?d\.?p\.?)(?!\w)", re.IGNORECASE
)
"""A precision in the signs of a format, in any language: ``.2f``, ``{:.2f}``, ``%.1f``, ``2dp``."""
_REACH_OF_COUNT = 3
_REACH_OF_NEAREST = 2


def precision_of(question: str, words: Sequence[Word], taken: Sequence[bool], known: Vocabulary) -> tuple[str, ...]:
    """The words that ask for it; none when nothing does. A question that forbids rounding asks for one, too: for all
    digits."""
    found = [phrase for _, _, phrase in find_phrases(words, known.rounding, taken)]
    for start, end, _ in find_phrases(words, known.digits, taken):
        before = words[max(0, start - _REACH_OF_COUNT) : start]
        if any(number_of(word, known) is not None or word.lower in known.digit_counts for word in before):
            found.append(" ".join(word.text for word in (*before, *words[start:end])))
    for _, end, phrase in find_phrases(words, known.nearest, taken):
        after = words[end : end + _REACH_OF_NEAREST]
        if any(word.lower in known.nearest_units or number_of(word, known) is not None for word in after):
            found.append(" ".join((phrase, *(word.text for word in after))))
    found += [match[0] for match in _FORMAT.finditer(question)]
    return tuple(dict.fromkeys(found))
