"""What reading case files and recorded answers gives: everything that could be read, and every problem."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any  # Any: notes of a run are JSON values

import msgspec

from karat.core.json_types import JsonMapping
from karat.core.problems import Problem
from karat.core.records import AnyCase, Prediction


class LoadedCases(msgspec.Struct, frozen=True):
    """Every case that could be read, every problem of every file, and how many files there were.

    >>> import karat
    >>> karat.LoadedCases(cases=(), problems=(karat.Problem("the file is empty"),), files=1).files
    1
    """

    cases: tuple[AnyCase, ...]
    """Each case that could be read."""
    problems: tuple[Problem, ...] = ()
    """Each problem."""
    files: int = 0
    """How many files were read."""
    flawed: tuple[AnyCase, ...] = ()
    """Cases with mistakes, as far as they can be read. They are checked further, and never run."""


CaseOrProblem = AnyCase | Problem
Said = Prediction | Problem | JsonMapping
"""What a recording says, one thing after the other: an answer, what cannot be read, or notes of its run."""


def all_cases(stream: Iterable[CaseOrProblem], files: int = 0) -> LoadedCases:
    """What comes one by one, all together."""
    cases: list[AnyCase] = []
    problems: list[Problem] = []
    for one in stream:
        if isinstance(one, Problem):
            problems.append(one)
        else:
            cases.append(one)
    return LoadedCases(tuple(cases), tuple(problems), files)


GIVEN = "given"
"""Stands for the file of cases that were given as Python values."""


class LoadedPredictions(msgspec.Struct, frozen=True):
    """Every prediction that could be read, and every problem.

    >>> import karat
    >>> karat.LoadedPredictions((karat.Prediction("ships", response=b"37"),)).predictions[0].case_id
    'ships'
    """

    predictions: tuple[Prediction, ...]
    """Each prediction that could be read."""
    problems: tuple[Problem, ...] = ()
    """Each problem."""
    notes: JsonMapping = {}
    """The notes of the run that they come from, as JSON values, if the file has them."""


def all_predictions(stream: Iterable[Said]) -> LoadedPredictions:
    """What a recording says one by one, all together."""
    predictions: list[Prediction] = []
    problems: list[Problem] = []
    notes: dict[str, Any] = {}
    for one in stream:
        if isinstance(one, Prediction):
            predictions.append(one)
        elif isinstance(one, Problem):
            problems.append(one)
        else:
            notes |= one
    return LoadedPredictions(tuple(predictions), tuple(problems), notes)
