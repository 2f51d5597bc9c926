"""A case without what the rule says of it: what was expected and what was given, for somebody who reviews blind.

Only a form of nothing but terms is shown term by term. Other forms list what is wrong, or leave out what is not needed,
which tells the rule's verdict: of those only the code stays, without its marks, and the tables that the suite shows of
every case, right or wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from karat.core.case_files.case_file import base_name
from karat.core.case_form import CaseForm, Grids, Listed, Term, Terms
from karat.core.json_types import Json
from karat.core.presentation.code_views import Code, CodeLine, Codes, Span

_LIMITS = frozenset({"timeout", "memory_mb"})
"""What a target says of the process that runs its code."""
_ABSOLUTE = re.compile(r"(?:/|[A-Za-z]:[\\/]|\\\\)[^\n]*[^\n/\\]")


class Side(msgspec.Struct, frozen=True):
    """One part of an answer: all that was expected and all that was given, both in the order of their letters."""

    label: str
    expected: tuple[str, ...]
    given: tuple[str, ...]


def sides(form: CaseForm) -> tuple[Side, ...]:
    """The parts of a form of terms; none for another form."""
    if not all(isinstance(view, Terms | Listed) for view in form.views):
        return ()
    parts = [part for view in form.views if isinstance(view, Terms) for part in view.parts]
    found = [
        Side(part.label, _words(one.expected for one in part.pairs), _words(one.given for one in part.pairs))
        for part in parts
    ]
    return tuple(sorted(found, key=lambda one: one.label))


def unjudged(form: CaseForm) -> CaseForm:
    """The code of a form, with no line marked and nothing said of it, and the tables that every case shows."""
    codes = tuple(Codes("Code", tuple(map(_unmarked, view.codes))) for view in form.views if isinstance(view, Codes))
    shown = (msgspec.structs.replace(one, folded=False) if isinstance(one, Grids) else one for one in form.unjudged)
    return CaseForm(views=(*codes, *shown))


def without_machine(target: Json) -> Json:
    """A target without the folders of this machine and the limits of the process that runs its code."""
    if isinstance(target, dict):
        target = {name: value for name, value in target.items() if name not in _LIMITS}
    return _bare(target)


def _bare(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _bare(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_bare(one) for one in value]
    return base_name(value) if isinstance(value, str) and _ABSOLUTE.fullmatch(value) else value


def _words(terms: Iterable[Term | None]) -> tuple[str, ...]:
    return tuple(sorted(f"{term.code} {term.name}".rstrip() for term in terms if term is not None))


def _unmarked(code: Code) -> Code:
    lines = tuple(CodeLine(line.number, (Span("".join(span.text for span in line.spans)),)) for line in code.lines)
    return Code(code.title or "Given", lines, more=code.more)
