"""Where a text is in another as whole words.

A letter or digit beside it makes it a part of a longer word, and so do:

- an accent or vowel sign after it;
- signs that words end in: ``C`` is not in ``C++``, ``C#`` or ``C++11``, nor ``A`` in ``A+`` or ``A-``; ``A`` is in
  ``A+B``;
- a letter before a text that begins with a sign: ``.NET`` is not in ``ASP.NET``; nor ``NET`` in ``.NET``;
- a hyphen between a lone letter and a word: ``C`` is not in ``Objective-C``, nor ``R`` in ``R-squared``; a letter that
  names one of a kind is a part of it, for a person to look at: ``X`` in ``X-axis``;
- ``&`` between letters: ``R`` is not in ``R&D``;
- a degree sign before a letter: ``C`` is not in ``20 °C``; an apostrophe after a lone one: ``O`` is not in ``O'Brien``;
- digits beyond a point or separator: ``3`` is not in ``3.5``, ``5`` not in ``.5`` or ``-5``, ``234`` not in ``1,234``,
  ``10`` not in ``10 000``.

Scripts that put no spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan), and Korean, which adds
endings to words, have no boundaries that could be seen: a text in one of them is found anywhere. A change of script to
or from one of them is a boundary.

Both texts are folded already.
"""

from __future__ import annotations

import re
import unicodedata

from karat.suites.answers.strict.longer_names import midnight_after

_RANGES = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff"  # Tibetan
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Burmese
    "\u1780-\u17ff\u19e0-\u19ff"  # Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Korean
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff"  # radicals, kana, bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"  # Chinese characters, half-width kana
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_UNSPACED = re.compile(f"[{_RANGES}]")
BESIDE = rf"[^\W{_RANGES}]"
"""A letter or digit that makes what it is beside a part of a longer word."""
_SIGNS_AFTER = re.compile(r"#|[+]{2}|[+](?!\w)")
_GRADE_MINUS = re.compile(r"-(?!\w)")
_KIND_AFTER = re.compile(
    r"-(?:ax[ie]s|achsen?|coordinates?|koordinaten?|chromosomes?|class|klasse|block|zone|team|group|gruppe)\b"
)
_NAME_AFTER = re.compile(r"['’](?!s(?!\w))[^\W\d_]")
_NUMBER_AFTER = re.compile(r"\.[0-9]|[,'’][0-9]{3}(?![0-9])")
_GROUPS_AFTER = re.compile(r"(?: [0-9]{3})+(?![0-9])")
_NUMBER_BEFORE = re.compile(r"(?:(?:^|[^\w])[-\u2212]|(?<![\w.])\.|[0-9]\.)$")
_GROUP_BEFORE = re.compile(r"(?<![0-9])[0-9]{1,3}(?:[,'’][0-9]{3})*[,'’]$")
_GROUP = re.compile(r"[0-9]{3}(?![0-9])")
_LONGEST_NUMBER, _LONGEST_GROUP = 40, 3


def places_of(wanted: str, text: str) -> list[tuple[int, int]]:
    """Every place where the wanted text is a word of its own."""
    if not wanted:
        return []
    found, start = [], text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if _begins(wanted, text, start) and _ends(wanted, text, end):
            found.append((start, end))
            start = text.find(wanted, end)
        else:
            start = text.find(wanted, start + 1)
    return found


def _begins(wanted: str, text: str, start: int) -> bool:
    if not start:
        return True
    first, before = wanted[0], text[start - 1]
    if _in_word(before):
        return _bounds(before, first)
    if before == "°" and first.isalpha():
        return False
    if before == "&" and start > 1 and _in_word(text[start - 2]) and _in_word(first):
        return False
    if first.isalpha() and before == ".":
        return start > 1 and not text[start - 2].isspace()
    if before == "-" and start > 1 and text[start - 2].isalpha() and _is_lone(wanted[:2]):
        return False
    if first.isdigit():
        said = text[max(0, start - _LONGEST_NUMBER) : start]
        if _NUMBER_BEFORE.search(said) or (_GROUP.match(wanted) and _GROUP_BEFORE.search(said)):
            return False
    return True


def _ends(wanted: str, text: str, end: int) -> bool:
    if end == len(text):
        return True
    last, after = wanted[-1], text[end]
    if unicodedata.category(after).startswith("M"):
        return False
    if _in_word(after):
        return _bounds(last, after) or midnight_after(wanted, text, end)
    if not _in_word(last):
        return after != last or last not in "+#"
    if _SIGNS_AFTER.match(text, end):
        return False
    if after == "-" and _is_lone(wanted[:-3:-1]):
        if _KIND_AFTER.match(text, end):
            return True
        return _GRADE_MINUS.match(text, end) is None and not text[end + 1 : end + 2].isalpha()
    if after in "'’" and _is_lone(wanted[:-3:-1]) and _NAME_AFTER.match(text, end):
        return False
    if after == "&" and end + 1 < len(text) and _in_word(text[end + 1]):
        return False
    if wanted.isdigit() and len(wanted) <= _LONGEST_GROUP and _GROUPS_AFTER.match(text, end):
        return False
    return not (last.isdigit() and _NUMBER_AFTER.match(text, end))


def _is_lone(edge: str) -> bool:
    """Whether the wanted text begins, or ends, with a letter that is a word by itself: ``edge`` is it and its
    neighbour."""
    return edge[0].isalpha() and (len(edge) == 1 or not _in_word(edge[1]))


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_" or unicodedata.category(letter).startswith("M")


def _bounds(one: str, other: str) -> bool:
    """Whether a word may end between two letters that are side by side, the one of them at the edge of the wanted
    text."""
    return _UNSPACED.match(one) is not None or _UNSPACED.match(other) is not None
