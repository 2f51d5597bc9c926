"""A score has a state. It is never NaN and never a silent 0, and every mean says over how many values it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from karat.core.json_types import Json

State = Literal["scored", "not_applicable", "error", "missing"]


class Score(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One metric's value for one answer. ``value`` is a number exactly when ``state`` is ``scored``.

    >>> import karat
    >>> karat.scored(0.5), karat.not_applicable("no period was asked for").value
    (Score(value=0.5, state='scored', reason='', evidence=None), None)
    """

    value: float | None = None
    """The number; None unless the state is ``scored``."""
    state: State = "scored"
    """``scored``, ``not_applicable``, ``error`` or ``missing``."""
    reason: str = ""
    """Why there is no number, or a remark on it."""
    evidence: Json = None
    """What the score rests on, as JSON."""


def scored(value: float, reason: str = "") -> Score:
    """A number.

    >>> import karat
    >>> karat.scored(1.0, "all terms found").value
    1.0
    """
    return Score(value, "scored", reason)


def not_applicable(reason: str) -> Score:
    """No number, for a reason that is nobody's fault: 0/0, or the case does not ask for this.

    >>> import karat
    >>> karat.not_applicable("no period was asked for").state
    'not_applicable'
    """
    return Score(None, "not_applicable", reason)


def mean_score(scores: Iterable[Score]) -> Score:
    """The mean over what was scored; without any, the first score's state and reason."""
    items = list(scores)
    if len(items) == 1:
        return items[0]
    values = [score.value for score in items if score.value is not None]
    if values:
        reason = "" if len(values) == len(items) else f"mean over {len(values)} of {len(items)}"
        return Score(sum(values) / len(values), "scored", reason)
    return items[0] if items else not_applicable("nothing to average")
