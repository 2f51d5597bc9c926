"""Recorded answers, found by their case and repeat."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence

from karat.core.bulk.sequence import LazySequence
from karat.core.records import AnyCase, Prediction, default_turn

Find = Callable[[str, int], list[Prediction]]


class AnswerIndex:
    """Answers by case and repeat, in the order in which they were recorded. Those that are not held as objects cost 16
    bytes of memory each."""

    def __init__(self, answers: Sequence[Prediction]) -> None:
        self.of: Find = _by_hash(answers) if isinstance(answers, LazySequence) else _by_key(answers)

    def tries(self, case: AnyCase, repeats: int) -> dict[int, dict[int, Prediction]]:
        """The answers to one case: repeat → user turn → answer. Of several answers to one turn the first counts."""
        found: dict[int, dict[int, Prediction]] = {}
        for repeat in range(repeats):
            turns: dict[int, Prediction] = {}
            for one in self.of(case.id, repeat):
                turn = one.turn if one.turn is not None else default_turn(case)
                if 0 <= turn < case.user_turns:
                    turns.setdefault(turn, one)
            if turns:
                found[repeat] = turns
        return found


def _by_key(answers: Sequence[Prediction]) -> Find:
    known: dict[tuple[str, int], list[Prediction]] = {}
    for one in answers:
        known.setdefault((one.case_id, one.repeat), []).append(one)
    return lambda case_id, repeat: known.get((case_id, repeat), [])


def _by_hash(answers: Sequence[Prediction]) -> Find:
    """Two keys may have one hash, so what is found is looked at before it is given."""
    import numpy as np

    unsorted = np.fromiter((hash((one.case_id, one.repeat)) for one in answers), np.int64, len(answers))
    order = np.argsort(unsorted, kind="stable")
    hashes, places = array("q"), array("q")
    hashes.frombytes(unsorted[order].tobytes())
    places.frombytes(order.astype(np.int64).tobytes())

    def find(case_id: str, repeat: int) -> list[Prediction]:
        wanted = hash((case_id, repeat))
        found = []
        at = bisect_left(hashes, wanted)
        while at < len(hashes) and hashes[at] == wanted:
            one = answers[places[at]]
            if one.case_id == case_id and one.repeat == repeat:
                found.append(one)
            at += 1
        return found

    return find
