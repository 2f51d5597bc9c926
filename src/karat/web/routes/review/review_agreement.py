"""How far people agree with the rule and with one another, over the reviewed cases of a run."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from karat.core.presentation.case_explanation import explanation_of
from karat.core.problems import count_of
from karat.core.results.failures.failures import failures_of
from karat.reports.sections.agreement import Agreement, RuleSaid, agreement_of
from karat.store import RunRow, run_name
from karat.store.verdicts.reviews import case_review
from karat.web.lookup import find_row, scoring_of
from karat.web.page import Viewer, viewer_of
from karat.web.routes.run.run import choices
from karat.web.run_page.figures import Figure, figures_of, main_figure

router = APIRouter(include_in_schema=False)

MOST = 50
"""Cases on which people and rule differ that are listed."""


@router.get("/review/agreement")
def agreement_page(request: Request, run: str = "") -> Response:
    """The figures, and every case on which people and rule differ."""
    viewer = viewer_of(request)
    rows = [row for row in viewer.store.runs(100) if row.scoring is not None]
    row = find_row(viewer, run) if run else next(iter(rows), None)
    if row is None:
        return viewer.page(request, "review_none.html")
    figures = figures_of(row)
    main = main_figure(figures)
    found, places = _agreement(viewer, row, main if main is not None and main.kind == "rate" else None)
    return viewer.page(
        request,
        "review_agreement.html",
        run=row,
        runs=choices(rows),
        base=f"/runs/{run_name(row.id)}",
        done=len({review.case_id for review in viewer.store.reviews(row.id)}),
        main=main,
        found=found,
        places=places,
        lead=_lead(found),
        start=_start(found),
        listed=found.differing[:MOST],
    )


def _agreement(viewer: Viewer, row: RunRow, main: Figure | None) -> tuple[Agreement, dict[str, int]]:
    """Only the reviewed cases are opened."""
    given = [case_review(item) for item in viewer.store.reviews(row.id)]
    scoring = scoring_of(row)
    reviewed = {review.case for review in given}
    places = {case: place for case, place in viewer.viewing.places(scoring).items() if case in reviewed}
    rule: dict[str, RuleSaid] = {}
    for case, place in places.items():
        result = viewer.store.case_result(scoring, place)
        score = result.scores.get(main.name) if result is not None and main is not None else None
        if result is None or score is None or score.value not in (0, 1):
            continue
        failures = failures_of(explanation_of(row.suite, result))
        wrong = failures[0].family if failures else "wrong"
        rule[case] = RuleSaid(score.value == 1, "right" if score.value == 1 else wrong)
    return agreement_of(given, rule), places


def _start(found: Agreement) -> int:
    """Where the axis of the figures begins: kappa and alpha go down to −1."""
    drawn = (found.kappa, found.alpha, *(pair.kappa for pair in found.pairs))
    return -1 if any((end or 0) < 0 for one in drawn for end in (one.mean, one.low)) else 0


def _lead(found: Agreement) -> str:
    """The figures in a sentence or three."""
    counts = found.counts
    if not counts.n:
        return "No case is settled by both people and rule yet."
    said = [f"People agree with the rule in {counts.agreeing:,} of {count_of(counts.n, 'case')} that both settle."]
    if found.gold_wrong:
        said.append(f"In {found.gold_wrong:,} more, gold was wrong.")
    if found.disputed:
        more = count_of(found.disputed, "more, which waits", "more, which wait")
        said.append(f"People disagree on {more} for somebody to settle.")
    if counts.only_second > counts.only_first:
        said.append("Most disagreements are answers that the rule refuses and people accept.")
    elif counts.only_first > counts.only_second:
        said.append("Most disagreements are answers that the rule accepts and people refuse.")
    return " ".join(said)
