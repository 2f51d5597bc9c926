"""Cases and recorded answers for a run, one after the other from their files: those that are many are never held as
objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from karat.core.bulk.cases import held_answers, held_cases
from karat.core.case_files.drafts import drafts_left_out, is_draft
from karat.core.case_files.loaded import LoadedPredictions, Said
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem, Severity, count_of
from karat.core.records import AnyCase, Prediction
from karat.core.remote.paths import local_input
from karat.core.suite import Suite
from karat.runs.case_selection import Choice, Choosing
from karat.verbs.inputs.loading import Cases, Predictions, load_cases, nothing_read
from karat.verbs.inputs.python_values import given_cases, given_predictions
from karat.verbs.inputs.step_timing import step

MOST_PROBLEMS = 10_000
"""Problems that are kept; further ones are counted."""


class GatheredCases(msgspec.Struct, frozen=True):
    """The cases that were chosen, the ids of those that were not, and what could not be read."""

    cases: Sequence[AnyCase]
    left_out: frozenset[str]
    problems: tuple[Problem, ...]


class GatheredAnswers(msgspec.Struct, frozen=True):
    """Recorded answers, what could not be read, and the notes of the run they are from."""

    predictions: Sequence[Prediction]
    problems: tuple[Problem, ...]
    notes: JsonMapping


class _Problems:
    """The first problems, and how many more there were."""

    def __init__(self) -> None:
        self.kept: list[Problem] = []
        self._more = 0
        self._severity: Severity = "warning"

    def add(self, problem: Problem) -> None:
        if len(self.kept) < MOST_PROBLEMS:
            self.kept.append(problem)
            return
        self._more += 1
        if problem.severity == "error":
            self._severity = "error"

    def reported(self) -> tuple[Problem, ...]:
        if not self._more:
            return tuple(self.kept)
        message = f"{count_of(self._more, 'more problem')} of the same files, not listed here"
        hint = "Fix the ones above first; karat check lists them all."
        return (*self.kept, Problem(message, hint=hint, severity=self._severity))


def gather_cases(suite: Suite, cases: Cases, folder: str | Path = "", choice: Choice | None = None) -> GatheredCases:
    """The chosen cases; what cannot be read becomes a problem. No case at all is an error."""
    cases = local_input(cases)
    problems = _Problems()
    choosing = Choosing(choice or Choice())
    drafts: list[str] = []
    with step("cases read"):
        if isinstance(cases, str | Path):
            found = _cases_in(suite, suite.each_case(Path(cases)), cases, problems, drafts)
            held = held_cases(choosing.chosen(found), suite.target)
        else:
            loaded = given_cases(suite, cases, Path(folder))  # the caller holds them, so they are held
            found = _cases_in(suite, (*loaded.cases, *loaded.problems), cases, problems, drafts)
            held = tuple(choosing.chosen(found))
    return GatheredCases(held, frozenset((*choosing.left_out, *drafts)), problems.reported())


def _cases_in(
    suite: Suite, stream: Iterable[AnyCase | Problem], given: Cases, problems: _Problems, drafts: list[str]
) -> Iterator[AnyCase]:
    """The cases that count. ``drafts`` gets the ids of the others."""
    some = False
    first: AnyCase | None = None
    for one in stream:
        if isinstance(one, Problem):
            problems.add(one)
        elif is_draft(one):
            first = first or one
            drafts.append(one.id)
        else:
            some = True
            yield one
    if first is not None:
        problems.add(drafts_left_out(first, len(drafts)))
    if not some:
        raise nothing_read("cases", suite, given, problems.reported())


def gather_predictions(suite: Suite, predictions: Predictions, folder: str | Path = "") -> GatheredAnswers:
    """The predictions that can be read; the rest become problems. No prediction at all is an error."""
    predictions = local_input(predictions)
    problems = _Problems()
    notes: JsonObject = {}
    with step("predictions read"):
        if isinstance(predictions, str | Path):
            held = held_answers(_answers_in(suite.each_prediction(Path(predictions)), problems, notes))
        else:
            loaded = given_predictions(suite, predictions, Path(folder))
            notes.update(loaded.notes)
            held = tuple(_answers_in((*loaded.predictions, *loaded.problems), problems, notes))
    if not held:
        raise nothing_read("predictions", suite, predictions, problems.reported())
    return GatheredAnswers(held, problems.reported(), notes)


def paired_answers(
    suite: Suite, gathered: GatheredCases, cases: Cases, answers: GatheredAnswers, folder: str | Path = ""
) -> GatheredAnswers:
    """The answers with the ids of their cases, where the suite's files name rows. Rows are counted over all cases, also
    those that were not chosen."""
    if suite.pair is None:
        return answers
    every = load_cases(suite, cases, folder, drafts=True).cases if gathered.left_out else gathered.cases
    found = suite.pair(every, LoadedPredictions(tuple(answers.predictions), answers.problems, answers.notes))
    return GatheredAnswers(found.predictions, found.problems, found.notes)


def _answers_in(stream: Iterable[Said], problems: _Problems, notes: JsonObject) -> Iterator[Prediction]:
    for one in stream:
        if isinstance(one, Prediction):
            yield one
        elif isinstance(one, Problem):
            problems.add(one)
        else:
            notes.update(one)
