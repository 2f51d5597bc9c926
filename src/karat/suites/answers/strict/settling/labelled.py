"""Whether an answer labels something else as its answer: ``Answer: Lyon. (Paris is 2nd)`` does not answer with Paris.

A label is ``answer:``, ``the answer is``, ``the correct … is``, ``<answer>``, ``####``; without any of these,
``result:`` and ``conclusion:``. What it labels ends with the sentence or line; after a label that ends a line, with the
next line and the items of a list that follow it. The last label decides. The texts are in small letters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.suites.answers.strict.settling.not_known import CORRECTED

_NAMES = r"answer|antwort|réponse|respuesta|risposta|resposta|ответ"
_STRONG = re.compile(
    rf"(?<![\w-])(?:{_NAMES})[*_`\"')]*"
    r"(?:\s*[:：]|\s*=|\s+(?:is|was|would be|lautet|ist|est|es|è|é)\b(?!\s+(?:not|no|n['’]t)\b))"
    r"|(?:正确)?答案(?:是|为|：|:)|答え(?:は|：|:)|정답(?:은|:)"
    r"|<(?:final_?)?(?:answer|final)>|(?:^|\n)#{4}(?=\s)"
    r"|\bthe (?:correct|right|actual|true|real) (?:one|value|number|figure|count|total|city|name) is\b"
)
_WEAK = re.compile(
    r"(?:^|[\n.])[*_`>#\s-]{0,6}(?:(?:final )?(?:result|conclusion)|ergebnis|résultat|resultado)[*_`]*\s*[:：]"
)
_NO_ANSWER = re.compile(
    r"\s*(?:based|correct|right|wrong|given|derived|obtained|found|calculated|computed|because|as follows|shown|below"
    r"|above|in the|from|that|clear|simple|yes|no|unique|correct|therefore|thus|your|to your|the following)\b"
)
_END = re.compile(r"(?:[?!。！？]|(?<![^\W\d_])\.|(?<=[^\W\d_]{3})\.)(?=\s|$)|\n|</")
_NEXT_LINE = re.compile(r"\n[ \t]*(?:[-*•+|]|[0-9]{1,3}[.)])")
_LEAD = re.compile(r"[\s*_`\"'(>-]*")


def labels_another(text: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether the text labels its answer, and gold is at none of the places that the last label covers."""
    for labels in (_STRONG, _WEAK):
        covered = [found for label in labels.finditer(text) if (found := _covered(text, label.end())) is not None]
        if covered:
            begin, stop = covered[-1]
            return not any(
                begin <= start < stop or (start >= stop and CORRECTED.search(text, stop, start)) for start, _ in spans
            )
    return False


def _covered(text: str, at: int) -> tuple[int, int] | None:
    """What the label that ends there covers; None for words that only speak about the answer."""
    if _NO_ANSWER.match(text, at):
        return None
    lead = _LEAD.match(text, at)
    begin = lead.end() if lead else at
    if begin >= len(text):
        return None
    if "\n" not in text[at:begin]:
        ends = _END.search(text, begin)
        return begin, ends.start() if ends else len(text)
    stop = text.find("\n", begin)
    while stop >= 0 and _NEXT_LINE.match(text, stop):
        stop = text.find("\n", stop + 1)
    return begin, stop if stop >= 0 else len(text)
