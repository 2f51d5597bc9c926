"""The types of this suite: the truths of a question, and what was retrieved for it."""

from __future__ import annotations

import msgspec

DOCUMENTS = "documents"
"""The one field of a case from TREC or BEIR files."""


class Span(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of a document that must be retrieved: the characters from ``start`` to ``end``, without the last."""

    document: str
    start: int
    end: int
    cover: float = 1.0
    """The share of its characters that must be among the results."""


class Truths(msgspec.Struct, frozen=True, omit_defaults=True):
    """Per field: key → relevance. A key of relevance 0 or below was judged and is not wanted.

    A case from TREC or BEIR files has the one field ``documents``; a question of a sheet has one entry for each
    evaluation field, with relevance 1 for each of its truths.
    """

    fields: dict[str, dict[str, int]]
    spans: dict[str, dict[str, Span]] = {}
    """Of fields whose values are chunks of documents: key → the span it means. There a result is a part of a document,
    ``guide.md#0-180``, and a key is found when the results so far cover its span."""


class Ranked(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was retrieved for one field. With scores: ordered by them (see ``ranking``); without: already best first."""

    keys: list[str]
    scores: list[float] | None = None


class Retrieved(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole answer: what was retrieved for each field. As JSON it is the response of a prediction."""

    fields: dict[str, Ranked]
