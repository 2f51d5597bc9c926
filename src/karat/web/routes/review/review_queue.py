"""The queue of cases to review: one case at a time, blind unless told otherwise, and who reviews."""

from __future__ import annotations

from collections import Counter
from typing import Annotated
from urllib.parse import urlencode

import msgspec
from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from karat.core.case_form import CaseForm, Grids, Texts
from karat.core.json_types import JsonObject
from karat.core.presentation.case_explanation import target_of
from karat.core.presentation.case_forms import form_of
from karat.core.presentation.code_views import Codes
from karat.core.results.result import CaseResult
from karat.reports.cases.difference import as_text
from karat.store import RunRow, run_name
from karat.store.verdicts.judged_cases import JUDGED
from karat.web.cases.blind_case import Side, sides, unjudged, without_machine
from karat.web.cases.case_answers import Answer, answers_of
from karat.web.lookup import find_case, find_row, scoring_of
from karat.web.page import Viewer, viewer_of
from karat.web.review.review_panel import LONGEST_NAME, is_blind, keep_blind, keep_reviewer, review_panel, reviewer_of
from karat.web.review.review_queue import Queue, review_queue
from karat.web.routes.run.run import choices
from karat.web.run_page.figures import figures_of, main_figure
from karat.web.security.forms import checked_form

router = APIRouter(include_in_schema=False)

SHOWN = 6
"""Cases of the queue that are listed."""
LONGEST = 20_000

Form = Annotated[dict[str, str], Depends(checked_form)]


class Asked(msgspec.Struct, frozen=True):
    """A case of the queue: what was asked, expected and given, without what the rule says of it."""

    position: int
    case: CaseResult
    conversation: tuple[JsonObject, ...]
    expected: str
    parts: tuple[Side, ...]
    shown: CaseForm
    replies: tuple[Answer, ...]

    @property
    def both(self) -> bool:
        """Whether what is shown has both sides: what was expected and what was given."""
        grids = any(isinstance(view, Grids) and len(view.grids) > 1 for view in self.shown.views)
        codes = any(isinstance(view, Codes) and len(view.codes) > 1 for view in self.shown.views)
        texts = any(isinstance(view, Texts) and view.expected for view in self.shown.views)
        return bool(self.parts) or grids or codes or texts


@router.get("/review")
def queue_page(request: Request, run: str = "", case: str = "", given: str = "", judge: str = "") -> Response:
    """The case that tells the most, or the one that is named; ``given``: the one that was reviewed last; ``judge``:
    only cases of which the judge says this, which is not blind."""
    viewer = viewer_of(request)
    rows = [row for row in viewer.store.runs(100) if row.scoring is not None]
    row = find_row(viewer, run) if run else next(iter(rows), None)
    if row is None:
        return viewer.page(request, "review_none.html")
    scoring = scoring_of(row)
    blind = is_blind(request, usual=True)
    reviews = viewer.store.reviews(row.id)
    judge = judge if judge in JUDGED else ""
    queue = review_queue(viewer, row, reviewer_of(request), reviews, judge)
    position = _number(case) if case else next(iter(queue.positions[:1].tolist()), None)
    asked = _asked(viewer, row, position) if position is not None else None
    first = _first(queue, position)
    listed = queue.positions[first : first + SHOWN].tolist()
    lines = {line.position: line for line in viewer.viewing.lines_at(scoring, listed)}
    last = find_case(viewer, row, _number(given)) if given else None
    response = viewer.page(
        request,
        "review.html",
        run=row,
        runs=choices(rows),
        base=f"/runs/{run_name(row.id)}",
        waiting=queue.waiting,
        rest=len(queue.positions) - queue.waiting,
        done=len({review.case_id for review in reviews}),
        listed=[lines[place] for place in listed],
        more=len(queue.positions) - first - len(listed),
        asked=asked,
        case=asked.case if asked is not None else None,
        position=position,
        why=queue.why(position) if position is not None and not blind else "",
        panel=review_panel(viewer, request, row, asked.case.id, blind=blind) if asked is not None else None,
        blind=blind,
        reviewer=reviewer_of(request),
        last=(_number(given), last, review_panel(viewer, request, row, last.id, blind=blind)) if last else None,
        query=urlencode({"judge": judge}) if judge else "",
        queued=True,
        judge=judge,
        judged=_judged(viewer, row),
        **_neighbours(queue, row, position, judge),
    )
    if not judge:
        keep_blind(response, blind)
    return response


@router.post("/review/who")
def set_reviewer(form: Form) -> Response:
    """Under which name this browser's person reviews, and whether blind."""
    blind = form.get("blind") == "1"
    response = RedirectResponse("/review?" + urlencode({"run": form.get("run", ""), "blind": int(blind)}), 303)
    keep_reviewer(response, form.get("reviewer", "").strip()[:LONGEST_NAME])
    keep_blind(response, blind)
    return response


def _asked(viewer: Viewer, row: RunRow, position: int) -> Asked:
    case = find_case(viewer, row, position)
    stored = viewer.store.case(row.id, case.id)
    asked = msgspec.json.decode(stored) if stored is not None else {}
    turns = tuple(asked.get("conversation", ()))
    targets = [turn["target"] for turn in turns if turn.get("target") is not None]
    replies = tuple(answers_of(viewer, row, case, asked, main_figure(figures_of(row))))
    whole = form_of(row.suite, case, target_of(row.suite, asked) if asked else None)
    return Asked(
        position,
        case,
        turns,
        "\n\n".join(as_text(without_machine(target)) for target in targets)[:LONGEST],
        sides(whole),
        unjudged(replies[0].form if len(replies) == 1 else whole),
        replies,
    )


def _first(queue: Queue, position: int | None) -> int:
    """Where the listed part of the queue begins: a little before the case that is shown."""
    found = (queue.positions == position).nonzero()[0] if position is not None else []
    return max(0, int(found[0]) - 2) if len(found) else 0


def _judged(viewer: Viewer, row: RunRow) -> list[tuple[str, str, int]]:
    """(word, how it is called, cases) to look for by what the judge says; none where no judge was asked."""
    counts = Counter(word for words in viewer.viewing.judged(row.id).values() for word in words)
    return [(word, text, counts[word]) for word, text in JUDGED.items() if counts[word]]


def _neighbours(queue: Queue, row: RunRow, position: int | None, judge: str) -> JsonObject:
    order = queue.positions
    found = (order == position).nonzero()[0] if position is not None else []
    place = int(found[0]) if len(found) else None

    def link(other: int) -> str:
        kept = {"judge": judge} if judge else {}
        return "/review?" + urlencode({"run": run_name(row.id), "case": int(order[other]), **kept})

    after = 0 if place is None else place + 1
    return {
        "place": None if place is None else place + 1,
        "before": link(place - 1) if place else "",
        "after": link(after) if after < len(order) else "",
    }


def _number(text: str) -> int:
    """The position in an address; one that is none names no case."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1
