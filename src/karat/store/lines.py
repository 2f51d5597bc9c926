"""The lines of a list of cases: made when a run is scored, so that a list of 100,000 is filtered without opening any case.

- ``figures``: the values of the scoring's metrics as a JSON array, in the order of its summary.
- ``tags``: a line break around each, so that a whole tag can be looked for.
- ``reason``: why the case is not right, in words that many cases share, so that they can be counted and filtered by.
- ``searched``: id, name, question, tags, reasons and error in lower case. Answers are searched apart, see ``karat.web.searching``.
- ``cluster``: what the case is a variant of, empty for most; cases of one cluster are no independent witnesses.
- ``wants_review``: no rule could settle the answer (the metric ``needs_review`` says so).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat.core.result import CaseResult
from karat.store.codec import to_json

QUESTION = 400
"""Characters of a question in a list; the case has all of it."""
SEARCHED = 4000


def line_row(scoring: int, position: int, case: CaseResult, metrics: Sequence[str]) -> dict[str, Any]:
    """The line of one case."""
    scores = case.scores
    values = [scores[name].value if name in scores else None for name in metrics]
    wanted = scores.get("needs_review")
    reason = _reason(case)
    tags = [" ".join(tag.split()) for tag in case.tags]
    found = (case.id, case.name, case.question, *tags, reason, case.error, *{score.reason for score in scores.values()})
    return {
        "scoring_id": scoring,
        "position": position,
        "case_id": case.id,
        "status": case.status,
        "name": case.name[:QUESTION],
        "question": case.question[:QUESTION],
        "reason": reason[:QUESTION],
        "tags": "\n".join(("", *tags, "")) if tags else "",
        "figures": to_json(values).decode(),
        "wants_review": int(wanted is not None and bool(wanted.value)),
        "searched": "\n".join(part for part in found if part)[:SEARCHED].casefold(),
        "cluster": str(case.details.get("cluster") or ""),
    }


def _reason(case: CaseResult) -> str:
    """Why the case is as it is: its error, what its suite says, or the first part of the answer that is not right."""
    said = case.error or case.details.get("reason")
    if isinstance(said, str) and said:
        return said
    parts = case.details.get("dimensions")
    found = (_part(part) for part in parts if isinstance(part, Mapping)) if isinstance(parts, list) else ()
    return next((text for text in found if text), "")


def _part(part: Mapping[str, Any]) -> str:
    """``COUNTRY not selected``, ``COUNTRY wrong``, ``COUNTRY incomplete``; empty when it is right."""
    right, missed, wrong = (bool(part.get(key)) for key in ("true_positives", "false_negatives", "false_positives"))
    if wrong:
        word = "wrong" if part.get("in_target", True) else "not asked for"
    elif missed:
        word = "incomplete" if right else "not selected"
    else:
        return ""
    return f"{part.get('dimension', '')} {word}"
