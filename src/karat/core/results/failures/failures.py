"""What is wrong with a case, thing by thing, in words that many cases share: the keys of failure groups.

- A failed call and a missing answer have one failure: the message, with numbers, ids and quoted texts left out in its
  family.
- Else the suite's own failures, where its explanation has some.
- Else one for each part that is not as expected: ``COUNTRY wrong: asked MEX, got USA``, ``COUNTRY missing: MEX``,
  ``COUNTRY extra: USA``; the family is the same without values. A part with more than three values on a side, or very
  long ones, has its family alone.
- Else the reason.

Values are sorted, and white space counts as one blank, so that two cases with the same fault have the same words. A
right case has none. The failures of a case with several tries are those of all its tries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from karat.core.explanation import Explanation, Failure, Outcome, Part
from karat.core.files.json import without_surrogates
from karat.core.presentation.case_explanation import explanation_of
from karat.core.replies.reply import BEGINNING
from karat.core.results.result import CaseResult

FEW = 3
"""Values of a part that a label names."""
LONGEST_LINE = 4_000
"""Characters of a message that are looked at: its label has fewer."""
LONGEST = 160
"""Characters of a label. A longer one is not cut, which would join what differs: the family is used."""

BEFORE: dict[Outcome, str] = {"error": "error", "missing": "no answer", "needs_review": "needs review"}
"""What a label begins with where the case is not simply wrong."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|“[^”]*”|‘[^’]*’")
_ID = re.compile(r"\b(?=\w*\d)[0-9a-zA-Z_-]{8,}\b")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def case_failures(
    suite: str, case: CaseResult, explanation: Explanation | None = None
) -> tuple[tuple[Outcome, Failure], ...]:
    """All failures of a case, each with the outcome that it is of. ``explanation``: the case's, where it is known."""
    found: dict[tuple[Outcome, Failure], None] = {}
    for one in case.repeats or (case,):
        known = explanation if one is case and explanation is not None else explanation_of(suite, one)
        for failure in failures_of(known):
            found[known.outcome if known.outcome in BEFORE else "wrong", failure] = None
    return tuple(found)


def failures_of(explanation: Explanation) -> tuple[Failure, ...]:
    """What is wrong, each thing once, in the order of the explanation; none where it is right."""
    outcome = explanation.outcome
    if outcome in ("error", "missing"):
        found: Iterable[Failure] = (message_failure(explanation.reason),)
    elif outcome == "not_applicable" or (outcome == "right" and not explanation.failures):
        return ()
    else:
        found = explanation.failures or [part_failure(part) for part in explanation.parts if part.state != "found"]
    found = found or (message_failure(explanation.reason or explanation.headline),)
    return tuple(dict.fromkeys(_named(one, BEFORE.get(outcome, "")) for one in found))


def part_failure(part: Part) -> Failure:
    """What is wrong with one part."""
    return values_failure(part.label, part.missing, part.extra)


def values_failure(label: str, missing: Sequence[str], extra: Sequence[str]) -> Failure:
    """``COUNTRY wrong: asked MEX, got USA``, of the values that are missing and those given in their place."""
    asked, got = (", ".join(sorted(" ".join(value.split()) for value in values)) for values in (missing, extra))
    if missing and extra:
        family, values = f"{label} wrong", f"asked {asked}, got {got}"
    else:
        family, values = (f"{label} missing", asked) if missing else (f"{label} extra", got)
    if max(len(missing), len(extra)) > FEW or not (asked or got):
        return Failure(family)
    return Failure(f"{family}: {values}", family)


def message_failure(message: str) -> Failure:
    """A message: its first line, and in its family no numbers, ids and quoted texts, nor how a response begins."""
    line = next((line for line in message.splitlines() if line.strip()), "")[:LONGEST_LINE]
    return Failure(line, _NUMBER.sub("#", _ID.sub("…", _QUOTED.sub("…", line.partition(BEGINNING)[0]))))


def _named(failure: Failure, before: str) -> Failure:
    """One line each, the outcome first where it is not wrong, and no more than a label takes."""
    family = _joined(before, failure.family or failure.label) or "wrong"
    family = family if len(family) <= LONGEST else f"{family[: LONGEST - 1]}…"
    label = _joined(before, failure.label)
    return Failure(label if label and len(label) <= LONGEST else family, family)


def _joined(before: str, text: str) -> str:
    text = " ".join(text.split())
    text = text if text.isascii() else without_surrogates(text)  # as a store keeps it
    return f"{before}: {text}" if before and text else before or text
