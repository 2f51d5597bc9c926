"""The lines of a list of cases: made when a run is scored, so that a list of 100,000 is filtered without opening any
case.

- ``figures``: the values of the scoring's metrics as a JSON array, in the order of its summary.
- ``tags``: a line break around each, so that a whole tag can be looked for.
- ``reason``: why the case is not right, in words that many cases share, so that they can be counted and filtered by.
- ``searched``: id, name, question, tags, reasons and error in lower case. Answers are searched apart, see
  ``karat.web.search``.
- ``cluster``: what the case is a variant of, empty for most; cases of one cluster are no independent witnesses.
- ``wants_review``: no rule could settle the answer (the outcome ``needs_review`` of its explanation).
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.case_explanation import explanation_of
from karat.core.json_types import JsonObject
from karat.core.results.result import CaseResult
from karat.store.codec import to_json

QUESTION = 400
"""Characters of a question in a list; the case has all of it."""
SEARCHED = 4000


def line_row(scoring: int, position: int, suite: str, case: CaseResult, metrics: Sequence[str]) -> JsonObject:
    """The line of one case."""
    explanation = explanation_of(suite, case)
    scores = case.scores
    values = [scores[name].value if name in scores else None for name in metrics]
    reason = explanation.reason
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
        "wants_review": int(explanation.outcome == "needs_review"),
        "searched": "\n".join(part for part in found if part)[:SEARCHED].casefold(),
        "cluster": case.cluster,
    }
