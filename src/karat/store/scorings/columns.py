"""The figures of a scoring as columns: an array for each metric over all cases. Statistics, comparisons and lists are
made from these, so that nothing has to be held as objects."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.results.columns.case_words import CaseWords
from karat.core.results.columns.columns import CODES, Columns
from karat.core.results.columns.figures import FigureBuilder, Figures
from karat.core.results.columns.packed_numbers import Coded, pack_floats, unpack_floats
from karat.core.results.result import CaseResult, has_errors
from karat.store.blocks.block import DamagedBlock
from karat.store.codec import from_texts, has_marks, to_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COLUMNS = "columns"


PLAIN, PACKED = 0, 1
"""How the figures of a block are kept: eight bytes each, as stores before version 0009 do, or as ``pack_floats``
does."""


class Chunk(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The columns of one block. ``failed``: the places of cases with a failed try."""

    case_ids: list[str]
    statuses: bytes
    clusters: list[str] | None
    figures: dict[str, bytes]
    failed: list[int]
    form: int = PLAIN

    def column(self, metric: str) -> Floats | Coded | None:
        """The values of a metric; None: no case has one."""
        import numpy as np

        found = self.figures.get(metric)
        if found is None:
            return None
        return unpack_floats(found) if self.form == PACKED else np.frombuffer(found, "<f8")

    def value(self, metric: str, place: int) -> float:
        """That of one case; NaN: none."""
        found = self.column(metric)
        if found is None:
            return math.nan
        return float(found.table[found.codes[place]] if isinstance(found, Coded) else found[place])


_decoder = msgspec.msgpack.Decoder(Chunk)


def pack_columns(cases: Sequence[CaseResult]) -> bytes:
    """The columns of these cases, for every metric that one of them has, as one item of a block."""
    import numpy as np

    names = list(dict.fromkeys(name for case in cases for name in case.scores))
    figures = {}
    for name in names:
        scores = [case.scores.get(name) for case in cases]
        column = np.array([None if score is None else score.value for score in scores], dtype="<f8")
        column[~np.isfinite(column)] = math.nan
        figures[to_text(name)] = pack_floats(column)
    clusters = [case.cluster for case in cases]
    chunk = Chunk(
        case_ids=[to_text(case.id) for case in cases],
        statuses=bytes(CODES[case.status] for case in cases),
        clusters=[to_text(one) for one in clusters] if any(clusters) else None,
        figures=figures,
        failed=[place for place, case in enumerate(cases) if has_errors(case)],
        form=PACKED,
    )
    return msgspec.msgpack.encode(chunk)


def unpack_columns(items: Iterable[bytes], count: int, metrics: Sequence[str], words: CaseWords) -> Columns:
    """The columns of a scoring of ``count`` cases from those of its blocks, for the metrics of its summary. One block
    at a time is held beside them."""
    import numpy as np

    figures = [(to_text(name), FigureBuilder(count)) for name in metrics]
    statuses = np.zeros(count, dtype=np.int8)
    failed = np.zeros(count, dtype=np.bool_)
    case_ids: list[str] = []
    clusters: list[str] | None = None
    for chunk in map(unpack_chunk, items):
        begin, end = len(case_ids), len(case_ids) + len(chunk.case_ids)
        if end > count:
            break
        for key, column in figures:
            data = chunk.figures.get(key)
            if data is None or chunk.form == PACKED:
                column.fill(begin, end, data)
            else:
                column.fill_plain(begin, end, np.frombuffer(data, "<f8"))
        statuses[begin:end] = np.frombuffer(chunk.statuses, np.int8)
        failed[np.array(chunk.failed, dtype=np.int64) + begin] = True
        if chunk.clusters is not None or clusters is not None:
            clusters = [""] * begin if clusters is None else clusters
            clusters += chunk.clusters or [""] * (end - begin)
        case_ids += chunk.case_ids
    if len(case_ids) != count:
        raise DamagedBlock(f"the columns of {count} cases are not those of {len(case_ids)}")
    built = Figures([column.built() for _, column in figures], count)
    return Columns(case_ids, statuses, clusters, tuple(metrics), built, failed, words)


def unpack_chunk(data: bytes) -> Chunk:
    """The columns of one block."""
    found = _decoder.decode(data)
    if not has_marks(data):
        return found
    clusters = None if found.clusters is None else from_texts(found.clusters)
    return msgspec.structs.replace(found, case_ids=from_texts(found.case_ids), clusters=clusters)
