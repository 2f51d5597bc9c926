"""Truths that are spans of documents, where results are chunks: ``docs/guide.md#0-180``.

A span is found at the least n at which the first n results together cover enough of its characters. One result may have
several spans, so that two may have one rank; measures of the results themselves (precision, MAP, nDCG) have no value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from karat.search.chunks.cover import covered
from karat.search.chunks.spans import SpanTruth
from karat.suites.retrieval.records import Span

_PART = re.compile(r"(.+)#([0-9]{1,15})-([0-9]{1,15})", re.DOTALL)


def span_ranks(spans: Mapping[str, Span], keys: Sequence[str]) -> list[tuple[int, str]]:
    """(rank, truth) of the truths whose spans these results cover, in this order."""
    parts: dict[str, list[tuple[int, int, int]]] = {}
    for rank, key in enumerate(keys, start=1):
        found = _PART.fullmatch(key)
        if found is not None:
            parts.setdefault(found[1], []).append((rank, int(found[2]), int(found[3])))
    ranks = ((_rank(span, parts.get(span.document, ())), truth) for truth, span in spans.items())
    return [(rank, truth) for rank, truth in ranks if rank is not None]


def _rank(span: Span, parts: Sequence[tuple[int, int, int]]) -> int | None:
    needed = Fraction(str(span.cover)) * (span.end - span.start)
    wanted = SpanTruth(span.document, span.start, span.end)
    taken: list[tuple[int, int]] = []
    for rank, start, end in parts:
        if start < span.end and span.start < end:
            taken.append((start, end))
            if covered(wanted, taken) >= needed:
                return rank
    return None
