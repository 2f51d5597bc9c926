"""The types of this suite: the truths of a question, and what was retrieved for it."""

from __future__ import annotations

import msgspec

DOCUMENTS = "documents"
"""The one field of a case from TREC or BEIR files."""


class Truths(msgspec.Struct, frozen=True):
    """Per field: key → relevance. A key of relevance 0 or below was judged and is not wanted.

    A case from TREC or BEIR files has the one field ``documents``; a question of a sheet has one entry for each
    evaluation field, with relevance 1 for each of its truths.
    """

    fields: dict[str, dict[str, int]]


class Ranked(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was retrieved for one field. With scores: ordered by them (see ``ranking``); without: already best first."""

    keys: list[str]
    scores: list[float] | None = None


class Retrieved(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole answer: what was retrieved for each field. As JSON it is the response of a prediction."""

    fields: dict[str, Ranked]
