"""Numbers that an answer may mean and that the words around digits make another one: see ``unread_numbers``."""

from __future__ import annotations

import math
import re
from itertools import pairwise

from karat.suites.answers.strict.spelled.number_words import spelled_numbers
from karat.tables.values.number_texts import bare_digits

_VALUE = r"[0-9]{1,15}(?:,[0-9]{3}){0,4}(?:\.[0-9]{1,15})?"
_PERCENT = r"%|per\s?cent\b|pct\b|prozent\b|pour cent\b|por ciento\b"
_BELOW = re.compile(
    r"(?:\b(?:down|(?:fell|fallen|dropped|declined|decreased|shrank|reduced|cut|lower|lost) by"
    r"|(?:decrease|decline|drop|fall|loss|reduction|cut|deficit) of|minus|moins|menos|meno|минус)\s+(?:about |some )?"
    r"|[▼↓▾]\s?|(?:负|負|マイナス)\s?|—)"
    rf"[$€£]?(?P<value>{_VALUE})\s?(?P<percent>{_PERCENT})?",
    re.IGNORECASE,
)
_BELOW_ZERO = re.compile(
    rf"(?P<value>{_VALUE})\s?(?:°\s?[cf]?|degrees?(?: celsius| fahrenheit)?)?\s?"
    r"(?:below zero|unter null|sous zéro|bajo cero)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"(?<![\w.,])(?P<value>{_VALUE})\s?(?:-|–|to|and|bis|à|a|y|und|et)\s?{_VALUE}\s?(?:{_PERCENT})", re.IGNORECASE
)
_PERCENT_FIRST = re.compile(rf"(?<!\w)%\s?(?P<value>{_VALUE})(?![\w.,])")
_PRODUCT = re.compile(
    rf"(?<![\w.,])(?P<value>[0-9]{{1,15}}(?:[.,][0-9]{{1,15}})?)\s?(?:[x×*·⋅]|times\b)\s?"
    rf"(?:10\s?(?:(?:\^|\*\*)\s?[({{]?|(?=[-−]))(?P<to>[-+−]?[0-9]{{1,3}})[)}}]?(?![\d,.])"
    rf"|10(?P<raised>[⁺⁻]?[⁰¹²³⁴-⁹]{{1,3}})|(?P<times>{_VALUE}))",
    re.IGNORECASE,
)
_SPACED_POWER = re.compile(
    r"(?<![\w.,])(?P<value>[0-9]{1,15}(?:\.[0-9]{1,15})?)\se(?P<to>[-+]?[0-9]{1,3})(?![\w.])", re.IGNORECASE
)
_ONE_IN = re.compile(r"\b(?:one|1) (?:in|out of) (?:every )?(?P<value>[1-9][0-9]{0,8})\b", re.IGNORECASE)
_UNDERSCORES = re.compile(r"(?<![\w.])(?P<value>[1-9][0-9]{0,2}(?:_[0-9]{3}){1,5})(?![\w.])")
_INDIAN = re.compile(r"(?<![\w.,])(?P<value>[1-9][0-9]?(?:,[0-9]{2}){1,5},[0-9]{3}\.[0-9]{1,6})(?![\w.,])")
_FISCAL = re.compile(r"\b[FCA]Y\s?'?(?P<value>20[0-9]{2}|19[0-9]{2})(?![0-9])", re.IGNORECASE)
_NONE = re.compile(
    r"\b(?:none|nil|nobody|no one|nought|naught|there (?:is|are|was|were) (?:no|not any)|there (?:are|were)n['’]t any"
    r"|keine[rs]?|aucune?|ningun[oa]s?|ningún|nessun[oa]?|nenhum[a]?|нет|ни одного)\b|没有|沒有",
    re.IGNORECASE,
)
_ONE = re.compile(r"\b(?:exactly|only|just|precisely|a single) one\b|^\W*one of\b|\ba single\b", re.IGNORECASE)
_MILLION_AND_A_HALF = re.compile(
    r"\b(?P<times>a|one|two|three|four|five|six|seven|eight|nine|ten|[0-9]{1,3}) "
    r"(?P<scale>million|billion|thousand|dozen) and a half\b",
    re.IGNORECASE,
)
_THOUSAND_MILLION = re.compile(r"\b(?:a|one) thousand million\b", re.IGNORECASE)
_POINT = re.compile(
    r"(?<![\w-])point (?P<digits>(?:(?:zero|one|two|three|four|five|six|seven|eight|nine)\b ?){1,8})", re.IGNORECASE
)
_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_COUNTS = {"a": 1} | {word: value for value, word in enumerate(_ONES)}
_SCALES = {"dozen": 12, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "+-0123456789-")
_PERCENT_AFTER = re.compile(rf"\s?(?:{_PERCENT})", re.IGNORECASE)
_LARGEST_POWER = 300
Found = tuple[float, int, int]


def in_context(text: str) -> list[Found]:
    """Value, start and end of each."""
    found = [
        (-_of(match) / (100 if match["percent"] else 1), match.start(), match.end()) for match in _BELOW.finditer(text)
    ]
    found += [(-_of(match) / 100, match.start(), match.end()) for match in _BELOW.finditer(text) if match["percent"]]
    found += [(-_of(match), match.start(), match.end()) for match in _BELOW_ZERO.finditer(text)]
    found += [(_of(match) / 100, match.start(), match.end()) for match in _RANGE.finditer(text)]
    found += [(_of(match) / 100, match.start(), match.end()) for match in _PERCENT_FIRST.finditer(text)]
    found += [(_of(match), match.start(), match.end()) for match in _UNDERSCORES.finditer(text)]
    found += [(_of(match), match.start(), match.end()) for match in _INDIAN.finditer(text)]
    found += [(_of(match), match.start(), match.end()) for match in _FISCAL.finditer(text)]
    found += [(1 / _of(match), match.start(), match.end()) for match in _ONE_IN.finditer(text)]
    return found + _products(text) + _in_words(text)


def _of(match: re.Match[str]) -> float:
    return float(bare_digits(match["value"].replace("_", "")))


def _products(text: str) -> list[Found]:
    found = []
    for match in (*_PRODUCT.finditer(text), *_SPACED_POWER.finditer(text)):
        given = match.groupdict()
        power, times = given["to"] or given.get("raised"), given.get("times")
        values = {float(match["value"].replace(",", ".")), float(bare_digits(match["value"]))}
        if times:
            found += [(value * float(bare_digits(times)), *match.span()) for value in values]
        elif power and abs(int(power.translate(_RAISED))) < _LARGEST_POWER - 15:
            found += [(value * math.pow(10, int(power.translate(_RAISED))), *match.span()) for value in values]
    return found


def _in_words(text: str) -> list[Found]:
    spelled = spelled_numbers(text)
    found = [(value / 100, start, end) for value, start, end in spelled if _PERCENT_AFTER.match(text, end)]
    found += [(-float(value), start, end) for value, start, end in spelled if text.startswith(" below zero", end)]
    for (one, start, end), (other, begin, stop) in pairwise(spelled):
        if text[end:begin] == " " and 11 <= one <= 20 and 10 <= other <= 99:
            found.append((float(one * 100 + other), start, stop))
    found += [
        ((_COUNTS.get(match["times"].lower()) or float(match["times"])) * _SCALES[match["scale"].lower()] * 1.0
         + _SCALES[match["scale"].lower()] / 2, match.start(), match.end())
        for match in _MILLION_AND_A_HALF.finditer(text)
    ]  # fmt: skip
    found += [(1e9, match.start(), match.end()) for match in _THOUSAND_MILLION.finditer(text)]
    for match in _POINT.finditer(text):
        digits = "".join(str(_COUNTS[word]) for word in match["digits"].lower().split())
        found.append((float(f"0.{digits}"), match.start(), match.end()))
    if not any(map(str.isdigit, text)):
        found += [(0.0, match.start(), match.end()) for match in _NONE.finditer(text)]
        found += [(1.0, match.start(), match.end()) for match in _ONE.finditer(text)]
    return found
