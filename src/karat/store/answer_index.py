"""Where the answers of a run are, in memory: a few numbers for each, so that the answers to one case are found among
millions, and a run's progress is counted, without reading them again.

Ids are kept as hashes. Two with the same hash cost a look into a block more, nothing else, where cases are looked for;
counts take two questions with the same hash of 64 bits for one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from karat.store.answer_blocks import KEYS, keys_of
from karat.store.block_tables import blocks_from
from karat.store.schema import run_blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Hashes = NDArray[np.int64]
    Flags = NDArray[np.bool_]

TAIL = 64
"""Blocks that are looked through one by one before they are sorted in among the others."""
RUNS = 8
"""Runs whose places are kept."""

Question = tuple[str, int, int]
"""Case, turn and repeat."""


class AnswerIndex:
    """The blocks of one run that were seen so far."""

    def __init__(self) -> None:
        import numpy as np

        self.end = 0
        self.questions: list[Hashes] = []
        self.tries: list[Hashes] = []
        self.failed: list[Flags] = []
        self._cases: Hashes = np.empty(0, np.int64)
        self._firsts: Hashes = np.empty(0, np.int64)
        self._tail: list[tuple[int, set[int]]] = []
        self._lock = Lock()

    def catch_up(self, connection: Connection, run_id: int) -> AnswerIndex:
        """Take in the blocks that were written since."""
        import numpy as np

        with self._lock:
            for stored in blocks_from(connection, run_blocks, run_id, KEYS, self.end):
                keys = keys_of(stored)
                questions = list(zip(keys.cases, keys.turns, keys.repeats, strict=True))
                failed = np.zeros(len(questions), bool)
                failed[list(keys.errors)] = True
                hashed, tried = question_hashes(questions)
                self.questions.append(hashed)
                self.tries.append(tried)
                self.failed.append(failed)
                self._tail.append((stored.first, set(map(hash, keys.cases))))
                self.end = stored.end
                if len(self._tail) >= TAIL:
                    self._sort()
        return self

    def blocks_with(self, case_ids: Iterable[str]) -> list[int]:
        """The blocks, by their first position, that may hold answers to these cases."""
        import numpy as np

        wanted = np.unique(np.fromiter(map(hash, case_ids), np.int64))
        with self._lock:
            begins = np.searchsorted(self._cases, wanted, "left")
            ends = np.searchsorted(self._cases, wanted, "right")
            found = {
                int(first)
                for begin, end in zip(begins[ends > begins], ends[ends > begins], strict=True)
                for first in self._firsts[begin:end]
            }
            hashes = set(wanted.tolist())
            found.update(first for first, held in self._tail if not hashes.isdisjoint(held))
        return sorted(found)

    def _sort(self) -> None:
        import numpy as np

        cases = np.concatenate([self._cases, *(np.fromiter(held, np.int64, len(held)) for _, held in self._tail)])
        firsts = np.concatenate([self._firsts, *(np.full(len(held), first) for first, held in self._tail)])
        order = np.argsort(cases, kind="stable")
        self._cases, self._firsts, self._tail = cases[order], firsts[order], []


def question_hashes(questions: Sequence[Question]) -> tuple[Hashes, Hashes]:
    """The hashes of these questions, and those of the tries they belong to: case and repeat."""
    import numpy as np

    asked = np.fromiter(map(hash, questions), np.int64, len(questions))
    return asked, np.fromiter((hash((case, repeat)) for case, _, repeat in questions), np.int64, len(questions))


class AnswerIndexes:
    """Those of the runs that were last read. Threads may share it."""

    def __init__(self) -> None:
        self._held: OrderedDict[int, AnswerIndex] = OrderedDict()
        self._lock = Lock()

    def of(self, connection: Connection, run_id: int) -> AnswerIndex:
        """The index of a run, with everything that the connection sees."""
        with self._lock:
            found = self._held.get(run_id) or AnswerIndex()
            self._held[run_id] = found
            self._held.move_to_end(run_id)
            while len(self._held) > RUNS:
                self._held.popitem(last=False)
        return found.catch_up(connection, run_id)
