"""The figures of a scoring as columns: an array for each metric over all cases. Statistics, comparisons and lists are
made from these, so that nothing has to be held as objects."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from karat.core.results.case_words import CaseWords
from karat.core.results.columns import CODES, Columns
from karat.core.results.result import CaseResult, has_errors
from karat.store.codec import from_text, has_marks, to_text

COLUMNS = "columns"


class _Chunk(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The columns of one block. ``failed``: the places of cases with a failed try."""

    case_ids: list[str]
    statuses: bytes
    clusters: list[str] | None
    figures: dict[str, bytes]
    failed: list[int]


_decoder = msgspec.msgpack.Decoder(_Chunk)


def pack_columns(cases: Sequence[CaseResult]) -> bytes:
    """The columns of these cases, for every metric that one of them has, as one item of a block."""
    import numpy as np

    names = list(dict.fromkeys(name for case in cases for name in case.scores))
    figures = {}
    for name in names:
        scores = [case.scores.get(name) for case in cases]
        column = np.array([None if score is None else score.value for score in scores], dtype="<f8")
        column[~np.isfinite(column)] = math.nan
        figures[to_text(name)] = column.tobytes()
    clusters = [case.cluster for case in cases]
    chunk = _Chunk(
        case_ids=[to_text(case.id) for case in cases],
        statuses=bytes(CODES[case.status] for case in cases),
        clusters=[to_text(one) for one in clusters] if any(clusters) else None,
        figures=figures,
        failed=[place for place, case in enumerate(cases) if has_errors(case)],
    )
    return msgspec.msgpack.encode(chunk)


def unpack_columns(items: Iterable[bytes], metrics: Sequence[str] | None, words: CaseWords) -> Columns:
    """The columns of a scoring from those of its blocks, for these metrics; None: for all that a case has."""
    import numpy as np

    chunks = [_chunk(item) for item in items]
    sizes = [len(chunk.case_ids) for chunk in chunks]
    if metrics is None:
        metrics = [from_text(name) for name in dict.fromkeys(name for chunk in chunks for name in chunk.figures)]
    figures = np.full((len(metrics), sum(sizes)), math.nan)
    failed = np.zeros(sum(sizes), dtype=np.bool_)
    keys = [to_text(name) for name in metrics]
    begin = 0
    for chunk, size in zip(chunks, sizes, strict=True):
        for row, key in enumerate(keys):
            if (stored := chunk.figures.get(key)) is not None:
                figures[row, begin : begin + size] = np.frombuffer(stored, "<f8")
        failed[np.array(chunk.failed, dtype=np.int64) + begin] = True
        begin += size
    return Columns(
        case_ids=[case for chunk in chunks for case in chunk.case_ids],
        statuses=np.frombuffer(b"".join(chunk.statuses for chunk in chunks), np.int8),
        clusters=_clusters(chunks, sizes),
        metrics=tuple(metrics),
        figures=figures,
        failed=failed,
        words=words,
    )


def _clusters(chunks: Sequence[_Chunk], sizes: Sequence[int]) -> list[str] | None:
    if all(chunk.clusters is None for chunk in chunks):
        return None
    named = [chunk.clusters or [""] * size for chunk, size in zip(chunks, sizes, strict=True)]
    return [one for own in named for one in own]


def _chunk(data: bytes) -> _Chunk:
    found = _decoder.decode(data)
    if not has_marks(data):
        return found
    clusters = None if found.clusters is None else [from_text(one) for one in found.clusters]
    return msgspec.structs.replace(found, case_ids=[from_text(case) for case in found.case_ids], clusters=clusters)
