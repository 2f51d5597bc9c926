"""The cases of a run drawn in the form of their suite, with the macros that the viewer draws them with. The page
carries them as inert templates; opening a case copies its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from karat.core.case_form import CaseForm, Picture, Pictures, View
from karat.core.presentation.case_explanation import explanation_of
from karat.core.presentation.case_forms import form_of
from karat.core.results.result import CaseResult
from karat.reports.html.gallery import Shot, shot_of
from karat.reports.html.text import FILTERS

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

FORMS_ROOM = 400_000
"""Bytes that all forms together may take; cases that are not right come first."""
MOST_OF_A_FORM = 40_000
MOST_PICTURES = 200
LARGEST_PICTURE = 81_000
"""Characters of one picture: 60 kB in base64. Pictures are counted apart from the room of forms."""
ELSEWHERE = "{} (open the run with karat serve to see it)"


class RenderedForm(msgspec.Struct, frozen=True):
    """The form of a case as markup; ``place``: where the case is among the cases. ``shot``: what a gallery says of its
    pictures."""

    place: int
    text: Markup
    shot: Shot | None = None


def rendered_forms(suite: str, cases: Sequence[CaseResult], room: int = FORMS_ROOM) -> list[RenderedForm]:
    """The forms of as many cases as there is room for, in their order."""
    found: list[RenderedForm] = []
    pictures = MOST_PICTURES
    for place in _worst_first(suite, cases):
        form = with_pictures(form_of(suite, cases[place]), pictures)
        own = [one for view in form.views if isinstance(view, Pictures) for one in view.pictures if one.png]
        text = rendered_form(form)
        size = len(text.encode("utf-8", "replace")) - sum(len(one.png) for one in own)
        if not text.strip() or size > MOST_OF_A_FORM:
            continue
        if size > room:
            break
        room -= size
        pictures -= len(own)
        found.append(RenderedForm(place, text, shot_of(place, cases[place].id, form)))
    return sorted(found, key=lambda one: one.place)


def with_pictures(form: CaseForm, most: int) -> CaseForm:
    """The form with as many of its pictures as the page has room for; the others are replaced by a sentence."""
    views: list[View] = []
    for view in form.views:
        if isinstance(view, Pictures):
            shown: list[Picture] = []
            for one in view.pictures:
                fits = len(one.png) <= LARGEST_PICTURE and most > 0
                most -= bool(one.png) and fits
                bare = msgspec.structs.replace(one, png="", text=ELSEWHERE.format(one.text))
                shown.append(one if fits or not one.png else bare)
            views.append(msgspec.structs.replace(view, pictures=tuple(shown)))
        else:
            views.append(view)
    return msgspec.structs.replace(form, views=tuple(views))


def rendered_form(form: CaseForm) -> Markup:
    """The sentence and the views of a case. Everything is escaped by the template engine."""
    from markupsafe import Markup

    # Below the headings of the dialog. Texts are escaped, so that "<h2" is never one of them.
    text = _template().render(form=form).replace("<h2", "<h4").replace("</h2>", "</h4>")
    return Markup(text)  # noqa: S704 (made by a template that escapes)


def _worst_first(suite: str, cases: Sequence[CaseResult]) -> Iterator[int]:
    later = []
    for place, case in enumerate(cases):
        if case.status == "scored" and explanation_of(suite, case).outcome == "right":
            later.append(place)
        else:
            yield place
    yield from later


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("karat.reports", "look")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= FILTERS
    return environment.from_string(
        '{% import "case_form.html" as forms %}{% import "sentence.html" as sentence %}'
        '{% if form.sentence %}<p class="data said1">{{ sentence.said(form.sentence) }}</p>{% endif %}'
        '{% if form.because %}<p class="data dim">{{ sentence.said(form.because) }}</p>{% endif %}'
        "{{ forms.views(form) }}"
    )
