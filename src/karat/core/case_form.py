"""How a case is shown to a person: a sentence, and what was expected and given in the form that fits its suite.

A suite builds the form from what it kept of the comparison, when somebody looks at the case. The viewer and the HTML
report draw each kind of view with one macro and need to know nothing about the suite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, TypeVar  # Any: the target that a suite draws, of a class of its own

import msgspec

from karat.core.explanation import Cell, Mark, read_details
from karat.core.json_types import JsonMapping
from karat.core.presentation.code_views import Codes
from karat.core.records import Prediction


class Term(msgspec.Struct, frozen=True):
    """One thing that was asked for or given: a code with its name, or a text."""

    code: str
    name: str = ""
    note: str = ""


class TermPair(msgspec.Struct, frozen=True):
    """A term that was expected beside what was given in its place. The same on both sides: it was found."""

    expected: Term | None = None
    given: Term | None = None

    @property
    def found(self) -> bool:
        """Whether what was expected was given."""
        return self.expected is not None and self.expected == self.given


class TermPart(msgspec.Struct, frozen=True):
    """One part of an answer, term by term: those that differ first."""

    label: str
    pairs: tuple[TermPair, ...]
    note: str = ""

    @property
    def right(self) -> bool:
        """Whether everything in it was found and nothing else was given."""
        return all(pair.found for pair in self.pairs)


class Terms(msgspec.Struct, frozen=True):
    """Terms part by part, such as by dimension; parts that are right take one line."""

    kind: ClassVar[str] = "terms"
    parts: tuple[TermPart, ...]


class CellColumn(msgspec.Struct, frozen=True):
    """A column of the expected table, and the name of the given one that it was compared with."""

    name: str
    given: str = ""
    differs: bool = False
    number: bool = False
    """Whether its cells are numbers, which are read from their right end."""


class CellLine(msgspec.Struct, frozen=True):
    """A row. ``missing``: only the expected table has it; ``extra``: only the given one."""

    label: str
    cells: tuple[Cell, ...]
    mark: Mark = "changed"
    note: str = ""


class EqualRows(msgspec.Struct, frozen=True):
    """Rows that are equal in both tables, counted; those at hand can be unfolded."""

    count: int
    lines: tuple[CellLine, ...] = ()


class ComparedColumn(msgspec.Struct, frozen=True):
    """Which columns were compared, and how much of them is equal."""

    expected: str
    given: str
    note: str = ""
    right: bool = True


class CellTable(msgspec.Struct, frozen=True):
    """Two tables as one: rows that differ, with what is equal folded."""

    kind: ClassVar[str] = "cells"
    title: str
    note: str
    columns: tuple[CellColumn, ...]
    lines: tuple[CellLine | EqualRows, ...]
    more: int = 0
    """Rows that differ and are not listed."""
    compared: tuple[ComparedColumn, ...] = ()
    unlisted: int = 0
    """Expected columns that are not among the compared ones above."""


class Grid(msgspec.Struct, frozen=True):
    """A small table as it is."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    gone: tuple[str, ...] = ()
    """Rows that should be here and are not, in words."""
    unwanted: frozenset[int] = frozenset()
    """Places of rows that should not be here."""
    more: int = 0
    """Rows that are left out."""
    right: bool | None = None
    """Whether it is as it should be; None: it just is."""


class Grids(msgspec.Struct, frozen=True):
    """Small tables side by side."""

    kind: ClassVar[str] = "grids"
    title: str
    grids: tuple[Grid, ...]
    note: str = ""
    lead: str = ""
    script: str = ""
    """SQL that makes these tables again; folded."""
    folded: bool = False


KeyState = Literal["", "hit", "lost"]


class RankedKey(msgspec.Struct, frozen=True):
    """A place of a ranked list. ``hit``: needed and found; ``lost``: needed, and below the cut or not there at all."""

    rank: int | None
    key: str
    state: KeyState = ""
    score: float | None = None
    share: int = 0
    """The length of its bar, in per cent of the best score."""


class RankGap(msgspec.Struct, frozen=True):
    """Places that are not listed one by one, none of which is needed; some of them can be unfolded."""

    text: str
    keys: tuple[RankedKey, ...] = ()


class RankCut(msgspec.Struct, frozen=True):
    """Where the list ends for the user."""

    text: str


class RankedList(msgspec.Struct, frozen=True):
    """A ranked list with the needed keys at their ranks."""

    kind: ClassVar[str] = "ranked"
    title: str
    note: str
    places: tuple[RankedKey | RankGap | RankCut, ...]
    right: bool = False


class Texts(msgspec.Struct, frozen=True):
    """Values and texts that were expected, beside the text that was given."""

    kind: ClassVar[str] = "texts"
    expected: tuple[str, ...]
    given: str
    right: bool | None
    """None: nobody has settled that."""
    note: str = ""
    missing: tuple[str, ...] = ()
    """Those of the expected that are not in what was given."""


class Listed(msgspec.Struct, frozen=True):
    """Facts in a fold: (text, whether it is as it should be; None: it just is)."""

    kind: ClassVar[str] = "list"
    title: str
    items: tuple[tuple[str, bool | None], ...]
    note: str = ""
    folded: bool = True


class TimelineBar(msgspec.Struct, frozen=True):
    """One step on the way to an answer."""

    label: str
    text: str
    share: int
    """The length of its bar, in per cent of the longest."""
    right: bool | None = None
    """Whether it is as it should be; None: it is not known, or was not done."""
    note: str = ""
    marked: str = ""
    """Why the eye should go here first."""


class Timeline(msgspec.Struct, frozen=True):
    """Steps in their order, each with a bar for what it took."""

    kind: ClassVar[str] = "timeline"
    title: str
    bars: tuple[TimelineBar, ...]
    note: str = ""


class Lines(msgspec.Struct, frozen=True):
    """Two texts as one, line by line."""

    kind: ClassVar[str] = "lines"
    title: str
    lines: tuple[tuple[Mark, str], ...]


class Picture(msgspec.Struct, frozen=True):
    """What was drawn: a PNG in base64, or a Vega-Lite specification that a page draws. ``text`` says it in words."""

    title: str
    text: str
    png: str = ""
    vega_lite: str = ""
    width: int = 0
    height: int = 0
    right: bool | None = None


class Pictures(msgspec.Struct, frozen=True):
    """Pictures side by side, with what is right in them and what is not."""

    kind: ClassVar[str] = "pictures"
    title: str
    pictures: tuple[Picture, ...]
    note: str = ""
    items: tuple[tuple[str, bool | None], ...] = ()
    group: str = ""
    """What a gallery of all cases is filtered by: why it is not right; empty where it is."""


class CurvePoint(msgspec.Struct, frozen=True):
    """A point on both axes, in per cent from the left and from the top, and its figures in words."""

    x: float
    y: float
    text: str


class Curve(msgspec.Struct, frozen=True):
    """Points that are joined. ``reference``: what the others are compared with."""

    label: str
    points: tuple[CurvePoint, ...]
    reference: bool = False


class Curves(msgspec.Struct, frozen=True):
    """Curves over logarithmic axes: a straight line is a power, its slope the exponent."""

    kind: ClassVar[str] = "curves"
    title: str
    curves: tuple[Curve, ...]
    x_title: str
    y_title: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    """(per cent, label)."""
    note: str = ""


View = Terms | CellTable | Codes | Grids | RankedList | Texts | Listed | Timeline | Lines | Pictures | Curves


class CaseForm(msgspec.Struct, frozen=True):
    """What is shown of a case beside its question, its scores and its raw texts."""

    sentence: str = ""
    """What is wrong, or what is right, in one sentence without its verdict word."""
    because: str = ""
    """What it is seen by."""
    views: tuple[View, ...] = ()
    facts: tuple[str, ...] = ()
    """Short remarks on how the case is judged."""
    answer: str | None = None
    """The answer as a person reads it, where the stored response is a record of Karat's own. None: the response is."""
    unjudged: tuple[Grids | Texts, ...] = ()
    """Tables and texts as they were expected and given, unmarked, in every case that has them: for somebody who must
    not see the verdict."""

    @property
    def headline(self) -> str:
        """The sentence; of one that is too long for a title, its first clauses."""
        if len(self.sentence) <= LONGEST_TITLE:
            return self.sentence
        start = self.sentence[:LONGEST_TITLE]
        clause, word = max(start.rfind("; "), start.rfind(", ")), start.rfind(" ")
        end = next((place for place in (clause, word) if place > LONGEST_TITLE // 2), LONGEST_TITLE)
        return f"{start[:end].rstrip(';, ')} …"


LONGEST_TITLE = 200
"""Letters of a sentence that is used as a title."""


Details = TypeVar("Details")
Target = TypeVar("Target")
ShowForm = Callable[[JsonMapping, Any, Prediction | None], CaseForm | None]
"""(details as JSON values, the target of the case where it is known, the answer where it is at hand) → its form; None:
the form that its explanation gives."""


def no_form(_details: JsonMapping, _target: object, _answer: Prediction | None) -> None:
    """For a suite whose explanation says all there is to show."""


def showing(
    kind: type[Details], show: Callable[[Details, Target | None, Prediction | None], CaseForm | None]
) -> ShowForm:
    """``show`` for details as they are stored."""

    def show_stored(details: JsonMapping, target: Any, answer: Prediction | None) -> CaseForm | None:
        found = read_details(kind, details)
        return None if found is None else show(found, target, answer)

    return show_stored


def paired(found: tuple[Term, ...], missing: tuple[Term, ...], extra: tuple[Term, ...]) -> tuple[TermPair, ...]:
    """The terms of one part, line by line: what is missing beside what came in its place, then what was found."""
    both = min(len(missing), len(extra))
    replaced = tuple(TermPair(one, other) for one, other in zip(missing, extra, strict=False))
    alone = (*(TermPair(one) for one in missing[both:]), *(TermPair(None, other) for other in extra[both:]))
    return (*replaced, *alone, *(TermPair(term, term) for term in found))
