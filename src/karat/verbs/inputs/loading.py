"""Cases, predictions and options, from paths or from Python values. What cannot be used at all is an error, the same
for both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from karat.core.case_files.drafts import without_drafts
from karat.core.case_files.loaded import LoadedCases, LoadedPredictions, all_predictions
from karat.core.files.reading import is_empty
from karat.core.json_types import JsonMapping
from karat.core.problems import Problem, UserError
from karat.core.records import AnyCase, Prediction
from karat.core.remote.paths import local_input
from karat.core.suite import Suite, SuiteOptions
from karat.runs.project_file.environments import takes_environments, with_environments
from karat.runs.project_file.project import options_from
from karat.verbs.inputs.projects import environments_here
from karat.verbs.inputs.python_values import given_cases, given_predictions
from karat.verbs.inputs.step_timing import step

Rows: TypeAlias = Iterable[JsonMapping] | Any
"""Dicts, or a DataFrame of pandas, polars or Arrow."""
Cases = str | Path | Sequence[AnyCase] | Rows
Predictions = str | Path | Iterable[Prediction] | Rows
Options = JsonMapping | SuiteOptions | None

VALUES = "Give a path, a list of dicts or a DataFrame."


def read_cases(suite: Suite, cases: Cases, folder: str | Path = "") -> LoadedCases:
    """Every case that can be read and every problem; there may be no case at all."""
    cases = local_input(cases)
    with step("cases read"):
        if isinstance(cases, str | Path):
            return suite.load_cases(Path(cases))
        return given_cases(suite, cases, Path(folder))


def load_cases(suite: Suite, cases: Cases, folder: str | Path = "", *, drafts: bool = False) -> LoadedCases:
    """The cases that can be read; the rest become problems. No case at all is an error. ``drafts``: also the cases that
    nobody has accepted yet."""
    cases = local_input(cases)
    loaded = read_cases(suite, cases, folder)
    if not drafts:
        loaded = without_drafts(loaded)
    if not loaded.cases:
        raise nothing_read("cases", suite, cases, loaded.problems)
    return loaded


def load_predictions(suite: Suite, predictions: Predictions, folder: str | Path = "") -> LoadedPredictions:
    """The predictions that can be read; the rest become problems. No prediction at all is an error."""
    predictions = local_input(predictions)
    with step("predictions read"):
        if isinstance(predictions, str | Path):
            loaded = all_predictions(suite.each_prediction(Path(predictions)))
        else:
            loaded = given_predictions(suite, predictions, Path(folder))
    if not loaded.predictions:
        raise nothing_read("predictions", suite, predictions, loaded.problems)
    return loaded


def nothing_read(noun: str, suite: Suite, given: Cases | Predictions, problems: Sequence[Problem]) -> UserError:
    """The error of input in which there is nothing to work on."""
    if not isinstance(given, str | Path):
        if problems:
            return UserError(f"none of the {noun} can be read", problems=problems)
        return UserError(f"no {noun} were given", hint=VALUES)
    if problems and all(problem.severity == "warning" for problem in problems):
        return UserError(f"there are no {noun} to score in {given}", problems=problems)
    if problems:
        return UserError(f"none of the {noun} in {given} can be read", problems=problems)
    empty = ": it is empty" if is_empty(Path(given)) else ""
    hint = f"karat init --suite {suite.name} FOLDER creates an example."
    return UserError(f"there are no {noun} in {given}{empty}", hint=hint)


def options_for(suite: Suite, options: Options) -> SuiteOptions:
    """The options of a suite from Python values; those that are left out have their defaults."""
    given = options if isinstance(options, SuiteOptions) else options_from(suite.options, options or {})
    return with_environments(given, environments_here()) if takes_environments(given) else given
