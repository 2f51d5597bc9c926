"""Truths that are spans of documents: ``guide.md#120-180`` or ``guide.md "quoted words"``.

The numbers are characters, the first included and the last not. Quoted words must occur exactly once. A document may be
named by the end of its path, as long as that is only one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from karat.core.problems import UserError, count_of, did_you_mean
from karat.search.chunks.chunk import Document

_NUMBERS = re.compile(r"(.+)#(\d{1,15})-(\d{1,15})")
_QUOTED = re.compile(r'(.[^"]*)"(.+)"', re.DOTALL)
HINT = 'Write guide.md#120-180 (characters) or guide.md "quoted words".'


@dataclass(frozen=True)
class SpanTruth:
    """A part of a document that must be retrieved."""

    document: str
    start: int
    end: int


def read_span(written: str, documents: Mapping[str, Document]) -> SpanTruth:
    """The span of a truth. Raises :class:`UserError` when it is not in these documents."""
    numbers = _NUMBERS.fullmatch(written.strip())
    if numbers is not None:
        document = _document(numbers[1].strip(), written, documents)
        start, end = int(numbers[2]), int(numbers[3])
        if not start < end <= len(document.text):
            said = f'"{written}": {document.name} has {count_of(len(document.text), "character")}'
            raise UserError(said, hint="A span is #START-END with START < END; END is not part of it.")
        return SpanTruth(document.name, start, end)
    quoted = _QUOTED.fullmatch(written.strip())
    if quoted is None:
        raise UserError(f'the truth "{written}" is not a span of a document', hint=HINT)
    document = _document(quoted[1].strip(), written, documents)
    start = document.text.find(quoted[2])
    if start < 0:
        raise UserError(f'"{quoted[2]}" does not occur in {document.name}', hint="Case, spaces and line breaks count.")
    if document.text.find(quoted[2], start + 1) >= 0:
        hint = "Quote more words, or give the characters: guide.md#120-180."
        raise UserError(f'"{quoted[2]}" occurs more than once in {document.name}', hint=hint)
    return SpanTruth(document.name, start, start + len(quoted[2]))


def names_document(written: str, documents: Mapping[str, Document]) -> bool:
    """Whether a truth is about one of these documents, and no doubt which. Raises :class:`UserError` for what is no
    span at all."""
    found = _NUMBERS.fullmatch(written.strip()) or _QUOTED.fullmatch(written.strip())
    if found is None:
        raise UserError(f'the truth "{written}" is not a span of a document', hint=HINT)
    name = found[1].strip()
    return name in documents or sum(one.endswith(f"/{name}") for one in documents) == 1


def _document(name: str, written: str, documents: Mapping[str, Document]) -> Document:
    if name in documents:
        return documents[name]
    found = [one for one in documents.values() if one.name.endswith(f"/{name}")]
    if len(found) == 1:
        return found[0]
    if found:
        which = ", ".join(one.name for one in found[:4])
        raise UserError(f'"{written}": {name} may be {which}', hint="Give more of its path.")
    known = [*documents, *(one.rpartition("/")[2] for one in documents)]
    raise UserError(f'"{written}": there is no document "{name}"', hint=did_you_mean(name, set(known)))
