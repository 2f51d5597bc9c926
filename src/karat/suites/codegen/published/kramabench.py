"""KramaBench: one rule for each ``answer_type``.

numeric_exact        right within 1e-6 of the answer
numeric_approximate  1 − relative error, at least 0; right within 1 %
string_exact         equal but for case and blanks
list_exact           F1 over the items, each once; right at 1
list_approximate     the same
string_approximate   needs review: likeness of texts is no verdict
"""

from __future__ import annotations

from collections import Counter

from karat.sandbox import Plain
from karat.suites.codegen.published.plain_answers import items_of, number_of, single, text_of

EXACT = 1e-6
NEAR = 0.01
REVIEW = "string_approximate"
KINDS = ("numeric_exact", "numeric_approximate", "string_exact", "list_exact", "list_approximate", REVIEW)


def share(kind: str, answer: Plain, result: Plain) -> tuple[float, bool]:
    """How much of the answer is right, and whether it is."""
    if kind.startswith("list"):
        found = _f1(answer if isinstance(answer, list) else [answer], items_of(result) or [single(result)])
        return found, found == 1.0
    if kind.startswith("numeric"):
        wanted, given = number_of(single(answer)), number_of(single(result))
        if wanted is None or given is None:
            return 0.0, False
        error = abs(given - wanted) / abs(wanted) if wanted else abs(given)
        if kind == "numeric_exact":
            return float(error <= EXACT), error <= EXACT
        return max(0.0, 1.0 - error), error <= NEAR
    same = _folded(single(answer)) == _folded(single(result))
    return float(same), same


def _f1(answer: list[Plain], given: list[Plain]) -> float:
    wanted, said = Counter(map(_key, answer)), Counter(map(_key, given))
    equal = sum((wanted & said).values())
    total = wanted.total() + said.total()
    return 2 * equal / total if total else 1.0


def _key(value: Plain) -> str:
    number = number_of(value)
    return f"{number:.6g}" if number is not None else _folded(value)


def _folded(value: Plain) -> str:
    return " ".join(text_of(value).split()).casefold()
