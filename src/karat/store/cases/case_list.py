"""The list of the cases of a scoring, in memory: what it is filtered and sorted by, as columns. What a line shows
beside that is read for the lines of one page."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import Connection

from karat.core.results.columns.columns import STATES, Columns
from karat.store.blocks.block import DamagedBlock
from karat.store.blocks.tables import block_at, blocks_from, end_of
from karat.store.cases.case_lines import LINES, SEARCHED, Lines, unpack_filtered, unpack_lines, unpack_searched
from karat.store.cases.case_marks import MARKS, CaseMarks, MarksBuilder, unpack_marks
from karat.store.cases.search_texts import TextBlock
from karat.store.schema import scoring_blocks
from karat.store.scorings.results import read_columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.int32]
    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Positions = NDArray[np.int64]

ROOM = 500_000_000
"""Bytes of lists that are kept, beside the one that was read last."""
MOST = 8
MOST_COLUMNS = 2
"""Figures that are kept of runs whose lists nobody looked at: those of a comparison."""


class Line(msgspec.Struct, frozen=True, gc=False):
    """A case in a list."""

    position: int
    case_id: str
    status: str
    name: str
    question: str
    reason: str
    tags: tuple[str, ...]
    figures: tuple[float | None, ...]
    wants_review: bool


class CaseList:
    """All cases of a scoring. It never changes, as the scoring does not."""

    def __init__(self, connection: Connection, scoring: int, columns: Columns) -> None:
        self.scoring = scoring
        self.columns = columns
        marks = _read_marks(connection, scoring, len(self))
        if len(marks.wants_review) != len(self):
            raise DamagedBlock(f"there are {len(marks.wants_review)} lines of {len(self)} cases")
        self.reasons, self.reason_codes = marks.reasons, marks.reason_codes
        self.tags, self.tag_codes = marks.tags, marks.tag_codes
        self.wants_review: Flags = marks.wants_review
        self._texts: list[TextBlock] | None = None

    def __len__(self) -> int:
        return len(self.columns.case_ids)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        texts = sum(2 * len(block.text) for block in self._texts or ())
        return self.columns.figures.nbytes + 100 * len(self) + texts

    def figure(self, metric: int) -> Floats:
        """The values of one metric of the summary; NaN where a case has none."""
        import numpy as np

        figures = self.columns.figures
        return figures[metric] if 0 <= metric < len(figures) else np.full(len(self), np.nan)

    def texts(self, connection: Connection) -> list[TextBlock]:
        """What is searched of the cases; read when something is searched for first."""
        if self._texts is None:
            blocks = blocks_from(connection, scoring_blocks, self.scoring, SEARCHED)
            self._texts = [TextBlock(one.first, unpack_searched(one.block.items()[0])) for one in blocks]
        return self._texts

    def with_ids(self, case_ids: set[str]) -> Flags:
        """Which cases these are."""
        import numpy as np

        if not case_ids:
            return np.zeros(len(self), bool)
        return np.fromiter(map(case_ids.__contains__, self.columns.case_ids), bool, len(self))

    def lines(self, connection: Connection, positions: Sequence[int]) -> list[Line]:
        """The lines of the cases at these positions, in this order."""
        found: dict[int, Line] = {}
        first, end, lines = 0, 0, Lines([], [], [], [], [])
        for position in sorted(positions):
            if position >= end:
                stored = block_at(connection, scoring_blocks, self.scoring, LINES, position)
                if stored is None:
                    raise DamagedBlock(f"the line of the case {position} is missing")
                first, end, lines = stored.first, stored.end, unpack_lines(stored.block.items()[0])
            found[position] = self._line(position, first, lines)
        return [found[position] for position in positions]

    def _line(self, position: int, first: int, lines: Lines) -> Line:
        columns, place = self.columns, position - first
        return Line(
            position,
            columns.case_ids[position],
            STATES[columns.statuses[position]],
            lines.names[place],
            lines.questions[place],
            lines.reasons[place],
            lines.tags[place],
            tuple(None if value != value else value for value in columns.figures.at(position)),
            lines.wants_review[place],
        )


def _read_marks(connection: Connection, scoring: int, count: int) -> CaseMarks:
    """What the cases are filtered by; from their lines where an older store has nothing else."""
    builder = MarksBuilder()
    if end_of(connection, scoring_blocks, scoring, MARKS) == count:
        for stored in blocks_from(connection, scoring_blocks, scoring, MARKS):
            builder.add(unpack_marks(stored.block.items()[0]))
    else:
        for stored in blocks_from(connection, scoring_blocks, scoring, LINES):
            builder.add_lines(unpack_filtered(stored.block.items()[0]))
    return builder.built()


class CaseLists:
    """The lists of the scorings that were last looked at. Threads may share it."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._held: OrderedDict[int, CaseList] = OrderedDict()
        self._columns: OrderedDict[int, Columns] = OrderedDict()
        self._lock = Lock()

    def held_columns(self, scoring: int) -> Columns | None:
        """The figures of a scoring if they were read already."""
        with self._lock:
            held = self._held.get(scoring)
            return self._columns.get(scoring) if held is None else held.columns

    def columns(self, connection: Connection, scoring: int) -> Columns:
        """The figures of a scoring, without what else its list has."""
        if (held := self.held_columns(scoring)) is not None:
            return held
        found = read_columns(connection, scoring)
        with self._lock:
            self._columns[scoring] = found
            while len(self._columns) > MOST_COLUMNS:
                self._columns.popitem(last=False)
        return found

    def of(self, connection: Connection, scoring: int) -> CaseList:
        """The list of a scoring."""
        with self._lock:
            if (held := self._held.get(scoring)) is not None:
                self._held.move_to_end(scoring)
                return held
        found = CaseList(connection, scoring, self.columns(connection, scoring))
        with self._lock:
            self._columns.pop(scoring, None)
            self._held[scoring] = found
            self._held.move_to_end(scoring)
            while len(self._held) > MOST or (
                len(self._held) > 1 and sum(one.size for one in self._held.values()) > self._room
            ):
                self._held.popitem(last=False)
        return found
