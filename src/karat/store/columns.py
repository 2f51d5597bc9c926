"""The figures of a scoring as columns: an array for each metric over all cases. Statistics, comparisons and lists are
made from these, so that nothing has to be held as objects."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, get_args

import msgspec

from karat.core.results.result import CaseResult, fails, has_errors, value_with_errors
from karat.core.scores import State
from karat.store.codec import from_text, has_marks, to_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int8]

COLUMNS = "columns"
STATES: tuple[State, ...] = get_args(State)
"""A status code is a place in this."""


class Columns(msgspec.Struct, frozen=True):
    """All cases of a scoring, column by column, in the order of the scoring."""

    case_ids: list[str]
    statuses: Codes
    """Places in :data:`STATES`."""
    clusters: list[str] | None
    """What each case is a variant of, empty for one that is none; None when no case is one."""
    metrics: tuple[str, ...]
    """Those of the summary, in its order."""
    figures: Floats
    """Metrics by cases. NaN: no value."""
    with_errors: Floats
    """The same where each failed try counts 0 (``value_with_errors``)."""
    error_shares: Floats
    """Which part of the value in ``with_errors`` is failed tries: where one counts x instead, the value is
    ``with_errors + x * error_shares``. 0 where no try failed."""


class _Chunk(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The columns of one block. Cases with a failed try are listed in ``failed``, with their values apart; under the
    empty name are those in a metric that no case here has."""

    case_ids: list[str]
    statuses: bytes
    clusters: list[str] | None
    figures: dict[str, bytes]
    failed: list[int]
    with_errors: dict[str, tuple[list[float | None], list[float]]]


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
    failed = [place for place, case in enumerate(cases) if has_errors(case)]
    own = [cases[place] for place in failed]
    tried = list(dict.fromkeys(["", *names, *(name for case in own for one in case.repeats for name in one.scores)]))
    clusters = [case.cluster for case in cases]
    chunk = _Chunk(
        case_ids=[to_text(case.id) for case in cases],
        statuses=bytes(STATES.index(case.status) for case in cases),
        clusters=[to_text(one) for one in clusters] if any(clusters) else None,
        figures=figures,
        failed=failed,
        with_errors={to_text(name): _with_errors(own, name) for name in tried} if failed else {},
    )
    return msgspec.msgpack.encode(chunk)


def _with_errors(cases: Sequence[CaseResult], metric: str) -> tuple[list[float | None], list[float]]:
    """The values with failed tries as 0, and the part of each that those are."""
    values = [value_with_errors(case, metric) for case in cases]
    ones = [value_with_errors(case, metric, 1.0) for case in cases]
    shares = [
        one - value if value is not None and one is not None and fails(case, metric) else 0.0
        for case, value, one in zip(cases, values, ones, strict=True)
    ]
    return values, shares


def unpack_columns(items: Iterable[bytes], metrics: Sequence[str]) -> Columns:
    """The columns of a scoring from those of its blocks, for the metrics of its summary."""
    import numpy as np

    chunks = [_chunk(item) for item in items]
    sizes = [len(chunk.case_ids) for chunk in chunks]
    shape = (len(metrics), sum(sizes))
    figures = np.full(shape, math.nan)
    with_errors, shares = figures, np.broadcast_to(np.float64(0), shape)
    if any(chunk.failed for chunk in chunks):
        with_errors, shares = np.empty(shape), np.zeros(shape)
    keys = [to_text(name) for name in metrics]
    begin = 0
    for chunk, size in zip(chunks, sizes, strict=True):
        end = begin + size
        for row, key in enumerate(keys):
            if (stored := chunk.figures.get(key)) is not None:
                figures[row, begin:end] = np.frombuffer(stored, "<f8")
            if with_errors is not figures:
                with_errors[row, begin:end] = figures[row, begin:end]
            if chunk.failed:
                values, parts = chunk.with_errors.get(key) or chunk.with_errors[""]
                places = np.array(chunk.failed) + begin
                with_errors[row, places] = np.array(values, dtype=np.float64)
                shares[row, places] = parts
        begin = end
    return Columns(
        case_ids=[case for chunk in chunks for case in chunk.case_ids],
        statuses=np.frombuffer(b"".join(chunk.statuses for chunk in chunks), np.int8),
        clusters=_clusters(chunks, sizes),
        metrics=tuple(metrics),
        figures=figures,
        with_errors=with_errors,
        error_shares=shares,
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
