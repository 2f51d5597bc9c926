"""Pictures of all cases on one page: given beside expected, what was lost, filtered by the reason.

The pictures themselves are in the forms of the cases, which the page carries already; the script copies them from
there, so that no picture is in the file twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from karat.core.case_form import CaseForm, Pictures
from karat.reports.html.text import cut

RIGHT = "right"
LONGEST = 160
MOST_LOST = 4


class Shot(msgspec.Struct, frozen=True):
    """The pictures of one case. ``place``: where its form is among the forms of the page."""

    place: int
    case: str
    note: str
    group: str
    lost: tuple[str, ...]


class Gallery(msgspec.Struct, frozen=True):
    """All of them, and how many there are for each reason."""

    shots: tuple[Shot, ...] = ()
    groups: tuple[tuple[str, str, int], ...] = ()
    """(reason, in words, how many)."""


def shot_of(place: int, case: str, form: CaseForm) -> Shot | None:
    """None for a case without pictures."""
    view = next((view for view in form.views if isinstance(view, Pictures)), None)
    if view is None:
        return None
    lost = [cut(text, LONGEST) for text, right in view.items if right is False]
    more = [f"and {len(lost) - MOST_LOST} more"] if len(lost) > MOST_LOST else []
    return Shot(place, cut(case, LONGEST), view.note, view.group or RIGHT, (*lost[:MOST_LOST], *more))


def gallery_of(shots: Sequence[Shot]) -> Gallery:
    """In the order of the cases; the most frequent reason first."""
    counts = Counter(shot.group for shot in shots)
    groups = tuple((group, group.replace("_", " "), count) for group, count in counts.most_common())
    return Gallery(tuple(shots), groups)
