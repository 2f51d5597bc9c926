"""Texts to be found in an answer.

Gold and answer are compared in NFKC, case-folded, with white space collapsed. A text is found as whole words only (see
``words``): "UK" is not in "Ukraine", nor "C" in "C++". ``exclude`` first: an excluded text that is outside every
gold text found makes the answer wrong. A text that is only found negated ("not Paris", "Paris isn't …") needs a person,
and so does an answer that does not settle on it (see ``doubts``): one that hedges, or names several candidates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.strict.doubts import doubt, hedged
from karat.suites.answers.strict.words import places_of
from karat.tables.values.cells import folded
from karat.tables.values.unicode import plain_digits

_BEFORE = re.compile(
    r"(?:\b(?:not|no|never|neither|nor|without|except|excluding|cannot|no longer|rather than|instead of|other than"
    r"|nicht|keine?|niemals|pas|jamais|sauf|nunca|jamás|não|niet|geen|inte|ikke|nie|не|нет|кроме|ليس|ليست|לא)"
    r"|n['’]t)(?:\W+\w+){0,2}\W+$|\bnon\W$"
)
_AFTER = re.compile(
    r"^\W*(?:(?:is|are|was|were|does|do|did|has|have|had|can|could|should|would|will)\s+(?:not|never|no longer)\b"
    r"|\w+n['’]t\b|no longer\b)"
)
_UNSPACED_BEFORE = re.compile(
    r"(?:不是|并非|並非|绝非|絕非|而非|不在|没有|沒有|不包括|不含|除了|ไม่ใช่|ไม่|ບໍ່ແມ່ນ|ບໍ່|មិនមែន|មិន)[\w\s]{0,3}$"
)
_UNSPACED_AFTER = re.compile(
    r"^(?:では|じゃ|で|は)(?:ない|なく|ありません|なかった)|^以外|^(?:之外|以外)|^不是|^并不是"
    r"|^(?:이|가|은|는)?\s?(?:아니|아닙|아닌|않)"
)
"""Denials in scripts without spaces between words, and in Korean."""
_CLAUSE_END = re.compile(r"[.;!?]\s|\bbut\b|\n|[。！？；，、]")
_WINDOW = 60
WHY = {
    "hedged": "the answer says that it is not sure",
    "several_answers": "the answer names several candidates",
}
_SHOWN = 200


def string_match(pred: str, gold: str | Sequence[str], exclude: str | Sequence[str] = (), conj: str = "or") -> Verdict:
    """Whether any (``or``) or all (``and``) gold texts are in the answer, and no excluded one is."""
    text = _plain(pred)
    wanted = _texts(gold)
    found = {each: places_of(_plain(each), text) for each in wanted}
    spans = [span for places in found.values() for span in places]
    shown = pred[:_SHOWN]
    outside = {}
    for each in _texts(exclude):
        places = [place for place in places_of(_plain(each), text) if not _inside(place, spans)]
        if places:
            outside[each] = places
    affirmed = [each for each, places in outside.items() if any(not negated(text, *place) for place in places)]
    if affirmed:
        return wrong("extra_match_excluded", found=affirmed[:20], given=shown)
    there = [each for each, places in found.items() if places]
    missing = [each for each, places in found.items() if not places]
    if (not there or not wanted) if conj == "or" else bool(missing):
        return wrong("wrong_text", missing=missing[:20], given=shown)
    doubtful = [each for each in there if all(negated(text, *place) for place in found[each])]
    settled = len(doubtful) < len(there) if conj == "or" else not doubtful
    if not settled or outside:
        return Verdict("needs_review", "negated", {"negated": (doubtful or list(outside))[:20], "given": shown})
    if conj == "or":
        why = doubt(text, spans)
    else:
        why = "hedged" if hedged(text, spans) else ""
    if why:
        return Verdict("needs_review", why, {"why": WHY[why], "found": there[:20], "given": shown})
    return right(found=[each for each in there if each not in doubtful][:20])


def negated(text: str, start: int, end: int) -> bool:
    """Whether the words next to a place in the text deny it, within its clause and three words."""
    before = _CLAUSE_END.split(text[max(0, start - _WINDOW) : start])[-1]
    after = _CLAUSE_END.split(text[end : end + _WINDOW])[0]
    said_before = before.split(",")[-1]
    if _BEFORE.search(said_before) is not None or _AFTER.search(after) is not None:
        return True
    return _UNSPACED_BEFORE.search(said_before) is not None or _UNSPACED_AFTER.search(after) is not None


def _plain(text: str) -> str:
    """The text folded, with plain quotes and hyphens: writers and models choose among several."""
    return plain_digits(folded(text)).translate(_QUOTES_AND_HYPHENS)


_QUOTES_AND_HYPHENS = str.maketrans("\u2018\u2019\u02bc\u201c\u201d\u2010\u2011\u2012\u2013", "'''\"\"----")


def _texts(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else [str(each) for each in given]


def _inside(place: tuple[int, int], spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place[0] and place[1] <= end and (start, end) != place for start, end in spans)
