"""What became of each review, in words: the head of a patch, and the comment above a case.

Every line of the head begins with ``#``, and what people wrote is put on one line: nothing in it can be taken for a
part of the diff.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from karat.core.problems import count_of
from karat.store.verdicts.reviews import Review

Fate = Literal["accepted", "noted", "left_out"]
"""``accepted``: the answer is in the case now. ``noted``: a comment is above it. ``left_out``: the files stay as they
are."""
HEADINGS: dict[Fate, str] = {
    "accepted": "Answers that the cases now accept",
    "noted": "Noted in a comment above the case",
    "left_out": "Not in the files",
}
VERDICTS = {"accept": "this answer is right too", "gold_wrong": "gold is wrong"}


class Reviewed(msgspec.Struct, frozen=True):
    """A review and what became of it. ``why``: the reason why it is not in the case itself."""

    review: Review
    fate: Fate
    why: str = ""


def comment_text(reviewed: Reviewed) -> str:
    """``review 2026-11-15, Ada: gold is wrong: WHY``; with the reason why the case itself cannot say so."""
    reason = f" ({one_line(reviewed.why)})" if reviewed.why else ""
    return f"review {_said(reviewed.review)}{reason}"


def head_of(
    run: str, suite: str, reviews: Sequence[Reviewed], others: int, how: str = "", *, applies: bool = False
) -> bytes:
    """The head of a patch. ``others``: verdicts that ask for no change. ``how``: what to do with the patch."""
    lines = [f"Reviews of {run} ({suite}) for its case files.", how if applies else "There is nothing to apply."]
    for fate, heading in HEADINGS.items():
        held = [one for one in reviews if one.fate == fate]
        if held:
            lines += ["", f"{heading}: {len(held):,}", *_listed(held)]
    if others:
        lines += ["", f"{count_of(others, 'verdict')} (pass or fail) without a change."]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines).encode("utf-8", "replace") + b"\n"


def _listed(reviews: Sequence[Reviewed]) -> Iterator[str]:
    for one in reviews:
        yield f"  {one_line(one.review.case_id)}: {_said(one.review)}"
        if one.why:
            yield f"    {one_line(one.why)}"


def _said(review: Review) -> str:
    who = f", {one_line(review.reviewer)}" if review.reviewer.strip() else ""
    why = f": {one_line(review.comment)}" if review.comment.strip() else ""
    return f"{review.created[:10]}{who}: {VERDICTS.get(review.verdict, review.verdict)}{why}"


def one_line(text: str) -> str:
    """A text without line breaks and other signs that cannot be seen."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
