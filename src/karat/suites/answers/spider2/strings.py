"""``string_match``: is a gold text somewhere in the answer?

Both sides are lower-cased; a gold text counts when it is a part of the answer, also within a word ("UK" is found in
"Ukulele"). ``exclude`` comes first: any of its texts in the answer, and the answer is wrong. ``or`` wants any gold
text, ``and`` all of them. A lone gold text is a list of one. No gold text at all: ``or`` fails, ``and`` passes.

``exclude`` is read as a list whatever it is: a lone text there excludes each of its characters, and null makes the
match fail.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.spider2.failures import never_raising


@never_raising
def string_match(pred: str, gold: str | Sequence[str], conj: str = "or", exclude: Sequence[str] | None = ()) -> Verdict:
    """The verdict on a text. ``gold``, ``conj`` and ``exclude`` as in the contract."""
    answer = pred.lower()
    if exclude is None:
        raise TypeError("exclude is null, not a list of texts")
    golds: list[str] = list(gold) if isinstance(gold, (list, tuple)) else [gold]  # type: ignore[list-item]  # or a text
    lowered = [text.lower() for text in golds]
    excluded = [text for text in exclude if text.lower() in answer]
    if excluded:
        return wrong("extra_match_excluded", excluded=excluded)
    missing = [text for text, low in zip(golds, lowered, strict=True) if low not in answer]
    passed = not missing if _wants_all(conj) else len(missing) < len(golds)
    return right() if passed else wrong("wrong_text", missing=missing)


def _wants_all(conj: str) -> bool:
    if conj not in ("and", "or"):
        raise ValueError(f'conj is "{conj}", not "and" or "or"')
    return conj == "and"
