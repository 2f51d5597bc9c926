"""Texts to be found in an answer.

Gold and answer are compared in NFKC, case-folded, with white space collapsed. A text is found as whole words only (see
``words``): "UK" is not in "Ukraine", nor "C" in "C++". ``exclude`` first: an excluded text that is outside every
gold text found makes the answer wrong. A text that is only found negated ("not Paris", "Paris isn't …"), or only for
comparison ("larger than Paris"), needs a person, and so does an answer that does not settle on it (see ``doubts``):
one that hedges, or names several candidates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.suites.answers.evidence import clipped
from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.strict.longer_names import is_part, unsettled_polar
from karat.suites.answers.strict.same_number import has_same_number
from karat.suites.answers.strict.settling import mentions
from karat.suites.answers.strict.settling.bounds import is_bound
from karat.suites.answers.strict.settling.differences import is_difference
from karat.suites.answers.strict.settling.doubts import (
    alternatives,
    asked,
    covering,
    doubt,
    hedged,
    taken_back,
    until_settled,
)
from karat.suites.answers.strict.settling.labelled import labels_another
from karat.suites.answers.strict.settling.mentions import addresses_scorer, mention
from karat.suites.answers.strict.settling.messages import is_error, is_message
from karat.suites.answers.strict.settling.operands import is_operand
from karat.suites.answers.strict.settling.ratios import is_ratio
from karat.suites.answers.strict.words import places_of
from karat.tables.values.cells import folded
from karat.tables.values.unicode import plain_digits

_BEFORE = re.compile(
    r"(?:\b(?:not|no|none of|never|neither|nor|without|except|excluding|cannot|no longer|rather than|instead of"
    r"|other than|besides|hardly|barely|unlikely|apart from|aside from|far from"
    r"|nicht|keine?|niemals|ohne|(?:an)?statt|anstelle von|ausser|pas|jamais|sauf|au lieu de|plutôt que|nunca|jamás"
    r"|excepto|en (?:lugar|vez) de|não|niet|geen|inte|ikke|nie|не|нет|кроме|ليس|ليست|לא)"
    r"|n['’]t)(?:\W+\w+){0,2}\W+$|\bnon\W$"
)
_AFTER = re.compile(
    r"^\W*(?:(?:is|are|was|were|does|do|did|has|have|had|can|could|should|would|will)\s+(?:not|never|no longer)\b"
    r"|\w+n['’]t\b|no longer\b|cannot\b|(?:ist|war|sind|waren|wird)(?:\s+\w+){0,2}\s+(?:nicht|keine?)\b"
    r"|n['’]est pas\b|no es\b|não é\b|non è\b|не\b"
    r"|(?:(?:is|are|was|were|be|been|seems?|looks?)\s+)+(?:\w+\s+)?"
    r"(?:wrong|incorrect|false|untrue|unlikely|impossible|excluded|eliminated|disqualified|ruled out"
    r"|out of the question)\b)"
)
_COMPARED = re.compile(
    r"\b(?:than|compared (?:to|with)|versus|vs\.?|ahead of|in front of|followed by|beats?|beating|defeat(?:s|ed)"
    r"|overt(?:ook|akes?|aken|aking)|surpass(?:es|ed|ing)?|outperform(?:s|ed|ing)?|outrank(?:s|ed|ing)?|lost to"
    r"|second to|not far from|edg(?:es|ed|ing) out|in place of|since|because"
    r"|given that|now that|considering(?: that)?)(?:\W+\w+)?\W+$"
)
_STATED_AFTER = re.compile(
    r"\W(?!(?:true|correct|right|the case|sure|certain|clear|of|than)\b)\w+(?:\s+(?:is|are|was|were)|:)\W+$"
)
"""A word after the denial and then what states: "the city that never sleeps is Paris"."""
_FOIL = re.compile(
    r"\b(?:unlike|contrary to|as opposed to|in contrast (?:to|with)|former(?:ly)?(?: known as| called)?"
    r"|not to be confused with|previously|replac(?:ed|es|ing)|used to be|im gegensatz zu"
    r"|contrairement (?:à|aux?)|a diferencia de)(?:\W+\w+)?\W+$"
    r"|\b(?:(?:i|we)(?: \w+)? (?:thought|assumed)|initially thought"
    r"|(?:everyone|everybody|many|most|people|some)(?: people)? (?:thinks?|thought|believed?|assumed?))"
    r"(?:\W+\w+){0,3}\W+$"
)
_LEFT_BEHIND = re.compile(
    r"^[\W_]*(?:loses? to|lost to|trails|trailing|lags? behind|(?:was|is) (?:beaten|overtaken|outranked)"
    r"|used to (?:be|have)|has been (?:renamed|replaced|superseded)"
    r"|[^.;!?\n]{0,40}\b(?:until\b[^.;!?\n]{0,30}\bnow\b|now (?:called|known|named)))"
    r"|^[\"'’*_`)]*\s?(?:→|⇒|->|=>|>>|<<|(?<=\s)[<>](?=\s)|\bvs\b\.?|\bversus\b)\s?[\"'‘*_`(]*[^\W\d_]"
)
"""What follows a text that something else is set above, or came after."""
_ORDERED_BEFORE = re.compile(r"[^\W\d_][\"'’*_`)]*\s?(?:>>|(?<=\s)[<>](?=\s))\s?[\"'‘*_`(]*$")
_ALL_BUT = re.compile(r"\b(?:all|any|every)\w*(?:\W+\w+){0,3}\W+but(?:\W+(?:for|the|an?))?\W+$")
_STRUCK_BEFORE, _STRUCK_AFTER = re.compile(r"~~[^~\n]*$"), re.compile(r"^[^~\n]*~~")
_UNSPACED_BEFORE = re.compile(
    r"(?:不是|并非|並非|绝非|絕非|而非|不在|没有|沒有|不包括|不含|除了|ไม่ใช่|ไม่|ບໍ່ແມ່ນ|ບໍ່|មិនមែន|មិន)[\w\s]{0,3}$"
)
_UNSPACED_AFTER = re.compile(
    r"^(?:では|じゃ|で|は)(?:ない|なく|ありません|なかった)|^以外|^(?:之外|以外)|^不是|^并不是"
    r"|^(?:이|가|은|는)?\s?(?:아니|아닙|아닌|않)"
)
"""Denials in scripts without spaces between words, and in Korean."""
_CLAUSE_END = re.compile(r"[.;!?]\s|\bbut\b|(?<!:)\n|[。！？；，、]")
_WINDOW = 60
WHY = {
    "hedged": "the answer says that it is not sure",
    "asked": "the answer repeats gold only in a question",
    "taken_back": "the answer corrects itself after gold",
    "partial": "gold is only there as part of a longer name, number or date",
    "ratio": "gold is only there as a number that says how many times as large something is",
    "message": "gold is only there in an error message, or in the message of an empty result",
    "written": "gold is there as a number that is written in another way",
    "polar": "the answer also says the opposite, or uses the word otherwise",
    "several_answers": "the answer names several candidates",
    "labelled": "the answer labels something else as its answer",
    "bound": "gold is only there as a bound",
    "operand": "gold is only there as part of a range or calculation, or with the other sign",
    "difference": "gold is only there as a change, or as what was before",
    **mentions.WHY,
}
_REASONS = (
    dict.fromkeys(("partial", "ratio", "written", "operand", "difference"), "two_readings")
    | {"message": "hedged", "bound": "hedged"}
    | dict.fromkeys(("asked", "taken_back", "polar", "labelled"), "several_answers")
    | mentions.REASONS
)
_SHOWN = 200


def string_match(pred: str, gold: str | Sequence[str], exclude: str | Sequence[str] = (), conj: str = "or") -> Verdict:
    """Whether any (``or``) or all (``and``) gold texts are in the answer, and no excluded one is."""
    lines = [line for line in map(_plain, pred.splitlines()) if line]
    text, lined = " ".join(lines), "\n".join(lines)
    wanted = _texts(gold)
    found = {each: places_of(_plain(each), text) for each in wanted}
    spans = [span for places in found.values() for span in places]
    shown = clipped(pred, _SHOWN)
    outside = {}
    inside = covering(spans)
    for each in _texts(exclude):
        places = [
            (start, end)
            for start, end in places_of(_plain(each), text)
            if not (inside((start - 1, end)) or inside((start, end + 1)))
        ]
        if places:
            outside[each] = places
    affirmed = [each for each, places in outside.items() if any(not negated(lined, *place) for place in places)]
    if affirmed:
        return wrong("extra_match_excluded", found=affirmed[:20], given=shown)
    there = [each for each, places in found.items() if places]
    missing = [each for each, places in found.items() if not places]
    if (not there or not wanted) if conj == "or" else bool(missing):
        written = [each for each in missing if has_same_number(each, pred)]
        if written and (conj == "or" or len(written) == len(missing)):
            evidence = {"why": WHY["written"], "found": written[:20], "given": shown}
            return Verdict("needs_review", _REASONS["written"], evidence)
        return wrong("wrong_text", missing=missing[:20], given=shown)
    doubts = {each: until_settled(_doubt_at(lined, place, conj) for place in found[each]) for each in there}
    doubtful = [each for each in there if all(doubts[each])]
    settled = len(doubtful) < len(there) if conj == "or" else not doubtful
    only_denied = all(why == "negated" for each in doubtful for why in doubts[each])
    if outside or (not settled and only_denied):
        return Verdict("needs_review", "negated", {"negated": (doubtful or list(outside))[:20], "given": shown})
    if conj == "or":
        why = doubt(lined, spans)
    else:
        why = "hedged" if hedged(lined, spans) else "several_answers" if alternatives(lined, spans) else ""
        why = why or next(("taken_back" for each in there if taken_back(lined, found[each])), "")
    if not why and not settled:
        why = next(why for each in doubtful for why in doubts[each] if why != "negated")
    if not why and (addresses_scorer(text) and not any(map(addresses_scorer, map(_plain, wanted)))):
        why = "grader"
    if not why and labels_another(lined, spans):
        why = "labelled"
    if not why and any(unsettled_polar(text, _plain(each), found[each]) for each in there):
        why = "polar"
    if why == "negated":
        return Verdict("needs_review", "negated", {"negated": doubtful[:20], "given": shown})
    if why:
        return Verdict("needs_review", _REASONS.get(why, why), {"why": WHY[why], "found": there[:20], "given": shown})
    return right(found=[each for each in there if each not in doubtful][:20])


def negated(text: str, start: int, end: int) -> bool:
    """Whether the words next to a place in the text deny it, within its clause and three words."""
    near = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    if _ALL_BUT.search(near[0]) or (_STRUCK_BEFORE.search(near[0]) and _STRUCK_AFTER.match(near[1])):
        return True
    before, after = _CLAUSE_END.split(near[0])[-1], _CLAUSE_END.split(near[1])[0]
    said_before = before.split(",")[-1]
    denied = _BEFORE.search(said_before)
    if (denied is not None and not _STATED_AFTER.search(denied[0])) or _AFTER.search(after) is not None:
        return True
    return _UNSPACED_BEFORE.search(said_before) is not None or _UNSPACED_AFTER.search(after) is not None


def _doubt_at(text: str, place: tuple[int, int], conj: str) -> str:
    """Why gold is not what the answer says at a place; empty where it may be."""
    start, end = place
    digits = _is_digits(text[start:end])
    if digits and is_message(text, start, end):
        return "message"
    if negated(text, start, end) or passed_over(text, start, end, compared=conj == "or"):
        return "negated"
    if why := mention(text, start, end):
        return why
    if asked(text, [place]):
        return "asked"
    if digits and is_ratio(text, start, end):
        return "ratio"
    for name, doubted in _OF_NUMBERS if _NUMBER.fullmatch(text, start, end) else ():
        if doubted(text, start, end):
            return name
    if not digits and is_error(text, start):
        return "message"
    return "partial" if is_part(text, start, end) else ""


_NUMBER = re.compile(r"[$€£]?[0-9][0-9.,]*%?")
_OF_NUMBERS = (("bound", is_bound), ("operand", is_operand), ("difference", is_difference))


def passed_over(text: str, start: int, end: int, *, compared: bool = False) -> bool:
    """Whether it is only there to set the answer against it: "Unlike Paris, Lyon grew". Where all gold texts are wanted
    they may be compared with each other."""
    said = _CLAUSE_END.split(text[max(0, start - _WINDOW) : start])[-1].split(",")[-1]
    if compared and (_LEFT_BEHIND.search(text[end : end + _WINDOW]) or _ORDERED_BEFORE.search(said)):
        return True
    return _FOIL.search(said) is not None or (compared and _COMPARED.search(said) is not None)


def _is_digits(text: str) -> bool:
    return text[:1].isdigit() and text[-1].isdigit()


def _plain(text: str) -> str:
    """The text folded, with plain quotes, hyphens and sharps: writers and models choose among several."""
    return plain_digits(folded(_RAISED.sub(_power, text))).translate(_QUOTES_AND_HYPHENS)


_RAISED = re.compile("(?<=[^\\W_])[⁰¹²³⁴-⁹]+")


def _power(raised: re.Match[str]) -> str:
    """Raised digits after a digit are a power, after a longer word the mark of a footnote; after a short one they are
    part of a unit: km²."""
    word = raised.string[max(0, raised.start() - _LONGEST_UNIT - 1) : raised.start()]
    if word[-1].isdigit():
        return f"^{raised[0]}"
    return "" if len(word) > _LONGEST_UNIT and word.isalpha() else raised[0]


_LONGEST_UNIT = 3


_QUOTES_AND_HYPHENS = str.maketrans("\u2018\u2019\u02bc\u201c\u201d\u2010\u2011\u2012\u2013\u266f", "'''\"\"----#")


def _texts(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else [str(each) for each in given]
