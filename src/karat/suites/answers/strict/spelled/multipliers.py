"""What a word, sign or letter after a number multiplies it by: ``million``, ``Mio.``, ``crore``, ``万``, ``k``."""

from __future__ import annotations

import re

_FACTORS = {
    12: r"dozens?",
    10**2: r"hundreds?|百|백",
    10**3: r"thousands?|tausend|mille|mila|mil|tys\.?|тыс\.?|千|천|พัน",
    10**4: r"[万萬만]|หมื่น",
    10**5: r"lakhs?|lacs?|แสน",
    10**6: r"millions?|millionen|mio\.?|mln\.?|mn|mill[oó]n(?:es)?|milh[aã]o|milh[oõ]es|milion[ei]|млн\.?|ล้าน",
    10**7: r"crores?",
    10**8: r"[億亿억]",
    10**9: r"billions?|bn|b(?:ln|il)\.?|milliarde?n?|milliards?|miliard[io]|m[rl]d\.?|mil\s+millones"
    r"|bilh(?:[aã]o|[oõ]es)|млрд\.?",
    10**12: r"trillions?|tn|trn\.?|trl\.?|billionen|bio\.?|bill[oó]n|billones|兆|조",
}
"""English "billion" is 10⁹; the German plural and the Spanish word for 10¹² are written otherwise."""
_SIGNS = "百백千천พันหมื่万萬만แสล้億亿억兆조"
WORD = "|".join(
    rf"(?:{words})(?<=[.{_SIGNS}])|(?:{words})\b"
    for _, words in sorted(_FACTORS.items(), key=lambda item: item[0] != 10**9)
)
"""What follows a number; ``mil millones`` is tried before shorter words."""
MORE = "[百千万萬億亿兆백천만억조]"
"""A sign after the number that was read, so that it is not the whole number: ``5千万``, ``5万2000``."""
LETTERS = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
MAYBE = {"k": 10**3, "K": 10**3, "kk": 10**6, "M": 10**6, "MM": 10**6, "mill": 10**6, "mil": 10**6, "B": 10**9}
MAYBE |= {"cr": 10**7, "Cr": 10**7}
"""What may multiply the number before it, or be a unit or a word: ``5 k``, ``5 M``, ``5 cr``. English "mil" is a
million, Spanish "mil" a thousand."""
_PATTERNS = [(factor, re.compile(words, re.IGNORECASE)) for factor, words in _FACTORS.items()]


def factor_of(word: str) -> int:
    """The factor of a text that :data:`WORD` matched."""
    return next(factor for factor, pattern in _PATTERNS if pattern.fullmatch(word))
