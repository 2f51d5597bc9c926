"""Recorded predictions, asked like any other system: same answers, same latency, same tokens, no calls.

A recording is found by case, turn and repeat. One that does not say its turn answers the only scored turn of its case,
or turn 0 where there are several, as when it is scored from its file. What is not recorded is missing, which is not an
error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType

from karat.core.bulk.answers import AnswerIndex
from karat.core.bulk.cases import held_answers
from karat.core.case_files.loaded import Said
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem
from karat.core.records import Prediction
from karat.core.remote.paths import local_path
from karat.core.suite import Suite
from karat.core.system import CallFailed, NoAnswer, RecordedConfig, Request, Response, System, SystemType
from karat.systems.history import assistant_message


class ReplayConfig(RecordedConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the recording is."""


class ReplaySystem(System):
    """An open recording: ``recorded`` is what it holds, ``notes`` what it says of the run it is from, ``problems`` what
    could not be read of it."""

    measures_time = False
    """Only recorded latencies count."""
    can_be_asked_again = False
    """A recording has said what it has to say."""

    def __init__(
        self,
        predictions: Sequence[Prediction],
        problems: Sequence[Problem] = (),
        notes: JsonMapping = MappingProxyType({}),
    ) -> None:
        self.problems = tuple(problems)
        self.notes = notes
        self.recorded = predictions
        self._answers = AnswerIndex(predictions)

    async def call(self, request: Request) -> Response:
        """The recorded answer, or the recorded failure."""
        answers = self._answers.of(request.case_id, request.repeat)
        turns = (request.turn, None) if request.turn == request.default_turn else (request.turn,)
        found = next((one for one in answers if one.turn in turns), None)
        if found is None:
            raise NoAnswer(
                f'nothing is recorded for case "{request.case_id}", turn {request.turn}, repeat {request.repeat}'
            )
        if found.error is not None:
            raise CallFailed(found.error.kind, found.error.message, body=found.response)
        return Response(found.response, tokens=found.tokens, cost=found.cost, latency=found.latency, trace=found.trace)

    def reply(self, body: bytes) -> JsonObject:
        """The assistant message that a recorded body stands for."""
        return assistant_message(body)


def open_replay(config: ReplayConfig, suite: Suite) -> ReplaySystem:
    """The recording, read by the suite; UserError when there is none."""
    problems: list[Problem] = []
    notes: JsonObject = {}
    answers = held_answers(_answers_in(suite.each_prediction(local_path(config.predictions)), problems, notes))
    return ReplaySystem(answers, problems, notes)


def _answers_in(stream: Iterable[Said], problems: list[Problem], notes: JsonObject) -> Iterator[Prediction]:
    for one in stream:
        if isinstance(one, Prediction):
            yield one
        elif isinstance(one, Problem):
            problems.append(one)
        else:
            notes.update(one)


system = SystemType("replay", "recorded predictions", ReplayConfig, open_replay, paths=("predictions",))
