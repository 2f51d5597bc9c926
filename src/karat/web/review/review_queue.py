"""Which cases to review next, those first that tell the most:

1. cases on which people disagree, which wait for an adjudication,
   then, where a judge was asked, the cases that its figures need (``karat judge next``): the random sample, a share of
   it by a second person, and what is most informative,
2. cases on which the rules disagree: the headline rates, and the rates that are variants of one (``right_by_id`` of
   ``right``), say both right and wrong,
3. cases near a decision: no rule settles them; then those that the rule calls wrong although the headline shares come
   to 0.8 or more, the nearest to 1 first,
4. all other scored cases, in a random order that is the same for everybody, those that nobody has reviewed first.

A case that the person has reviewed is done, unless people disagree on it; one that somebody adjudicated is done for
all. Failed calls and missing answers have nothing to review.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.results.columns.columns import CODES
from karat.core.results.verdicts import disputed
from karat.store import RunRow
from karat.store.verdicts.reviews import Review, case_review
from karat.web.page import Viewer
from karat.web.review.judge_queue import judge_queue
from karat.web.run_page.figures import Figure, figures_of, headline, main_figure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Positions = NDArray[np.int64]

NEAR = 0.8
PEOPLE, DRAWN, ASKED, RULES, NEARLY, REST = range(6)
WHY = {
    PEOPLE: "people disagree",
    DRAWN: "drawn at random, for the figures of the judge",
    ASKED: "the judge was asked about it",
    RULES: "the rules disagree",
    NEARLY: "near a decision",
    REST: "drawn at random",
}


class Queue(msgspec.Struct, frozen=True):
    """The cases that wait for one person, in order."""

    positions: Positions
    stages: Positions
    """Why each is there: a key of ``WHY``."""
    waiting: int
    """Cases that ask for a person; the others are a sample to check the rule by."""
    reasons: Mapping[int, str] = {}
    """Position → why it is there, in more words."""

    def why(self, position: int) -> str:
        """Why a case is in the queue; empty where it is not."""
        found = (self.positions == position).nonzero()[0]
        if not len(found):
            return ""
        stage = int(self.stages[found[0]])
        return self.reasons.get(position, WHY[stage]) if stage in (DRAWN, ASKED) else WHY[stage]


def review_queue(viewer: Viewer, row: RunRow, reviewer: str, given: Sequence[Review], judged: str = "") -> Queue:
    """The queue of one person. ``given``: all verdicts of the run that count. ``judged``: only the cases of which the
    judge says this."""
    import numpy as np

    scoring = row.scoring or 0
    order, stages = viewer.kept(("review queue", scoring), lambda: _ranked(viewer, row))
    asked = judge_queue(viewer, row, reviewer, given)
    places = viewer.viewing.places(scoring) if given or asked or judged else {}
    stages = stages.copy()
    seen = np.zeros(len(stages), bool)
    done = np.zeros(len(stages), bool)
    for review in given:
        if (place := places.get(review.case_id)) is not None:
            seen[place] = True
            done[place] |= review.reviewer == reviewer or review.adjudication
    ranks = np.full(len(stages), len(asked), np.int64)
    reasons: dict[int, str] = {}
    for rank, one in enumerate(asked):
        if (place := places.get(one.case)) is not None:
            stages[place], ranks[place], reasons[place] = DRAWN if one.drawn else ASKED, rank, one.why
    for case in disputed(map(case_review, given)):
        if (place := places.get(case)) is not None:
            stages[place], done[place] = PEOPLE, False
    if judged:
        said = viewer.viewing.judged(row.id)
        for case, place in places.items():
            done[place] |= judged not in said.get(case, ())
    order = order[~done[order]]
    late = seen[order] & (stages[order] == REST)
    order = order[np.lexsort((np.arange(len(order)), ranks[order], late, stages[order]))]
    return Queue(order, stages[order], int(np.count_nonzero(stages[order] != REST)), reasons)


def _ranked(viewer: Viewer, row: RunRow) -> tuple[Positions, Positions]:
    """(the scored cases, in order; of every case its stage), whatever people have said."""
    import numpy as np

    scoring = row.scoring or 0
    columns = viewer.viewing.columns(scoring)
    figures = figures_of(row)
    scored = columns.statuses == CODES["scored"]
    stages = np.full(len(columns), REST, np.int64)
    shares = _shares(columns.figures, figures, len(columns))
    main = main_figure(figures)
    wrong = columns.figures[main.index] == 0 if main is not None and main.kind == "rate" else shares < 1
    unsettled = viewer.viewing.wants_review(scoring)
    stages[(wrong & (shares >= NEAR)) | unsettled] = NEARLY
    stages[_rules_disagree(columns.figures, figures, len(columns))] = RULES
    distance = np.where(unsettled, -1.0, np.where(np.isnan(shares), 1.0, 1.0 - shares))
    drawn = np.random.default_rng(row.id).permutation(len(columns))
    order = np.lexsort((drawn, np.where(stages == NEARLY, distance, 0.0), stages))
    return order[scored[order]].astype(np.int64), stages


def profiles(figures: Sequence[Figure]) -> list[Figure]:
    """The rates that say right or wrong of the same answer: those of the headline, and their variants."""
    rates = [item for item in figures if item.kind == "rate" and item.higher_is_better]
    main = [item for item in rates if item.headline]
    return [item for item in rates if item in main or any(item.name.startswith(f"{one.name}_") for one in main)]


def _rules_disagree(values: Sequence[Floats], figures: Sequence[Figure], count: int) -> NDArray[np.bool_]:
    import numpy as np

    chosen = [item.index for item in profiles(figures)]
    own = np.array([values[index] for index in chosen]) if chosen else np.zeros((0, count))
    found: NDArray[np.bool_] = (own == 1).any(axis=0) & (own == 0).any(axis=0)
    return found


def _shares(values: Sequence[Floats], figures: Sequence[Figure], count: int) -> Floats:
    """The mean of each case's headline shares; NaN where it has none."""
    import numpy as np

    chosen = [item.index for item in headline(figures) if item.kind == "share" and item.higher_is_better]
    own = np.array([values[index] for index in chosen]) if chosen else np.full((1, count), np.nan)
    known = ~np.isnan(own)
    total, number = np.where(known, own, 0).sum(axis=0), known.sum(axis=0)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)
