"""Results of cases that were scored while the run went on, for the scoring at its end: no case is scored twice."""

from __future__ import annotations

from array import array

import msgspec

from karat.core.bulk.sequence import HELD
from karat.core.bulk.spool import Spool
from karat.core.results.result import CaseResult

_NONE = -1


class KeptResults:
    """Results by the place of their case. Those of a long run are kept as bytes."""

    def __init__(self, cases: int) -> None:
        self._held: dict[int, CaseResult] | None = {} if cases <= HELD else None
        self._records = array("q", [_NONE]) * (0 if cases <= HELD else cases)
        self._spool = Spool()
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(CaseResult).decode
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, place: int) -> bool:
        return place in self._held if self._held is not None else self._records[place] != _NONE

    def add(self, place: int, result: CaseResult) -> None:
        """Keep a result. One that cannot be kept as bytes is not: its case is scored again."""
        if self._held is not None:
            self._held[place] = result
        else:
            try:
                data = self._encode(result)
            except (UnicodeEncodeError, OverflowError, TypeError):
                return
            self._records[place] = len(self._spool)
            self._spool.add(data)
        self._count += 1

    def get(self, place: int) -> CaseResult:
        """The result of the case at this place, which was kept."""
        if self._held is not None:
            return self._held[place]
        at = self._records[place]
        return self._decode(self._spool.read(at, at + 1)[0])
