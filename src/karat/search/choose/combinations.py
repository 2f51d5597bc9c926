"""One option for each field: what a combination is worth, in whole numbers, step by step of the objective.

Questions that pass with just the same options are one group, and questions that no option passes are left out of the
groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from karat.search.choose.options import FieldOptions
from karat.search.records import Integers

Step = Literal["passed", "recall", "tokens", "rest"]
"""``rest``: smaller n, then the cheaper model, then the one given first."""
NAMES: dict[Step, str] = {
    "passed": "questions passed",
    "recall": "mean recall",
    "tokens": "tokens",
    "rest": "smaller n and cheaper models",
}
RECALL_PARTS = 1_000_000
"""Recall is counted in parts of a question: a common denominator, or millionths where that is greater. Then differences
below a millionth of one question's recall count as equal."""


@dataclass(frozen=True)
class Program:
    """The figures of every option, and of every group of questions."""

    fields: tuple[FieldOptions, ...]
    starts: Integers
    """The place of each field's first option; one more at the end for their number."""
    recall: Integers
    """[option]: what it adds to the sum of recalls, in ``parts``."""
    parts: int
    tokens: Integers
    rest: Integers
    weights: Integers
    """[group]: its questions."""
    allowed: tuple[NDArray[np.bool_], ...]
    """For each field [option, group]: whether the group's questions lack nothing of this field."""
    questions: int
    """Those that have a truth in any field."""


@dataclass(frozen=True)
class Solved:
    """A combination (the place of the taken option in each field), and how far it is proven to be the best."""

    taken: tuple[int, ...] | None
    """None: there is no such combination, or (when that is not proven) none was found in time."""
    proven: bool
    gap: float = 0.0
    """By how much the best could be better, in the unit of the first step that is not proven."""
    gap_in: str = ""


def program_of(fields: Sequence[FieldOptions]) -> Program:
    """The figures of the program for these fields."""
    expected = np.stack([field.expected for field in fields])
    counting = (expected > 0).sum(axis=0)
    shares = expected * counting  # found / share, summed over the fields, is the recall of a question
    common = lcm(*(int(share) for share in np.unique(shares[shares > 0])))
    parts = min(common, RECALL_PARTS)
    options = [option for field in fields for option in field.options]
    recall = []
    for field, share in zip(fields, shares, strict=True):
        used = share > 0
        if common <= RECALL_PARTS:
            recall.append(field.found[:, used] @ (common // share[used]))
        else:
            recall.append(np.rint(field.found[:, used] @ (parts / share[used])).astype(np.int64))
    models = 1 + max(option.model for option in options)
    dearest = 1 + len(fields) * models  # more than all dearnesses, or all places, of a combination together
    patterns = np.concatenate([field.full for field in fields])[:, counting > 0]
    groups, weights = np.unique(patterns, axis=1, return_counts=True) if patterns.shape[1] else (patterns, np.empty(0))
    starts = np.cumsum([0, *(len(field.options) for field in fields)])
    allowed = [groups[starts[i] : starts[i + 1]] for i in range(len(fields))]
    can_pass = np.logical_and.reduce([part.any(axis=0) for part in allowed])
    return Program(
        fields=tuple(fields),
        starts=starts,
        recall=np.concatenate(recall).astype(np.int64),
        parts=parts,
        tokens=np.array([option.tokens for option in options]),
        rest=np.array([(option.n * dearest + option.dearness) * dearest + option.model for option in options]),
        weights=weights[can_pass].astype(np.int64),
        allowed=tuple(part[:, can_pass] for part in allowed),
        questions=int((counting > 0).sum()),
    )


def value(program: Program, step: Step, taken: Sequence[int]) -> int:
    """What a combination is worth in one step, in whole numbers; more is better."""
    if step == "passed":
        passing = np.logical_and.reduce([part[index] for part, index in zip(program.allowed, taken, strict=True)])
        return int(program.weights[passing].sum())
    places = program.starts[:-1] + np.asarray(taken)
    return int(program.recall[places].sum()) if step == "recall" else -int(column_of(program, step)[places].sum())


def column_of(program: Program, step: Step) -> Integers:
    return {"recall": program.recall, "tokens": program.tokens, "rest": program.rest}[step]


def worth(program: Program, steps: Sequence[Step], taken: Sequence[int]) -> tuple[int, ...]:
    """What a combination is worth in several steps: of two, the greater is better."""
    return tuple(value(program, step, taken) for step in steps)
