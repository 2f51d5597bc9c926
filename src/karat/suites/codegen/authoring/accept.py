"""A task has one expected result, or one reference that makes it: that another result is right too cannot be said in
its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.core.case_files.case_checks import Edit
from karat.core.problems import UserError
from karat.core.records import Case, Prediction
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task


def accept(_case: Case[Task], _prediction: Prediction, _cases: Path, _options: Options) -> Sequence[Edit]:
    """Raises UserError: there is nothing to add to."""
    raise UserError(
        "a task has one expected result, so its file cannot accept another one",
        hint="If the question is ambiguous, make it more precise, or correct the expected result.",
    )
