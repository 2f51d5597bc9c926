"""The lines of a list of cases: made when a run is scored, so that a list of 100,000 is filtered without opening any
case.

- ``tags``: without line breaks.
- ``reason``: why the case is not right, in words that many cases share, so that they can be counted and filtered by.
- ``wants_review``: no rule could settle the answer (the outcome ``needs_review`` of its explanation).
- ``searched``: id, name, question, tags, reasons and error in lower case. Answers are searched apart, see
  ``karat.web.search.search``.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.explanation import Explanation
from karat.core.results.result import CaseResult
from karat.store.codec import from_bytes, from_text, has_marks, to_bytes, to_text

LINES, SEARCHED = "lines", "searched"

QUESTION = 400
"""Characters of a question in a list; the case has all of it."""
SEARCHED_MOST = 4000
BETWEEN = "\x1e"
"""Between the searched texts of two cases. It counts as white space, so that no word that is looked for has it."""


class CaseLine(msgspec.Struct, frozen=True, gc=False):
    """What a list shows of one case, beside its figures."""

    name: str
    question: str
    reason: str
    tags: tuple[str, ...]
    wants_review: bool
    searched: str


class Lines(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The lines of a block of cases, as columns."""

    names: list[str]
    questions: list[str]
    reasons: list[str]
    tags: list[tuple[str, ...]]
    wants_review: list[bool]


class Filtered(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The same without what is only shown."""

    names: msgspec.Raw
    questions: msgspec.Raw
    reasons: list[str]
    tags: list[tuple[str, ...]]
    wants_review: list[bool]


_decoder = msgspec.msgpack.Decoder(Lines)
_filtered = msgspec.msgpack.Decoder(Filtered)


def line_of(case: CaseResult, explanation: Explanation) -> CaseLine:
    """The line of one case, with its explanation."""
    reason = explanation.reason
    tags = tuple(" ".join(tag.split()) for tag in case.tags)
    reasons = {score.reason for score in case.scores.values()}
    found = (case.id, case.name, case.question, *tags, reason, *explanation.codes, case.error, *reasons)
    return CaseLine(
        name=case.name[:QUESTION],
        question=case.question[:QUESTION],
        reason=reason[:QUESTION],
        tags=tags,
        wants_review=explanation.outcome == "needs_review",
        searched="\n".join(part for part in found if part)[:SEARCHED_MOST].casefold(),
    )


def pack_lines(lines: Sequence[CaseLine]) -> bytes:
    """The lines, without what is searched, as one item of a block."""
    return msgspec.msgpack.encode(
        Lines(
            names=[to_text(line.name) for line in lines],
            questions=[to_text(line.question) for line in lines],
            reasons=[to_text(line.reason) for line in lines],
            tags=[tuple(map(to_text, line.tags)) for line in lines],
            wants_review=[line.wants_review for line in lines],
        )
    )


def unpack_lines(data: bytes) -> Lines:
    """The lines that :func:`pack_lines` was given."""
    found = _decoder.decode(data)
    if not has_marks(data):
        return found
    return Lines(
        [from_text(name) for name in found.names],
        [from_text(question) for question in found.questions],
        [from_text(reason) for reason in found.reasons],
        [tuple(map(from_text, tags)) for tags in found.tags],
        found.wants_review,
    )


def unpack_filtered(data: bytes) -> Filtered | Lines:
    """What the lines are filtered by."""
    return unpack_lines(data) if has_marks(data) else _filtered.decode(data)


def pack_searched(lines: Sequence[CaseLine]) -> bytes:
    """What is searched of these lines, as one item of a block."""
    return to_bytes(BETWEEN.join(line.searched.replace(BETWEEN, " ") for line in lines))


def unpack_searched(data: bytes) -> str:
    """The texts, with :data:`BETWEEN` between them."""
    return from_bytes(data)
