"""From values to texts and back, and pieces of texts. An empty text stays empty; NA stays NA."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from decimal import Decimal

from karat.sheet.functions.definition import Example, Function, Parameter
from karat.sheet.functions.text import split
from karat.sheet.scalars import Date, number_text, read_number, serial
from karat.sheet.values import LONGEST_TEXT, NA, Value, Wrong, number, text, whole

_TEXT = Parameter("text", "any text")
_MARK = Parameter("mark", "the text to look for")
_WHICH = Parameter("which", "1 (if left out) for the first mark, 2 for the second, -1 for the last", optional=True)
DIGITS = 10
LARGEST_PLAIN = 1e15
_SHORT = {"K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_DAY = re.compile(
    r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})(?:\s+(0?[1-9]|1[0-2]):([0-5][0-9]):([0-5][0-9])\s*(AM|PM))?", re.IGNORECASE
)
_GROUPED = re.compile(r"[-+]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")


def as_text(value: Value) -> str:
    """A value as TEXT gives it: a number with ten digits that count."""
    if not isinstance(value, int | float) or isinstance(value, bool | Date):
        return text(value, "TEXT")
    if isinstance(value, float) and not value.is_integer():
        digits, exponent = f"{value:.{DIGITS - 1}e}".split("e")
        short = f"{digits.rstrip('0').rstrip('.')}E{int(exponent)}"
        # With an exponent where more zeros than digits would follow the point.
        zeros_outweigh = -int(exponent) > max(5, sum(map(str.isdigit, short.partition("E")[0])))
        return short if zeros_outweigh or abs(value) >= LARGEST_PLAIN else f"{Decimal(short):f}"
    return number_text(value)


def _value(written: Value) -> Value:
    if not isinstance(written, str):
        return written if isinstance(written, Date) else number(written, "VALUE")
    word = written.strip()
    if not word:
        return ""
    if word.upper() in ("TRUE", "FALSE"):
        return word.upper() == "TRUE"
    found = _DAY.fullmatch(word)
    if found:
        try:
            day = datetime(int(found[3]), int(found[1]), int(found[2]))
            return serial(day if found[4] is None else day + _time_of_day(found))
        except ValueError:
            return NA
    scale = _SHORT.get(word[-1].upper(), 1) if len(word) > 1 else 1
    digits = word[:-1] if scale != 1 else word
    plain = digits.replace(",", "") if _GROUPED.fullmatch(digits.strip()) else digits
    found_number = read_number(plain)
    if found_number is None or scale == 1:
        return NA if found_number is None else found_number
    scaled = float(Decimal(plain.strip()) * scale)  # 1.005M is 1005000, and 1.005 * 1e6 is not
    return scaled if math.isfinite(scaled) else NA


def _time_of_day(found: re.Match[str]) -> timedelta:
    """What passed since midnight at ``05:07:09 PM``: 12 AM is midnight, 12 PM noon."""
    hour = int(found[4]) % 12 + (12 if found[7].upper() == "PM" else 0)
    return timedelta(hours=hour, minutes=int(found[5]), seconds=int(found[6]))


def _concat(*parts: Value) -> str:
    joined = "".join(text(part, "CONCAT") for part in parts)
    if len(joined) > LONGEST_TEXT:
        raise Wrong(f"the text would be longer than {LONGEST_TEXT:,} characters")
    return joined


def _mid(value: Value, start: Value, count: Value) -> Value:
    first, length = whole(start, "MID"), whole(count, "MID")
    return text(value, "MID")[first - 1 : first - 1 + length] if first >= 1 and length >= 0 else NA


def _substitute(value: Value, old: Value, new: Value) -> str:
    whole_text, before, after = (text(part, "SUBSTITUTE") for part in (value, old, new))
    if before and len(whole_text) + whole_text.count(before) * len(after) > LONGEST_TEXT:
        raise Wrong(f"the text would be longer than {LONGEST_TEXT:,} characters")
    return whole_text.replace(before, after) if before else whole_text


def _unichar(value: Value) -> Value:
    found = whole(value, "UNICHAR")
    return chr(found) if 0 < found <= 0x10FFFF and not 0xD800 <= found <= 0xDFFF else NA


def _strip(value: Value, part: Value = " ", *, start: bool = True, end: bool = True) -> str:
    """The text without the part at its ends, however often it is there."""
    found, off = text(value, "STRIP"), text(part, "STRIP")
    while start and off and found.startswith(off):
        found = found[len(off) :]
    while end and off and found.endswith(off):
        found = found[: len(found) - len(off)]
    return found


def _before(value: Value, mark: Value, which: Value = 1) -> Value:
    place = _place(value, mark, which, "TEXTBEFORE")
    return NA if place is None else text(value, "TEXTBEFORE")[: place[0]]


def _after(value: Value, mark: Value, which: Value = 1) -> Value:
    place = _place(value, mark, which, "TEXTAFTER")
    return NA if place is None else text(value, "TEXTAFTER")[place[1] :]


def _place(value: Value, mark: Value, which: Value, name: str) -> tuple[int, int] | None:
    """Where the mark with this number begins and ends, from the end if it is negative; an empty mark is found at the
    beginning, from the end at the end."""
    looked_in, wanted, number_of = text(value, name), text(mark, name), whole(which, name)
    if number_of == 0:
        return None
    if not wanted:
        at = 0 if number_of > 0 else len(looked_in)
        return (at, at) if abs(number_of) == 1 else None
    found = [one.start() for one in re.finditer(re.escape(wanted), looked_in)]
    if abs(number_of) > len(found):
        return None
    start = found[number_of - 1 if number_of > 0 else number_of]
    return start, start + len(wanted)


def _concatenation(name: str, summary: str) -> Function:
    form = (Parameter("part", "a text, number or date", repeated=True),)
    return Function(name, "text", (form,), summary, Example(f'{name}("a", 1)', "a1"), _concat)


CONVERSIONS = (
    Function(
        "TEXT",
        "text",
        ((Parameter("value", "a number, a date or a text"),),),
        "The value as a text: ten digits that count (all of a whole number), TRUE or FALSE, a date as month/day/year "
        "with the time, such as 05:07:09 PM, where it has one.",
        Example("TEXT(1 / 3)", "0.3333333333"),
        as_text,
    ),
    Function(
        "VALUE",
        "text",
        ((_TEXT,),),
        'The number or date that a text says: 12, 1,234.5, 10.2B, TRUE, 8/26/2024; else NA. "" stays empty.',
        Example('VALUE("1,234.5")', 1234.5),
        _value,
    ),
    _concatenation("CONCAT", "The parts as one text."),
    _concatenation("CONCATENATE", "The same as CONCAT."),
    Function(
        "MID",
        "text",
        ((_TEXT, Parameter("start", "the first character, from 1"), Parameter("count", "how many")),),
        "Characters from the middle; NA where the start is before the first.",
        Example('MID("Pear", 2, 2)', "ea"),
        _mid,
    ),
    Function(
        "SUBSTITUTE",
        "text",
        ((_TEXT, Parameter("old", "what to replace"), Parameter("new", "what to put there")),),
        "The text with every old part replaced.",
        Example('SUBSTITUTE("a-b-c", "-", "+")', "a+b+c"),
        _substitute,
    ),
    Function(
        "UNICHAR",
        "text",
        ((Parameter("number", "the number of a character in Unicode"),),),
        "The character with this number; NA if there is none.",
        Example("UNICHAR(65)", "A"),
        _unichar,
    ),
    Function(
        "STRIP",
        "text",
        ((_TEXT, Parameter("part", "what to take off, a space if left out", optional=True)),),
        "The text without the part at both ends.",
        Example('STRIP("--a--", "-")', "a"),
        _strip,
    ),
    Function(
        "STRIP_START",
        "text",
        ((_TEXT, Parameter("part", "what to take off, a space if left out", optional=True)),),
        "The text without the part at its start.",
        Example('STRIP_START("--a-", "-")', "a-"),
        lambda value, part=" ": _strip(value, part, end=False),
    ),
    Function(
        "STRIP_END",
        "text",
        ((_TEXT, Parameter("part", "what to take off, a space if left out", optional=True)),),
        "The text without the part at its end.",
        Example('STRIP_END("-a--", "-")', "-a"),
        lambda value, part=" ": _strip(value, part, start=False),
    ),
    Function(
        "TEXTBEFORE",
        "text",
        ((_TEXT, _MARK, _WHICH),),
        "The text before the mark; NA where there is none.",
        Example('TEXTBEFORE("a=b", "=")', "a"),
        _before,
    ),
    Function(
        "TEXTAFTER",
        "text",
        ((_TEXT, _MARK, _WHICH),),
        "The text after the mark; NA where there is none.",
        Example('TEXTAFTER("a=b", "=")', "b"),
        _after,
    ),
    Function(
        "TEXTSPLIT",
        "text",
        ((_TEXT, Parameter("separator", "the text between the parts")),),
        "The same as SPLIT.",
        Example('TEXTSPLIT("a,b", ",")', ["a", "b"]),
        split,
        gives=1,
    ),
)
