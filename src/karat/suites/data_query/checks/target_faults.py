"""Targets that no answer could meet, or that say two things at once. Found while cases are loaded, with the place in
the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from karat.core.problems import Problem, did_you_mean
from karat.core.records import Case
from karat.core.suite import Unreadable
from karat.core.yaml.structs import Path_
from karat.suites.data_query.formats.operators import known, on_codes
from karat.suites.data_query.periods.faults import period_faults, periods_in
from karat.suites.data_query.periods.filters import TIME_DIMENSION, with_period
from karat.suites.data_query.periods.nearest import ACCEPTED, no_period
from karat.suites.data_query.periods.period import days
from karat.suites.data_query.selection.outcomes import OUTCOMES
from karat.suites.data_query.selection.selection import DatasetSelection, Selection, Target

Fault = tuple[Path_, str, str]
"""Where in the target, what is wrong, what to do."""

PERIODS = f"A period is {ACCEPTED}."


def target_faults(target: Target) -> Iterator[Fault]:
    """The faults of a target and its alternatives."""
    yield from _faults(target)
    for number, other in enumerate(target.alternatives):
        for path, message, hint in _faults(other):
            yield ("alternatives", number, *path), message, hint


def target_doubts(cases: Iterable[Case[Target]], today: str) -> tuple[Problem, ...]:
    """What is probably a mistake, and what is one only on the day that ``$TODAY`` means."""
    now = date.fromisoformat(today) if today else date.today()
    return tuple(problem for case in cases for problem in _doubts(case, now))


def _faults(selection: Selection) -> Iterator[Fault]:
    if selection.is_out_of_scope and selection.selects and "answer" not in _stated(selection):
        message = "is_out_of_scope: true, and something is selected: an answer cannot decline and select"
        yield ("is_out_of_scope",), message, "Leave out the selection, or is_out_of_scope."
    unknown = [word for word in _stated(selection) if word not in OUTCOMES]
    for word in unknown:
        yield ("outcome",), f'unknown outcome "{word}"', did_you_mean(word, OUTCOMES)
    if selection.outcome is not None and not unknown and "answer" not in selection.outcomes and selection.selects:
        message = (
            f"outcome: {' or '.join(selection.outcomes) or 'none'}, and something is selected: no answer is expected"
        )
        yield ("outcome",), message, "Leave out the selection, or add answer to the outcomes."
    if selection.outcome is not None and selection.is_out_of_scope and "out_of_scope" not in selection.outcomes:
        yield ("outcome",), "is_out_of_scope: true, and outcome says otherwise", "Leave out one of the two."
    for path, period in periods_in(selection):
        for place, message in period_faults(period, path, date.today(), dated=False):
            yield place, message, PERIODS
    for number, part in enumerate(selection.indicator_selection):
        for path, message, hint in _entry_faults(part):
            yield ("indicator_selection", number, *path), message, hint


def _stated(selection: Selection) -> tuple[str, ...]:
    return selection.outcomes if selection.outcome is not None else ()


def _entry_faults(part: DatasetSelection) -> Iterator[Fault]:
    if not part.dataset_id.strip():
        yield ("dataset_id",), "the dataset_id is empty", "Name the dataset, such as IMF.RES:WEO."
    sound = True
    for number, dimension in enumerate(part.dimensions):
        place: Path_ = ("dimensions", number)
        try:
            reads = known if dimension.dimension_name == TIME_DIMENSION else on_codes
            reads(dimension.operator, dimension.dimension_name)
        except Unreadable as error:
            sound = False
            yield (*place, "operator"), str(error), "Leave the operator out for a list of values."
        for index, term in enumerate(dimension.values):
            spot: Path_ = (*place, "values", index, "id")
            if not term.id.strip():
                yield spot, f"an id in {dimension.dimension_name} is empty", "Give the code, or leave the value out."
            elif dimension.dimension_name == TIME_DIMENSION and days(term.id, date.today()) is None:
                sound = False
                yield spot, no_period(term.id, "in TIME_PERIOD"), PERIODS
    if sound:
        try:
            with_period(Selection((part,)))
        except Unreadable as error:
            yield ("dimensions",), str(error), "Write it as the period of the entry: period: {start: 2015, end: 2020}."


def _doubts(case: Case[Target], now: date) -> Iterator[Problem]:
    file, line = case.source.file, case.source.line
    for target in (turn.target for turn in case.conversation if turn.target is not None):
        if target.is_out_of_scope is None and _says_nothing(target):
            message = (
                f'case "{case.id}" has an empty target: '
                "only an answer that selects nothing is right, and recall is undefined"
            )
            hint = "Give an indicator_selection, or say is_out_of_scope: true where the right answer is to decline."
            yield Problem(message, file=file, line=line, hint=hint, severity="warning")
        for selection in (target, *target.alternatives):
            for path, period in periods_in(selection):
                known = list(period_faults(period, path, now, dated=False))  # reported when the case was read
                for _, message in (one for one in period_faults(period, path, now, dated=True) if one not in known):
                    yield Problem(f'case "{case.id}": {message}', file=file, line=line, hint=PERIODS)


def _says_nothing(target: Target) -> bool:
    return not target.selects and target.period is None and not target.alternatives and not target.outcome
