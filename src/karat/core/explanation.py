"""Why a case came out as it did, in the suite's own terms: one typed record that every reader shares.

A suite keeps what it found in a struct of its own, whose JSON form is ``details`` in the store and in ``--json``. Its
``explain`` turns that into an :class:`Explanation`. The terminal, the reports, the viewer and the comparison of two
runs read only the explanation and need to know nothing about the suite.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, Literal, TypeVar  # Any: the target of a case, whose class only its suite knows

import msgspec

from karat.core.files.json import without_surrogates
from karat.core.json_types import JsonMapping, JsonObject

Outcome = Literal["right", "wrong", "needs_review", "error", "missing", "not_applicable"]
PartState = Literal["found", "missing", "extra", "changed"]
Mark = Literal["same", "changed", "missing", "extra"]

LONGEST = 4000
"""Lines above which two texts are shown without marks."""


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """One part of an answer that is compared by itself, such as a dimension.

    >>> import karat
    >>> part = karat.Part("COUNTRY", found=("CHL",), missing=("PER",))
    >>> part.expected, part.state
    (('CHL', 'PER'), 'missing')
    """

    label: str
    """The name of the part."""
    found: tuple[str, ...] = ()
    """Expected and given."""
    missing: tuple[str, ...] = ()
    """Expected but not given."""
    extra: tuple[str, ...] = ()
    """Given but not expected."""
    note: str = ""
    """A remark on the part."""

    @property
    def expected(self) -> tuple[str, ...]:
        """All that was expected here."""
        return self.found + self.missing

    @property
    def given(self) -> tuple[str, ...]:
        """All that was given here."""
        return self.found + self.extra

    @property
    def state(self) -> PartState:
        """``found``: as expected. ``missing``: something is not there. ``extra``: something is too much. ``changed``:
        both."""
        if self.missing:
            return "changed" if self.extra else "missing"
        return "extra" if self.extra else "found"


class Cell(msgspec.Struct, frozen=True):
    """A cell of both tables."""

    expected: str
    given: str
    mark: Mark


class CellRow(msgspec.Struct, frozen=True):
    """A row, by its number in the table that has it."""

    label: str
    cells: tuple[Cell, ...]


class Cells(msgspec.Struct, frozen=True):
    """The first rows in which two tables differ, and the size of both in words."""

    columns: tuple[str, ...]
    rows: tuple[CellRow, ...]
    sizes: str
    nearest: tuple[tuple[str, str, str], ...]
    """(column that was expected, the nearest that was given, how much of it is equal)."""


class Line(msgspec.Struct, frozen=True, gc=False):
    """A line of two texts: in both (``same``), expected only (``missing``) or given only (``extra``).

    >>> import karat
    >>> karat.Line("missing", "SELECT 1").mark
    'missing'
    """

    mark: Mark
    """``same``, ``missing`` or ``extra``."""
    text: str
    """The line."""


class Group(msgspec.Struct, frozen=True, gc=False):
    """What a comparison of two runs can be broken down by, such as one dimension, with the case's figures in it.

    Without figures the case as a whole belongs to the group, and its headline metrics count there.

    >>> import karat
    >>> karat.Group("dimension", "COUNTRY", (("recall", 0.5),)).name
    'COUNTRY'
    """

    kind: str
    """What kind of group it is: ``dimension``, ``field`` and so on."""
    name: str
    """The name of the group."""
    figures: tuple[tuple[str, float], ...] = ()
    """Metric and value of the case in this group."""


class Failure(msgspec.Struct, frozen=True, gc=False):
    """One thing that is wrong with an answer, in words that other cases with the same fault share."""

    label: str
    """With what was asked and what was given: ``COUNTRY wrong: asked MEX, got USA``."""
    family: str = ""
    """Without values, for cases whose label no other case has: ``COUNTRY wrong``. Empty: the label itself."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a person needs to know about one case, or one try at it.

    >>> import karat
    >>> karat.Explanation(outcome="wrong", reason="wrong_number", headline="expected 40, found 37").outcome
    'wrong'
    """

    outcome: Outcome
    """``right``, ``wrong`` or ``needs_review`` (no rule can judge the answer), or the state of the case."""
    reason: str = ""
    """A short text that many cases share, to count and filter by; empty if nothing is wrong."""
    codes: tuple[str, ...] = ()
    """Each reason from the suite's closed list, if it has one; the viewer's search finds them."""
    headline: str = ""
    """One line that says what is wrong with this answer."""
    note: str = ""
    """What was forgiven so that the answer is right: a code fence, tied rows."""
    parts: tuple[Part, ...] = ()
    """The parts that are compared separately, such as dimensions."""
    cells: Cells | None = None
    """The cells of two tables side by side."""
    lines: tuple[Line, ...] = ()
    """The lines of two texts, such as queries."""
    groups: tuple[Group, ...] = ()
    """What a comparison of two runs can be broken down by."""
    failures: tuple[Failure, ...] = ()
    """What failure groups are made of, if parts and reason do not say it."""
    extra: msgspec.Struct | None = None
    """The suite's own record of what it found."""


Details = TypeVar("Details")
Target = TypeVar("Target")
Explain = Callable[[JsonMapping, Any], Explanation]
"""(details as JSON values, the target of the case where it is known) → explanation."""


def unexplained(details: JsonMapping, target: object) -> Explanation:  # noqa: ARG001 (the shape of Explain)
    """For a suite that explains nothing itself: the ``reason`` in its details, if it gives one."""
    reason = details.get("reason")
    text = reason if isinstance(reason, str) else ""
    return Explanation(outcome="wrong" if text else "right", reason=text, headline=text)


def plain_details(details: object) -> JsonObject:
    """A suite's struct as JSON values, as it is stored and exported."""
    try:
        data = msgspec.json.encode(details)
    except UnicodeEncodeError:
        data = msgspec.json.encode(without_surrogates(msgspec.to_builtins(details)))
    found: JsonObject = msgspec.json.decode(data)
    return found


def read_details(kind: type[Details], details: JsonMapping) -> Details | None:
    """Details as they are stored, as the suite's own struct. None: there are none, or an earlier version wrote them
    otherwise."""
    if not details:
        return None
    try:
        return msgspec.convert(details, kind, str_keys=True)
    except UnicodeEncodeError:
        return read_details(kind, without_surrogates(details))
    except msgspec.ValidationError:
        return None


def explaining(kind: type[Details], explain: Callable[[Details, Target | None], Explanation]) -> Explain:
    """``explain`` for details as they are stored.

    >>> import karat, msgspec
    >>> class Details(msgspec.Struct):
    ...     found: str
    >>> explain = karat.explaining(Details, lambda details, target: karat.Explanation(
    ...     outcome="right" if details.found == target else "wrong", headline=f"found {details.found}"))
    >>> explain({"found": "37"}, "40").headline
    'found 37'
    """

    def explain_stored(details: JsonMapping, target: Any) -> Explanation:
        found = read_details(kind, details)
        return unexplained(details, target) if found is None else explain(found, target)

    return explain_stored


def differing_lines(expected: str, given: str) -> tuple[Line, ...]:
    """Both texts as one, line by line. Empty when they are too long to be compared here.

    >>> import karat
    >>> [(line.mark, line.text) for line in karat.differing_lines("a\\nb", "a\\nc")]
    [('same', 'a'), ('missing', 'b'), ('extra', 'c')]
    """
    left, right = expected.splitlines(), given.splitlines()
    if len(left) + len(right) > LONGEST:
        return ()
    found: list[Line] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [Line("same", line) for line in left[a:b]]
        else:
            found += [Line("missing", line) for line in left[a:b]]
            found += [Line("extra", line) for line in right[c:d]]
    return tuple(found)
