"""A suite whose cases sleep, end the process that scores them, or write down who scored them. Workers find it by the
entry point that :mod:`tests.runs.executors.cluster` puts on their path."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Literal

import msgspec

from karat.core.case_files.loaded import LoadedCases, LoadedPredictions
from karat.core.metric import Metric
from karat.core.records import Case, Prediction, Turn
from karat.core.results.result import CaseResult
from karat.core.scores import Score
from karat.core.suite import Suite, SuiteOptions
from karat.runs.scores.scoring import Tries


class Deed(msgspec.Struct, frozen=True):
    """What scoring the case does."""

    number: int = 0
    do: Literal["", "die", "hang", "exit"] = ""
    seconds: float = 0.0
    log: str = ""
    """A folder that gets one file each time a case is begun."""


def compare(case: Case[Deed], turn: int, _prediction: Prediction, _options: SuiteOptions) -> float:
    deed = case.conversation[turn].target
    assert deed is not None
    if deed.log:
        Path(deed.log, f"{case.id}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(deed.seconds)
    if deed.do == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if deed.do == "exit":
        os._exit(3)
    if deed.do == "hang":
        time.sleep(600)
    return 1 / (1 + deed.number)


def load_cases(path: Path) -> LoadedCases:
    decoder = msgspec.json.Decoder(Deed)
    deeds = [decoder.decode(line) for line in path.read_text().splitlines()]
    return LoadedCases(tuple(case(deed) for deed in deeds))


def case(deed: Deed) -> Case[Deed]:
    return Case(f"c{deed.number:04}", (Turn("user", f"Number {deed.number}?", deed),))


def work(*deeds: Deed) -> list[tuple[Case[Deed], Tries]]:
    """Cases with an answer each."""
    cases = [case(deed) for deed in deeds]
    return [(one, {0: {0: Prediction(one.id, response=b"{}")}}) for one in cases]


def begun(log: Path, number: int) -> int:
    """How often scoring of a case was begun."""
    return len(list(log.glob(f"c{number:04}-*")))


def worth(results: list[CaseResult]) -> list[float | None]:
    return [result.scores["worth"].value for result in results]


suite: Suite[Deed, SuiteOptions, float] = Suite(
    name="troubled",
    summary="cases that end their workers",
    target=Deed,
    options=SuiteOptions,
    metrics=(Metric("worth", "worth", "1 / (1 + number)", Score),),
    load_cases=load_cases,
    read_predictions=lambda _path: LoadedPredictions(()),
    compare=compare,
)


def ask(_request: object) -> str:
    """A system that answers the cases."""
    return "{}"
