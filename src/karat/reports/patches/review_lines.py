"""The reviews of a run as JSON lines: each with its case, where that is in its file, and what to change there.

``accept``: add the answer to what the case accepts. ``gold_wrong``: correct what the case expects. ``pass`` and
``fail`` change nothing in the file; they are there so that the lines hold all reviews.
"""

from __future__ import annotations

import msgspec

from karat.core.json_types import JsonObject
from karat.core.replies.answer_text import answers_of
from karat.store import RunRow, Store, run_name
from karat.store.codec import to_json

CHANGES = {"accept": "add this answer to what the case accepts", "gold_wrong": "correct what the case expects"}
"""The verdicts that ask for a change of the case."""


def review_lines(store: Store, row: RunRow) -> bytes:
    """One line a review that counts, in the order they were given."""
    found = store.reviews(row.id)
    wanted = [review.case_id for review in found if review.verdict in CHANGES]
    answers = answers_of(store.case_predictions(row.id, wanted), set(wanted)) if wanted else {}
    lines = []
    for review in found:
        line: JsonObject = {
            "run": run_name(row.id),
            "suite": row.suite,
            "truth_set": row.truth_set,
            "case": review.case_id,
            "verdict": review.verdict,
            "reviewer": review.reviewer,
            "comment": review.comment,
            "time": review.created,
        }
        line |= {"adjudication": True} if review.adjudication else {}
        if review.verdict in CHANGES:
            line |= {"change": CHANGES[review.verdict], "answer": answers.get(review.case_id, "")}
            line["source"] = _source(store.case(row.id, review.case_id))
        lines.append(to_json(line))
    return b"".join(line + b"\n" for line in lines)


def _source(stored: bytes | None) -> JsonObject:
    """The case's place in its file. The folders of this machine stay here."""
    source = msgspec.json.decode(stored).get("source", {}) if stored is not None else {}
    if source.get("file"):
        source["file"] = str(source["file"]).replace("\\", "/").rpartition("/")[2]
    return {name: value for name, value in source.items() if value is not None}
