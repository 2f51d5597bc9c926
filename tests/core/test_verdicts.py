"""What the verdicts of several people come to."""

from __future__ import annotations

import pytest

from karat.core.results.result import CaseReview
from karat.core.results.verdicts import disputed, settled


def review(person: str, verdict: str, comment: str = "", *, final: bool = False) -> CaseReview:
    return CaseReview("c", verdict, person, comment, "2026", final)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ([review("ada", "pass")], "pass"),
        ([review("ada", "accept")], "accept"),
        ([review("ada", "fail"), review("ben", "fail")], "fail"),
        ([review("ada", "accept"), review("ben", "accept")], "accept"),
        ([review("ada", "pass"), review("ben", "accept")], "pass"),
        ([review("ada", "pass"), review("ben", "fail")], None),
        ([review("ada", "pass"), review("ben", "pass"), review("cy", "gold_wrong")], None),
        ([review("ada", "pass"), review("ben", "fail"), review("cy", "fail", final=True)], "fail"),
        ([review("ada", "pass"), review("ben", "gold_wrong", final=True)], "gold_wrong"),
    ],
)
def test_all_must_agree_or_somebody_decides(given: list[CaseReview], verdict: str | None) -> None:
    found = settled(given)
    assert (found["c"].verdict if found else None) == verdict
    assert disputed(given) == ([] if verdict else ["c"])


def test_a_shared_verdict_names_all_and_has_the_newest_comment() -> None:
    found = settled([review("ada", "pass", "first"), review("ben", "pass", "second"), review("cy", "pass")])["c"]
    assert (found.reviewer, found.comment) == ("ada, ben, cy", "second")
