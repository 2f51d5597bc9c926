"""Predictions that belong to nothing in a run: other cases, or turns and repeats that do not exist. They are reported
and left out."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.problems import Problem, Severity, count_of
from karat.core.records import AnyCase, Prediction

UNKNOWN = "unknown cases"


def unmatched_problems(
    cases: Sequence[AnyCase], unmatched: Sequence[Prediction], repeats: int, source: str
) -> list[Problem]:
    """One problem for each kind of stray prediction, with the first few named, and one id that a prediction could have
    had."""
    known = {case.id: case for case in cases}
    groups: dict[str, list[str]] = {}
    hint = f'They are ignored. A prediction is expected for "{cases[0].id}", for example.' if cases else ""
    for one in unmatched:
        case = known.get(one.case_id)
        if case is None:
            groups.setdefault(UNKNOWN, []).append(one.case_id)
        elif one.turn is not None and not 0 <= one.turn < case.user_turns:
            groups.setdefault('turns that the case does not have ("turn" counts from 0)', []).append(
                f'{one.case_id} "turn": {one.turn}'
            )
        else:
            what = (
                f"repeats that do not exist (there {'is' if repeats == 1 else 'are'} {repeats}, counted from 0 "
                "without a gap)"
            )
            groups.setdefault(what, []).append(f"{one.case_id} repeat {one.repeat}")
    problems = []
    for what, all_names in groups.items():
        names = list(dict.fromkeys(all_names))
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        message = f"{count_of(len(all_names), 'prediction')} for {what}: {shown}"
        severity: Severity = "error" if what.startswith("repeats") else "warning"
        expected = hint if what == UNKNOWN else "They are ignored."
        problems.append(Problem(message, file=source, severity=severity, hint=expected))
    return problems
