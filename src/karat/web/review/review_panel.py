"""What a person sees of the verdicts on a case: their own, other people's unless they review blind, and what they come
to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote

import msgspec
from fastapi import Request
from starlette.responses import Response

from karat.core.results.result import CaseReview
from karat.core.results.verdicts import settled
from karat.store import RunRow
from karat.store.verdicts.judged_cases import JUDGED
from karat.store.verdicts.judgements import Judgement, JudgeRecords
from karat.store.verdicts.reviews import Review, case_review
from karat.web.page import Viewer

LONGEST_NAME = 200
A_YEAR = 31_536_000


class ReviewPanel(msgspec.Struct, frozen=True):
    """The verdicts on one case, for one person."""

    reviewer: str
    """Who is looking; empty: they have not said."""
    mine: Review | None
    others: tuple[Review, ...]
    """Other people's verdicts that count; none of them in blind mode, until one has given one's own."""
    hidden: bool
    """Whether others' verdicts are hidden. That there are some is hidden too."""
    verdict: CaseReview | None
    """What the verdicts come to; None: nothing yet, disputed, or hidden."""
    disputed: bool
    history: tuple[Review, ...]
    """Every verdict that may be seen, newest first."""
    seen: int
    """The newest verdict on the case, which a verdict from this page knows of."""
    blind: bool
    judge: tuple[Judgement, ...] = ()
    """What the newest judge says of each answer; nothing while it is hidden."""


def review_panel(viewer: Viewer, request: Request, row: RunRow, case_id: str, *, blind: bool) -> ReviewPanel:
    """The verdicts on a case as the person who asks may see them."""
    reviewer = reviewer_of(request)
    history = viewer.store.review_history(row.id, case_id)
    counting = [item for item in reversed(history) if not item.undone]
    own = [item for item in counting if item.reviewer == reviewer]
    hidden = blind and not own
    verdict = settled(map(case_review, counting)).get(case_id)
    return ReviewPanel(
        reviewer=reviewer,
        mine=own[-1] if own else None,
        others=() if hidden else tuple(item for item in counting if item.reviewer != reviewer),
        hidden=hidden,
        verdict=None if hidden else verdict,
        disputed=bool(counting) and verdict is None and not hidden,
        history=tuple(item for item in history if item.reviewer == reviewer or not hidden),
        seen=max((item.id for item in history), default=0),
        blind=blind,
        judge=() if hidden else tuple(JudgeRecords(viewer.store).of_run(row.id, case_ids=[case_id])),
    )


def shown_verdicts(viewer: Viewer, request: Request, row: RunRow, case_ids: Sequence[str]) -> dict[str, CaseReview]:
    """Case → what people's verdicts come to, for a list of cases; in blind mode only of cases that the person has
    reviewed."""
    given = viewer.store.reviews(row.id, case_ids)
    if is_blind(request):
        reviewer = reviewer_of(request)
        own = {item.case_id for item in given if item.reviewer == reviewer}
        given = [item for item in given if item.case_id in own]
    return settled(map(case_review, given))


def seen_in(form: Mapping[str, str]) -> int | None:
    """The newest verdict that a form knows of; None where it does not say."""
    text = form.get("seen", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


# -- who reviews, and whether blind: kept in the browser ---------------------------------------------------------------


def reviewer_of(request: Request) -> str:
    """The name that this browser's person reviews under; empty where they have not said."""
    return unquote(request.cookies.get("karat_reviewer", ""))[:LONGEST_NAME]


def keep_reviewer(response: Response, name: str) -> None:
    """Remember the name for the next verdict."""
    response.set_cookie(
        "karat_reviewer", quote(name, safe=""), max_age=A_YEAR, httponly=True, samesite="strict", path="/"
    )


def is_blind(request: Request, usual: bool = False) -> bool:
    """Whether verdicts are hidden: as the address says, else as this browser was last told, else ``usual``. Who looks
    for cases by what the judge says of them knows it."""
    if request.query_params.get("judge") in JUDGED:
        return False
    said = request.query_params.get("blind") or request.cookies.get("karat_blind", "")
    return said == "1" if said in ("0", "1") else usual


def keep_blind(response: Response, blind: bool) -> None:
    """Remember it, so that the pages of single cases hide the same."""
    response.set_cookie("karat_blind", str(int(blind)), max_age=A_YEAR, httponly=True, samesite="strict", path="/")
