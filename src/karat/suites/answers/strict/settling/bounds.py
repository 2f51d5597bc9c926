"""Whether a number in an answer is only a bound: ``more than 5``, ``up to 5``, ``≥ 5``, ``5+``, ``5 or more``, ``almost
5``; and a year: ``before 2024``. The texts are in small letters."""

from __future__ import annotations

import re

_THAN = r"(?:than|or equal to|than or equal to)"
_BEFORE = re.compile(
    rf"(?:<=?|(?<![-=\w\"'/])>=?|[≤≥⩽⩾≲≳]|\b(?:more|fewer|less|greater|larger|higher|lower|smaller|bigger) {_THAN}"
    r"|\b(?:at least|at most|at minimum|at maximum|up to|over|under|above|below|exceed(?:s|ed|ing)?|almost|nearly"
    r"|(?:a |the )?(?:minimum|maximum) of|just (?:short of|shy of)|close to|upwards? of|in excess of|north of|south of"
    r"|as (?:many|much|few|little|high|low) as|approaching|beyond|up to and including|max\.?|min\.?|maximum|minimum"
    r"|meer dan|minder dan|minstens|hoogstens|ten minste|bijna|mer än|minst|högst|nästan|ponad|co najmniej|prawie"
    r"|(?:mniej|więcej) niż|более|больше|менее|меньше|свыше|почти|en az|en fazla|oltre|quasi|quase"
    r"|mindestens|höchstens|mehr als|weniger als|über|unter|bis zu|fast|knapp"
    r"|au moins|au plus|plus de|moins de|presque|jusqu['’]à"
    r"|al menos|como mínimo|como máximo|más de|menos de|casi|hasta|pelo menos|mais de|almeno|più di|meno di)"
    r"|(?:至少|最多|超过|超過|不到|不足|少于|少於|多于|多於|将近|將近|최소|최대))"
    r"\s*(?:a |an |the )?[*_`\"'(]*\s*$"
)
_AFTER = re.compile(
    r"^[*_`\"')]*(?:\+(?!\s*[0-9(.+])"
    r"|-plus\b|\splus\b(?!\s*[0-9($€£])|\s\((?:max|min)(?:imum)?\b|\s(?:max(?:imum)?|minimum)\b\.?(?!\s+\w)"
    r"|\sat a (?:minimum|maximum)\b|\stops\b"
    r"|\sand counting\b|\sand upwards?\b|\supwards?\b"
    r"|\s*(?:(?:or|and|oder|und|ou|o) (?:more|less|fewer|above|over|below|under|higher|lower|up"
    r"|mehr|weniger|plus|más|menos)\b"
    r"|at (?:least|most)\b|(?:个|個|人|名|件)?(?:以上|以下|以内|多)|이상|이하))"
)
_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}")
_AROUND_A_YEAR = re.compile(r"\b(?:before|after|until|till|prior to|vor|nach|bis|avant|après|antes de|después de)\s+$")
_WINDOW = 40


def is_bound(text: str, start: int, end: int) -> bool:
    """Whether the words next to a place in the text make the number there a bound."""
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    if _AROUND_A_YEAR.search(before) and _YEAR.fullmatch(text, start, end):
        return True
    return _BEFORE.search(before) is not None or _AFTER.match(after) is not None
