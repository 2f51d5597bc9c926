"""Where the answers of a run are, in memory: a few numbers for each, so that the answers to one case are found among
millions, and a run's progress is counted, without reading them again.

Ids are kept as hashes. Two with the same hash cost a look into a block more, nothing else, where cases are looked for;
counts take two questions with the same hash of 64 bits for one. The two are kept apart, as who looks for cases seldom
counts, and hashing whole questions takes the most time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection

from karat.store.blocks.tables import Stored, blocks_from
from karat.store.predictions.answer_blocks import KEYS, case_ids_of, keys_of
from karat.store.schema import run_blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Hashes = NDArray[np.int64]
    Flags = NDArray[np.bool_]

TAIL = 64
"""Blocks that are looked through one by one before they are sorted in among the others."""
RUNS = 8
"""Runs whose indexes are kept, of each kind."""

Question = tuple[str, int, int]
"""Case, turn and repeat."""


class _Index(ABC):
    """The blocks of one run that were seen so far."""

    def __init__(self) -> None:
        self._end = 0
        self._lock = Lock()

    def catch_up(self, connection: Connection, run_id: int) -> None:
        """Take in the blocks that were written since."""
        with self._lock:
            for stored in blocks_from(connection, run_blocks, run_id, KEYS, self._end):
                self._take(stored)
                self._end = stored.end

    @abstractmethod
    def _take(self, stored: Stored) -> None: ...


class CaseIndex(_Index):
    """Which blocks hold answers to a case."""

    def __init__(self) -> None:
        import numpy as np

        super().__init__()
        self._cases: Hashes = np.empty(0, np.int64)
        self._firsts: Hashes = np.empty(0, np.int64)
        self._tail: list[tuple[int, Hashes]] = []

    def _take(self, stored: Stored) -> None:
        import numpy as np

        cases = case_ids_of(stored)
        self._tail.append((stored.first, np.fromiter(map(hash, cases), np.int64, len(cases))))

    def blocks_with(self, case_ids: Iterable[str]) -> list[int]:
        """The blocks, by their first position, that may hold answers to these cases."""
        import numpy as np

        wanted = np.unique(np.fromiter(map(hash, case_ids), np.int64))
        with self._lock:
            if len(self._tail) >= TAIL:
                self._sort()
            begins = np.searchsorted(self._cases, wanted, "left")
            ends = np.searchsorted(self._cases, wanted, "right")
            counts = ends - begins
            steps = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            found = set(np.unique(self._firsts[np.repeat(begins, counts) + steps]).tolist())
            found.update(first for first, held in self._tail if np.isin(held, wanted).any())
        return sorted(found)

    def _sort(self) -> None:
        import numpy as np

        cases = np.concatenate([self._cases, *(held for _, held in self._tail)])
        firsts = np.concatenate([self._firsts, *(np.full(len(held), first) for first, held in self._tail)])
        order = np.argsort(cases, kind="stable")
        self._cases, self._firsts, self._tail = cases[order], firsts[order], []


class QuestionIndex(_Index):
    """What was answered, and what failed: in the order in which the answers came."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[Hashes] = []
        self.tries: list[Hashes] = []
        self.failed: list[Flags] = []

    def _take(self, stored: Stored) -> None:
        import numpy as np

        keys = keys_of(stored)
        hashed, tried = question_hashes(list(zip(keys.cases, keys.turns, keys.repeats, strict=True)))
        failed = np.zeros(len(hashed), bool)
        failed[list(keys.errors)] = True
        self.questions.append(hashed)
        self.tries.append(tried)
        self.failed.append(failed)


def question_hashes(questions: Sequence[Question]) -> tuple[Hashes, Hashes]:
    """The hashes of these questions, and those of the tries they belong to: case and repeat."""
    import numpy as np

    asked = np.fromiter(map(hash, questions), np.int64, len(questions))
    return asked, np.fromiter((hash((case, repeat)) for case, _, repeat in questions), np.int64, len(questions))


AnIndex = TypeVar("AnIndex", bound=_Index)


class AnswerIndexes:
    """Those of the runs that were last read. Threads may share it."""

    def __init__(self) -> None:
        self._by_case: OrderedDict[int, CaseIndex] = OrderedDict()
        self._by_question: OrderedDict[int, QuestionIndex] = OrderedDict()
        self._lock = Lock()

    def by_case(self, connection: Connection, run_id: int) -> CaseIndex:
        """The cases of a run's answers, with everything that the connection sees."""
        return self._of(self._by_case, CaseIndex, connection, run_id)

    def by_question(self, connection: Connection, run_id: int) -> QuestionIndex:
        """The questions of a run's answers, with everything that the connection sees."""
        return self._of(self._by_question, QuestionIndex, connection, run_id)

    def _of(self, held: OrderedDict[int, AnIndex], kind: type[AnIndex], connection: Connection, run_id: int) -> AnIndex:
        with self._lock:
            found = held.get(run_id) or kind()
            held[run_id] = found
            held.move_to_end(run_id)
            while len(held) > RUNS:
                held.popitem(last=False)
        found.catch_up(connection, run_id)
        return found
