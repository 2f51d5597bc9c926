"""What the verdicts of several people on a case come to.

- An adjudication settles the case, the newest one where there are several.
- Else, where everybody says the same, that is the verdict. ``pass`` and ``accept`` both say that the answer is right:
  together they are ``pass``, for not everybody wants the case to accept it.
- Else the case is disputed: no verdict counts, and it goes by the rule until somebody adjudicates.
"""

from __future__ import annotations

from collections.abc import Iterable

from karat.core.results.result import CaseReview

RIGHT = ("pass", "accept")


def side_of(verdict: str) -> str:
    """What a verdict says of the answer: ``right``, ``wrong`` or ``gold_wrong``."""
    return "right" if verdict in RIGHT else "wrong" if verdict == "fail" else verdict


def by_case(reviews: Iterable[CaseReview]) -> dict[str, list[CaseReview]]:
    """Case → its verdicts, in their order."""
    found: dict[str, list[CaseReview]] = {}
    for review in reviews:
        found.setdefault(review.case, []).append(review)
    return found


def settled(reviews: Iterable[CaseReview]) -> dict[str, CaseReview]:
    """Case → the verdict that counts, with all who gave it and the newest comment. Disputed cases are not there."""
    each = ((case, _settled(given)) for case, given in by_case(reviews).items())
    return {case: found for case, found in each if found is not None}


def disputed(reviews: Iterable[CaseReview]) -> list[str]:
    """The cases on which people disagree and nobody has adjudicated."""
    return [case for case, given in by_case(reviews).items() if _settled(given) is None]


def _settled(given: list[CaseReview]) -> CaseReview | None:
    final = [review for review in given if review.adjudication]
    if final:
        return final[-1]
    if len(given) == 1:
        return given[0]
    if len({side_of(review.verdict) for review in given}) > 1:
        return None
    words = {review.verdict for review in given}
    comments = [review.comment for review in given if review.comment]
    return CaseReview(
        given[0].case,
        words.pop() if len(words) == 1 else "pass",
        ", ".join(dict.fromkeys(review.reviewer for review in given if review.reviewer)),
        comments[-1] if comments else "",
        given[-1].created,
    )
