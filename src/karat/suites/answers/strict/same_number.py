"""Whether an answer has a gold text that is a number, written in another way: ``$100.00`` or ``1,000.0`` for ``100``
and ``1000``.

The text is not there, and the number may still be meant, so that a person must look: the text 3.1 may be a version,
which 3.10 is not.
"""

from __future__ import annotations

import re

from karat.suites.answers.strict.found_numbers import Tolerance, Value, agrees, find_numbers
from karat.tables.options import CompareOptions

_EXACT = Tolerance(CompareOptions(rel_tol=1e-12, abs_tol=0.0, rounding=False))
_CODE = re.compile(r"0[0-9]")


def has_same_number(gold: str, answer: str) -> bool:
    """Whether a number of the answer is exactly gold, which is one number and no code with leading zeros."""
    gold = gold.strip()
    wanted = find_numbers(gold) if any(map(str.isdigit, gold)) else []
    if len(wanted) != 1 or wanted[0].text != gold or _CODE.match(gold):
        return False
    (one,) = wanted
    value = Value(one.number, one.decimals, one.whole).times(one.factors[0])
    return any(
        number.percent == one.percent
        and not number.counted.other_than(one.counted)
        and agrees(number, value, _EXACT) is not None
        for number in find_numbers(answer)
    )
