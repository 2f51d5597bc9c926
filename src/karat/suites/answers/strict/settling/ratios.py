"""Whether a number in an answer says how many times as large something is: ``3x higher``, ``3-fold``, ``3 times as
many``, ``dreimal`` in digits, ``a factor of 3``. That is another quantity than 3, unless the question asks for it.

How often something happened is none: ``3 times``, ``3 times per year``. The texts are in small letters.
"""

from __future__ import annotations

import re

_AS = r"as (?:\w+ as\b|much|many|often|high|large|big|great|long|fast|likely|old|low|small|expensive)"
_MORE = (
    r"more|higher|larger|greater|bigger|lower|fewer|less|smaller|faster|slower|longer|shorter|cheaper|above|below"
    r"|better|worse|older|younger|the|that|what|its|their|last|\w+er than"
)
_AFTER = re.compile(
    r"[*_`\"')]*(?:\s?[x×✕](?!\w)(?!\s?(?:\.?[0-9]|\())|[- ]?fold\b|[- ]?fach\w{0,3}\b"
    rf"|[- ]times (?:{_AS}|(?:{_MORE})\b)"
    r"|[- ]?mal (?:so|mehr|weniger|höher|grösser|größer|häufiger|kleiner|niedriger|länger|schneller|teurer)\b"
    r"|[- ]fois (?:plus|moins|supérieure?s?|inférieure?s?|autant|la|le|celle|celui)\b"
    r"|[- ]veces (?:más|menos|mayor|menor|superior|inferior|tant\w+|el|la)\b"
    r"|[- ]vezes (?:mais|menos|maior|menor|superior|tant\w+|o|a)\b"
    r"|[- ]volte (?:più|meno|maggiore|minore|superiore|tant\w+|il|la)\b"
    r"|[- ](?:keer|maal) (?:zo|meer|hoger|groter|minder)\b|[- ]gånger (?:fler|mer|högre|större|så)\b"
    r"|[- ]раза? (?:больше|меньше|выше|ниже|чаще|более|менее)|-?кратн|\s?倍|\s?배(?!\w)|\s?เท่า)"
)
_BEFORE = re.compile(
    r"(?:(?<!scale )\bfactor of|\bfaktor(?: von)?|\bfacteur(?: de)?|\bfactor de|\bfator de|\bfattore(?: di)?"
    r"|(?:^|[^0-9)\s%])\s*[×✕])\s?[*_`\"'(]*$"
)
_LAST_DIGIT = re.compile(r".*[0-9]", re.DOTALL)
_WINDOW = 40


def is_ratio(text: str, start: int, end: int) -> bool:
    """Whether the words next to a place make the number there a ratio."""
    digits = _LAST_DIGIT.match(text, start, end)
    end = digits.end() if digits else end  # the x of 3x may have been read with the number
    if _AFTER.match(text, end, end + _WINDOW):
        return True
    return _BEFORE.search(text, max(0, start - _WINDOW), start) is not None
