"""Predictions that belong to nothing in a run: other cases, or turns and repeats that do not exist, or a turn that has
an answer already. They are reported and left out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from karat.core.case_files.nearest_id import is_same_id, nearest_id
from karat.core.problems import Problem, Severity, count_of
from karat.core.records import AnyCase, Prediction, default_turn

UNKNOWN = "unknown cases"
TURNS = 'turns that the case does not have ("turn" counts from 0)'
SECOND = "turns that have one already"
SHOWN = 5
IGNORED = "They are ignored."
HINTS = {SECOND: 'The first is used. Give repeats a "repeat" number.'}
MOST_COMPARED = 100_000


@dataclass
class _Strays:
    """How many there are of one kind, and what they are called."""

    count: int = 0
    names: dict[str, None] = field(default_factory=dict)

    def add(self, name: str) -> None:
        self.count += 1
        self.names[name] = None


def unmatched_problems(
    cases: Sequence[AnyCase],
    predictions: Iterable[Prediction],
    repeats: int,
    source: str,
    left_out: Collection[str] | None = (),
) -> list[Problem]:
    """One problem for each kind of stray prediction, with the first few named, and one id that a prediction could have
    had.

    Those to a case that was ``left_out`` on purpose are nothing to report, unless there are no others; None: which
    those are is not known any more.
    """
    turns = {case.id: case.user_turns for case in cases}
    usual = {case.id: default_turn(case) for case in cases}
    answered: set[int] = set()
    kinds: dict[str, _Strays] = {}
    passed_over = _Strays()
    others = False
    for one in predictions:
        known = turns.get(one.case_id)
        if known is None and (left_out is None or one.case_id in left_out):
            passed_over.add(one.case_id)
            continue
        others = True
        if (stray := _stray(one, known, repeats)) is not None:
            kind, name = stray
            kinds.setdefault(kind, _Strays()).add(name)
            continue
        turn = one.turn if one.turn is not None else usual[one.case_id]
        place = hash((one.case_id, one.repeat, turn))  # the numbers alone: there may be a million predictions
        if place in answered:
            kinds.setdefault(SECOND, _Strays()).add(f'{one.case_id} "turn": {turn}')
        answered.add(place)
    if passed_over.count and not others:
        kinds[UNKNOWN] = passed_over
    return [
        _problem(kind, strays, source, _expected(strays, turns) if kind == UNKNOWN else HINTS.get(kind, IGNORED))
        for kind, strays in kinds.items()
    ]


def _expected(strays: _Strays, known: Mapping[str, object]) -> str:
    """What becomes of predictions to unknown cases, and the id that the first of them may have meant."""
    if not known:
        return ""
    name = next(iter(strays.names))
    close = nearest_id(name, known) if len(known) <= MOST_COMPARED else ""
    if close:
        other = " Ids must be equal to the letter." if is_same_id(name, close) else ""
        return f'They are ignored. Did you mean "{close}" instead of "{name}"?{other}'
    return f'They are ignored. A prediction is expected for "{next(iter(known))}", for example.'


def _stray(one: Prediction, turns: int | None, repeats: int) -> tuple[str, str] | None:
    """(what there is none of, the name of the prediction); None for one that belongs to the run."""
    if turns is None:
        return UNKNOWN, one.case_id
    if one.turn is not None and not 0 <= one.turn < turns:
        return TURNS, f'{one.case_id} "turn": {one.turn}'
    if 0 <= one.repeat < repeats:
        return None
    verb = "is" if repeats == 1 else "are"
    return (
        f"repeats that do not exist (there {verb} {repeats}, counted from 0 without a gap)",
        f"{one.case_id} repeat {one.repeat}",
    )


def _problem(kind: str, strays: _Strays, source: str, hint: str) -> Problem:
    names = list(strays.names)
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    severity: Severity = "error" if kind.startswith(("repeats", SECOND)) else "warning"
    message = f"{count_of(strays.count, 'prediction')} for {kind}: {shown}"
    return Problem(message, file=source, severity=severity, hint=hint)
