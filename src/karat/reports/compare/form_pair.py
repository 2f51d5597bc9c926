"""Two answers to one case compared, in the suite's own terms: what each of them gave, part by part."""

from __future__ import annotations

from itertools import zip_longest

import msgspec

from karat.core.case_form import CaseForm, Term, TermPart, Terms, View


class Given(msgspec.Struct, frozen=True):
    """A term that an answer gave; ``found``: it was asked for."""

    term: Term
    found: bool


class GivenPair(msgspec.Struct, frozen=True):
    """What the two answers gave in one place; either may have nothing there."""

    left: Given | None = None
    right: Given | None = None

    @property
    def same(self) -> bool:
        """Whether both gave the same."""
        return self.left is not None and self.right is not None and self.left.term == self.right.term


class GivenPart(msgspec.Struct, frozen=True):
    """A part of both answers."""

    label: str
    pairs: tuple[GivenPair, ...]
    left_right: bool
    """Whether all of the left answer is as expected here."""
    right_right: bool

    @property
    def same(self) -> bool:
        """Whether both answers gave the same here."""
        return all(pair.same for pair in self.pairs)


def given_parts(left: CaseForm, right: CaseForm) -> tuple[GivenPart, ...]:
    """The parts of two answers whose form is terms; none where it is something else."""
    ours, theirs = _dimensions(left), _dimensions(right)
    return tuple(_part(label, ours.get(label), theirs.get(label)) for label in dict.fromkeys([*ours, *theirs]))


def other_views(form: CaseForm) -> tuple[View, ...]:
    """What is shown of an answer beside its terms."""
    return tuple(view for view in form.views if not isinstance(view, Terms))


def _dimensions(form: CaseForm) -> dict[str, TermPart]:
    return {one.label: one for view in form.views if isinstance(view, Terms) for one in view.parts}


def _part(label: str, left: TermPart | None, right: TermPart | None) -> GivenPart:
    ours, theirs = _given(left), _given(right)
    same = [GivenPair(one, theirs[code]) for code, one in ours.items() if code in theirs]
    apart = (
        [one for code, one in ours.items() if code not in theirs],
        [one for code, one in theirs.items() if code not in ours],
    )
    apart_pairs = (GivenPair(*pair) for pair in zip_longest(*apart))
    return GivenPart(label, (*apart_pairs, *same), left is None or left.right, right is None or right.right)


def _given(one: TermPart | None) -> dict[str, Given]:
    pairs = one.pairs if one is not None else ()
    return {pair.given.code: Given(pair.given, pair.found) for pair in pairs if pair.given is not None}
