"""An accepted selection goes into its case as a further entry under ``alternatives`` of the turn's target.

The entry is put into the text of the file, and nothing else there changes: comments, layout and line ends stay. The new
text is read back, and must give the same cases with just this entry more.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from karat.core.case_files.case_checks import Edit
from karat.core.problems import UserError
from karat.core.records import Case, Prediction, default_turn
from karat.core.suite import Unreadable
from karat.suites.data_query.authoring.accept_text import with_alternative
from karat.suites.data_query.cases import LINES, load_cases
from karat.suites.data_query.comparison import compare_selection
from karat.suites.data_query.options import Options
from karat.suites.data_query.responses import read_response
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Selection, Target


def accept(case: Case[Target], prediction: Prediction, _cases: Path, options: Options) -> Sequence[Edit]:
    """The file with the selection as an alternative; nothing when the answer is right already."""
    file = Path(case.source.file)
    if file.name.endswith(LINES):
        hint = 'Add the selection to "alternatives" of the target in that line.'
        raise UserError(f"{file.name} is a JSONL file, which is not edited here (line {case.source.line})", hint=hint)
    cases = _cases_in(file)
    number = next((place for place, one in enumerate(cases) if one.id == case.id), None)
    if number is None:
        raise UserError(f"the case is not in {file.name}")
    turn = prediction.turn if prediction.turn is not None else default_turn(case)
    place = _place(cases[number], turn)
    target = cases[number].conversation[place].target
    if target is None:
        raise UserError(f"turn {turn + 1} expects nothing, so there is nothing to add to")
    try:
        selection = read_response(prediction.response, options.today, options.outcome_from)
    except Unreadable as error:
        raise UserError(f"there is no selection to accept: {error}") from error
    if compare_selection(target, selection, options).wholly_right:
        return ()
    wanted = as_alternative(selection, options)
    more = msgspec.structs.replace(target, alternatives=(*target.alternatives, wanted))
    if not compare_selection(more, selection, options).wholly_right:
        raise UserError("even as an alternative it would not be right")
    data = file.read_bytes()
    new = with_alternative(data, cases[number].source, ("conversation", place, "target"), wanted)
    expected = list(cases)
    expected[number] = _with_target(cases[number], place, more)
    if [one.conversation for one in _read(new)] != [one.conversation for one in expected]:
        raise UserError("it cannot be inserted into the file without changing something else")
    return (Edit(file, new),)


def as_alternative(selection: Selection, options: Options) -> Selection:
    """The selection as a case would say it: without what only an answer has."""
    parts = []
    for part in selection.indicator_selection:
        dimensions = [
            Dimension(one.dimension_name, one.values, one.operator)
            for one in part.dimensions
            if not (one.is_default and options.ignore_defaults)
        ]
        parts.append(DatasetSelection(part.dataset_id, tuple(dimensions), part.period))
    return msgspec.structs.replace(selection, indicator_selection=tuple(parts))


def _place(case: Case[Target], turn: int) -> int:
    """The place of a user turn among all turns."""
    return [place for place, one in enumerate(case.conversation) if one.role == "user"][turn]


def _with_target(case: Case[Target], place: int, target: Target) -> Case[Target]:
    turns = list(case.conversation)
    turns[place] = msgspec.structs.replace(turns[place], target=target)
    return msgspec.structs.replace(case, conversation=tuple(turns))


def _cases_in(file: Path) -> tuple[Case[Target], ...]:
    """The cases of the file as it is."""
    try:
        return tuple(load_cases(file).cases)
    except OSError as error:
        raise UserError(f"{file.name} cannot be read: {error.strerror}") from error


def _read(data: bytes) -> tuple[Case[Target], ...]:
    with tempfile.TemporaryDirectory(prefix="karat-") as folder:
        file = Path(folder) / "cases.yaml"
        file.write_bytes(data)
        return tuple(load_cases(file).cases)
