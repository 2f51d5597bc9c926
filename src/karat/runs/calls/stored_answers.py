"""What a run has stored already, a chunk of cases at a time: a run that goes on need not hold the answers it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from karat.core.bulk.sequence import in_chunks
from karat.core.records import AnyCase, Prediction
from karat.runs.calls.calling import Key
from karat.runs.scores.kept_results import KeptResults
from karat.runs.scores.scoring import Tries, group

if TYPE_CHECKING:
    from karat.store.store import Store


class StoredAnswers:
    """The latest answers of a run. ``begun``: those that are to be followed up, which count as not there yet."""

    def __init__(self, store: Store, run_id: int, begun: Mapping[Key, Prediction] = MappingProxyType({})) -> None:
        self._store, self._run_id = store, run_id
        self.begun: dict[Key, Prediction] = dict(begun)

    def of(self, cases: Sequence[AnyCase]) -> dict[Key, Prediction]:
        """The answers to these cases."""
        found = self._store.case_predictions(self._run_id, [case.id for case in cases])
        answers = {(one.case_id, one.turn or 0, one.repeat): one for one in found}
        for key in self.begun.keys() & answers.keys():
            del answers[key]
        return answers

    def forget_begun(self, cases: Sequence[AnyCase]) -> None:
        """What was begun of these cases counts as an answer again."""
        ids = {case.id for case in cases}
        for key in [key for key in self.begun if key[0] in ids]:
            del self.begun[key]


class NoAnswers(StoredAnswers):
    """Of a run that begins: there is nothing to look for."""

    def of(self, cases: Sequence[AnyCase]) -> dict[Key, Prediction]:  # noqa: ARG002 (there are none for any case)
        return {}


def with_answers(
    store: Store, run_id: int, cases: Sequence[AnyCase], repeats: int, but: KeptResults | None = None
) -> Iterator[tuple[AnyCase, Tries]]:
    """Each case with its answers, for scoring, ``but`` those that have a result. Few are held at a time."""
    chosen = (case for place, case in enumerate(cases) if place not in but) if but is not None else cases
    for chunk in in_chunks(chosen):
        predictions = store.case_predictions(run_id, [case.id for case in chunk])
        found, _ = group(chunk, predictions, repeats)
        for case in chunk:
            yield case, found.get(case.id, {})
