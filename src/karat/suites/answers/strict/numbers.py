"""Numbers to be found in an answer.

The gold number must be there, by the rule for two numbers (:mod:`karat.tables.values.numbers`), or within the precision
that gold sets. Shares count in both directions, 0.125 and 12.5, only where gold says ``percentage`` or a percent sign
stands by one of the two. A number up to 1 without a sign is a share: gold 0.4335 is 43.35%, never 0.4335%. A larger one
may be meant in percent.

Gold is one number (or several ways to give it): another number in the answer may be the one it really states. The
answer is right when the gold number is the only one, years aside; or when words that state it ("is", "=", ":") stand
before the gold number and before no other, and no other is given as a total. A sign states only within its sentence:
"limit: 62", with another number in a sentence after it, labels one of many figures unless the label is "answer" or the
like. Otherwise a person must look: never a silent pass. With ``and`` every gold number must be there, and others may
be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from karat.suites.answers.evidence import clipped
from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.strict.found_numbers import (
    Number,
    Tolerance,
    Value,
    agrees,
    find_numbers,
    otherwise,
)
from karat.suites.answers.strict.settling import mentions
from karat.suites.answers.strict.settling.bounds import is_bound
from karat.suites.answers.strict.settling.differences import is_difference
from karat.suites.answers.strict.settling.doubts import alternatives, asked, hedged, taken_back, until_settled
from karat.suites.answers.strict.settling.labelled import labels_another
from karat.suites.answers.strict.settling.mentions import addresses_scorer, mention
from karat.suites.answers.strict.settling.messages import is_message
from karat.suites.answers.strict.settling.operands import is_operand, is_spread
from karat.suites.answers.strict.settling.ratios import is_ratio
from karat.suites.answers.strict.spelled.number_words import spelled_numbers
from karat.suites.answers.strict.strings import negated, passed_over
from karat.suites.answers.strict.units import Counted
from karat.tables.options import CompareOptions
from karat.tables.values.numbers import may_be_percent
from karat.tables.values.unicode import visible

_STATED = re.compile(
    (
        r"(?:\b(?:is|are|was|were|equals?|answer|result)|[=:≈])"
        r"\s*(?:exactly|about|approximately|around|roughly|only|just|a|the)?\s*[*_`\"'(]*$"
    ),
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[=:≈]\s*[*_`\"'(]*$")
_ANSWERS = re.compile(
    r"\b(?:answer|result|total|sum|count|number|antwort|ergebnis|réponse|résultat|respuesta|resultado|risposta)\W*$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?]\s|\n")
_TOTAL = re.compile(r"[^\S\n]*(?:\w+[^\S\n]+)?(?:overall|altogether|combined|in (?:total|all|sum))\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_EXACT = Tolerance(CompareOptions(rel_tol=1e-12, abs_tol=0.0, rounding=False))
"""An excluded number is meant exactly: it may be as near to gold as a zip code to the next."""
_SHOWN = 200
_CONFIDENCE = re.compile(r"\b(?:confidence|certainty)(?: (?:score|level))?\W{0,6}(?:is )?$", re.IGNORECASE)
_REASONS = {
    "ratio": "two_readings",
    "message": "hedged",
    "bound": "hedged",
    "asked": "several_answers",
    "taken_back": "several_answers",
    "labelled": "several_answers",
    "difference": "two_readings",
    **mentions.REASONS,
}
_WHY = {
    "negated": "the gold number is only there negated",
    "several_answers": "other numbers may be the answer",
    "hedged": "the answer says that it is not sure",
    "bound": "the answer gives the number only as a bound",
    "ratio": "the number says how many times as large something is",
    "message": "the number is only there in an error message, or in the message of an empty result",
    "asked": "the answer repeats the number only in a question",
    "taken_back": "the answer corrects itself after the number",
    "two_readings": "the number can be read in two ways, or is part of a range or calculation",
    "labelled": "the answer labels something else as its answer",
    "difference": "the number says how much something changed, or what it was before",
    **mentions.WHY,
}


class UnreadableNumber(ValueError):
    """Gold is not a number."""


def number_match(
    pred: str,
    gold: str | float | Sequence[str | float],
    percentage: bool = False,
    precision: int | None = None,
    conj: str = "or",
    *,
    exclude: Sequence[str | float] = (),
    tolerance: Tolerance | None = None,
) -> Verdict:
    """Whether any (``or``) or all (``and``) gold numbers are in the answer. An unreadable gold number gives
    ``gold_error``."""
    tolerance = tolerance or Tolerance()
    if precision is not None:
        tolerance = Tolerance(tolerance.options, int(precision))
    golds = list(gold) if isinstance(gold, Sequence) and not isinstance(gold, str) else [gold]
    try:
        wanted = [_readings(each, percentage) for each in golds]
        unwanted = [_readings(each, False) for each in exclude]
    except UnreadableNumber as error:
        return Verdict("gold_error", "gold_error", {"problem": str(error)})
    if not wanted:
        return Verdict("gold_error", "gold_error", {"problem": "gold does not contain a number"})
    pred = visible(pred)
    numbers = find_numbers(pred)
    for each, readings in zip(exclude, unwanted, strict=True):
        if any(_why(number, readings, _EXACT) is not None for number in numbers):
            return wrong("extra_match_excluded", found=[str(each)], given=clipped(pred, _SHOWN))
    hits = [[number for number in numbers if _why(number, readings, tolerance) is not None] for readings in wanted]
    missing = [str(each) for each, found in zip(golds, hits, strict=True) if not found]
    if missing and (unclear := _readable_otherwise(pred, numbers, wanted, tolerance)):
        return _review(pred, "two_readings", unclear)
    if len(missing) == len(golds) or (conj == "and" and missing):
        return _missed(pred, numbers, missing, wanted)
    names = _names(hits, wanted, tolerance)
    lower = _lower(pred)
    for why, is_chance in (("ratio", _is_ratio), ("message", _is_message)):
        if why == "ratio" and any(readings.ratio for readings in wanted):
            continue
        each_hit = hits if conj == "and" else [[number for found in hits for number in found]]
        for found in each_hit:
            if found and all(is_chance(lower, number) for number in found):
                return _review(pred, why, found)
    if conj == "and" and len(golds) > 1:
        return _all(pred, lower, hits, names)
    return _single(pred, lower, numbers, [number for found in hits for number in found], names)


def _all(pred: str, lower: str, hits: Sequence[Sequence[Number]], names: tuple[str, ...]) -> Verdict:
    """Every gold number is there; whether the answer commits to each."""
    for found in hits:
        spans = [(number.start, number.end) for number in found]
        doubts = until_settled(_doubt_at(lower, number) for number in found)
        if all(doubts):
            return _review(pred, doubts[0], found)
        if taken_back(lower, spans):
            return _review(pred, "taken_back", found)
    every = [number for found in hits for number in found]
    if alternatives(lower, [(number.start, number.end) for number in every]):
        return _review(pred, "several_answers", every)
    uncommitted = _uncommitted(pred, lower, every)
    if uncommitted is not None:
        return uncommitted
    return right(normalised=names, found=[found[0].text for found in hits][:20])


def _single(
    pred: str, lower: str, numbers: Sequence[Number], hits: Sequence[Number], names: tuple[str, ...]
) -> Verdict:
    doubts = until_settled(_doubt_at(lower, number) for number in hits)
    if all(doubts):
        return _review(pred, next((why for why in doubts if why != "negated"), "negated"), hits)
    if taken_back(lower, [(number.start, number.end) for number in hits]):
        return _review(pred, "taken_back", hits)
    places = {number.start for number in hits}
    of_years = all(_YEAR.fullmatch(number.text) for number in hits)
    rivals = [
        number
        for number in numbers
        if number.start not in places
        and (of_years or not _YEAR.fullmatch(number.text))
        and not _CONFIDENCE.search(pred[max(0, number.start - 40) : number.start])
        and not is_spread(lower, number.start)
    ] + _rivals_in_words(pred, numbers, hits)
    if rivals:
        stated = any(
            _is_stated(pred, number)
            and not _is_one_of_many(pred, number, rivals)
            and not _is_aside(pred, number, rivals)
            for number in hits
        )
        if not stated or any(_is_stated(pred, number) or _is_total(pred, number) for number in rivals):
            return _review(pred, "several_answers", rivals)
    uncommitted = _uncommitted(pred, lower, hits)
    return right(normalised=names, found=[hits[0].text]) if uncommitted is None else uncommitted


def _uncommitted(pred: str, lower: str, hits: Sequence[Number]) -> Verdict | None:
    """Why the whole answer does not commit to numbers that it has; None where it does."""
    spans = [(number.start, number.end) for number in hits]
    if hedged(lower, spans):
        return _review(pred, "hedged", hits)
    if addresses_scorer(lower):
        return _review(pred, "grader", hits)
    return _review(pred, "labelled", hits) if labels_another(lower, spans) else None


def _doubt_at(lower: str, number: Number) -> str:
    """Why a number is not what the answer says at its place; empty where it may be."""
    start, end = number.start, number.end
    if negated(lower, start, end) or passed_over(lower, start, end):
        return "negated"
    if is_bound(lower, start, end):
        return "bound"
    if number.doubtful or is_operand(lower, start, end):
        return "two_readings"
    if is_difference(lower, start, end):
        return "difference"
    if asked(lower, [(start, end)]):
        return "asked"
    return mention(lower, start, end)


def is_one_number(gold: str | float, percentage: bool = False) -> bool:
    """Whether a gold number can be used: a number, or a text that is one."""
    try:
        _readings(gold, percentage)
    except UnreadableNumber:
        return False
    return True


class _Readings(msgspec.Struct, frozen=True):
    """The values that count as one gold number: without a percent sign, and with one; and what it counts."""

    plain: tuple[Value, ...]
    signed: tuple[Value, ...]
    counted: Counted = Counted()
    ratio: bool = False
    """Whether gold is written as a factor: ``3x``."""


def _readings(gold: str | float, percentage: bool) -> _Readings:
    written = repr(gold) if isinstance(gold, float) else str(gold)
    numbers = find_numbers(written) if any(map(str.isdigit, written)) else []
    if len(numbers) != 1 or isinstance(gold, bool):
        raise UnreadableNumber(f"gold is {gold!r}, and should be one number")
    number = numbers[0]
    ratio = is_ratio(written.lower(), number.start, number.end)
    value = Value(number.number, number.decimals, number.whole).times(number.factors[0])
    above_one = may_be_percent(int(abs(value.number) > 1), int(0 < abs(value.number) <= 1))
    if number.percent:
        in_percent = (value,) if percentage or above_one else ()
        return _Readings((value.hundredth(), *in_percent), (value.in_percent(),), ratio=ratio)
    plain = [value]
    if percentage:
        plain += [value.hundredfold(), *([value.hundredth()] if above_one else [])]
    signed = (value.hundredfold().in_percent(), *([value] if above_one else []))
    return _Readings(tuple(plain), signed, number.counted, ratio)


def _why(number: Number, readings: _Readings, tolerance: Tolerance) -> str | None:
    if number.counted.other_than(readings.counted) or (number.percent and readings.counted.said):
        return None
    values = readings.signed if number.percent else readings.plain
    reasons = [agrees(number, value, tolerance) for value in values]
    return min((why for why in reasons if why is not None), key=("", "tolerance", "rounding").index, default=None)


def _readable_otherwise(
    pred: str, numbers: Sequence[Number], wanted: Sequence[_Readings], tolerance: Tolerance
) -> list[Number]:
    """The numbers that are gold only in another reading: ``12 480`` as 12 and 480, ``(5.2)`` with the other sign,
    ``0,5`` as one half."""

    def is_gold(number: Number) -> bool:
        return any(_why(number, readings, tolerance) is not None for readings in wanted)

    found = [number for number in numbers if any(map(is_gold, number.others)) or _of_part(number, wanted, tolerance)]
    return found or [number for number in otherwise(pred) if is_gold(number)]


def _of_part(number: Number, wanted: Sequence[_Readings], tolerance: Tolerance) -> bool:
    """Whether it is a gold number whose unit is a part of its own, or the other way round: ``5 km`` and ``5 km²``."""
    bare = msgspec.structs.replace(number, counted=Counted())
    return any(
        number.counted.part_of(readings.counted) and _why(bare, readings, tolerance) is not None for readings in wanted
    )


def _names(hits: Sequence[Sequence[Number]], wanted: Sequence[_Readings], tolerance: Tolerance) -> tuple[str, ...]:
    found = set()
    for numbers, readings in zip(hits, wanted, strict=True):
        reasons = [_why(number, readings, tolerance) or "" for number in numbers]
        found.add(min(reasons, key=("", "tolerance", "rounding").index, default=""))
    return tuple(sorted(found - {""}))


def _missed(pred: str, numbers: Sequence[Number], missing: list[str], wanted: Sequence[_Readings]) -> Verdict:
    """Wrong, and whether it is only a factor of 100 away."""
    value = wanted[0].plain[0]
    away = {False: (value.hundredfold(), value.hundredth()), True: (value, value.hundredfold().hundredfold())}
    scaled = [
        number
        for number in numbers
        for other in away[number.percent]
        if value.number and agrees(number, other, Tolerance()) in ("", "tolerance")
    ]
    reason = "scale_100" if scaled and len(wanted) == 1 else "wrong_number"
    return wrong(
        reason, missing=missing[:20], found=[number.text for number in numbers][:20], given=clipped(pred, _SHOWN)
    )


def _review(pred: str, reason: str, numbers: Sequence[Number]) -> Verdict:
    evidence = {
        "why": _WHY[reason],
        "numbers": [number.text for number in numbers][:20],
        "given": clipped(pred, _SHOWN),
    }
    return Verdict("needs_review", _REASONS.get(reason, reason), evidence)


def _lower(pred: str) -> str:
    """In small letters, with every letter in its place."""
    folded = pred.casefold()
    return folded if len(folded) == len(pred) else "".join(map(_small, pred))


def _small(letter: str) -> str:
    small = letter.casefold()
    return small if len(small) == 1 else letter


def _is_ratio(lower: str, number: Number) -> bool:
    return is_ratio(lower, number.start, number.end)


def _is_message(lower: str, number: Number) -> bool:
    return is_message(lower, number.start, number.end)


def _is_stated(pred: str, number: Number) -> bool:
    return _STATED.search(pred[max(0, number.start - 40) : number.start]) is not None


def _is_one_of_many(pred: str, number: Number, rivals: Sequence[Number]) -> bool:
    """Whether only a label stands before a number, and a sentence with another number follows."""
    before = pred[max(0, number.start - 40) : number.start]
    sign = _LABELLED.search(before)
    if sign is None or _ANSWERS.search(before[: sign.start()]):
        return False
    ends = _SENTENCE_END.search(pred, number.end)
    return ends is not None and any(rival.start >= ends.end() for rival in rivals)


def _is_aside(pred: str, number: Number, rivals: Sequence[Number]) -> bool:
    """Whether it is in brackets after another number: ``7 (2023: 5)``."""
    opened = pred.rfind("(", 0, number.start)
    return opened > pred.rfind(")", 0, number.start) and any(rival.start < opened for rival in rivals)


def _rivals_in_words(pred: str, numbers: Sequence[Number], hits: Sequence[Number]) -> list[Number]:
    """The English number words beside digits that are another number: ``six (5)``."""
    digits = any(any(map(str.isdigit, number.text)) for number in numbers)
    values = {number.whole for number in hits}
    return [
        Number(float(value), 0, value, start, end, pred[start:end])
        for value, start, end in (spelled_numbers(pred) if digits else ())
        if value not in values and value != 1
    ]


def _is_total(pred: str, number: Number) -> bool:
    """``12 in Q1, 15 in Q2 and 27 overall`` does not say which of them it answers with."""
    return _TOTAL.match(pred, number.end, number.end + 60) is not None
